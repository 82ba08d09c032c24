import * as packets from './packets.js';
import { Splitter } from './splitter.js';

// Keep-alive: a broker that was silent for one and a half of it is gone, whatever TCP reports.
const keepAlive_s = 20;
const connect_s = 10;
const longestPacket = 4 * 1024 * 1024;
const longestWait_s = 30;

/** The reasons in a CONNACK (section 3.2.2.3) for which another login may help. */
const refusedLogin = new Set([4, 5]);

/**
 * Stays connected to a broker and passes its messages on. It only reads: it has no function to publish.
 *
 * `onState` is called at each change: `connecting`, `online`, `refused` (with a code; it waits for another login), and `waiting` (with
 * `why` and `wait_s`; it retries by itself). `onHeard` is called at each piece of data on a ready connection, so that the page knows until
 * when its picture is true. `machine` is the interface to the browser.
 */
export class Reader {
  constructor({ url, filters, onMessage, onState, onGarbage, onHeard = () => {}, machine }) {
    Object.assign(this, { url, filters, onMessage, onState, onGarbage, onHeard, machine });
    this.login = {};
    this.failures = 0;
    this.identifier = 0;
    this.attempt = 0;
  }

  /** Connects, with another login if one is given. The former connection is ended. */
  start(login = this.login) {
    this.login = login;
    this.stop();
    const attempt = ++this.attempt;
    // Messages of a former connection are ignored.
    const current = (action) => (argument) => attempt === this.attempt && action(argument);
    this.onState({ state: 'connecting' });
    this.splitter = new Splitter(longestPacket);
    this.ready = false;
    this.heard_ms = this.machine.now();
    this.socket = this.machine.open(this.url);
    this.socket.binaryType = 'arraybuffer';
    this.socket.onopen = current(() => this.send(packets.connect({ client: this.machine.name(), keepAlive_s, ...this.login })));
    this.socket.onmessage = current((event) => this.receive(event.data));
    this.socket.onclose = current(() => this.retry('The broker does not answer, or has hung up.'));
    this.timer = this.machine.every(1000, current(() => this.watch()));
  }

  stop() {
    this.attempt += 1;
    this.machine.cancel(this.timer);
    this.machine.cancel(this.waiting);
    if (this.socket) this.socket.close();
    this.socket = null;
    this.ready = false;
  }

  /** Subscribes to these topics, and ends all other subscriptions. */
  read(filters) {
    const gone = this.filters.filter((filter) => !filters.includes(filter));
    const fresh = filters.filter((filter) => !this.filters.includes(filter));
    this.filters = filters;
    if (!this.ready) return;
    if (gone.length > 0) this.send(packets.unsubscribe(this.nextIdentifier(), gone));
    if (fresh.length > 0) this.send(packets.subscribe(this.nextIdentifier(), fresh));
  }

  send(octets) {
    if (this.socket && this.socket.readyState === 1) this.socket.send(octets);
  }

  nextIdentifier() {
    this.identifier = (this.identifier % 65535) + 1;
    return this.identifier;
  }

  receive(data) {
    this.heard_ms = this.machine.now();
    try {
      if (!(data instanceof ArrayBuffer)) throw new packets.PacketError('text, not octets');
      for (const { head, body } of this.splitter.push(new Uint8Array(data))) this.take(head, body);
      if (this.ready) this.onHeard();
    } catch (error) {
      if (!(error instanceof packets.PacketError)) throw error;
      this.onGarbage('', error.message);
      this.retry(`The broker sent what is not MQTT: ${error.message}.`);
    }
  }

  take(head, body) {
    const packet = packets.read(head, body);
    if (packet === null) return;
    if (packet.kind === packets.kinds.publish) this.onMessage(packet.topic, packet.payload, packet.retained);
    else if (packet.kind === packets.kinds.connack) this.greet(packet.code);
    else if (packet.kind === packets.kinds.suback && packet.codes.some((code) => code > 2)) {
      this.onState({ state: 'online', why: 'The broker does not let this login read everything that the page asks for.' });
    }
  }

  greet(code) {
    if (refusedLogin.has(code)) {
      this.stop();
      this.onState({ state: 'refused', code, tried: Boolean(this.login.username) });
    } else if (code !== 0) {
      this.retry(`The broker takes no connection now (code ${code}).`);
    } else {
      this.failures = 0;
      this.ready = true;
      this.onState({ state: 'online' });
      this.send(packets.subscribe(this.nextIdentifier(), this.filters));
    }
  }

  /** Keeps the connection alive, and notices a dead one; called once a second. */
  watch() {
    const silent_s = (this.machine.now() - this.heard_ms) / 1000;
    if (!this.ready && silent_s > connect_s) this.retry('The broker does not answer.');
    else if (silent_s > keepAlive_s * 1.5) this.retry('The broker has fallen silent.');
    else if (this.ready && silent_s > keepAlive_s / 2) this.send(packets.pingRequest());
  }

  /** Retries after a pause that grows from one second to half a minute, and differs a little from page to page. */
  retry(why) {
    this.stop();
    const wait_s = Math.min(longestWait_s, 2 ** Math.min(this.failures, 5)) * (0.75 + this.machine.random() / 2);
    this.failures += 1;
    this.onState({ state: 'waiting', why, wait_s });
    this.waiting = this.machine.after(wait_s * 1000, () => this.start());
  }
}
