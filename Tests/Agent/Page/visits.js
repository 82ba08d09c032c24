// One line for a visit, whatever reports it: rules of the page's model.

import { Store } from '../../../deploy/page/source/model/store.js';
import { readTopic } from '../../../deploy/page/source/messages/topic.js';
import { visitsOfSite } from '../../../deploy/page/source/model/visits.js';
import { same, uuid } from './assert.js';

/** A store in which such events were published: a gateway or `site`, a zone or null, the type, the time in seconds, and further fields. */
function visits(...published) {
  const store = new Store();
  published.forEach(([gateway, zone, type, at_s, more], index) => {
    const subject = readTopic(`beacons/s/${gateway}/region/carts/1/8/${zone ? `zone/${zone}/` : ''}event`, 'beacons');
    const dwell_s = more?.dwell_s ?? null;
    store.take(subject, { at: at_s * 1000, epoch: 'E', seq: index, type, uuid, major: 1, minor: 8, dwell_s, partial: false, inferred: false, unmonitored: false, late: false, ...more });
  });
  return visitsOfSite(store.sites.get('s')).map(({ who, path, end, dwell_s }) => [who, path.join(' '), end === null ? null : end / 1000, dwell_s]);
}

export const visitRules = {
  'a visit is one line, whatever the gateways and the zones report': () => same(visits(
    ['door', null, 'enter', 10], ['site', null, 'enter', 10], ['site', 'entrance', 'enter', 11], ['oven', null, 'enter', 100],
    ['site', 'entrance', 'exit', 100, { dwell_s: 89 }], ['site', 'bakery', 'enter', 100], ['door', null, 'exit', 130, { dwell_s: 120 }],
    ['oven', null, 'exit', 310, { dwell_s: 210 }], ['site', 'bakery', 'exit', 300, { dwell_s: 200 }], ['site', null, 'exit', 310, { dwell_s: 300 }],
  ), [['carts 1/8', 'entrance bakery', 310, 300]]),
  'a visit that the store reports late is one of its own, between the others': () => same(visits(
    ['site', null, 'enter', 10], ['site', null, 'exit', 20, { dwell_s: 10 }], ['site', null, 'enter', 60],
    ['site', null, 'exit', 28, { dwell_s: 2, late: true }], ['site', null, 'exit', 90, { dwell_s: 30 }],
  ), [['carts 1/8', '', 90, 30], ['carts 1/8', '', 28, 2], ['carts 1/8', '', 20, 10]]),
  'it ends with the store, not with a zone': () => same(visits(
    ['site', null, 'enter', 10], ['site', 'entrance', 'enter', 11], ['site', 'entrance', 'exit', 50],
  ), [['carts 1/8', 'entrance', null, null]]),
  'a zone that is left after the store makes no other visit': () => same(visits(
    ['site', null, 'enter', 10], ['site', 'entrance', 'enter', 11], ['site', null, 'exit', 50, { dwell_s: 40 }], ['site', 'entrance', 'exit', 52],
  ), [['carts 1/8', 'entrance', 50, 40]]),
  'who comes again makes another visit': () => same(visits(
    ['site', null, 'enter', 10], ['site', null, 'exit', 20, { dwell_s: 10 }], ['site', null, 'enter', 21], ['site', 'entrance', 'enter', 22],
  ), [['carts 1/8', 'entrance', null, null], ['carts 1/8', '', 20, 10]]),
  'who was there before the page was opened has been there for as long as the exit says': () => same(visits(
    ['site', 'bakery', 'exit', 400, { dwell_s: 200 }], ['site', null, 'exit', 410, { dwell_s: 300 }],
  ), [['carts 1/8', 'bakery', 410, 300]]),
  'without a store the gateways are the places': () => same(visits(
    ['door', null, 'enter', 10], ['oven', null, 'enter', 50], ['door', null, 'exit', 60, { dwell_s: 50 }], ['oven', null, 'exit', 70, { dwell_s: 20 }],
    ['door', null, 'enter', 200],
  ), [['carts 1/8', 'door', null, null], ['carts 1/8', 'door oven', 70, 60]]),
  'where a store reports only zones, one that follows at once is the same visit': () => same(visits(
    ['site', 'entrance', 'enter', 10], ['site', 'entrance', 'exit', 50, { dwell_s: 40 }], ['site', 'bakery', 'enter', 50], ['site', 'bakery', 'exit', 70, { dwell_s: 20 }],
  ), [['carts 1/8', 'entrance bakery', 70, 60]]),
  'ten seconds later is still at once, and later is another visit': () => {
    for (const [at_s, lines] of [[60, 1], [60.001, 2]]) {
      same(visits(['site', 'entrance', 'enter', 10], ['site', 'entrance', 'exit', 50, { dwell_s: 40 }], ['site', 'bakery', 'enter', at_s]).length, lines);
    }
  },
  'an exit that the page did not get is in the state': () => {
    const store = new Store();
    const take = (rest, body) => store.take(readTopic(`beacons/s/site/region/carts/1/8/${rest}`, 'beacons'), body);
    take('event', { at: 10000, epoch: 'E', seq: 1, type: 'enter', uuid, major: 1, minor: 8, dwell_s: null });
    take('state', { at: 10000, state: 'inside', since: 10000 });
    const end = () => visitsOfSite(store.sites.get('s')).map((visit) => [visit.end, visit.dwell_s]);
    same(end(), [[null, null]]);
    take('state', { at: 70000, state: 'outside', since: 60000 });
    same(end(), [[60000, 50]]);
  },
  'an entry while the former visit had no end makes another visit, and the former one is no more under way': () => {
    const store = new Store();
    for (const [seq, at] of [[1, 10000], [2, 500000]]) {
      store.take(readTopic('beacons/s/site/region/carts/1/8/event', 'beacons'), { at, epoch: 'E', seq, type: 'enter', uuid, major: 1, minor: 8, dwell_s: null });
    }
    same(visitsOfSite(store.sites.get('s')).map((visit) => visit.lost), [false, true]);
  },
  'events come in any order': () => same(visits(
    ['site', null, 'exit', 310, { dwell_s: 300 }], ['site', 'bakery', 'enter', 100], ['site', null, 'enter', 10], ['site', 'entrance', 'enter', 11],
  ), [['carts 1/8', 'entrance bakery', 310, 300]]),
};
