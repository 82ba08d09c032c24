// The heat map of a store: rules of the page's model and of its words, without a view.

import { Heat, boundsOf, shadeOf } from '../../../deploy/page/source/model/heat.js';
import { limits } from '../../../deploy/page/source/model/limits.js';
import { Store } from '../../../deploy/page/source/model/store.js';
import { PayloadError, readPayload } from '../../../deploy/page/source/messages/payload.js';
import { readTopic } from '../../../deploy/page/source/messages/topic.js';
import { describeHeat, strength, wordsOf } from '../../../deploy/page/source/view/heat.js';
import { message, same, throws } from './assert.js';

const hour_ms = 3600000;
const begin = Date.parse('2026-11-23T09:00:00.000Z');
const cell = (x_m, seconds, beacons = 5, floor = 0) => ({ floor, x_m, y_m: 1, seconds, beacons });

/** The sheet of an hour, counted from 0, as a payload. */
function payload(sheet, cells, more = {}) {
  const text = (at_ms) => new Date(at_ms).toISOString();
  return { epoch: '01M7YFBND8NHZK0BZS3VJ4ZZ24', sheet: sheet + 1, from_at: text(begin + sheet * hour_ms), to_at: text(begin + (sheet + 1) * hour_ms), page: 0, pages: 1,
    cell_m: 2, cells, omitted_cells: 1, omitted_s: 30, unplaced_s: 4, ...more };
}
const read = (...parts) => readPayload('heat', message(payload(...parts)));
function heatOf(...sheets) {
  const heat = new Heat();
  for (const sheet of sheets) heat.take(sheet);
  return heat;
}

export const heatRules = {
  'the time of several hours adds up in each cell of a floor, the warmest first': () => {
    const heat = heatOf(read(0, [cell(1, 60, 9), cell(3, 50)]), read(1, [cell(3, 40, 6), cell(1, 7, 5, 2)])).on(0);
    same(heat.cells.map(({ x_m, seconds, beacons }) => [x_m, seconds, beacons]), [[3, 90, 6], [1, 60, 9]]);
    same([heat.most, heat.omitted_s, heat.unplaced_s, heat.omittedCells, heat.to - heat.from, heat.covered_s], [90, 60, 8, 2, 2 * hour_ms, 7200]);
  },
  'a sheet that comes twice counts once': () => same(heatOf(read(0, [cell(1, 60)]), read(0, [cell(1, 60)])).on(0).cells[0].seconds, 60),
  'before the first sheet there is no map, and a floor without cells has an empty one': () => {
    same(new Heat().on(0), null);
    same(heatOf(read(0, [cell(1, 60)])).on(3).cells, []);
  },
  'cells of another size than the newest are left out': () => same(heatOf(read(0, [cell(1, 60)]), read(1, [cell(0.5, 7)], { cell_m: 1 })).on(0).cells.map(({ x_m }) => x_m), [0.5]),
  'the oldest sheets make room': () => {
    const many = Array.from({ length: 400 }, (_, index) => cell(index * 2 + 1, 9));
    const heat = heatOf(...Array.from({ length: 70 }, (_, sheet) => read(sheet, many)));
    same([heat.cells <= limits.heatCells, heat.sheets.size, [...heat.sheets.values()][0].from], [true, 50, begin + 20 * hour_ms]);
    same(heatOf(...Array.from({ length: 130 }, (_, sheet) => read(sheet, []))).sheets.size, limits.sheets);
  },
  'an hour of several sheets makes room as a whole, so that each cell shows the same hours': () => {
    const pages = 32;
    const hour = (number) => Array.from({ length: pages }, (_, page) => read(number, Array.from({ length: 500 }, (_, index) => cell((page * 500 + index) * 2 + 1, 60)),
      { sheet: number * pages + page + 1, page, pages }));
    const [first, second, third] = [0, 1, 2].map(hour);
    const heat = heatOf(...first, ...second);
    same([heat.sheets.size, new Set(heat.on(0).cells.map(({ seconds }) => seconds)).size, heat.on(0).from], [pages, 1, begin + hour_ms]);
    // The sheets of an hour that has gone do not bring back a part of it.
    for (const late of [...third, ...second, first[0], { ...first[1], number: 'other' }]) heat.take(late);
    same([heat.sheets.size, heat.on(0).cells.length, heat.on(0).from, heat.cells], [pages, 16000, begin + 2 * hour_ms, 16000]);
  },
  'each shade is for twice the time of the one before, and stronger': () => {
    same([1, 6, 7, 12, 13, 25, 26, 50, 51, 100].map((seconds) => shadeOf(seconds, 100)), [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]);
    same(boundsOf(160), [10, 20, 40, 80, 160]);
    const strengths = [0, 1, 2, 3, 4].map(strength);
    same(strengths.every((one, index) => one > 0 && one <= 0.8 && (index === 0 || one - strengths[index - 1] > 0.1)), true);
  },
  'the map is said in words': () => {
    const [time, omitted] = wordsOf(heatOf(read(0, [cell(1, 60)])).on(0), 0, begin);
    same(time.includes(', as far as this page has heard. 1 cell of 2 m, floor 0.') && !time.includes(' of it'), true);
    same(omitted, 'Left out on all floors together: 30\u00a0s in cells with too few beacons. Without a place: 4.0\u00a0s.');
    same(wordsOf(heatOf(read(0, [], { omitted_s: 0, unplaced_s: 0 })).on(0), 0, begin)[1], '');
  },
  'time between two sheets is not claimed': () => {
    const [time] = wordsOf(heatOf(read(0, [cell(1, 60)]), read(3, [cell(1, 60)])).on(0), 0, begin);
    same(time.includes(' (120\u00a0min of it), as far') || time.includes(' (2\u00a0h of it), as far'), true);
  },
  'time of too few beacons to be published is named as left out': () => {
    const words = (...sheets) => wordsOf(heatOf(...sheets).on(0), 0, begin)[1];
    const secret = read(0, [], { omitted_s: null, unplaced_s: null });
    same(words(secret), 'Left out on all floors together: the time in cells with too few beacons.');
    same(words(secret, read(1, [], { unplaced_s: 0 })), 'Left out on all floors together: 30\u00a0s or more in cells with too few beacons.');
  },
  'the plan says its heat without colours': () => {
    same(describeHeat(null), '');
    same(describeHeat(heatOf(read(0, [])).on(0)), 'No heat on this floor. ');
    same(describeHeat(heatOf(read(0, [cell(1, 9), cell(3, 60)])).on(0)), 'Below them the heat of 2 cells, the warmest at 3, 1 m with 60\u00a0s. ');
  },
  'a sheet that makes no sense is refused': () => {
    const refused = [payload(0, [], { sheet: 0 }), payload(0, [], { to_at: '2026-11-23T08:00:00.000Z' }), payload(0, [], { to_at: '2026-11-23T10:00:00.001Z' }), payload(0, [cell(1, 9, 65537)]), payload(0, [], { page: 1 }), payload(0, [cell(1, 0)]), payload(0, [cell('x', 9)]), payload(0, [cell(1e9, 9)]), payload(0, [cell(1, 9)], { cell_m: 0 })];
    for (const one of refused) throws(PayloadError, () => readPayload('heat', message(one)));
  },
  'only the store’s word counts, and another store’s is forgotten': () => {
    const store = new Store();
    const take = (gateway) => store.take(readTopic(`beacons/s/${gateway}/heat`, 'beacons'), read(0, [cell(1, 60)]), 0);
    take('door');
    same(store.sites.get('s').heat.on(0), null);
    take('site');
    same(store.sites.get('s').heat.on(0).cells.length, 1);
    store.leave('s');
    same(store.sites.get('s').heat.on(0), null);
  },
};
