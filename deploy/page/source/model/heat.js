// A store's heat map: the time that beacons spent in each cell of its floor plan, from the sheets that came since the page was opened.

import { limits } from './limits.js';

/** The shades of a cell, from cold to hot. Each one is for twice the time of the one before. */
export const shades = 5;

export class Heat {
  constructor() {
    // By epoch and number: a sheet may come twice.
    this.sheets = new Map();
    this.cells = 0;
    this.drawn = new Map();
  }

  /** Takes a sheet. The oldest ones make room. */
  take(sheet) {
    if (this.sheets.has(sheet.number)) return;
    this.sheets.set(sheet.number, sheet);
    this.cells += sheet.cells.length;
    this.drawn.clear();
    for (const [number, old] of this.sheets) {
      if (this.cells <= limits.heatCells && this.sheets.size <= limits.sheets) break;
      this.sheets.delete(number);
      this.cells -= old.cells.length;
    }
  }

  /** The cells of a floor with the time in them, added up over all sheets; null before the first sheet. */
  on(floor) {
    if (this.sheets.size === 0) return null;
    if (!this.drawn.has(floor)) this.drawn.set(floor, addedUp([...this.sheets.values()], floor));
    return this.drawn.get(floor);
  }
}

/** Sheets with cells of another size than the newest have are left out: their cells would lie across these. */
function addedUp(all, floor) {
  const { cell_m } = all[all.length - 1];
  const sheets = all.filter((sheet) => sheet.cell_m === cell_m);
  const cells = new Map();
  const sum = { cell_m, from: Infinity, to: -Infinity, omittedCells: 0, omitted_s: 0 };
  for (const sheet of sheets) {
    sum.from = Math.min(sum.from, sheet.from);
    sum.to = Math.max(sum.to, sheet.to);
    sum.omittedCells += sheet.omittedCells;
    sum.omitted_s += sheet.omitted_s;
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
