// The health of beacons by the lists of gateways: rules of the model, and of the words that the page makes of it.

import { limits } from '../../../deploy/page/source/model/limits.js';
import { beaconsOf } from '../../../deploy/page/source/model/heard.js';
import { PayloadError, readPayload } from '../../../deploy/page/source/messages/payload.js';
import { Page } from '../../../deploy/page/source/page.js';
import { healthWords, heardWords } from '../../../deploy/page/source/view/card.js';
import { receiverWords } from '../../../deploy/page/source/view/words.js';
import { beaconFields, readFilter, signsOf } from '../../../deploy/page/source/view/filter.js';
import { message, same, throws, uuid } from './assert.js';

const hour_ms = 3600000;
const now_ms = Date.parse('2026-06-01T12:00:00Z');
const before = (hours) => new Date(now_ms - hours * hour_ms).toISOString();

/** An entry of a list that was heard so many hours ago. */
const heard = (minor, hours, fields = {}) => ({ uuid, major: 1, minor, first_heard_at: before(1000), last_heard_at: before(hours), interval_ms: 1000, rssi_dbm: -70, ...fields });
const battery = (fields, hours = 1) => ({ ...fields, telemetry_at: before(hours), format: 'minew' });

/** A page of store `s` that publishes a list: of a gateway, made so many hours ago. */
function pageOf() {
  const page = new Page({ prefix: 'beacons', layout: null, names: { beacons: { [`${uuid}/1/2`]: 'Cart 2' } } }, { garbled: (topic, why) => page.garbage.push(why), timed: () => {}, remark: () => {} });
  page.garbage = [];
  page.look('s');
  page.lists = (gateway, hours, beacons, { page: number = 0, pages = 1, ...fields } = {}) => page.take(
    `beacons/s/${gateway}/beacons/${number}`, message({ at: before(hours), page: number, pages, beacons, ...fields }), true, now_ms);
  page.clears = (topic) => page.take(`beacons/s/${topic}`, new Uint8Array(), false, now_ms);
  page.shown = () => beaconsOf(page.site(), now_ms).map(({ beacon, health }) => `${beacon.minor} ${heardWords(health, now_ms)}`.replaceAll('\u00a0', ' '));
  page.signs = () => beaconsOf(page.site(), now_ms).map(({ beacon, health }) => [beacon.minor, ...signsOf(health)].join(' '));
  return page;
}

export const healthRules = {
  'a gateway whose radio is a receiver says so, with how often it publishes and what could not be read': () => {
    const words = (fields) => receiverWords(readPayload('health', message(fields)).receiver).replaceAll('\u00a0', ' ');
    same(words({ radio: { batch_s: 1.04, malformed: 0 } }), 'a receiver, publishes every 1.0 s');
    same(words({ radio: { malformed: 3 } }), 'a receiver, 3 messages could not be read');
    same(readPayload('health', message({ radio: undefined })).receiver, null);
  },
  'a beacon that is in no ranging list shows when its gateways last heard it, the latest of them': () => {
    const page = pageOf();
    page.lists('door', 0, [heard(1, 3), heard(2, 5)]);
    page.lists('till', 0.5, [heard(2, 4)]);
    same(page.shown(), ['1 last heard 3 h ago by door', '2 last heard 4 h ago by till']);
    same(beaconsOf(page.site(), now_ms).map(({ beacon }) => beacon.label), ['1/1', 'Cart 2']);
  },
  'a beacon is silent after a day, where the gateway that heard it last goes on making lists': () => {
    const page = pageOf();
    page.lists('door', 0, [heard(1, 24.5), heard(2, 23.5), heard(3, 60), heard(4, 60)]);
    // It heard 3 after the door did, and is offline since. Of 4 it says less than the door.
    page.lists('till', 40, [heard(3, 41), heard(4, 70)]);
    same(page.signs(), ['1 silent', '2', '3', '4 silent']);
    same(page.shown()[2], '3 last heard 41 h ago by till, whose list is old');
  },
  'an old list makes no beacon silent, nor does one of the future': () => {
    const page = pageOf();
    page.lists('door', 26, [heard(1, 100)]);
    page.lists('till', -26, [heard(2, 100)]);
    page.lists('wine', 24, [heard(3, 100)]);
    same(page.signs(), ['1', '2', '3 silent']);
  },
  'a beacon that is ranged is not silent, whatever an old list says': () => {
    const page = pageOf();
    page.lists('door', 0, [heard(1, 30, battery({ battery_percent: 7 }))]);
    same(page.signs(), ['1 low silent']);
    page.take('beacons/s/door/region/carts/ranging', message({ beacons: [{ uuid, major: 1, minor: 1 }] }), false, now_ms);
    same(page.signs(), ['1 low']);
  },
  'a clock that is not set gives no time, and that of a set one goes before it': () => {
    const page = pageOf();
    page.lists('door', 0, [heard(1, 30), heard(2, 0, battery({ battery_percent: 5 }, 0))], { clock: 'unsynced' });
    same([page.shown()[0], page.signs()], ['1 last heard by door, whose clock is not set', ['1', '2 low']]);
    page.lists('till', 0, [heard(1, 30), heard(2, 9, battery({ battery_percent: 50 }, 9))]);
    same([page.shown(), page.signs()], [['1 last heard 30 h ago by till', '2 last heard 9 h ago by till'], ['1 silent', '2']]);
  },
  'a battery is low at 10 % or 2,400 mV, by the newest telemetry of any gateway': () => {
    const page = pageOf();
    page.lists('door', 0, [
      heard(1, 0, battery({ battery_percent: 10 })), heard(2, 0, battery({ battery_percent: 11 })), heard(3, 0, battery({ battery_mv: 2400 })),
      heard(4, 0, battery({ battery_mv: 2401 })), heard(5, 0, battery({ battery_percent: 90, battery_mv: 2300 })), heard(6, 0, battery({ battery_percent: 5 }, 3)), heard(7, 0),
    ]);
    page.lists('till', 0, [heard(6, 0, battery({ battery_percent: 100 }, 2))]);
    same(page.signs(), ['1 low', '2', '3 low', '4', '5 low', '6', '7']);
  },
  'a card has charge and voltage with the gateway that read them, and of a beacon that is not ranged the last hearing': () => {
    const page = pageOf();
    page.lists('door', 0, [heard(1, 3, battery({ battery_percent: 87, battery_mv: 2950 }, 4)), heard(2, 0, battery({ battery_mv: 3012 }, 0)), heard(3, 3)]);
    const words = beaconsOf(page.site(), now_ms).map(({ beacon, health }) => healthWords(beacon, health, now_ms).replaceAll('\u00a0', ' '));
    same(words, ['Last heard 3 h ago by door. Battery 87 %, 2.95 V, read 4 h ago by door.', 'Last heard now by door. Battery 3.01 V, read now by door.', 'Last heard 3 h ago by door.']);
  },
  'the search finds low batteries and silent beacons, and a beacon by the gateway that heard it last': () => {
    const page = pageOf();
    page.lists('door', 0, [heard(1, 30), heard(2, 0, battery({ battery_percent: 3 })), heard(3, 0)]);
    const found = (typed) => beaconsOf(page.site(), now_ms).filter(({ beacon, health }) => readFilter(typed).fits(beaconFields(beacon, page.names, health))).map(({ beacon }) => beacon.minor);
    same(['is:silent', 'is:low', 'is:low is:silent', 'gateway:door', 'name:cart'].map(found), [[1], [2], [], [1, 2, 3], [2]]);
  },
  'a new page replaces the one of its topic; a cleared page, and a gateway that is cleared, take their beacons away': () => {
    const page = pageOf();
    const shown = () => page.shown().map((words) => words.split(' ')[0]).sort().join('');
    page.take('beacons/s/door/status', message({ state: 'online' }), true, now_ms);
    page.lists('door', 0, [heard(1, 0), heard(2, 0)], { pages: 2 });
    page.lists('door', 0, [heard(3, 0)], { page: 1, pages: 2 });
    page.lists('till', 0, [heard(4, 0)]);
    same([shown(), page.site().heard.entries], ['1234', 4]);
    page.lists('door', 0, [heard(1, 0)], { pages: 2 });
    same(shown(), '134');
    page.clears('door/beacons/1');
    same(shown(), '14');
    page.clears('door/status');
    same([shown(), page.site().heard.entries, page.site().heard.pages.size], ['4', 1, 1]);
  },
  'a page that the broker keeps no more after an outage is gone': () => {
    const page = pageOf();
    page.connect({ state: 'online' }, 0);
    page.hear(0);
    page.lists('door', 0, [heard(1, 0)], { pages: 2 });
    page.lists('door', 0, [heard(2, 0)], { page: 1, pages: 2 });
    page.connect({ state: 'waiting' }, 1000);
    page.connect({ state: 'online' }, 60000);
    page.hear(60000);
    page.lists('door', 0, [heard(1, 0)]);
    page.expire(80000);
    same(page.signs(), ['1']);
  },
  'a list beyond the limits is refused and counted, and what was there stays': () => {
    const page = pageOf();
    const many = (gateway, number) => page.lists(gateway, 0, Array.from({ length: 200 }, (_, index) => heard(index, 0, { major: number })), { page: number, pages: 1000 });
    for (let number = 0; number <= limits.pages; number += 1) many('door', number);
    const { heard: listed } = page.site();
    same([listed.known.size, listed.refused], [5000, 1]);
    for (let gateway = 0; listed.refused < 2; gateway += 1) for (let number = 0; number < limits.pages; number += 1) many(`g${gateway}`, number);
    same([listed.entries, listed.known.size], [limits.entries, 5000]);
    page.lists('door', 0, [heard(1, 0)]);
    same([listed.known.size, listed.entries], [5000, limits.entries - 199]);
  },
  'numbers that can not be are left out, and a message without what it needs is refused': () => {
    const wild = [heard(1, 0, battery({ battery_percent: 250, battery_mv: 1e9 })), heard(2, 0, battery({ battery_percent: '9' })), heard(3, 0, { battery_percent: 5 })];
    same(readPayload('beacons', message({ page: 0, pages: 1, beacons: wild })).beacons.map((one) => one.battery), [null, null, null]);
    for (const fields of [{ page: 1, pages: 1, beacons: [] }, { page: 0, pages: 0, beacons: [] }, { page: 0, pages: 1 }, { page: 0, pages: 1, beacons: [{ uuid, major: 1, minor: 70000 }] },
      { page: 0, pages: 1, beacons: [heard(1, 0, { last_heard_at: 'long ago' })] }]) throws(PayloadError, () => readPayload('beacons', message(fields)));
  },
  'a gateway that lists a time after its own list has heard the beacon when it made the list': () => {
    const page = pageOf();
    page.lists('door', 2, [heard(1, -5000)]);
    same(page.shown(), ['1 last heard 2 h ago by door']);
  },
  'the lists are those of the selected store, and of no other': () => {
    const page = pageOf();
    page.lists('door', 0, [heard(1, 0)]);
    page.take('beacons/other/door/beacons/0', message({ page: 0, pages: 1, beacons: [heard(9, 0)] }), true, now_ms);
    same([page.shown().length, page.store.sites.has('other')], [1, false]);
    page.look('other');
    same(page.store.sites.get('s').heard.known.size, 0);
  },
};
