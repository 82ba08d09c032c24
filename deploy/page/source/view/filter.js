import { shown } from '../model/beacons.js';

// The words of the search field, which all have to match. `major:2`, `minor:1`, `uuid:39ed`, `id:carts`, `zone:till`,
// `gateway:door`, `name:anna`, `is:low`, `is:silent`; `2/1` is a major and a minor; a number alone is either; any other word is searched in all fields.

const fields = ['id', 'uuid', 'major', 'minor', 'zone', 'gateway', 'name', 'is'];

/** A test for things with such fields, and `empty` where everything matches. */
export function readFilter(typed) {
  const terms = typed.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 16).map(readTerm);
  const fits = (thing) => terms.every((term) => term(thing));
  return { fits, empty: terms.length === 0 };
}

function readTerm(word) {
  const [, name, value] = /^([a-z]+)[:=](.+)$/.exec(word) ?? [];
  if (fields.includes(name)) {
    if (name === 'major' || name === 'minor') return (thing) => String(thing[name]) === value;
    return (thing) => (name === 'uuid' ? thing.uuid.startsWith(value) : thing[name].includes(value));
  }
  const pair = /^(\d+)\/(\d+)$/.exec(word);
  if (pair) return (thing) => String(thing.major) === pair[1] && String(thing.minor) === pair[2];
  if (/^\d{1,5}$/.test(word)) {
    return (thing) => String(thing.major) === word || String(thing.minor) === word || thing.uuid.startsWith(word) || thing.id.includes(word)
      || thing.name.split(/\s+/).includes(word);
  }
  return (thing) => thing.id.includes(word) || thing.uuid.startsWith(word) || thing.zone.includes(word) || thing.gateway.includes(word) || thing.name.includes(word);
}

/** What is wrong with a beacon, as the words of the search. */
export const signsOf = (health) => [health?.isLow && 'low', health?.isSilent && 'silent'].filter(Boolean);

const lower = (value) => (value ?? '').toLowerCase();

/** The names of a zone: its id, and what people call it. */
const zoneNames = (zone, names) => (zone ? lower(`${zone} ${names.zone(zone)}`) : '');

/** The fields of a beacon. `health` is that of the lists of gateways; null where the beacon is in none. */
export function beaconFields(beacon, names, health = null) {
  const { region, gateway, zone } = shown(beacon);
  return {
    id: lower(region), uuid: lower(beacon.uuid), major: beacon.major, minor: beacon.minor, zone: zoneNames(zone, names), gateway: lower(gateway || health?.gateway),
    name: lower(beacon.label), is: signsOf(health).join(' '),
  };
}

export const visitFields = ({ event, path }, names) => (
  { ...eventFields(event, names), zone: path.map((place) => zoneNames(place, names)).join(' '), gateway: lower(path.join(' ')) });

export const eventFields = (event, names) => ({
  id: lower(event.region), uuid: lower(event.uuid), major: event.major, minor: event.minor, zone: zoneNames(event.zone, names), gateway: lower(event.gateway),
  name: event.minor === null ? '' : lower(names.beacon(event)), is: '',
});
