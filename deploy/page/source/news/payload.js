// Payloads, taken apart with a limit on everything. A field that is missing or not what it should be is null, or an error where
// the message says nothing without it.

import { text } from '../mqtt/packets.js';

const longest = 512 * 1024;
const longestText = 600;
const mostBeacons = 4096;
const mostFixes = 3600;
const mostGateways = 256;

/** A payload that can't be read; the message says why. */
export class PayloadError extends Error {}

const words = (value, limit = longestText) => (typeof value === 'string' ? value.slice(0, limit) : null);
const within = (value, low, high) => (typeof value === 'number' && value >= low && value <= high ? value : null);
const whole = (value, low, high) => (Number.isInteger(value) ? within(value, low, high) : null);
const object = (value) => (value !== null && typeof value === 'object' && !Array.isArray(value) ? value : null);

/** RFC 3339 to milliseconds since 1970; null where it is none. */
export function instant(value) {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(value)) return null;
  const ms = Date.parse(value);
  return Number.isFinite(ms) ? ms : null;
}

function need(value, name) {
  if (value === null) throw new PayloadError(`${name} is missing or not what it should be`);
  return value;
}

/** What a message says, in the fields that its reader below knows. Throws a PayloadError. */
export function readPayload(kind, octets) {
  if (octets.length > longest) throw new PayloadError(`longer than ${longest} octets`);
  let value;
  try {
    value = JSON.parse(text(octets));
  } catch (error) {
    throw new PayloadError(error instanceof SyntaxError ? 'not JSON' : error.message);
  }
  const body = need(object(value), 'an object');
  const common = { at: need(instant(body.at), 'at'), synced: body.clock !== 'unsynced' };
  return { ...common, ...readers[kind](body) };
}

const readers = {
  status: (body) => ({
    state: need(['online', 'offline'].includes(body.state) ? body.state : null, 'state'),
    radio: words(body.radio, 40) ?? '',
    remedy: words(body.remedy) ?? '',
    version: words(body.version, 40) ?? '',
    location: object(body.location) && { availability: words(body.location.availability, 40) ?? '', paused: body.location.paused === true },
  }),
  health: (body) => ({
    figures: figures(body),
    spoofing: Array.isArray(body.suspected_spoofing) ? body.suspected_spoofing.length : 0,
    outbox: words(body.outbox) ?? '',
    hearing: hearing(body.gateways),
    broker: words(object(body.mqtt)?.last_failure) ?? '',
  }),
  event: (body) => ({
    epoch: need(words(body.epoch, 64), 'epoch'),
    seq: need(whole(body.seq, 0, Number.MAX_SAFE_INTEGER), 'seq'),
    type: need(['enter', 'exit'].includes(body.type) ? body.type : null, 'type'),
    ...identity(body),
    decidedBy: words(body.gateway, 128),
    dwell_s: within(body.dwell_s, 0, 1e9),
    partial: body.partial === true,
    inferred: body.inferred === true,
    unmonitored: body.unmonitored === true,
  }),
  state: (body) => ({
    state: need(['inside', 'outside', 'unknown'].includes(body.state) ? body.state : null, 'state'),
    since: instant(body.since),
    center: place(body.center),
    radius_m: within(body.radius_m, 0, 1e6),
  }),
  ranging: (body) => ({
    beacons: need(Array.isArray(body.beacons) ? body.beacons : null, 'beacons').slice(0, mostBeacons).map(beacon),
  }),
  location: (body) => ({ service: words(body.service, 40), fix: need(fix(body.fix), 'fix') }),
  track: (body) => ({
    fixes: need(Array.isArray(body.fixes) ? body.fixes : null, 'fixes').slice(-mostFixes).map(fix).filter((one) => one !== null),
  }),
  gap: (body) => ({
    from_seq: whole(body.from_seq, 0, Number.MAX_SAFE_INTEGER),
    to_seq: whole(body.to_seq, 0, Number.MAX_SAFE_INTEGER),
    cause: words(body.cause, 60) ?? '',
  }),
  coverage: () => ({}),
};

const identity = (body) => ({ uuid: words(body.uuid, 36), major: whole(body.major, 0, 65535), minor: whole(body.minor, 0, 65535) });

function beacon(value) {
  const body = need(object(value), 'a beacon');
  return {
    uuid: need(words(body.uuid, 36), 'uuid'),
    major: need(whole(body.major, 0, 65535), 'major'),
    minor: need(whole(body.minor, 0, 65535), 'minor'),
    track: whole(body.track, 0, Number.MAX_SAFE_INTEGER),
    device: words(body.device, 64),
    proximity: ['immediate', 'near', 'far'].includes(body.proximity) ? body.proximity : 'unknown',
    accuracy_m: within(body.accuracy_m, 0, 1e5),
    error_m: within(body.accuracy_error_m, 0, 1e5),
    rssi_dbm: within(body.rssi_dbm, -127, 20),
    resolving: body.resolving === true,
    duplicate: body.duplicate === true,
    zone: words(body.zone, 128),
    confidence: within(body.zone_confidence, 0, 1),
    position: position(body.position),
  };
}

function position(value) {
  const body = object(value);
  const x_m = within(body?.x_m, -1e5, 1e5);
  const y_m = within(body?.y_m, -1e5, 1e5);
  if (x_m === null || y_m === null) return null;
  return { x_m, y_m, floor: whole(body.floor, -100, 1000) ?? 0, error_m: within(body.error_m, 0, 1e4) ?? 0 };
}

function place(value) {
  const body = object(value);
  const latitude = within(body?.latitude, -90, 90);
  const longitude = within(body?.longitude, -180, 180);
  return latitude === null || longitude === null ? null : { latitude, longitude };
}

function fix(value) {
  const where = place(value);
  if (where === null) return null;
  return {
    ...where,
    at: instant(value.at),
    accuracy_m: within(value.horizontal_accuracy_m, 0, 1e6) ?? 0,
    speed_m_s: within(value.speed_m_s, 0, 1e4),
    course_deg: within(value.course_deg, 0, 360),
  };
}

/** What a store says of its gateways: a word for each id. */
function hearing(value) {
  const found = new Map();
  for (const one of Array.isArray(value) ? value.slice(0, mostGateways) : []) {
    const [id, word] = [words(one?.gateway, 128), words(one?.hearing, 40)];
    if (id && word) found.set(id, word);
  }
  return found;
}

/** The figures of health that say something to a person, and no others. */
function figures(body) {
  const sum = (value) => Object.values(object(value) ?? {}).reduce((all, one) => all + (within(one, 0, 1e15) ?? 0), 0);
  const found = {};
  for (const name of ['reports_per_s', 'tracks', 'queue_depth', 'cpu_percent', 'rss_kib', 'uptime_s', 'late']) {
    const value = within(body[name], 0, 1e15);
    if (value !== null) found[name] = value;
  }
  return { ...found, rejected: sum(body.rejected), dropped: sum(body.dropped), recoveries: sum(body.recoveries) };
}
