// The gateways of a chain that need help: rules without a view.

import { Page } from '../../../deploy/page/source/page.js';
import { attentionOf, chainState, usualDigest } from '../../../deploy/page/source/view/attention.js';
import { message, same } from './assert.js';

/** A page that selects no store, with what these gateways publish: {"site/id": [status, health…]}. */
function chainOf(gateways) {
  const page = new Page({ prefix: 'beacons', layout: null }, { garbled: () => {}, timed: () => {}, remark: () => {} });
  for (const [name, [status, ...healths]] of Object.entries(gateways)) {
    if (status) page.take(`beacons/${name}/status`, message({ state: 'online', radio: 'scanning', settings: { digest: 'd', version: null }, ...status }), true, 0);
    for (const health of healths) page.take(`beacons/${name}/health`, message(health), true, 0);
  }
  return page;
}
const listed = (gateways) => attentionOf(chainOf(gateways).store).list.map(({ site, id, trouble }) => `${site}/${id} ${trouble[1]}`);
const day_ms = 86400000;
const certificate = (days) => ({ certificate: { expires_at: new Date(Date.parse('2026-01-01T00:00:11.167Z') + days * day_ms).toISOString() } });

export const attentionRules = {
  'the gateways that need help are sorted by harm, and those of a deaf store come before others': () => same(listed({
    'a/door': [{ settings: { digest: 'e', version: 3 } }], 'a/till': [{}], 'b/door': [{}, certificate(20)], 'c/door': [{ clock: 'unsynced' }], 'c/till': [{}],
    'd/door': [{ radio: 'blocked' }], 'd/till': [{}], 'e/door': [{ state: 'offline' }], 'e/till': [{}], 'f/door': [{ state: 'offline' }], 'g/door': [{}, certificate(-1)],
    'h/door': [{}, { queue_depth: 1 }, { queue_depth: 90 }, { queue_depth: 180 }],
  }), ['f/door offline', 'e/door offline', 'd/door adapter blocked', 'g/door certificate has expired', 'h/door 180 messages wait, and their number grows',
    'c/door clock not set', 'a/door other settings than most', 'b/door certificate expires in 20\u00a0days']),
  'a backlog that shrinks, or is small, needs no help': () => same(listed({
    'a/door': [{}, { queue_depth: 300 }, { queue_depth: 200 }, { queue_depth: 250 }], 'b/door': [{}, { queue_depth: 1 }, { queue_depth: 2 }, { queue_depth: 3 }], 'c/door': [{}, { queue_depth: 5000 }],
  }), []),
  'without settings that most have, no gateway differs': () => {
    same(listed({ 'a/door': [{ settings: { digest: 'd', version: null } }], 'b/door': [{ settings: { digest: 'e', version: null } }] }), []);
    same([usualDigest([]), usualDigest([{ status: null }, { status: { digest: 'x' } }])], [null, 'x']);
  },
  'a chain has one sentence': () => {
    const sound = attentionOf(chainOf({ 'a/door': [{}], 'b/door': [{}] }).store);
    same(chainState(sound), { mark: '✓', words: '2 gateways in 2 stores, none needs help', tone: 'good' });
    const one = attentionOf(chainOf({ 'a/door': [{ radio: 'off' }], 'b/door': [{}] }).store);
    same(chainState(one).words, '1 of 2 gateways in 2 stores need help: first a/door, adapter off');
  },
  'a chain is several stores of which none is selected, and then health of all is read': () => {
    const page = chainOf({ 'a/door': [{}], 'b/door': [{}] });
    same([page.isChain, page.filters().includes('beacons/+/+/health')], [true, true]);
    page.look('a');
    same([page.isChain, page.filters().includes('beacons/+/+/health')], [false, false]);
    page.look(null);
    same([page.isChain, page.siteName], [true, null]);
  },
};
