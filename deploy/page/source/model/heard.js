import { identityOf } from './beacons.js';
import { limits } from './limits.js';
import { Names } from './names.js';

// The health of beacons, from the lists of gateways: their batteries, and when they were last heard. Gateways list a beacon for a while
// after it fell silent; ranging does not.

const day_ms = 86400000;
// The longest report interval is a day, and a message may be late.
const fresh_ms = day_ms + 3600000;
const lowest_percent = 10;
const lowest_mv = 2400;

/** The pages of the lists of a store's gateways, and the beacons that stand in them. A page replaces the former one of its topic. */
export class HeardBeacons {
  constructor(names = new Names()) {
    this.names = names;
    this.known = new Map();
    // By topic: the gateway of a page, and the identities of its beacons.
    this.pages = new Map();
    this.entries = 0;
    this.refused = 0;
  }

  /** Takes a page. A page beyond the limits is refused, and of a store's further entries, those that do not fit. */
  take({ topic, gateway, page }, { at, synced, beacons }) {
    if (page >= limits.pages) return void (this.refused += 1);
    this.drop(topic);
    const identities = new Set();
    let isWhole = true;
    // No time is later than the list.
    const until = (time) => Math.min(time, at);
    for (const beacon of beacons) {
      const identity = identityOf(beacon);
      const battery = beacon.battery && { ...beacon.battery, at: until(beacon.battery.at) };
      if (this.put(identity, topic, beacon, { gateway, at, synced, heard: until(beacon.heard), battery })) identities.add(identity);
      else isWhole = false;
    }
    if (!isWhole) this.refused += 1;
    this.pages.set(topic, { gateway, identities });
  }

  put(identity, topic, { uuid, major, minor }, entry) {
    let beacon = this.known.get(identity);
    const isNew = !beacon?.entries.has(topic);
    if (isNew && this.entries >= limits.entries) return false;
    if (!beacon) {
      if (this.known.size >= limits.beacons) return false;
      // No gateway ranges it, as far as the list knows: a beacon of `Beacons` has those that do.
      beacon = { identity, uuid, major, minor, label: this.names.beacon({ uuid, major, minor }), heard: new Map(), entries: new Map(), joined: null };
      this.known.set(identity, beacon);
    }
    if (isNew) this.entries += 1;
    beacon.entries.set(topic, entry);
    beacon.joined = null;
    return true;
  }

  /** Drops the page of a topic. */
  drop(topic) {
    for (const identity of this.pages.get(topic)?.identities ?? []) {
      const beacon = this.known.get(identity);
      beacon.entries.delete(topic);
      beacon.joined = null;
      this.entries -= 1;
      if (beacon.entries.size === 0) this.known.delete(identity);
    }
    this.pages.delete(topic);
  }

  /** Drops all pages of a gateway. */
  dropGateway(id) {
    for (const [topic, { gateway }] of [...this.pages]) if (gateway === id) this.drop(topic);
  }
}

/** Joins what gateways list: the last hearing, and the newest telemetry. A clock that was not set counts only where no other one does. */
function join(beacon) {
  if (beacon.joined) return beacon.joined;
  let last = null;
  let charge = null;
  for (const entry of beacon.entries.values()) {
    if (!last || (entry.synced === last.synced ? entry.heard > last.heard : entry.synced)) last = entry;
    if (entry.battery && (!charge || (entry.synced === charge.synced ? entry.battery.at > charge.battery.at : entry.synced))) charge = entry;
  }
  const { percent = null, mv = null } = charge?.battery ?? {};
  beacon.joined = { last, charge, isLow: (percent !== null && percent <= lowest_percent) || (mv !== null && mv <= lowest_mv) };
  return beacon.joined;
}

/**
 * The health of a beacon that stands in a list. `heard_ms` is null where no set clock gives it. `battery` is null where the beacon reports
 * none. `gateway` and `reader` heard it last and read its battery.
 *
 * It is silent where the gateway that heard it last has made a list more than a day after that, and that list is fresh. A gateway that is
 * offline makes no beacon silent. `isRanged` says that a gateway hears it right now.
 */
export function healthOf(beacon, isRanged, now_ms) {
  const { last, charge, isLow } = join(beacon);
  const isFresh = Math.abs(now_ms - last.at) <= fresh_ms;
  return {
    gateway: last.gateway, heard_ms: last.synced ? last.heard : null, isFresh, battery: charge?.battery ?? null, reader: charge?.gateway ?? null, isLow,
    isSilent: !isRanged && last.synced && isFresh && last.at - last.heard > day_ms,
  };
}

/** The health of a beacon that is ranged; null where it stands in no list. */
export function rangedHealth(site, { identity }) {
  const listed = site.heard.known.get(identity);
  return listed ? healthOf(listed, true, 0) : null;
}

/**
 * All beacons of a store, those that are ranged and those that only stand in lists, as `{ beacon, health }`. Without a list a beacon has no
 * health.
 */
export function beaconsOf(site, now_ms) {
  const { beacons, heard } = site;
  const found = [...beacons.known.values()].map((beacon) => ({ beacon, health: rangedHealth(site, beacon) }));
  for (const beacon of heard.known.values()) {
    if (!beacons.known.has(beacon.identity)) found.push({ beacon, health: healthOf(beacon, false, now_ms) });
  }
  return found;
}
