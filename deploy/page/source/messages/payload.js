// Reads payloads, with a limit on everything. The contract has the rules of the fields; this file turns them into the
// page's data.

import { text } from '../mqtt/packets.js';
import { kinds } from './contract.js';
import { isObject, readObject } from './fields.js';

const longest = 512 * 1024;
const mostBeacons = 4096;
// Farther beacons are not drawn.
const farthest_m = 1e5;
// No zone has a longer day. The contract limits its hours.
const longestDay_ms = 26 * 3600000;
const longestSheet_ms = 3600000;

/** A payload that can't be read; the message has the reason. */
export class PayloadError extends Error {}

/** The part of a message that the page uses. Throws a PayloadError. */
export function readPayload(kind, octets) {
  if (octets.length > longest) throw new PayloadError(`longer than ${longest} octets`);
  let value;
  try {
    value = JSON.parse(text(octets));
  } catch (error) {
    throw new PayloadError(error instanceof SyntaxError ? 'not JSON' : error.message);
  }
  if (!isObject(value)) throw new PayloadError('not an object');
  const { fields, missing } = readObject(value, kinds[kind]);
  if (missing !== null) throw new PayloadError(`${missing} is missing or not what it should be`);
  return { at: fields.at, synced: fields.clock !== 'unsynced', ...readers[kind](fields) };
}

export const readers = {
  status: ({ state, radio, remedy, version, location, settings }) => ({
    state, radio, digest: settings?.digest ?? null, remedy: remedy ?? '', version: version ?? '',
    location: location && { ...location, availability: location.availability ?? '' },
  }),
  health: (health) => ({
    figures: figures(health),
    spoofing: health.suspected_spoofing?.length ?? 0,
    outbox: health.outbox ?? '',
    // A store's data on its gateways: a word for each id.
    hearing: new Map((health.gateways ?? []).map(({ gateway, hearing }) => [gateway, hearing])),
    broker: health.mqtt?.last_failure ?? '',
    // The receiver of another maker that is the radio, if there is one.
    receiver: health.radio,
    // Seconds by the gateway's own clock, negative after the end; null where it has no certificate.
    certificate_s: health.certificate ? (health.certificate.expires_at - health.at) / 1000 : null,
  }),
  event: ({ epoch, seq, type, uuid, major, minor, gateway, dwell_s, partial, inferred, unmonitored, late }) => (
    { epoch, seq, type, uuid, major, minor, decidedBy: gateway, dwell_s, partial, inferred, unmonitored, late }),
  state: ({ state, since, center, radius_m }) => ({ state, since, center, radius_m }),
  ranging: ({ beacons }) => ({ beacons: beacons.slice(0, mostBeacons).map(beacon) }),
  location: (location) => ({ service: location.service, fix: fix(location.fix) }),
  track: ({ fixes }) => ({ fixes: fixes.map(fix) }),
  today: day,
  heat: sheet,
  learned: ({ gateways, suspects }) => ({
    offsets: new Map(gateways.map(({ id, rssi_offset_db, plus_minus_db, links, since }) => [id, { offset_db: rssi_offset_db, plusMinus_db: plus_minus_db, links, since }])),
    suspects: new Map(suspects.map(({ id, since, change_db, reason }) => [id, { since, change_db, reason: reason ?? '' }])),
  }),
  beacons: list,
};

function beacon({ uuid, major, minor, track, device, proximity, accuracy_m, accuracy_error_m, rssi_dbm, age_ms, interval_ms, reports_per_s, resolving, duplicate, zone, zone_confidence, other_zones, position }) {
  return {
    uuid, major, minor, track, device, proximity: proximity ?? 'unknown', accuracy_m, error_m: accuracy_error_m, rssi_dbm, age_ms, interval_ms, reports_per_s, resolving, duplicate, zone,
    confidence: zone_confidence,
    others: other_zones ?? [],
    position: position && Math.hypot(position.x_m, position.y_m) <= farthest_m ? { ...position, floor: position.floor ?? 0, error_m: position.error_m ?? 0 } : null,
  };
}

/** A page of the list of beacons. A battery is what telemetry says of it. */
function list({ page, pages, beacons }) {
  if (page >= pages) throw new PayloadError('page is not one of pages');
  return {
    beacons: beacons.map(({ uuid, major, minor, last_heard_at, battery_percent, battery_mv, telemetry_at }) => ({
      uuid, major, minor, heard: last_heard_at,
      battery: telemetry_at === null || (battery_percent === null && battery_mv === null) ? null : { percent: battery_percent, mv: battery_mv, at: telemetry_at },
    })),
  };
}

/** A store's day. A region that does not say how many visits each hour had is left out. */
function day({ day: date, time_zone, from_at, to_at, hours, regions, people, omitted }) {
  if (to_at <= from_at || to_at - from_at > longestDay_ms) throw new PayloadError('to_at is not the end of a day');
  return {
    date, zone: time_zone ?? '', from: from_at, to: to_at,
    heard: hours.map((hour) => hour.heard_share),
    regions: regions.filter(({ entries }) => entries.length === hours.length),
    people: people ?? [],
    omitted: omitted ?? 0,
  };
}

/** A sheet of a store's heat map. A cell is a square around its middle. */
function sheet({ epoch, sheet: number, from_at, to_at, page, pages, cell_m, cells, omitted_cells, omitted_s, unplaced_s }) {
  if (to_at < from_at || to_at - from_at > longestSheet_ms) throw new PayloadError('to_at is not within an hour after from_at');
  if (page >= pages) throw new PayloadError('page is not one of pages');
  return { number: `${epoch}/${number}`, from: from_at, to: to_at, page, cell_m, cells, omittedCells: omitted_cells, omitted_s, unplaced_s };
}

const fix = ({ at, latitude, longitude, horizontal_accuracy_m, speed_m_s, course_deg }) => (
  { at, latitude, longitude, accuracy_m: horizontal_accuracy_m, speed_m_s, course_deg });

/** The figures of health that are numbers, with sums of those that are counts by cause. */
function figures(health) {
  const found = {};
  for (const [name, { is, fields }] of Object.entries(kinds.health.fields)) {
    if (health[name] === null) continue;
    if (is === 'number' || is === 'whole') found[name] = health[name];
    if (is === 'object' && Object.values(fields).every((one) => one.is === 'whole')) found[name] = Object.values(health[name]).reduce((sum, one) => sum + (one ?? 0), 0);
  }
  return found;
}
