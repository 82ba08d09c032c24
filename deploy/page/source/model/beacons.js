import { limits } from './limits.js';
import { Names } from './names.js';

// Ranging comes at least every ten seconds while a beacon is in range. A beacon that no message names for this long is gone.
const forgotten_ms = 15000;

/** The name of an identity: one beacon, whatever gateway hears it. */
export const identityOf = (beacon) => `${beacon.uuid}/${beacon.major}/${beacon.minor}`;

/**
 * The beacons that a store hears, with the gateways that hear them. A ranging message replaces the former one of its topic.
 *
 * A gateway's ranging has the distance of a beacon from that gateway; the ranging of the gateway `site` has its place. The page
 * decides nothing: it shows the place by `site` where there is one, and otherwise the gateway with the least distance.
 */
export class Beacons {
  constructor(names = new Names()) {
    this.names = names;
    this.known = new Map();
    this.sources = new Map();
    this.refused = 0;
  }

  /** Takes a ranging message; `now_ms` is its time of arrival. */
  take(subject, beacons, now_ms) {
    const former = this.sources.get(subject.topic);
    if (!former && this.sources.size >= limits.sources) return void (this.refused += 1);
    const heard = new Map();
    for (const beacon of beacons) {
      const identity = identityOf(beacon);
      if (!heard.has(identity)) heard.set(identity, []);
      heard.get(identity).push(beacon);
    }
    for (const identity of former?.identities ?? []) if (!heard.has(identity)) this.drop(identity, subject.topic);
    for (const [identity, entries] of heard) this.put(identity, subject, entries, now_ms);
    if (heard.size === 0) this.sources.delete(subject.topic);
    else this.sources.set(subject.topic, { now_ms, identities: [...heard.keys()] });
  }

  put(identity, subject, entries, now_ms) {
    let beacon = this.known.get(identity);
    if (!beacon) {
      if (this.known.size >= limits.beacons) return void (this.refused += 1);
      const { uuid, major, minor } = entries[0];
      beacon = { identity, uuid, major, minor, label: this.names.beacon(entries[0]), heard: new Map() };
      this.known.set(identity, beacon);
    }
    keepRates(entries, beacon.heard.get(subject.topic)?.entries ?? []);
    beacon.heard.set(subject.topic, { gateway: subject.gateway, region: subject.region, entries, now_ms });
    beacon.shown = null;
  }

  drop(identity, topic) {
    const beacon = this.known.get(identity);
    if (!beacon) return;
    beacon.heard.delete(topic);
    beacon.shown = null;
    if (beacon.heard.size === 0) this.known.delete(identity);
  }

  /** Gives each source its whole time again, because no message of it could arrive for a while. */
  resume(now_ms) {
    for (const source of this.sources.values()) source.now_ms = now_ms;
  }

  /** Drops beacons that no message names any more; `now_ms` is the time of the broker's last message. */
  expire(now_ms) {
    for (const [topic, source] of this.sources) {
      if (now_ms - source.now_ms <= forgotten_ms) continue;
      for (const identity of source.identities) this.drop(identity, topic);
      this.sources.delete(topic);
    }
  }
}

/** Takes over how often a gateway hears a beacon: a list has that every few seconds, not each time. */
function keepRates(entries, former) {
  for (const entry of entries) {
    if (entry.interval_ms !== null) continue;
    const before = former.find(({ track }) => track === entry.track);
    if (before) Object.assign(entry, { interval_ms: before.interval_ms, reports_per_s: before.reports_per_s });
  }
}

/** The shown state of a beacon: its source, the source's data, and the beacon's marks. */
export function shown(beacon) {
  if (beacon.shown) return beacon.shown;
  let best = null;
  let rank = Infinity;
  for (const source of beacon.heard.values()) {
    const nearest = source.entries.reduce((least, entry) => Math.min(least, entry.accuracy_m ?? 1e9), 1e9);
    const order = source.gateway === 'site' ? -1 : nearest;
    if (order < rank || best === null) [best, rank] = [source, order];
  }
  const entries = best?.entries ?? [];
  beacon.shown = {
    gateway: best?.gateway ?? '',
    region: best?.region ?? '',
    entries,
    first: entries[0],
    zone: entries.find((entry) => entry.zone)?.zone ?? null,
    resolving: entries.some((entry) => entry.resolving),
    duplicate: entries.some((entry) => entry.duplicate),
    unknown: entries.every((entry) => entry.proximity === 'unknown' && !entry.position),
  };
  return beacon.shown;
}

/** The marks of a beacon in words, for lists and for screen readers. */
export function marks(beacon) {
  const { resolving, duplicate, unknown } = shown(beacon);
  return [resolving && 'resolving', duplicate && 'duplicate', unknown && 'unknown'].filter(Boolean);
}
