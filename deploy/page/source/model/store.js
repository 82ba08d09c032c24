import { Beacons } from './beacons.js';
import { HeardBeacons } from './heard.js';
import { Heat } from './heat.js';
import { limits } from './limits.js';
import { Names } from './names.js';

// The kinds of messages that the broker keeps, and sends again on each connection.
const retainedKinds = new Set(['status', 'health', 'location', 'state', 'today', 'beacons', 'learned']);

/** A gateway as the page knows it; the gateway `site` is the store itself. */
const newGateway = (site, id) => ({ site, id, status: null, health: null, fix: null, trail: [], states: new Map(), kept: new Map() });

/** All received data: stores, their gateways, beacons, zones and events. It has no clock: each message comes with its time of arrival. */
export class Store {
  constructor(names = new Names()) {
    this.names = names;
    this.sites = new Map();
    this.gatewayCount = 0;
    this.refused = 0;
    // Counts up with each change, which makes a view draw.
    this.version = 0;
    // Counts the connections.
    this.round = 0;
  }

  /** The store of that name, perhaps a new empty one; null beyond the limit. */
  site(name) {
    let site = this.sites.get(name);
    if (!site && this.sites.size < limits.sites) {
      site = { name, gateways: new Map(), beacons: new Beacons(this.names), heard: new HeardBeacons(this.names), zones: new Map(), circles: new Map(), events: [], numbers: new Set(), storeEvents: new Map(), statesOfZones: 0, today: null, learned: null, heat: new Heat() };
      this.sites.set(name, site);
    }
    if (!site) this.refused += 1;
    return site ?? null;
  }

  gateway(site, id) {
    let gateway = site.gateways.get(id);
    if (!gateway && this.gatewayCount < limits.gateways && site.gateways.size < limits.gatewaysOfSite) {
      gateway = newGateway(site.name, id);
      site.gateways.set(id, gateway);
      this.gatewayCount += 1;
    }
    if (!gateway) this.refused += 1;
    return gateway ?? null;
  }

  /** Takes a message. `body` is null where the topic was cleared. */
  take(subject, body, now_ms, retained) {
    // A cleared topic must not bring back a store or a gateway that the page does not know.
    if (body === null && !this.sites.get(subject.site)?.gateways.has(subject.gateway)) return;
    const site = this.site(subject.site);
    const gateway = site && this.gateway(site, subject.gateway);
    if (!gateway) return;
    this.version += 1;
    if (body === null) this.clear(site, gateway, subject);
    else takers[subject.kind](site, gateway, subject, body, now_ms, retained);
    if (body === null || !retainedKinds.has(subject.kind)) return;
    const { kept } = gateway;
    if (kept.has(subject.topic) || kept.size < limits.names + limits.pages + retainedKinds.size) kept.set(subject.topic, { round: this.round, subject });
  }

  /** Begins another connection, on which the broker sends again what it keeps. */
  renew() {
    this.round += 1;
  }

  /** Clears each topic that the broker kept on an earlier connection and did not send on this one: it was cleared meanwhile. */
  sweep() {
    for (const site of this.sites.values()) {
      for (const gateway of [...site.gateways.values()]) {
        for (const { round, subject } of [...gateway.kept.values()]) {
          if (round === this.round) continue;
          this.clear(site, gateway, subject);
          this.version += 1;
        }
      }
    }
  }

  clear(site, gateway, subject) {
    gateway.kept.delete(subject.topic);
    if (subject.kind === 'status' && site.gateways.has(gateway.id)) {
      site.gateways.delete(gateway.id);
      this.gatewayCount -= 1;
      site.heard.dropGateway(gateway.id);
    }
    if (subject.kind === 'beacons') site.heard.drop(subject.topic);
    if (subject.kind === 'location') gateway.fix = null;
    if (subject.kind === 'health') gateway.health = null;
    if (subject.kind === 'today' && gateway.id === 'site') site.today = null;
    if (subject.kind === 'learned' && gateway.id === 'site') site.learned = null;
    if (subject.kind !== 'state') return;
    gateway.states.delete(subject.topic);
    site.circles.delete(subject.topic);
    if (site.zones.get(subject.zone)?.inside.delete(subject.topic)) site.statesOfZones -= 1;
  }

  /** Drops the data that only a selected store sends: beacons and events. They are not subscribed any more. */
  leave(name) {
    const site = this.sites.get(name);
    if (!site) return;
    Object.assign(site, { beacons: new Beacons(this.names), heard: new HeardBeacons(this.names), events: [], numbers: new Set(), storeEvents: new Map(), today: null, learned: null, heat: new Heat() });
    for (const gateway of site.gateways.values()) Object.assign(gateway, { health: null, waiting: [] });
    this.version += 1;
  }

  /** Gives beacons their whole time again: the connection was away, not the beacons. */
  resume(now_ms) {
    for (const site of this.sites.values()) site.beacons.resume(now_ms);
  }

  expire(now_ms) {
    for (const site of this.sites.values()) {
      const before = site.beacons.known.size;
      site.beacons.expire(now_ms);
      if (site.beacons.known.size !== before) this.version += 1;
    }
  }
}

/** The subject of a region's topic: the region, or one of its instances. */
export const instanceOf = ({ region, major, minor }) => [region, major, minor].filter((value) => value !== undefined).join('/');

/** A zone of the store; null beyond the limit. */
function zoneOf(site, name) {
  if (!site.zones.has(name) && site.zones.size < limits.zones) site.zones.set(name, { name, inside: new Map() });
  return site.zones.get(name) ?? null;
}

/** Takes the state of a zone; beyond the limit only known states change. */
function setZone(site, { zone, topic }, state) {
  const inside = zoneOf(site, zone)?.inside;
  if (!inside) return;
  if (!inside.has(topic)) {
    if (site.statesOfZones >= limits.statesOfZones) return;
    site.statesOfZones += 1;
  }
  inside.set(topic, state);
}

export const takers = {
  status(site, gateway, subject, body) {
    gateway.status = body;
  },
  health(site, gateway, subject, body) {
    gateway.health = body;
    // A minute lies between two of them, so that three show whether a backlog grows.
    if (body.figures.queue_depth !== undefined) gateway.waiting = [...(gateway.waiting ?? []), body.figures.queue_depth].slice(-3);
  },
  today(site, gateway, subject, body) {
    // Only a store knows its day.
    if (gateway.id === 'site') site.today = body;
  },
  learned(site, gateway, subject, body) {
    if (gateway.id === 'site') site.learned = body;
  },
  heat(site, gateway, subject, body) {
    if (gateway.id === 'site') site.heat.take(body);
  },
  location(site, gateway, subject, body) {
    follow(gateway, [body.fix]);
  },
  track(site, gateway, subject, body) {
    follow(gateway, body.fixes);
  },
  state(site, gateway, subject, body) {
    if (gateway.states.has(subject.topic) || gateway.states.size < limits.names) gateway.states.set(subject.topic, { ...subject, ...body });
    if (subject.zone) setZone(site, subject, body.state);
    if (!body.center || body.radius_m === null) return;
    if (site.circles.has(subject.topic) || site.circles.size < limits.circles) {
      site.circles.set(subject.topic, { gateway: gateway.id, region: subject.region, ...body });
    }
  },
  beacons(site, gateway, subject, body) {
    // A store hears nothing itself.
    if (gateway.id !== 'site') site.heard.take(subject, body);
  },
  ranging(site, gateway, subject, body, now_ms) {
    for (const beacon of body.beacons) if (beacon.zone) zoneOf(site, beacon.zone);
    site.beacons.take(subject, body.beacons, now_ms);
  },
  event(site, gateway, subject, body) {
    // At least once means that a message may come twice.
    const number = `${gateway.id}/${body.epoch}/${body.seq}`;
    if (site.numbers.has(number)) return;
    site.numbers.add(number);
    const event = { ...body, number, gateway: gateway.id, region: subject.region, zone: subject.zone ?? null, instance: instanceOf(subject) };
    site.events.unshift(event);
    for (const old of site.events.splice(limits.events)) site.numbers.delete(old.number);
    // The store's own events are kept longer. Gateways publish more events, which must not displace a visit of the store.
    if (gateway.id !== 'site') return;
    site.storeEvents.set(number, event);
    if (site.storeEvents.size > limits.storeEvents) site.storeEvents.delete(site.storeEvents.keys().next().value);
  },
};

/** Adds fixes to a gateway's trail. A retained place that is older than the known one changes nothing. */
function follow(gateway, fixes) {
  for (const fix of fixes) {
    const last = gateway.trail[gateway.trail.length - 1];
    if (last && fix.at !== null && last.at !== null && fix.at <= last.at) continue;
    gateway.trail.push(fix);
    gateway.fix = fix;
  }
  gateway.trail.splice(0, gateway.trail.length - limits.trail);
}

/** The number of beacons in each zone: by the ranging of `site`, or without any, by the states of its regions. */
export function zoneCounts(site) {
  const counts = new Map();
  for (const zone of site.zones.values()) {
    const states = [...zone.inside.values()];
    counts.set(zone.name, { now: 0, states: states.filter((state) => state === 'inside').length, unknown: states.includes('unknown') });
  }
  for (const beacon of site.beacons.known.values()) {
    for (const source of beacon.heard.values()) {
      const count = source.gateway === 'site' && counts.get(source.entries.find((entry) => entry.zone)?.zone);
      if (count) {
        count.now += 1;
        break;
      }
    }
  }
  return counts;
}
