// A store's day: rules of the page's model and of its words, without a view.

import { dayOf } from '../../../deploy/page/source/model/today.js';
import { Store } from '../../../deploy/page/source/model/store.js';
import { PayloadError, readPayload } from '../../../deploy/page/source/messages/payload.js';
import { readTopic } from '../../../deploy/page/source/messages/topic.js';
import { labelOf, spansOf, wordsOf } from '../../../deploy/page/source/view/today.js';
import { message, same, throws } from './assert.js';

const from = Date.parse('2026-11-22T23:00:00.000Z');
const hour_ms = 3600000;
const text = (at_ms) => new Date(at_ms).toISOString();

/** A day of Berlin of which some hours have begun, as a payload; further fields are of its only region. */
function payload(entries, heard, region = {}, more = {}) {
  return {
    day: '2026-11-23', time_zone: 'Europe/Berlin', from_at: text(from), to_at: text(from + 24 * hour_ms),
    hours: heard.map((heard_share, index) => ({ from_at: text(from + index * hour_ms), heard_share })),
    regions: [{ region: 'carts', visits: 31, present: 6, unknown: 0, median_stay_s: 1255, entries, last_week: null, ...region }], omitted: 0, ...more,
  };
}
const read = (...parts) => readPayload('today', message(payload(...parts)));
const shown = (today, runs = true, now_ms = from + hour_ms) => dayOf(today, undefined, runs, now_ms);

export const todayRules = {
  'a day has its figures, its hours and those to come': () => {
    const day = shown(read([0, 12, 17], [1, 1, 0.5]));
    same([day.visits, day.present, day.median_s, day.hours.length], [31, 6, 1255, 24]);
    same(day.hours.slice(1, 4).map(({ hour, begun, entries, isHeard }) => [hour, begun, entries, isHeard]), [[1, true, 12, true], [2, true, 17, false], [3, false, null, false]]);
    same([day.busiest.hour, day.busiest.entries, day.most], [2, 17, 17]);
  },
  'of several busiest hours the first is named': () => same(shown(read([0, 17, 17], [1, 1, 1])).busiest.hour, 1),
  'the same weekday a week ago is beside it': () => {
    const day = shown(read([1], [1], { last_week: [5, 40] }));
    same([day.hours[0].lastWeek, day.hours[1].lastWeek, day.hours[2].lastWeek, day.most, day.hasWeek], [5, 40, null, 40, true]);
  },
  'who is present is unknown where the store can not know, does not run, or published another day': () => {
    const present = (fields, ...state) => shown(read([0], [1], fields), ...state).present;
    same([present({ present: null }), present({}, false), present({}, true, from + 24 * hour_ms), present({ present: 0, unknown: 2 }), present({ unknown: 2 })], [null, null, null, null, 6]);
  },
  'a day on which clocks change has 23 or 25 hours, by the store’s clock': () => {
    const begin = Date.parse('2026-10-24T22:00:00.000Z');
    const day = (length) => shown(read([0], [1], {}, { from_at: text(begin), to_at: text(begin + length * hour_ms) })).hours.map(({ hour }) => hour);
    same(day(25).slice(1, 5), [1, 2, 2, 3]);
    same(day(25).length, 25);
  },
  'a zone that the browser does not know leaves the hours their place in the day': () => {
    for (const time_zone of ['', 'Nowhere/At_All', '../etc']) same(shown(read([0, 0], [1, 1], {}, { time_zone })).hours[9].hour, 9);
  },
  'the day is said in sentences': () => {
    const day = shown(read([0, 12, 17, 1], [1, 0.42, 0, 1], { unknown: 1 }));
    same(wordsOf(day), ['Busiest hour: 02–03, 17 visits.', 'Median stay: 21\u00a0min.', '1 more may be present: no gateway knows.',
      'Not heard, or only in part: 01–03. Visits may be missing there.', 'Nothing is known of the same weekday a week ago.']);
    same(labelOf(day), 'Visits by hour: 01–02: 12, 02–03: 17, 03–04: 1');
  },
  'a day without visits says that': () => same(wordsOf(shown(read([0], [1], { median_stay_s: null, last_week: [0] }))), ['No visit began yet today.', 'No visit has ended yet today.']),
  'hours that were not heard are named as spans': () => same(spansOf(shown(read([0, 0, 0, 0], [0, 0, 1, null])).hours), ['00–02', '03–04']),
  'people have the sums of their counts, and no hours': () => {
    const day = (people, ...more) => shown(read([0], [1], {}, { regions: [], people: [{ region: 'visitors', entered: 34, left: 31, present: 18, omitted: 1, partial: true, to_at: text(from + hour_ms), ...people }] }), ...more);
    const { region, people, present, hours } = day({});
    same([region, people.entered, people.left, present, hours.length], ['visitors', 34, 31, 18, 0]);
    same(wordsOf(day({})).slice(1), ['Left out, because too few people came or left: 1 count.', 'Not heard all the time: visits may be missing.']);
    same(wordsOf(day({ to_at: undefined, omitted: 0, partial: false })), ['No count yet today: it comes once enough people left within half an hour, or at midnight.']);
    same(['entered', 'left', 'present'].map((name) => day({ to_at: undefined }).people[name]), [null, null, null]);
    same([day({ to_at: undefined }).present, day({}, false).present, day({}, true, from + 24 * hour_ms).present], [null, null, null]);
  },
  'regions and people are chosen by their names': () => {
    const both = read([0], [1], {}, { people: [{ region: 'visitors', entered: 34, left: 31, present: 18, omitted: 0, partial: false, to_at: text(from + hour_ms) }] });
    same([dayOf(both, undefined, true, from).region, dayOf(both, 'visitors', true, from).people.entered, dayOf(both, 'carts', true, from).people], ['carts', 34, null]);
  },
  'a store without regions has a day': () => same(shown(read([0], [1], {}, { regions: [] })).region, null),
  'a region that does not say what each hour had is left out': () => same(read([1, 2], [1]).regions.length, 0),
  'garbage is refused': () => {
    const refused = [payload([1], [1], {}, { to_at: text(from) }), payload([1], [1], {}, { to_at: text(from + 99 * hour_ms) }), payload([1], [1], {}, { hours: [3] }),
      payload(['x'], [1]), payload([-1], [1]), payload([1], [1], {}, { day: 3 })];
    for (const one of refused) throws(PayloadError, () => readPayload('today', message(one)));
  },
  'no more hours and regions are read than the contract has': () => {
    const many = Array.from({ length: 300 }, () => 1);
    const { heard, regions } = readPayload('today', message(payload(many.slice(0, 26), many, {}, { regions: many.map((_, index) => ({ region: `r${index}`, visits: 1, entries: many.slice(0, 26) })) })));
    same([heard.length, regions.length], [26, 64]);
  },
  'only the store’s word counts, until it is cleared': () => {
    const store = new Store();
    const take = (gateway, body) => store.take(readTopic(`beacons/s/${gateway}/today`, 'beacons'), body, 0);
    take('door', read([1], [1]));
    same(store.sites.get('s').today, null);
    take('site', read([1], [1]));
    same(store.sites.get('s').today.regions.length, 1);
    take('site', null);
    same(store.sites.get('s').today, null);
  },
};
