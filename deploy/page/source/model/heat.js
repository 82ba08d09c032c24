// A store's heat map: the time that beacons spent in each cell of its floor plan, from the sheets that came since the page was opened.

import { limits } from './limits.js';

/** The shades of a cell, from cold to hot. Each one is for twice the time of the one before. */
export const shades = 5;

const hour_ms = 3600000;
const hourOf = (sheet) => Math.floor(sheet.from / hour_ms);

export class Heat {
  constructor() {
    // By epoch and number: a sheet may come twice.
    this.sheets = new Map();
    this.cells = 0;
    this.drawn = new Map();
    this.cell_m = null;
    // The newest hour that made room: more sheets of it would show some of its cells alone.
    this.gone = -Infinity;
  }

  /** Takes a sheet. The oldest hours make room, each with all of its sheets. */
  take(sheet) {
    if (this.sheets.has(sheet.number) || hourOf(sheet) <= this.gone) return;
    this.sheets.set(sheet.number, sheet);
    this.cells += sheet.cells.length;
    this.cell_m = sheet.cell_m;
    this.drawn.clear();
    while (this.cells > limits.heatCells || this.sheets.size > limits.sheets) this.drop(Math.min(...[...this.sheets.values()].map(hourOf)));
  }

  drop(hour) {
    this.gone = hour;
    for (const [number, sheet] of this.sheets) {
      if (hourOf(sheet) !== hour) continue;
      this.sheets.delete(number);
      this.cells -= sheet.cells.length;
    }
  }

  /** The cells of a floor with the time in them, added up over all sheets; null before the first sheet. */
  on(floor) {
    if (this.sheets.size === 0) return null;
    if (!this.drawn.has(floor)) this.drawn.set(floor, addedUp([...this.sheets.values()], this.cell_m, floor));
    return this.drawn.get(floor);
  }
}

/** Sheets with cells of another size than the newest have are left out: their cells would lie across these. */
function addedUp(all, cell_m, floor) {
  const sheets = all.filter((sheet) => sheet.cell_m === cell_m);
  const cells = new Map();
  const sum = { cell_m, from: Infinity, to: -Infinity, covered_s: 0, omittedCells: 0, omitted_s: 0, unplaced_s: 0, isMoreOmitted: false };
  for (const sheet of sheets) {
    sum.from = Math.min(sum.from, sheet.from);
    sum.to = Math.max(sum.to, sheet.to);
    // The sheets of one time differ in their page.
    if (sheet.page === 0) sum.covered_s += (sheet.to - sheet.from) / 1000;
    sum.omittedCells += sheet.omittedCells;
    sum.omitted_s += sheet.omitted_s ?? 0;
    sum.unplaced_s += sheet.unplaced_s ?? 0;
    sum.isMoreOmitted ||= sheet.omitted_s === null;
    for (const cell of sheet.cells) {
      if (cell.floor !== floor) continue;
      const place = `${cell.x_m} ${cell.y_m}`;
      const known = cells.get(place);
      // Beacons of two sheets may be the same ones, so the larger number is sure.
      if (known) Object.assign(known, { seconds: known.seconds + cell.seconds, beacons: Math.max(known.beacons, cell.beacons) });
      else cells.set(place, { x_m: cell.x_m, y_m: cell.y_m, seconds: cell.seconds, beacons: cell.beacons });
    }
  }
  const warmest = [...cells.values()].sort((one, other) => other.seconds - one.seconds);
  return { ...sum, cells: warmest, most: warmest[0]?.seconds ?? 0 };
}

/** The shade of a time, from 0 to the last. */
export function shadeOf(seconds, most) {
  return Math.max(0, shades - 1 - Math.floor(Math.log2(most / seconds)));
}

/** The longest time of each shade, seconds. */
export const boundsOf = (most) => Array.from({ length: shades }, (_, shade) => most / 2 ** (shades - 1 - shade));
