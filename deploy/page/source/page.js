import { readLayout, writeLayout } from './model/layout.js';
import { Names } from './model/names.js';
import { Store } from './model/store.js';
import { unread } from './messages/contract.js';
import { readPayload, PayloadError } from './messages/payload.js';
import { isName, readTopic } from './messages/topic.js';
import { PacketError } from './mqtt/packets.js';
import { readFilter } from './view/filter.js';

// The reader pings a broker that was silent for 10 s. A broker that was silent for longer than this may be gone.
const silence_ms = 15000;
const settling_ms = 3000;
// A broker has sent again by then what it keeps. What comes later is shown as it comes.
const renewing_ms = 10000;
// Kinds that are subscribed for the selected store alone.
const lookedAt = new Set(['health', 'ranging', 'event', 'today', 'heat', 'beacons', 'learned']);

/** The page's state and choices: the store, the layout, the filter. Views read it, messages change it. */
export class Page {
  constructor(settings, notices) {
    const names = new Names(settings.names);
    Object.assign(this, { settings, notices, names, store: new Store(names), filter: readFilter(''), chosen: null, chosenGateway: null });
    this.calibrating = null;
    this.changes = 0;
    this.connection = { state: 'connecting' };
    // The broker's last message on an established connection; null before the first one.
    this.heard_ms = null;
    // The time of the subscription to the selected store, and whether its retained messages must have come by now.
    this.asked_ms = null;
    this.settled = false;
    // When a connection after the first one began, until what the broker no longer keeps was cleared.
    this.renewed_ms = null;
    this.siteName = null;
    this.layout = readLayout(null);
  }

  /** Takes a new state of the connection. Beacons shown before a reconnect had no chance to come again. */
  connect(connection, now_ms) {
    this.connection = connection;
    if (connection.state === 'online') {
      this.store.resume(now_ms);
      this.asked_ms ??= now_ms;
      if (this.heard_ms !== null) {
        this.store.renew();
        this.renewed_ms = now_ms;
      }
    }
    this.changes += 1;
  }

  /** The broker has sent data. */
  hear(now_ms) {
    if (this.heard_ms !== null && now_ms - this.heard_ms > silence_ms) this.store.resume(now_ms);
    this.heard_ms = now_ms;
  }

  /** The time up to which the picture was true; null while it is true, and before the first data. */
  asOf(online, now_ms) {
    const stands = online && this.connection.state === 'online' && now_ms - this.heard_ms <= silence_ms;
    return this.heard_ms === null || stands ? null : this.heard_ms;
  }

  /** Drops beacons that no message names any more. Without a connection no time passes for them. */
  expire(now_ms) {
    if (this.heard_ms !== null) this.store.expire(this.heard_ms);
    if (this.renewed_ms !== null && this.connection.state === 'online' && now_ms - this.renewed_ms >= renewing_ms) {
      this.store.sweep();
      this.renewed_ms = null;
    }
    if (this.settled || this.asked_ms === null || this.connection.state !== 'online' || now_ms - this.asked_ms < settling_ms) return;
    this.settled = true;
    this.changes += 1;
  }

  version() {
    return this.store.version + this.changes;
  }

  /** Whether it shows a chain: several stores, and none is selected. */
  get isChain() {
    return this.siteName === null && this.store.sites.size > 1;
  }

  site() {
    return this.siteName === null ? null : (this.store.sites.get(this.siteName) ?? null);
  }

  /** The topics to subscribe to: the state of all stores, and everything of the selected one. */
  filters() {
    const { prefix } = this.settings;
    const all = ['status', 'location', 'location/track', 'region/+/state'].map((rest) => `${prefix}/+/+/${rest}`);
    // Without a selected store the page shows a chain's gateways that need help, whose health names certificates and backlogs.
    if (this.siteName === null) return [...all, `${prefix}/+/+/health`];
    return [...all, `${prefix}/${this.siteName}/+/health`, `${prefix}/${this.siteName}/+/today`, `${prefix}/${this.siteName}/+/heat`, `${prefix}/${this.siteName}/+/learned`, `${prefix}/${this.siteName}/+/beacons/+`, `${prefix}/${this.siteName}/+/region/#`];
  }

  /** Takes a message as it came. An unreadable one is counted, and stops nothing. */
  take(topic, payload, retained, now_ms) {
    const subject = readTopic(topic, this.settings.prefix);
    if (!subject) return void this.notices.garbled(topic, 'no topic of a gateway');
    if (unread.includes(subject.kind)) return;
    // A late message of a store that is not selected any more.
    const isWanted = subject.site === this.siteName || (this.siteName === null && subject.kind === 'health');
    if (!isWanted && lookedAt.has(subject.kind)) return;
    try {
      const body = payload.length === 0 ? null : readPayload(subject.kind, payload);
      // A recording plays its own time, so only a gateway that hears a radio gives the time.
      const hears = () => this.store.sites.get(subject.site)?.gateways.get(subject.gateway)?.status?.radio === 'scanning';
      if (body?.synced && !retained && subject.kind === 'ranging' && hears()) this.notices.timed(now_ms - body.at);
      this.store.take(subject, body, now_ms, retained);
    } catch (error) {
      if (!(error instanceof PayloadError || error instanceof PacketError)) throw error;
      this.notices.garbled(topic, error.message);
    }
  }

  /** Selects another store, with the layout that was set here, or else the built-in one. An impossible name changes nothing. */
  look(siteName) {
    if (siteName !== null && !isName(siteName)) return void this.notices.remark('address', `No store can be called “${String(siteName).slice(0, 60)}”: the address of this page is wrong.`);
    if (siteName !== this.siteName) this.store.leave(this.siteName);
    this.siteName = siteName;
    this.asked_ms = this.connection.state === 'online' ? this.heard_ms : null;
    this.settled = false;
    this.chosen = this.chosenGateway = null;
    let kept = null;
    try {
      kept = siteName === null ? null : JSON.parse(localStorage.getItem(`layout/${siteName}`));
    } catch {
      // Storage may be forbidden, or hold other data: the built-in layout remains.
    }
    const built = this.settings.layout?.site === siteName || !this.settings.layout?.site ? this.settings.layout : null;
    this.layout = readLayout(kept ?? built);
    this.changes += 1;
  }

  keepLayout() {
    this.changes += 1;
    try {
      localStorage.setItem(`layout/${this.siteName}`, JSON.stringify(writeLayout(this.layout)));
    } catch {
      this.notices.remark('plan', 'This browser keeps no plan: copy the lines before you close the page.');
    }
  }

  search(typed) {
    this.filter = readFilter(typed);
    this.sought = true;
    this.changes += 1;
  }

  choose(identity, gateway) {
    this.chosen = this.chosen === identity ? null : identity;
    this.chosenGateway = gateway;
    this.sought = false;
    this.changes += 1;
    this.onChoose?.();
  }
}
