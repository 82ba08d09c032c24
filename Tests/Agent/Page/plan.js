// What the plan shows at which zoom, and that its words do not lie over each other. Rules of its scene, which draws nothing.

import { Labels } from '../../../deploy/page/source/view/labels.js';
import { Motes } from '../../../deploy/page/source/view/motes.js';
import { clustersOf, sceneOf } from '../../../deploy/page/source/view/scene.js';
import { same } from './assert.js';

const measure = (words) => words.length * 7;
const good = { mark: '✓', word: 'scanning', tone: 'good' };
const bad = { mark: '!', word: 'adapter blocked', tone: 'bad' };

/** A row of numbers that look thrown, the same ones each time. */
function thrown(seed) {
  let value = seed;
  return () => {
    value = (Math.imul(value, 1664525) + 1013904223) >>> 0;
    return value / 2 ** 32;
  };
}

const dotOf = (minor, x, y, more = {}) => ({
  mote: { beacon: { identity: `i${minor}`, label: `2/${minor}` }, certain: true, radius_m: 1, ...more.mote }, x, y, radius: more.radius ?? 8, ring: more.ring ?? false,
});

/** A floor of 64 gateways in rows, one of them deaf, and so many beacons, on a picture of that size. */
function floor(width, height, beacons, { found = () => false, deaf = 13 } = {}) {
  const next = thrown(7);
  const gateways = Array.from({ length: 64 }, (_, index) => ({
    id: `gateway-${index}`, x: ((index % 8) + 0.5) * (width / 8), y: (Math.floor(index / 8) + 0.5) * (height / 8), condition: index === deaf ? bad : good, people: '16 here', chosen: false,
  }));
  const dots = Array.from({ length: beacons }, (_, minor) => dotOf(minor, next() * width, next() * height));
  return sceneOf({ camera: { width, height }, gateways, dots, found, measure });
}

const boxes = (scene) => scene.labels.placed;
const crosses = (one, other) => one.left < other.right && one.right > other.left && one.top < other.bottom && one.bottom > other.top;

/** The pairs of labels that lie over each other. */
const clashes = (scene) => boxes(scene).flatMap((one, index) => boxes(scene).slice(index + 1).filter((other) => crosses(one, other)).map((other) => `${one.words} over ${other.words}`));

export const planRules = {
  'no label lies over another one, whatever the size': () => {
    for (const [width, height, beacons] of [[390, 380, 1000], [390, 380, 20], [1000, 700, 1000], [1000, 700, 100], [320, 220, 60]]) same(clashes(floor(width, height, beacons)), []);
  },
  'a crowd becomes numbers that count everybody': () => {
    const { far, clusters, dots } = floor(390, 380, 1000);
    same([far, clusters.reduce((sum, one) => sum + one.count, dots.length), clusters.reduce((sum, one) => sum + one.gateways.length, 0), dots.length < 30], [true, 1000, 64, true]);
  },
  'no number lies over another one': () => {
    const { clusters } = floor(390, 380, 1000);
    const near = clusters.filter((one, index) => clusters.slice(index + 1).some((other) => Math.abs(one.x - other.x) < 36 && Math.abs(one.y - other.y) < 22));
    same(near.length, 0);
  },
  'a beacon near a gateway counts with it, and not with a nearer beacon': () => {
    const clusters = clustersOf([{ id: 'door', x: 100, y: 100, condition: good }], [dotOf(1, 200, 100), dotOf(2, 180, 100), dotOf(3, 155, 100)]);
    same(clusters.map(({ x, count }) => [x, count]), [[100, 1], [200, 2]]);
  },
  'a few are dots': () => same([floor(390, 380, 20).far, floor(1000, 700, 100).far], [false, false]),
  'a gateway that needs help has its word in any crowd': () => {
    for (const size of [[390, 380, 1000], [1000, 700, 1000], [390, 380, 20]]) same(boxes(floor(...size)).some(({ words }) => words === 'gateway-13: adapter blocked'), true);
  },
  'what was looked for stays a dot with its words, above any crowd': () => {
    const scene = floor(390, 380, 1000, { found: ({ mote }) => mote.beacon.label === '2/500' });
    same([scene.far, scene.sought.map(({ mote }) => mote.beacon.label), boxes(scene)[0].words], [true, ['2/500'], '2/500']);
  },
  'dots that stand together share their words': () => {
    const dots = [dotOf(1, 100, 100), dotOf(2, 104, 102), dotOf(3, 106, 99), dotOf(4, 200, 200), dotOf(5, 300, 100), dotOf(6, 303, 101)];
    const scene = sceneOf({ camera: { width: 400, height: 400 }, gateways: [], dots, found: () => false, measure });
    same(boxes(scene).map(({ words }) => words).sort(), ['2/4', '2/5, 2/6', '3 beacons']);
  },
  'dots whose words find no room are counted together': () => {
    const dots = Array.from({ length: 30 }, (_, index) => dotOf(index, 200 + (index % 6) * 16, 200 + Math.floor(index / 6) * 16));
    const scene = sceneOf({ camera: { width: 600, height: 500 }, gateways: [], dots, found: () => false, measure });
    same([boxes(scene).some(({ words }) => /^\d+ beacons$/.test(words)), clashes(scene)], [true, []]);
  },
  'a label that is not near its dot has a line to it': () => {
    const gap = ({ left, right, top, bottom }, { x, y }) => Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom));
    const dots = Array.from({ length: 30 }, (_, index) => dotOf(index, 200 + (index % 6) * 16, 200 + Math.floor(index / 6) * 16));
    dots.push(dotOf(40, 60, 60, { ring: true, radius: 50 }), dotOf(41, 400, 60));
    const pairs = boxes(sceneOf({ camera: { width: 600, height: 500 }, gateways: [], dots, found: () => false, measure }))
      .flatMap((box) => box.marks.map((mark) => ({ mark, away: gap(box, mark), line: box.lines.some(({ to }) => to.x === mark.x && to.y === mark.y) })));
    same([pairs.filter(({ away, line }) => (away > 16) !== line), pairs.some(({ line }) => line), pairs.find(({ mark }) => mark.x === 60).line, pairs.find(({ mark }) => mark.x === 400).line], [[], true, true, false]);
  },
  'a label that finds no room is left out, and one that must be seen is not': () => {
    const labels = new Labels(100, 100, measure);
    labels.block(50, 50, 100, 100);
    same([labels.place('x', 'ink', [[50, 50]]), labels.place('y', 'ink', [[50, 50]], { must: true })], [false, true]);
  },
  'a beacon of which only the distance is known is a ring around its gateway': () => {
    const motes = new Motes();
    const beacon = (minor, accuracy_m) => ({ identity: `i${minor}`, uuid: 'U', major: 2, minor, label: `2/${minor}`,
      heard: new Map([['t', { gateway: 'door', region: 'carts', entries: [{ accuracy_m, proximity: accuracy_m === null ? 'unknown' : 'near' }] }]]) });
    motes.update([beacon(1, 3), beacon(2, null)], { places: new Map([['door', { x_m: 5, y_m: 6 }]]), zones: new Map(), floor: 0, fits: () => true });
    same([...motes.all.values()].map(({ x_m, y_m, radius_m, certain }) => [x_m, y_m, radius_m, certain]), [[5, 6, 3, false], [5, 6, 0, false]]);
  },
  'many rings around one gateway become a few and a line of words': () => {
    const dots = Array.from({ length: 30 }, (_, minor) => dotOf(minor, 200, 200, { ring: true, radius: 20 + minor, mote: { certain: false, radius_m: 2 + minor } }));
    const scene = sceneOf({ camera: { width: 900, height: 700 }, gateways: [{ id: 'door', x: 200, y: 200, condition: good, people: '', chosen: false }], dots, found: () => false, measure });
    same([scene.rings.length, boxes(scene).map(({ words }) => words.replaceAll('\u00a0', ' '))], [6, ['door', '30 beacons, 2.0 m to 31 m']]);
  },
};
