// The page's rules, without a network and without a view: bundled as the page is, and run in the browser.

import { connect, PacketError, read, subscribe, text } from '../../../deploy/page/source/mqtt/packets.js';
import { Splitter } from '../../../deploy/page/source/mqtt/splitter.js';
import { Reader } from '../../../deploy/page/source/mqtt/reader.js';
import { readTopic } from '../../../deploy/page/source/messages/topic.js';
import { instant } from '../../../deploy/page/source/messages/fields.js';
import { PayloadError, readPayload } from '../../../deploy/page/source/messages/payload.js';
import { identityOf, shown } from '../../../deploy/page/source/model/beacons.js';
import { Names } from '../../../deploy/page/source/model/names.js';
import { Store } from '../../../deploy/page/source/model/store.js';
import { configuration, placeGateway, planWidth, readLayout } from '../../../deploy/page/source/model/layout.js';
import { fillOf, levelsOf, newCard, rateWords, showCard, zoneWords } from '../../../deploy/page/source/view/card.js';
import { readFilter } from '../../../deploy/page/source/view/filter.js';
import { at, bytes, json, message, same, throws, uuid } from './assert.js';
import { contractRules } from './contract.js';
import { attentionRules } from './attention.js';
import { truths } from './truths.js';
import { planRules } from './plan.js';
import { visitRules } from './visits.js';
import { heatRules } from './heat.js';
import { todayRules } from './today.js';
import { healthRules } from './health.js';

/** A reader on a machine that the test turns: what it opened, what it sent, what it said. */
function reader() {
  const seen = { sockets: [], states: [], messages: [], timers: [], now_ms: 0 };
  const machine = {
    open: () => {
      const socket = { readyState: 1, sent: [], send: (octets) => socket.sent.push(octets), close: () => (socket.closed = true) };
      seen.sockets.push(socket);
      return socket;
    },
    now: () => seen.now_ms, every: (ms, action) => seen.timers.push(action) && seen.timers.length, cancel: () => {},
    after: (ms, action) => (seen.again = action), random: () => 0.5, name: () => 'page-1',
  };
  seen.reader = new Reader({
    url: 'ws://x/mqtt', filters: ['a/#'], machine, onState: (state) => seen.states.push(state), onGarbage: () => {},
    onMessage: (topic, payload, retained) => seen.messages.push([topic, text(payload), retained]),
  });
  seen.reader.start();
  seen.socket = () => seen.sockets[seen.sockets.length - 1];
  seen.hears = (...values) => seen.socket().onmessage({ data: bytes(...values).buffer });
  seen.last = () => seen.states[seen.states.length - 1];
  return seen;
}

const rules = {
  'a beacon and a zone are called by their names where there are any': () => {
    const names = new Names({ beacons: { [`${uuid}/1/8`]: 'Cart 8' }, zones: { bakery: 'Bread' } });
    same([names.beacon({ uuid, major: 1, minor: 8 }), names.beacon({ uuid, major: 1, minor: 9 }), names.zone('bakery'), names.zone('wine')], ['Cart 8', '1/9', 'Bread', 'wine']);
    same([new Names(undefined).beacon({ uuid, major: 2, minor: 1 }), new Names({}).zone('wine')], ['2/1', 'wine']);
  },
  'a card has each gateway that hears the beacon, the strongest first, and not the store': () => {
    const entry = (rssi_dbm, age_ms) => ({ rssi_dbm, age_ms, accuracy_m: 2, error_m: 1 });
    const beacon = { heard: new Map([
      ['a', { gateway: 'door', entries: [entry(-80, 500)], now_ms: 1000 }], ['b', { gateway: 'till', entries: [entry(null, 0), entry(-60, 0)], now_ms: 2000 }],
      ['c', { gateway: 'site', entries: [entry(-50, 0)], now_ms: 2000 }], ['d', { gateway: 'door', entries: [entry(-70, 0)], now_ms: 2000 }],
    ]) };
    same(levelsOf(beacon, 3000).map(({ gateway, rssi_dbm, age_s }) => [gateway, rssi_dbm, age_s]), [['till', -60, 1], ['door', -70, 1]]);
  },
  'how often a gateway hears a beacon stays until it is published again': () => {
    const store = new Store();
    const entry = (fields) => ({ uuid, major: 1, minor: 8, track: 3, interval_ms: null, reports_per_s: null, ...fields });
    const take = (fields, now_ms) => store.take({ site: 's', gateway: 'g', kind: 'ranging', topic: 't', region: 'r' }, { beacons: [entry(fields)] }, now_ms);
    const rate = () => { const [one] = [...store.sites.get('s').beacons.known.values()][0].heard.get('t').entries; return [one.interval_ms, one.reports_per_s]; };
    take({ interval_ms: 102, reports_per_s: 8.3 }, 0);
    take({}, 1000);
    same(rate(), [102, 8.3]);
    take({ track: 4 }, 2000);
    same(rate(), [null, null]);
  },
  'a card has the probabilities of the likely zones': () => {
    const at = (entry) => zoneWords({ heard: new Map([['t', { gateway: 'site', entries: [{ others: [], ...entry }] }]]) }, new Names(undefined)).replaceAll('\u00a0', ' ');
    same(at({ zone: 'bakery', confidence: 0.99 }), 'Zone bakery, 99 % sure.');
    same(at({ zone: 'bakery', confidence: 0.7, others: [{ zone: 'wine', confidence: 0.25 }] }), 'Zone bakery, 70 % sure; wine 25 %.');
    same(at({ zone: 'bakery', confidence: 0.4, others: [{ zone: 'wine', confidence: 0.6 }] }), 'Zone bakery, 40 % sure; wine 60 %. It stays there until another zone is 90 % sure.');
    same(at({ zone: null, confidence: null }), 'The store is not sure of a zone.');
  },
  'no word and no label of a card turns its direction': () => {
    const level = { rssi_dbm: -60, accuracy_m: null, error_m: null, interval_ms: null, reports_per_s: null };
    const card = newCard();
    showCard(card, { heard: new Map([['t', { gateway: 'till\u202e', entries: [level], now_ms: 0 }]]) }, null, new Names(undefined), 0);
    same([/till\ufffd/.test(card.innerHTML), card.querySelector('meter').getAttribute('aria-label'), /\u202e/.test(card.outerHTML)], [true, 'till\ufffd: -60 dBm', false]);
  },
  'a card says how often a gateway hears the beacon, where it has learned that': () => {
    const level = { interval_ms: 102, reports_per_s: 8.333 };
    same([rateWords(level), rateWords({ interval_ms: 2000, reports_per_s: 0.5 }), rateWords({ interval_ms: null, reports_per_s: null })],
      [', 8.3 reports/s, every 102\u00a0ms', ', 0.5 reports/s, every 2.0\u00a0s', '']);
  },
  'a bar is full beside the gateway, and empty where a level is weak or not known': () => same([-30, -70, -120, null].map(fillOf), [1, 0.5, 0, 0]),
  'a CONNECT is what section 3.1 says': () => same([...connect({ client: 'p', keepAlive_s: 20 })],
    [0x10, 13, 0, 4, 77, 81, 84, 84, 4, 2, 0, 20, 0, 1, 112]),
  'a login sets its flags': () => same(connect({ client: 'p', keepAlive_s: 20, username: 'u', password: 'w' })[9], 0xc2),
  'a SUBSCRIBE asks for quality 0': () => same([...subscribe(1, ['a/#'])], [0x82, 8, 0, 1, 0, 3, 97, 47, 35, 0]),
  'a PUBLISH is taken apart': () => {
    const packet = read(0x31, bytes(0, 3, 97, 47, 98, 104, 105));
    same([packet.topic, text(packet.payload), packet.retained], ['a/b', 'hi', true]);
  },
  'a PUBLISH of quality 1 has an identifier before its payload': () => same(text(read(0x32, bytes(0, 1, 97, 0, 9, 104)).payload), 'h'),
  'a PUBLISH without a payload clears its topic': () => same(read(0x31, bytes(0, 1, 97)).payload.length, 0),
  'a PUBLISH that ends within its topic is refused': () => throws(PacketError, () => read(0x30, bytes(0, 9, 97))),
  'a topic that is not UTF-8 is refused': () => throws(PacketError, () => read(0x30, bytes(0, 1, 0xff))),
  'packets come whole out of any pieces': () => {
    for (let cut = 0; cut <= 7; cut += 1) {
      const stream = [0xd0, 0, 0x30, 3, 0, 1, 97];
      const splitter = new Splitter(100);
      same([...splitter.push(bytes(...stream.slice(0, cut))), ...splitter.push(bytes(...stream.slice(cut)))].map(({ head }) => head), [0xd0, 0x30]);
    }
  },
  'a packet above the limit is refused before it is there': () => throws(PacketError, () => new Splitter(100).push(bytes(0x30, 0xff, 1))),
  'a length of five octets is refused': () => throws(PacketError, () => new Splitter(1e9).push(bytes(0x30, 0x80, 0x80, 0x80, 0x80, 1))),
  'no octets at all make the decoders fail otherwise': () => {
    let seed = 1;
    const next = () => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) >>> 16;
    for (let round = 0; round < 20000; round += 1) {
      const octets = Uint8Array.from({ length: next() % 12 }, () => next() & 255);
      try {
        for (const { head, body } of new Splitter(1000).push(octets)) read(head, body);
      } catch (error) {
        if (!(error instanceof PacketError)) throw error;
      }
    }
  },
  'after the greeting it subscribes, and hands on what comes': () => {
    const seen = reader();
    seen.socket().onopen();
    seen.hears(0x20, 2, 0, 0);
    seen.hears(0x30, 4, 0, 1, 97, 98);
    same([seen.last().state, seen.socket().sent.map((octets) => octets[0]), seen.messages], ['online', [0x10, 0x82], [['a', 'b', false]]]);
  },
  'other topics are asked for from now on, and the former ones no more': () => {
    const seen = reader();
    seen.hears(0x20, 2, 0, 0);
    seen.reader.read(['b', 'c']);
    seen.reader.read(['c']);
    same(seen.socket().sent.slice(1).map((octets) => [...octets]),
      [[0xa2, 7, 0, 2, 0, 3, 97, 47, 35], [0x82, 10, 0, 3, 0, 1, 98, 0, 0, 1, 99, 0], [0xa2, 5, 0, 4, 0, 1, 98]]);
  },
  'a refused login waits for another one': () => {
    const seen = reader();
    seen.hears(0x20, 2, 0, 5);
    same([seen.last().state, seen.again === undefined, seen.socket().closed], ['refused', true, true]);
  },
  'a broker that is gone is tried again, less and less often': () => {
    const seen = reader();
    const waits = [];
    for (let round = 0; round < 8; round += 1) {
      seen.socket().onclose();
      waits.push(seen.last().wait_s);
      seen.again();
    }
    same(waits, [1, 2, 4, 8, 16, 30, 30, 30]);
  },
  'what a former connection still says is not heard': () => {
    const seen = reader();
    const former = seen.socket();
    seen.reader.start();
    former.onmessage({ data: bytes(0x20, 2, 0, 0).buffer });
    same(seen.last().state, 'connecting');
  },
  'a broker that falls silent is asked, and then left': () => {
    const seen = reader();
    seen.hears(0x20, 2, 0, 0);
    seen.now_ms = 12000;
    seen.timers[0]();
    same(seen.socket().sent.map((octets) => octets[0]), [0x82, 0xc0]);
    seen.now_ms = 31000;
    seen.timers[0]();
    same(seen.last().state, 'waiting');
  },
  'what is not MQTT ends the connection, and is said': () => {
    const seen = reader();
    seen.hears(0x30, 0xff, 0xff, 0xff, 0xff);
    same([seen.last().state, seen.last().why.includes('not MQTT')], ['waiting', true]);
  },
  'topics of each kind': () => {
    const kind = (topic) => readTopic(`beacons/s/g/${topic}`, 'beacons')?.kind ?? null;
    same(['status', 'health', 'location', 'location/track', 'region/c/2/1/event', 'nonsense', 'request/state'].map(kind),
      ['status', 'health', 'location', 'track', 'event', null, null]);
  },
  'a zone stands behind major and minor': () => {
    const { region, major, minor, zone } = readTopic('beacons/s/site/region/carts/2/1/zone/till/state', 'beacons');
    same([region, major, minor, zone], ['carts', 2, 1, 'till']);
  },
  'a major above 65535 is no topic': () => same(readTopic('beacons/s/g/region/c/65536/state', 'beacons'), null),
  'a prefix may have several levels': () => same(readTopic('a/b/s/g/status', 'a/b').site, 's'),
  'an instant is RFC 3339 in UTC': () => same([instant(at), instant('yesterday'), instant('2026-13-01T00:00:00Z')], [Date.parse(at), null, null]),
  'garbage is refused, each with a reason': () => {
    const all = ['', '{', 'null', '[]', '{"at":1}', '{"at":"x"}', message({ state: 'bored' }), message({ state: 'online', schema: 2 })];
    for (const one of all) throws(PayloadError, () => readPayload('status', typeof one === 'string' ? json(one) : one));
    same(readPayload('status', message({ state: 'online' })).state, 'online');
    throws(PayloadError, () => readPayload('ranging', message({ beacons: [{ uuid, major: 65536, minor: 1 }] })));
  },
  'a number that is none, or too large, is not known': () => {
    const [beacon] = readPayload('ranging', json(`{"schema":1,"at":"${at}","beacons":[{"uuid":"${uuid}","major":1,"minor":2,"accuracy_m":1e999,"rssi_dbm":"x"}]}`)).beacons;
    same([beacon.accuracy_m, beacon.rssi_dbm, beacon.proximity], [null, null, 'unknown']);
  },
  'words are cut': () => same(readPayload('status', message({ state: 'online', remedy: 'x'.repeat(5000) })).remedy.length, 500),
  'an event that came twice is shown once': () => {
    const store = new Store();
    const subject = readTopic('beacons/s/g/region/carts/2/1/event', 'beacons');
    const body = readPayload('event', message({ seq: 1, type: 'enter', uuid, major: 2, minor: 1 }));
    for (let round = 0; round < 2; round += 1) store.take(subject, body, 0);
    same(store.sites.get('s').events.length, 1);
  },
  'the last 200 events are kept': () => {
    const store = new Store();
    const subject = readTopic('beacons/s/g/region/carts/2/1/event', 'beacons');
    for (let seq = 1; seq <= 250; seq += 1) store.take(subject, { epoch: 'E', seq, type: 'enter' }, 0);
    same([store.sites.get('s').events.length, store.sites.get('s').events[0].seq, store.sites.get('s').numbers.size], [200, 250, 200]);
  },
  'ranging replaces what the same topic said': () => {
    const store = new Store();
    const take = (minors, now_ms) => store.take(readTopic('beacons/s/g/region/carts/ranging', 'beacons'),
      { beacons: minors.map((minor) => ({ uuid, major: 2, minor, accuracy_m: 1 })) }, now_ms);
    take([1, 2], 0);
    take([2, 3], 1000);
    same([...store.sites.get('s').beacons.known.values()].map((beacon) => beacon.minor), [2, 3]);
    store.expire(17000);
    same(store.sites.get('s').beacons.known.size, 0);
  },
  'the store is believed before a gateway, and the nearest gateway before another': () => {
    const store = new Store();
    const say = (gateway, accuracy_m) => store.take(readTopic(`beacons/s/${gateway}/region/c/ranging`, 'beacons'), { beacons: [{ uuid, major: 2, minor: 1, accuracy_m }] }, 0);
    const believed = () => shown(store.sites.get('s').beacons.known.get(identityOf({ uuid, major: 2, minor: 1 }))).gateway;
    say('far', 9);
    say('near', 2);
    same(believed(), 'near');
    say('site', 20);
    same(believed(), 'site');
  },
  'two points of a known distance make a scale': () => {
    // 0.5 of the width and 0.4 of the height of a picture twice as wide as it is high: hypot(0.5, 0.2) widths.
    same(Math.round(planWidth({ x: 0.1, y: 0.1 }, { x: 0.6, y: 0.5 }, 10, 2) * 100), Math.round(1000 / Math.hypot(0.5, 0.2)));
    same(planWidth({ x: 0.1, y: 0.1 }, { x: 0.1, y: 0.1 }, 10, 2), null);
  },
  'the lines to paste are TOML, whatever a gateway is called': () => {
    const layout = readLayout(null);
    placeGateway(layout, 'a"b', 1.234, 5, 0);
    same(configuration(layout), '[[site.gateway]]\nid = "a\\"b"\nzone = "a\\"b"\nposition = [1.23, 5.00]\nfloor = 0\n');
  },
  'a stored layout that makes no sense is left out': () => {
    const layout = readLayout({ plan: { image: 'javascript:alert(1)', width_m: 3 }, gateways: [{ id: 3 }, { id: 'a', x_m: 'x', y_m: 1 }] });
    same([layout.plan, layout.gateways.size, layout.gateways.get('a').x_m], [null, 1, null]);
  },
  'a search': () => {
    const thing = { id: 'carts', uuid: uuid.toLowerCase(), major: 2, minor: 17, zone: 'till', gateway: 'door', name: 'cart 17', is: 'low' };
    const found = (typed) => readFilter(typed).fits(thing);
    same(['', '2/17', '17', 'minor:17', 'uuid:39ED', 'id:cart', 'name:cart', 'till door', 'zone:ti', 'is:low'].map(found), Array(10).fill(true));
    same(['2/1', '7', 'minor:2', 'uuid:40', 'id:phones', 'till milk', 'is:silent'].map(found), Array(7).fill(false));
  },
};

const results = [];
for (const [name, rule] of Object.entries({ ...rules, ...contractRules, ...truths, ...attentionRules, ...planRules, ...visitRules, ...todayRules, ...heatRules, ...healthRules })) {
  try {
    rule();
    results.push([name, null]);
  } catch (error) {
    results.push([name, String(error.stack ?? error)]);
  }
}
globalThis.results = results;
