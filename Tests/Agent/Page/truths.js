// What the page may say of what it does not know: rules of its model, without a view.

import { Page } from '../../../deploy/page/source/page.js';
import { headlineOf } from '../../../deploy/page/source/view/headline.js';
import { remedyOf, rosterOf, zoneWords } from '../../../deploy/page/source/view/roster.js';
import { MapView } from '../../../deploy/page/source/view/mapview.js';
import { message, same, uuid } from './assert.js';

/** A page of store `s` whose configuration has these gateways, each in a zone. */
function pageOf(zones = {}) {
  const gateways = Object.entries(zones).map(([id, zone]) => ({ id, zone }));
  const page = new Page({ prefix: 'beacons', layout: { site: 's', gateways, plan: null } }, { garbled: () => {}, timed: () => {}, remark: () => {} });
  page.look('s');
  page.says = (topic, body, now_ms = 0) => page.take(`beacons/s/${topic}`, body === null ? new Uint8Array() : message(body), false, now_ms);
  return page;
}

const cart = (minor) => ({ uuid, major: 2, minor, proximity: 'near', accuracy_m: 1 });

export const truths = {
  'without a connection no beacon is forgotten, and the page knows how old its picture is': () => {
    const page = pageOf();
    page.connect({ state: 'online' }, 0);
    page.hear(1000);
    page.says('door/region/carts/ranging', { beacons: [cart(1)] }, 1000);
    page.connect({ state: 'waiting' }, 2000);
    page.expire(0);
    same([page.site().beacons.known.size, page.asOf(true, 60000)], [1, 1000]);
    page.connect({ state: 'online' }, 60000);
    page.hear(60000);
    page.expire(0);
    same([page.site().beacons.known.size, page.asOf(true, 60001)], [1, null]);
    page.hear(68000);
    page.hear(76000);
    page.expire(0);
    same(page.site().beacons.known.size, 0);
  },
  'a broker that says nothing freezes the page, and its next word forgets nothing': () => {
    const page = pageOf();
    page.connect({ state: 'online' }, 0);
    page.hear(0);
    page.says('door/region/carts/ranging', { beacons: [cart(1)] }, 0);
    same([page.asOf(true, 14000), page.asOf(true, 20000), page.asOf(false, 1000)], [null, 0, 0]);
    page.hear(30000);
    page.expire(0);
    same(page.site().beacons.known.size, 1);
  },
  'what the broker keeps no more after an outage is gone, and what it sends again stays': () => {
    const page = pageOf();
    page.connect({ state: 'online' }, 0);
    page.hear(0);
    for (const id of ['door', 'wine']) page.says(`${id}/status`, { state: 'online', radio: 'scanning' });
    page.says('door/region/carts/state', { state: 'inside' });
    page.says('door/region/vans/state', { state: 'inside' });
    const known = () => [[...page.site().gateways.keys()].join(' '), [...(page.site().gateways.get('door')?.states.values() ?? [])].map(({ region }) => region).join(' ')];
    page.connect({ state: 'waiting' }, 1000);
    page.expire(60000);
    same(known(), ['door wine', 'carts vans']);
    page.connect({ state: 'online' }, 60000);
    page.hear(60000);
    page.says('door/status', { state: 'online', radio: 'scanning' }, 60000);
    page.says('door/region/vans/state', { state: 'inside' }, 60000);
    page.expire(65000);
    same(known(), ['door wine', 'carts vans']);
    page.expire(70000);
    same(known(), ['door', 'vans']);
    page.says('wine/status', { state: 'online', radio: 'scanning' }, 71000);
    page.expire(90000);
    same([known()[0], page.store.gatewayCount], ['door wine', 2]);
  },
  'configured gateways always count, and those that the store names': () => {
    const page = pageOf({ door: 'door', wine: 'wine' });
    const words = () => rosterOf(page).gateways.map(({ id, condition }) => `${id} ${condition.word}`);
    page.connect({ state: 'online' }, 0);
    page.hear(0);
    page.says('door/status', { state: 'online', radio: 'scanning' });
    same(words(), ['door scanning', 'wine not heard of yet']);
    page.expire(5000);
    same(words(), ['door scanning', 'wine never heard']);
    page.says('site/status', { state: 'online', radio: 'scanning' });
    page.says('site/health', { gateways: [{ gateway: 'dairy', hearing: 'offline' }, { gateway: 'wine', hearing: 'silent' }, { gateway: 3 }, null] });
    same(words(), ['dairy offline', 'door scanning', 'wine never heard']);
    same(rosterOf(page).gateways.map((one) => remedyOf(one, 's').includes('power')), [true, false, true]);
    page.says('site/status', { state: 'offline' });
    same(remedyOf(rosterOf(page).store, 's').includes('beacond-site'), true);
    same(words(), ['door scanning', 'wine never heard']);
  },
  'a gateway that the store names as covered needs help until the store names it no more, or does not run': () => {
    const page = pageOf({ door: 'door' });
    const words = () => rosterOf(page).gateways.map(({ id, condition }) => `${id} ${condition.word}`);
    const learned = (suspects) => page.says('site/learned', { gateways: [], suspects });
    page.connect({ state: 'online' }, 0);
    page.hear(0);
    page.says('door/status', { state: 'online', radio: 'scanning' });
    page.says('site/status', { state: 'online', radio: 'scanning' });
    learned([{ id: 'door', since: '2026-11-23T08:00:00.000Z', change_db: -7.5, reason: 'covered' }]);
    same(words(), ['door covered']);
    same(remedyOf(rosterOf(page).gateways[0], 's'), 'Its links have changed by 8 dB. Look for a shelf, a freezer or a display in front of it.');
    learned([{ id: 'door', since: '2026-11-23T08:00:00.000Z', change_db: -7.5, reason: 'stolen' }]);
    same(words(), ['door changed']);
    page.says('site/status', { state: 'offline' });
    same(words(), ['door scanning']);
    page.says('site/status', { state: 'online', radio: 'scanning' });
    learned([]);
    same(words(), ['door scanning']);
  },
  'the headline says what is broken, and is good only where nothing is': () => {
    const page = pageOf({ door: 'door', wine: 'wine' });
    const says = (online = true) => { const { mark, words } = headlineOf(page, online, 0); return `${mark} ${words}`; };
    same(says(), '… connecting');
    page.connect({ state: 'refused', tried: false }, 0);
    same(says(), '? please log in');
    page.connect({ state: 'refused', tried: true }, 0);
    same(says(), '✕ login refused');
    page.connect({ state: 'online' }, 0);
    page.hear(0);
    page.says('door/status', { state: 'online', radio: 'scanning' });
    same(says(), '? 1 of 2 gateways heard so far');
    page.expire(5000);
    same(says(), '! 1 of 2 needs help: wine was never heard');
    page.says('wine/status', { state: 'online', radio: 'scanning' });
    same(says(), '✓ 2 of 2 gateways hear');
    page.says('door/status', { state: 'online', radio: 'blocked', remedy: 'x' });
    page.says('wine/status', { state: 'offline' });
    same(says(), '! 2 of 2 need help: door is blocked, wine is offline');
    for (const id of ['a', 'b', 'c']) page.says(`${id}/status`, { state: 'online', radio: 'stalled' });
    same(says(), '! 5 of 5 need help: a does not answer, b does not answer, c does not answer, and 2 more');
    for (const id of ['a', 'b', 'c', 'door', 'wine']) page.says(`${id}/status`, { state: 'online', radio: 'scanning' });
    page.says('site/status', { state: 'offline' });
    same(says(), '! beacond site is offline, so counts are unknown');
    page.says('site/status', { state: 'online', radio: 'scanning' });
    page.says('c/health', { outbox: 'the disk is full' });
    same(says(), '! 1 of 5 needs help: c has trouble with its disk');
    const ends = (expires_at) => page.says('c/health', { certificate: { expires_at } });
    ends('2026-01-08T00:00:11.167Z');
    same(says(), '✓ 5 of 5 gateways hear');
    ends('2026-01-08T00:00:11.166Z');
    same(says(), '! 1 of 5 needs help: c has a certificate that expires soon');
    ends('2026-01-01T00:00:11.166Z');
    same(says(), '! 1 of 5 needs help: c has a certificate that has expired');
    page.says('c/health', {});
    page.connect({ state: 'online', why: 'not all' }, 0);
    same(says(), '! the broker hides a part of the store');
    same(says(false).startsWith('✕ no network, as of '), true);
    page.connect({ state: 'waiting', why: 'It is gone.' }, 0);
    same(says().startsWith('✕ no broker, as of '), true);
  },
  'a zone that nobody hears is not empty, and a store that does not run counts nothing': () => {
    const page = pageOf({ door: 'door', wine: 'cellar', beer: 'cellar' });
    const zones = () => Object.fromEntries(zoneWords(page));
    for (const id of ['door', 'wine', 'beer', 'site']) page.says(`${id}/status`, { state: 'online', radio: 'scanning' });
    for (const zone of ['door', 'cellar']) page.says(`site/region/carts/zone/${zone}/state`, { state: 'outside' });
    same(zones(), { door: '0', cellar: '0' });
    page.says('door/status', { state: 'online', radio: 'blocked', remedy: 'x' });
    same(zones(), { door: '?', cellar: '0' });
    page.says('site/region/carts/ranging', { beacons: [{ ...cart(1), zone: 'cellar' }] });
    page.says('wine/status', { state: 'offline' });
    same(zones(), { door: '?', cellar: '1, some unknown' });
    page.says('door/status', { state: 'online', radio: 'scanning' });
    page.says('wine/status', { state: 'online', radio: 'scanning' });
    same(zones(), { door: '0', cellar: '1' });
    page.says('site/region/carts/zone/door/state', { state: 'unknown' });
    same(zones(), { door: '?', cellar: '1' });
    page.says('site/status', { state: 'offline' });
    same(zones(), { door: '?', cellar: '?' });
  },
  'on the map a store is as bad as its gateways, those included that never spoke': () => {
    const page = pageOf({ door: 'door', wine: 'wine' });
    const map = new MapView(null, null, page, null);
    const word = () => map.things().stores.find(({ site }) => site === 's').condition.word;
    page.connect({ state: 'online' }, 0);
    page.says('door/status', { state: 'online', radio: 'scanning' });
    page.says('site/status', { state: 'online', radio: 'scanning' });
    page.says('door/location', { fix: { at: '2026-01-01T00:00:11.167Z', latitude: 52, longitude: 13, horizontal_accuracy_m: 5 } });
    same(word(), 'works');
    page.expire(5000);
    same(word(), '1 of 2 gateways do not work');
  },
  'a name with a wildcard is no store, so it reads none': () => {
    const page = pageOf();
    for (const name of ['+', '#', 'a/b', '', 'x'.repeat(200)]) page.look(name);
    same([page.siteName, page.filters().every((filter) => filter.startsWith('beacons/+/+/') || filter.startsWith('beacons/s/+/'))], ['s', true]);
  },
  'what only a store that is looked at publishes is dropped with it': () => {
    const page = pageOf();
    page.says('door/region/carts/ranging', { beacons: [cart(1)] });
    page.says('door/region/carts/2/1/event', { epoch: 'E', seq: 1, type: 'enter', ...cart(1) });
    page.look('t');
    page.says('door/region/carts/ranging', { beacons: [cart(1)] });
    page.says('door/status', { state: 'online', radio: 'scanning' });
    const left = page.store.sites.get('s');
    same([left.beacons.known.size, left.events.length, left.gateways.size], [0, 0, 1]);
  },
  'one store can not take the room of the others': () => {
    const page = pageOf();
    for (let number = 0; number < 25000; number += 1) page.says(`g${number}/status`, { state: 'online', radio: 'scanning' });
    page.take('beacons/other/door/status', message({ state: 'online' }), false, 0);
    same([page.site().gateways.size, page.store.sites.get('other').gateways.size], [2000, 1]);
  },
  'the states of zones have a limit, and those that are known go on changing': () => {
    const page = pageOf();
    const say = (number, state) => page.says(`site/region/carts/${number >> 8}/${number & 255}/zone/z/state`, { state });
    for (let number = 0; number < 30000; number += 1) say(number, 'inside');
    const { inside } = page.site().zones.get('z');
    same([inside.size, page.site().gateways.get('site').states.size <= 1000], [20000, true]);
    say(0, 'outside');
    page.says('site/region/carts/0/1/zone/z/state', null);
    say(29999, 'inside');
    same([inside.size, [...inside.values()].filter((state) => state === 'outside').length], [20000, 1]);
  },
};
