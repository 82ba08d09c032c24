// Where the page says something of each kind, word or figure of the contract by itself: it leaves none out, and invents none.

import { kinds, unread } from '../../../deploy/page/source/messages/contract.js';
import { readers, readPayload } from '../../../deploy/page/source/messages/payload.js';
import { readTopic } from '../../../deploy/page/source/messages/topic.js';
import { Page } from '../../../deploy/page/source/page.js';
import { takers } from '../../../deploy/page/source/model/store.js';
import { facts } from '../../../deploy/page/source/view/gatewaylist.js';
import { hearings, radios, suspicions } from '../../../deploy/page/source/view/words.js';
import { message, same, throws } from './assert.js';

const sorted = (names) => [...names].sort();
const { fields: health } = kinds.health;

/** Whether an MQTT filter takes a topic. */
const fits = (filter, topic) => new RegExp(`^${filter.replaceAll('+', '[^/]+').replace('/#', '(/.*)?')}$`).test(topic);

export const contractRules = {
  'each kind is shown, or is one that the page has no use for': () => same(sorted([...Object.keys(readers), ...unread]), sorted(Object.keys(kinds))),
  'what is read is taken into the store': () => same(sorted(Object.keys(takers)), sorted(Object.keys(readers))),
  'the topic of each kind is known': () => {
    const read = (kind) => readTopic(`beacons/s/g/${kinds[kind].topic.replace('{region}', 'carts').replace('{page}', '0')}`, 'beacons')?.kind;
    same(Object.keys(kinds).map(read), Object.keys(kinds));
  },
  'the broker is asked for what is shown, and for nothing else': () => {
    const page = new Page({ prefix: 'beacons', layout: null }, { garbled: () => {}, timed: () => {}, remark: () => {} });
    page.look('s');
    const asked = Object.keys(kinds).filter((kind) => page.filters().some((one) => fits(one, `beacons/s/g/${kinds[kind].topic.replace('{region}', 'carts').replace('{page}', '0')}`)));
    same(sorted(asked), sorted(Object.keys(readers)));
  },
  'each condition of a radio has its words': () => same(sorted(Object.keys(radios)), sorted(kinds.status.fields.radio.words)),
  'each word of a store for its gateways has its words': () => same(sorted(Object.keys(hearings)), sorted(health.gateways.of.fields.hearing.words)),
  'each reason for which links have changed has its words': () => same(sorted(Object.keys(suspicions)), sorted(kinds.learned.fields.suspects.of.fields.reason.words)),
  'each figure that is shown is one of health': () => same(facts.map(([, name]) => name).filter((name) => !(name in health)), []),
  'a word of a later release is shown as it is, and another state is refused': () => {
    same(readPayload('status', message({ state: 'online', radio: 'tired' })).radio, 'tired');
    throws(Error, () => readPayload('state', message({ state: 'bored' })));
  },
};
