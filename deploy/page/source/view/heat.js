import { boundsOf, shadeOf, shades } from '../model/heat.js';
import { byId, element, keyed, say } from './dom.js';
import { clockTime, duration } from './words.js';

// A table of all cells would be too long to read.
const rows = 30;

/** How much of the colour a shade has: one colour from pale to full, so that it is a scale of grey without colour as well. */
export const strength = (shade) => 0.14 + (0.66 * shade) / (shades - 1);

/** The cells on the plan, below all marks. */
export function drawHeat(canvas, camera, paint, heat) {
  if (!heat) return;
  const side = heat.cell_m * camera.scale;
  canvas.fillStyle = paint.beacon;
  for (const { x_m, y_m, seconds } of heat.cells) {
    const [x, y] = [camera.x(x_m - heat.cell_m / 2), camera.y(y_m + heat.cell_m / 2)];
    if (x > camera.width || y > camera.height || x + side < 0 || y + side < 0) continue;
    canvas.globalAlpha = strength(shadeOf(seconds, heat.most));
    canvas.fillRect(x, y, side, side);
  }
  canvas.globalAlpha = 1;
}

const counted = (cells) => `${cells} cell${cells === 1 ? '' : 's'}`;

/** The time of the map, and what it leaves out: on all floors, because no sheet says on which one. */
export function wordsOf(heat, floor, now_ms) {
  const span = `${clockTime(heat.from, now_ms)} to ${clockTime(heat.to, now_ms)}`;
  // A minute is no hole: a store that is started again needs some seconds.
  const covered = (heat.to - heat.from) / 1000 - heat.covered_s > 60 ? ` (${duration(heat.covered_s)} of it)` : '';
  const where = heat.cells.length === 0 ? 'No cell of this floor had enough beacons.' : `${counted(heat.cells.length)} of ${heat.cell_m} m, floor ${floor}.`;
  const time = heat.omitted_s === 0 ? 'the time' : `${duration(heat.omitted_s)}${heat.isMoreOmitted ? ' or more' : ''}`;
  const omitted = heat.omitted_s === 0 && !heat.isMoreOmitted ? '' : `Left out on all floors together: ${time} in cells with too few beacons.`;
  const unplaced = heat.unplaced_s === 0 ? '' : `Without a place: ${duration(heat.unplaced_s)}.`;
  return [`Where beacons were from ${span}${covered}, as far as this page has heard. ${where}`, [omitted, unplaced].filter(Boolean).join(' ')];
}

/** The heat on the plan, for who does not see it. */
export function describeHeat(heat) {
  if (!heat) return '';
  const [warmest] = heat.cells;
  return warmest ? `Below them the heat of ${counted(heat.cells.length)}, the warmest at ${warmest.x_m}, ${warmest.y_m} m with ${duration(warmest.seconds)}. ` : 'No heat on this floor. ';
}

/** Shows the list beside the plan. Returns whether there is anything to show: a store publishes each hour once it is over. */
export function showHeat(page, floor, now_ms) {
  const heat = page.site()?.heat.on(floor) ?? null;
  byId('tab-heat').hidden = heat === null;
  if (heat === null || !page.showsHeat) return heat !== null;
  const [time, omitted] = wordsOf(heat, floor, now_ms);
  say(byId('heat-time'), time);
  say(byId('heat-omitted'), omitted);
  const bounds = heat.most === 0 ? [] : boundsOf(heat.most);
  keyed(byId('heat-key'), bounds.map((bound, shade) => ({ bound, shade })), ({ shade }) => shade, ({ shade }) => {
    const sample = element('i');
    sample.style.opacity = String(strength(shade));
    return element('li', '', sample, element('span'));
  }, (row, { bound }) => say(row.lastElementChild, `up to ${duration(Math.ceil(bound))}`));
  const table = byId('heat-cells');
  if (table.shown !== heat) {
    table.shown = heat;
    say(byId('heat-caption'), heat.cells.length > rows ? `The ${rows} warmest of ${counted(heat.cells.length)}` : 'The warmest cells');
    const cells = heat.cells.slice(0, rows).map(({ x_m, y_m, seconds, beacons }) => [String(x_m), String(y_m), duration(seconds), String(beacons)]);
    table.replaceChildren(...cells.map((row) => element('tr', '', ...row.map((words) => element('td', '', words)))));
  }
  return true;
}
