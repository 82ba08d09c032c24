// Topics in the form of the contract: {prefix}/{site}/{gateway}/…

import { highest_value, kinds, longest_level } from './contract.js';

const number = /^(0|[1-9][0-9]{0,4})$/;
const ofRegion = new Set(Object.keys(kinds).filter((kind) => kinds[kind].topic.startsWith('region/')));
// Kinds whose topics name no region, by their levels after the gateway. The topics of some end with the number of a page.
const plain = new Map(Object.keys(kinds).filter((kind) => !ofRegion.has(kind)).map((kind) => [kinds[kind].topic, kind]));

const isNumber = (level) => number.test(level) && Number(level) <= highest_value;

/** Whether a store can have this name: one level of a topic, without the special characters of filters. */
export const isName = (value) => typeof value === 'string' && value.length > 0 && value.length <= longest_level && !/[+#/\u0000-\u001f\u007f]/.test(value);

/** The subject of a topic: `site`, `gateway`, `kind`, and for a region `region`, `major`, `minor`, `zone`. Null for a foreign topic. */
export function readTopic(topic, prefix) {
  if (!topic.startsWith(`${prefix}/`)) return null;
  const parts = topic.slice(prefix.length + 1).split('/');
  if (parts.length > 11 || parts.length < 3 || parts.some((part) => part === '')) return null;
  const [site, gateway, first, ...rest] = parts;
  const subject = { site, gateway, topic };
  if (first === 'region') return readRegion(subject, rest);
  if (rest.length === 1 && isNumber(rest[0])) {
    const kind = plain.get(`${first}/{page}`);
    return kind ? { ...subject, kind, page: Number(rest[0]) } : null;
  }
  const kind = first === '{page}' || rest.includes('{page}') ? null : plain.get([first, ...rest].join('/'));
  return kind ? { ...subject, kind } : null;
}

/** {region}[/{major}[/{minor}]][/zone/{zone}]/event, state or ranging. */
function readRegion(subject, parts) {
  const kind = parts[parts.length - 1];
  let middle = parts.slice(0, -1);
  if (!ofRegion.has(kind) || middle.length === 0) return null;
  const about = { ...subject, kind, region: middle[0] };
  middle = middle.slice(1);
  if (middle.length >= 2 && middle[middle.length - 2] === 'zone') {
    about.zone = middle[middle.length - 1];
    middle = middle.slice(0, -2);
  }
  if (middle.length > 2 || !middle.every(isNumber)) return null;
  if (middle.length > 0) about.major = Number(middle[0]);
  if (middle.length > 1) about.minor = Number(middle[1]);
  return about;
}
