// Topics, as the article Messages has them: {prefix}/{site}/{gateway}/…

const levels = 'status health location gap coverage'.split(' ');
const number = /^(0|[1-9][0-9]{0,4})$/;

/** Whether a store can have this name: one level of a topic, without the characters that mean something in a filter. */
export const isName = (value) => typeof value === 'string' && value.length > 0 && value.length <= 128 && !/[+#/\u0000-\u001f\u007f]/.test(value);

/** What a topic is about: `site`, `gateway`, `kind`, and for a region `region`, `major`, `minor`, `zone`. Null where it is none of ours. */
export function readTopic(topic, prefix) {
  if (!topic.startsWith(`${prefix}/`)) return null;
  const parts = topic.slice(prefix.length + 1).split('/');
  if (parts.length > 11 || parts.length < 3 || parts.some((part) => part === '')) return null;
  const [site, gateway, first, ...rest] = parts;
  const subject = { site, gateway, topic };
  if (first === 'region') return readRegion(subject, rest);
  if (first === 'location' && rest.length === 1 && rest[0] === 'track') return { ...subject, kind: 'track' };
  return rest.length === 0 && levels.includes(first) ? { ...subject, kind: first } : null;
}

/** {region}[/{major}[/{minor}]][/zone/{zone}]/event, state or ranging. */
function readRegion(subject, parts) {
  const kind = parts[parts.length - 1];
  let middle = parts.slice(0, -1);
  if (!['event', 'state', 'ranging'].includes(kind) || middle.length === 0) return null;
  const about = { ...subject, kind, region: middle[0] };
  middle = middle.slice(1);
  if (middle.length >= 2 && middle[middle.length - 2] === 'zone') {
    about.zone = middle[middle.length - 1];
    middle = middle.slice(0, -2);
  }
  if (middle.length > 2 || !middle.every((part) => number.test(part) && Number(part) < 65536)) return null;
  if (middle.length > 0) about.major = Number(middle[0]);
  if (middle.length > 1) about.minor = Number(middle[1]);
  return about;
}
