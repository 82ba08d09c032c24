import { readLayout, writeLayout } from './model/layout.js';
import { Store } from './model/store.js';
import { unread } from './news/contract.js';
import { readPayload, PayloadError } from './news/payload.js';
import { isName, readTopic } from './news/topic.js';
import { PacketError } from './mqtt/packets.js';
import { readFilter } from './view/filter.js';

// A broker is asked for a sign of life when it was silent for 10 s. One that was silent for longer than this may be gone.
const silence_ms = 15000;
const settling_ms = 3000;
// What is asked for of the store that is looked at, and of no other.
const lookedAt = new Set(['health', 'ranging', 'event', 'today']);

/** What the page shows and what was chosen in it: the store, the layout, the filter. Views read it, messages change it. */
export class Page {
  constructor(settings, notices) {
    Object.assign(this, { settings, notices, store: new Store(), filter: readFilter(''), chosen: null, chosenGateway: null });
    this.calibrating = null;
    this.changes = 0;
    this.connection = { state: 'connecting' };
    // When the broker was last heard on a connection that stood; null before the first one.
    this.heard_ms = null;
    // Since when the store that is looked at has been asked for, and whether what is retained of it must have come by now.
    this.asked_ms = null;
    this.settled = false;
    this.siteName = null;
    this.layout = readLayout(null);
  }

  /** The connection is in another state. What was shown before it stood again had no chance to be told. */
  connect(connection, now_ms) {
    this.connection = connection;
    if (connection.state === 'online') {
      this.store.resume(now_ms);
      this.asked_ms ??= now_ms;
    }
    this.changes += 1;
  }

  /** The broker was heard. */
  hear(now_ms) {
    if (this.heard_ms !== null && now_ms - this.heard_ms > silence_ms) this.store.resume(now_ms);
    this.heard_ms = now_ms;
  }

  /** The time that the shown things are true for, where that is over; null while they are true, and while nothing was heard. */
  asOf(online, now_ms) {
    const stands = online && this.connection.state === 'online' && now_ms - this.heard_ms <= silence_ms;
    return this.heard_ms === null || stands ? null : this.heard_ms;
  }

  /** Forgets beacons that were told no more. Without a connection no time passes for them. */
  expire(now_ms) {
    if (this.heard_ms !== null) this.store.expire(this.heard_ms);
    if (this.settled || this.asked_ms === null || this.connection.state !== 'online' || now_ms - this.asked_ms < settling_ms) return;
    this.settled = true;
    this.changes += 1;
  }

  version() {
    return this.store.version + this.changes;
  }

  site() {
    return this.siteName === null ? null : (this.store.sites.get(this.siteName) ?? null);
  }

  /** The topics that are read: the state of all stores, and all of the one that is looked at. */
  filters() {
    const { prefix } = this.settings;
    const all = ['status', 'location', 'location/track', 'region/+/state'].map((rest) => `${prefix}/+/+/${rest}`);
    if (this.siteName === null) return all;
    return [...all, `${prefix}/${this.siteName}/+/health`, `${prefix}/${this.siteName}/+/today`, `${prefix}/${this.siteName}/+/region/#`];
  }

  /** Takes a message as it came. What can't be read is counted, and stops nothing. */
  take(topic, payload, retained, now_ms) {
    const subject = readTopic(topic, this.settings.prefix);
    if (!subject) return void this.notices.garbled(topic, 'no topic of a gateway');
    if (unread.includes(subject.kind)) return;
    // What was on its way from a store that is looked at no more.
    if (subject.site !== this.siteName && lookedAt.has(subject.kind)) return;
    try {
      const body = payload.length === 0 ? null : readPayload(subject.kind, payload);
      // A recording plays its own time, so only what a radio hears tells of the clock.
      const hears = () => this.store.sites.get(subject.site)?.gateways.get(subject.gateway)?.status?.radio === 'scanning';
      if (body?.synced && !retained && subject.kind === 'ranging' && hears()) this.notices.timed(now_ms - body.at);
      this.store.take(subject, body, now_ms, retained);
    } catch (error) {
      if (!(error instanceof PayloadError || error instanceof PacketError)) throw error;
      this.notices.garbled(topic, error.message);
    }
  }

  /** Looks at another store: its layout is what was set here, or else what was built in. A name that no store can have changes nothing. */
  look(siteName) {
    if (!isName(siteName)) return void this.notices.remark('address', `No store can be called “${String(siteName).slice(0, 60)}”: the address of this page is wrong.`);
    if (siteName !== this.siteName) this.store.leave(this.siteName);
    this.siteName = siteName;
    this.asked_ms = this.connection.state === 'online' ? this.heard_ms : null;
    this.settled = false;
    this.chosen = this.chosenGateway = null;
    let kept = null;
    try {
      kept = JSON.parse(localStorage.getItem(`layout/${siteName}`));
    } catch {
      // Storage may be forbidden, or hold something else: the built-in layout is there.
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
