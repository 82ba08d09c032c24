// The heat map of a store: rules of the page's model and of its words, without a view.

import { Heat, boundsOf, shadeOf } from '../../../deploy/page/source/model/heat.js';
import { limits } from '../../../deploy/page/source/model/limits.js';
import { Store } from '../../../deploy/page/source/model/store.js';
import { PayloadError, readPayload } from '../../../deploy/page/source/news/payload.js';
import { readTopic } from '../../../deploy/page/source/news/topic.js';
import { strength, wordsOf } from '../../../deploy/page/source/view/heat.js';
import { message, same, throws } from './assert.js';

const hour_ms = 3600000;
const begin = Date.parse('2026-11-23T09:00:00.000Z');
const cell = (x_m, seconds, beacons = 5, floor = 0) => ({ floor, x_m, y_m: 1, seconds, beacons });

/** The sheet of an hour, counted from 0, as a payload. */
function told(sheet, cells, more = {}) {
  const text = (at_ms) => new Date(at_ms).toISOString();
  return { epoch: '01M7YFBND8NHZK0BZS3VJ4ZZ24', sheet: sheet + 1, from_at: text(begin + sheet * hour_ms), to_at: text(begin + (sheet + 1) * hour_ms), page: 0, pages: 1,
    cell_m: 2, cells, omitted_cells: 1, omitted_s: 30, ...more };
}
const read = (...parts) => readPayload('heat', message(told(...parts)));
function heatOf(...sheets) {
  const heat = new Heat();
  for (const sheet of sheets) heat.take(sheet);
  return heat;
}

export const heatRules = {
  'the time of several hours adds up in each cell of a floor, the warmest first': () => {
    const heat = heatOf(read(0, [cell(1, 60, 9), cell(3, 50)]), read(1, [cell(3, 40, 6), cell(1, 7, 5, 2)])).on(0);
    same(heat.cells.map(({ x_m, seconds, beacons }) => [x_m, seconds, beacons]), [[3, 90, 6], [1, 60, 9]]);
    same([heat.most, heat.omitted_s, heat.omittedCells, heat.to - heat.from], [90, 60, 2, 2 * hour_ms]);
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
  'each shade is for twice the time of the one before, and stronger': () => {
    same([1, 6, 7, 12, 13, 25, 26, 50, 51, 100].map((seconds) => shadeOf(seconds, 100)), [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]);
    same(boundsOf(160), [10, 20, 40, 80, 160]);
    const strengths = [0, 1, 2, 3, 4].map(strength);
    same(strengths.every((one, index) => one > 0 && one <= 0.8 && (index === 0 || one - strengths[index - 1] > 0.1)), true);
  },
  'the map is said in words': () => {
    const [time, omitted] = wordsOf(heatOf(read(0, [cell(1, 60)])).on(0), 0, begin);
    same([time.includes('as far as this page has heard. 1 cell of 2 m, floor 0.'), omitted], [true, 'Left out: 30\u00a0s in cells with too few beacons.']);
    same(wordsOf(heatOf(read(0, [], { omitted_s: 0 })).on(0), 0, begin)[1], '');
  },
  'a sheet that makes no sense is refused': () => {
    const refused = [told(0, [], { sheet: 0 }), told(0, [], { to_at: '2026-11-23T08:00:00.000Z' }), told(0, [], { page: 1 }), told(0, [cell(1, 0)]), told(0, [cell('x', 9)]), told(0, [cell(1e9, 9)]), told(0, [cell(1, 9)], { cell_m: 0 })];
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
