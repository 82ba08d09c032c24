// The things of a floor to draw at a zoom. It computes in pixels and draws nothing, so that a test can call it.

import { Labels } from './labels.js';
import { metres } from './words.js';

// The area of one dot with its words, in square pixels. Where the dots would fill more than half of the picture, it
// shows them as numbers.
const dotArea = 700;
// The size of marks with a number. Gateways and beacons that are nearer to each other share one mark.
const wide = 38;
const tall = 27;
const nearDots = 14;
const nearGroups = 45;
const mostRings = 6;
const mostNeeded = 5;
const worse = { bad: 3, warn: 2, quiet: 1, good: 0 };

/** Whether there are too many beacons for dots. */
export const isCrowded = (count, { width, height }) => count * dotArea > (width * height) / 2;

/** The nearest mark that is less than `times` its size away. */
function nearest(ones, { x, y }, times, width = wide, height = tall) {
  let best = null;
  let least = times;
  for (const one of ones) {
    const away = Math.max(Math.abs(one.x - x) / width, Math.abs(one.y - y) / height);
    if (away < least) [best, least] = [one, away];
  }
  return best;
}

/** Gateways and dots that stand close together, as marks with a number. A gateway that needs help keeps its own mark. */
export function clustersOf(gateways, dots) {
  const clusters = [];
  for (const gateway of [...gateways].sort((one, other) => worse[other.condition.tone] - worse[one.condition.tone])) {
    const cluster = nearest(clusters, gateway, 1);
    if (cluster) cluster.gateways.push(gateway);
    else clusters.push({ x: gateway.x, y: gateway.y, gateways: [gateway], count: 0 });
  }
  const anchors = [...clusters];
  for (const dot of dots) {
    const cluster = nearest(anchors, dot, 1.5) ?? nearest(clusters, dot, 1);
    if (cluster) cluster.count += 1;
    else clusters.push({ x: dot.x, y: dot.y, gateways: [], count: 1, dot });
  }
  return clusters;
}

/** Dots, or groups of them, that stand closer than that, as groups with common words. */
function groupsOf(ones, apart) {
  const groups = [];
  for (const one of ones) {
    const group = nearest(groups, one, 1, apart, apart);
    if (group) group.dots.push(...(one.dots ?? [one]));
    else groups.push({ x: one.x, y: one.y, dots: [...(one.dots ?? [one])] });
  }
  return groups;
}

/** The words of one beacon: its number, and ?, ↻ or ×2 for unknown, resolving and duplicate. */
function wordsOf({ mote }, wordy) {
  const sign = (mark, word) => (wordy ? `${mark} ${word}` : mark);
  return [mote.beacon.label, mote.resolving && sign('↻', 'resolving'), mote.duplicate && sign('×2', 'duplicate'), mote.unknown && sign('?', 'unknown')].filter(Boolean).join(' ');
}

const special = ({ mote }) => mote.resolving || mote.duplicate;
const inkOf = (dot) => (special(dot) ? 'warn' : dot.mote.unknown ? 'quiet' : 'ink');

function labelGateways(labels, gateways) {
  const said = ({ id, condition }) => (condition.tone === 'good' ? id : `${id}: ${condition.word}`);
  // Above is tried first: the number of the zone is below.
  const name = (one, soft) => {
    const [below, above, ...others] = labels.around(said(one), one.x, one.y, 12);
    labels.place(said(one), one.condition.tone === 'good' ? 'ink' : one.condition.tone, [above, below, ...others], { soft });
  };
  const order = [...gateways].sort((one, other) => worse[other.condition.tone] - worse[one.condition.tone]);
  for (const one of order) name(one, true);
  for (const { x, y, people } of gateways) if (people) labels.place(people, 'soft', labels.around(people, x, y, 12), { soft: true });
}

/** The names beside the numbers. Names of gateways that need help come first, and the first one may cover anything. */
function labelClusters(labels, clusters) {
  let needed = 0;
  for (const { x, y, gateways } of clusters) {
    const [first] = gateways;
    if (!first) continue;
    const { tone, word } = first.condition;
    if (tone !== 'good') {
      const words = `${first.id}: ${word}`;
      const short = [words, first.id].find((one) => labels.place(one, tone, labels.around(one, x, y, 12)));
      if (short === undefined && (needed += 1) <= mostNeeded) labels.place(words, tone, labels.around(words, x, y, 12), { must: true });
    } else if (gateways.length === 1) labels.place(first.id, 'ink', labels.around(first.id, x, y, 12));
  }
}

/** Draws the rings of beacons around each gateway, where only their distance is known. Many of them become one line of words. */
function labelRings(labels, rings, wordy) {
  const shown = [];
  const byPlace = new Map();
  for (const ring of rings) {
    const place = `${Math.round(ring.x)} ${Math.round(ring.y)}`;
    if (!byPlace.has(place)) byPlace.set(place, []);
    byPlace.get(place).push(ring);
  }
  for (const ones of byPlace.values()) {
    ones.sort((one, other) => one.radius - other.radius);
    const far = ones.filter(({ radius }) => radius > 0);
    shown.push(...far.slice(0, mostRings));
    const { x, y } = ones[0];
    if (ones.length > mostRings) {
      const words = `${ones.length} beacons${far.length > 0 ? `, ${metres(far[0].mote.radius_m)} to ${metres(far[far.length - 1].mote.radius_m)}` : ''}`;
      labels.place(words, 'ink', labels.around(words, x, y, 28), { soft: true });
    } else {
      for (const one of ones) labels.place(wordsOf(one, wordy), inkOf(one), labels.around(wordsOf(one, wordy), x, y, Math.max(one.radius, 24)), { soft: true, marks: [one] });
    }
  }
  return shown;
}

/** The words of dots. Words without room are joined with those of their neighbours, a little farther away. */
function labelDots(labels, dots, wordy) {
  const say = ({ x, y, dots: ones }, aways, soft) => {
    const words = ones.length > 2 ? `${ones.length} beacons` : ones.map((one) => wordsOf(one, wordy && ones.length === 1)).join(', ');
    return labels.place(words, inkOf(ones.find(special) ?? ones[0]), aways.flatMap((away) => labels.around(words, x, y, away)), { soft, marks: ones });
  };
  const groups = groupsOf(dots, nearDots).sort((one, other) => Number(other.dots.some(special)) - Number(one.dots.some(special)));
  const left = groups.filter((group) => !say(group, [8], false));
  for (const group of groupsOf(left, nearGroups)) say(group, [10, 20, 32], true);
}

/** The picture of a floor. `gateways` and `dots` have places in pixels; `found` says which beacons match the search. */
export function sceneOf({ camera, gateways, dots, found, measure, calm = true }) {
  const { width, height } = camera;
  const seen = dots.filter(({ x, y }) => x > -20 && y > -20 && x < width + 20 && y < height + 20);
  const isInside = ({ x, y }) => x >= 0 && y >= 0 && x <= width && y <= height;
  const crowd = seen.filter((dot) => !found(dot));
  const sought = seen.filter(found);
  const labels = new Labels(width, height, measure);
  // The scale and the legend's button.
  labels.block(90, height - 20, 180, 40);
  labels.block(width - 28, height - 28, 56, 56);
  const scene = { far: calm && isCrowded(crowd.length, camera), clusters: [], gateways: [], dots: [], rings: [], sought, labels };
  for (const { x, y } of sought) labels.block(x, y, 24, 24);
  for (const dot of sought) labels.place(wordsOf(dot, true), 'focus', labels.around(wordsOf(dot, true), dot.x, dot.y, dot.ring ? Math.max(14, dot.radius) : 14), { must: true, marks: [dot] });
  if (scene.far) {
    const clusters = clustersOf(gateways, crowd);
    // A number for one beacon would show less than its dot.
    scene.clusters = clusters.filter(({ gateways: near, count }) => near.length > 0 || count > 1);
    scene.dots = clusters.filter((one) => !scene.clusters.includes(one)).map(({ dot }) => dot);
    for (const { x, y } of scene.clusters) labels.block(x, y, 36, 22);
    labelClusters(labels, scene.clusters);
    return scene;
  }
  scene.gateways = gateways;
  scene.dots = crowd.filter(({ ring }) => !ring);
  for (const { x, y } of gateways) labels.block(x, y, 24, 24);
  for (const { x, y } of scene.dots) labels.block(x, y, 12, 12, true);
  const wordy = width >= 600 && seen.length <= 60;
  labelGateways(labels, gateways.filter(isInside));
  scene.rings = labelRings(labels, crowd.filter(({ ring }) => ring), wordy);
  labelDots(labels, scene.dots.filter(isInside), wordy);
  return scene;
}
