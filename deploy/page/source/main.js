import { Reader } from './mqtt/reader.js';
import { Page } from './page.js';
import { Calibration } from './view/calibrate.js';
import { colours } from './view/colours.js';
import { byId, element, keyed, say, tabs } from './view/dom.js';
import { attentionOf, showAttention } from './view/attention.js';
import { showHeadline } from './view/headline.js';
import { showHeat } from './view/heat.js';
import { showLists } from './view/lists.js';
import { MapView } from './view/mapview.js';
import { Notices } from './view/notices.js';
import { PlanView } from './view/planview.js';

// People read lists and watch pictures: for lists, twice a second is enough.
const listEvery_ms = 500;
// A store that is alone for so long is the only one: the broker sends all stores at once.
const alone_ms = 1000;

const settings = JSON.parse(byId('settings').textContent);
const notices = new Notices();
const page = new Page(settings, notices);
page.paint = colours();

const plan = new PlanView(byId('plan'), page, {
  onPoint: (share) => calibration.point(share),
  onPlace: (id, x_m, y_m, floor) => calibration.place(id, x_m, y_m, floor),
});
const calibration = new Calibration(page, plan);
const map = new MapView(window.L, byId('map'), page, settings.tiles);
const showStage = tabs(byId('stage-tabs'), (id) => {
  document.body.classList.remove('reading');
  byId('zoom').hidden = id !== 'tab-plan';
  if (id === 'tab-map') map.open();
});
const showSide = tabs(byId('side-tabs'), (id) => {
  document.body.classList.toggle('reading', id === 'tab-today');
  // The plan shows the heat beside its list.
  page.showsHeat = id === 'tab-heat';
  page.changes += 1;
});

const reader = new Reader({
  url: `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/mqtt`,
  filters: page.filters(),
  onMessage: (topic, payload, retained) => page.take(topic, payload, retained, Date.now()),
  onGarbage: (topic, why) => notices.garbled(topic, why),
  onHeard: () => page.hear(Date.now()),
  onState: (state) => {
    page.connect({ ...state, until_ms: Date.now() + (state.wait_s ?? 0) * 1000 }, Date.now());
    if (state.state === 'refused') askLogin(state.tried);
    if (state.state === 'online') byId('login').hidden = true;
  },
  machine: {
    open: (url) => new WebSocket(url, 'mqtt'),
    now: () => performance.now(),
    every: (ms, action) => setInterval(action, ms),
    after: (ms, action) => setTimeout(action, ms),
    cancel: (timer) => clearTimeout(timer),
    random: () => Math.random(),
    name: () => `page-${Array.from(crypto.getRandomValues(new Uint8Array(8)), (one) => one.toString(16).padStart(2, '0')).join('')}`,
  },
});

// --- Which store ------------------------------------------------------------------------------------------------------

/** The store in the address, such as #site=berlin-17. */
const named = () => new URLSearchParams(location.hash.slice(1)).get('site');

function look(siteName) {
  page.look(siteName);
  plan.showImage(page.layout.plan?.image);
  plan.touched = plan.fitted = false;
  if (!byId('calibration').hidden) calibration.step('gateways');
  reader.read(page.filters());
}

page.open = (siteName, gateway) => {
  if (siteName !== page.siteName) {
    history.replaceState(null, '', `#${new URLSearchParams({ site: siteName })}`);
    look(siteName);
  }
  page.choose(null, gateway);
};
page.onChoose = () => {
  if (page.chosenGateway !== null) showSide('tab-gateways');
  else if (page.chosen !== null) showSide('tab-beacons');
  drawLists();
  // The row of the gateway chosen in the picture, opened and scrolled into view.
  if (page.chosenGateway !== null) {
    const row = byId('gateway-list').rows?.get(page.chosenGateway);
    if (row) row.firstElementChild.open = true;
    row?.scrollIntoView({ block: 'nearest' });
  } else byId('beacon-list').rows?.get(page.chosen)?.scrollIntoView({ block: 'nearest' });
};
page.resetLayout = () => {
  try {
    localStorage.removeItem(`layout/${page.siteName}`);
  } catch {
    // Nothing was stored.
  }
  look(page.siteName);
  calibration.step('gateways');
};
addEventListener('hashchange', () => named() && look(named()));

/** Shows the whole chain, without a selected store. */
function showChain() {
  page.isWhole = true;
  history.replaceState(null, '', location.pathname);
  look(null);
}

/** Shows the gateways of all stores that need help, as long as no store is selected. */
function showHelp() {
  const was = !byId('tab-help').hidden;
  byId('tab-help').hidden = !page.isChain;
  // The other lists are those of one store.
  for (const id of ['tab-beacons', 'tab-events', 'tab-gateways', 'tab-today']) byId(id).hidden = page.isChain;
  if (page.isChain) {
    page.attention = attentionOf(page.store);
    showAttention(page);
    if (!was) {
      showSide('tab-help');
      showStage('tab-map');
    }
  } else if (was) showSide('tab-beacons');
}

/** The stores to choose from, if there are several. A chain has too many for a list, so there the map is for choosing. */
function showSites() {
  const names = [...page.store.sites.keys()].sort().slice(0, 200);
  // The store that the page was built for, or else the only one. Among several stores the gateways that need help come first.
  const first = page.settings.layout?.site ?? (names.length === 1 && Date.now() - (page.first_ms ??= Date.now()) > alone_ms ? names[0] : null);
  if (page.siteName === null && first && !page.isWhole) look(first);
  if (page.siteName !== null && !names.includes(page.siteName)) names.unshift(page.siteName);
  const select = byId('site');
  byId('site-choice').hidden = names.length < 2;
  say(byId('site-name'), names.length < 2 ? (page.siteName ?? '') : '');
  // The empty name is the whole chain.
  keyed(select, ['', ...names], (name) => name, (name) => Object.assign(element('option', '', name || 'all stores'), { value: name }), () => {});
  if (document.activeElement !== select) select.value = page.siteName ?? '';
}
byId('site').addEventListener('change', (event) => (event.target.value === '' ? showChain() : page.open(event.target.value, null)));

// --- Login ------------------------------------------------------------------------------------------------------------

function askLogin(tried) {
  byId('login').hidden = false;
  say(byId('login-words'), tried ? 'The broker refuses this name or password.' : 'The broker wants to know who you are.');
  byId('username').focus();
}
byId('login-form').addEventListener('submit', (event) => {
  event.preventDefault();
  reader.start({ username: byId('username').value, password: byId('password').value });
});

// --- What happens all the time ----------------------------------------------------------------------------------------

byId('search').addEventListener('input', (event) => {
  page.search(event.target.value);
  drawLists();
});
for (const sign of ['low', 'silent']) {
  byId(`beacons-${sign}`).addEventListener('click', () => {
    byId('search').value = `is:${sign}`;
    page.search(`is:${sign}`);
    drawLists();
  });
}
byId('raw').addEventListener('change', drawLists);
addEventListener('online', () => reader.start());
byId('connection').addEventListener('click', () => {
  if (!byId('login').hidden) return void byId('username').focus();
  if (page.isChain) return void showSide('tab-help');
  showSide('tab-gateways');
  // On a phone the remedies take the room of the picture, until another view is chosen.
  document.body.classList.add('reading');
  byId('panel-gateways').scrollTop = 0;
  byId('gateway-list').querySelector('summary')?.focus({ preventScroll: true });
  byId('panel-gateways').scrollIntoView({ block: 'nearest' });
});
byId('try-now').addEventListener('click', () => reader.start());
for (const query of ['(prefers-color-scheme: dark)', '(prefers-contrast: more)']) {
  matchMedia(query).addEventListener('change', () => {
    page.paint = colours();
    page.changes += 1;
  });
}
for (const [id, action] of [['zoom-in', () => plan.camera.zoom(1.4, plan.camera.width / 2, plan.camera.height / 2)],
  ['zoom-out', () => plan.camera.zoom(0.7, plan.camera.width / 2, plan.camera.height / 2)], ['zoom-fit', () => plan.showAll()]]) {
  byId(id).addEventListener('click', () => {
    plan.touched = true;
    action();
    plan.dirty = true;
  });
}

function showFloors() {
  const floors = [...new Set([...page.layout.gateways.values()].map((one) => one.floor))].sort((one, other) => one - other);
  byId('floor-choice').hidden = floors.length < 2;
  const make = (floor) => Object.assign(element('option', '', String(floor)), { value: String(floor) });
  keyed(byId('floor'), floors, (floor) => floor, make, () => {});
  if (document.activeElement !== byId('floor')) byId('floor').value = String(plan.floor);
  if (floors.length > 0 && !floors.includes(plan.floor)) changeFloor(floors[0]);
}
function changeFloor(floor) {
  plan.floor = floor;
  plan.fitted = plan.touched = false;
  page.changes += 1;
}
byId('floor').addEventListener('change', (event) => changeFloor(Number(event.target.value)));

function drawLists() {
  const now_ms = Date.now();
  page.listed = (page.listed ?? 0) + 1;
  page.expire(now_ms);
  showSites();
  showHelp();
  notices.show(page, navigator.onLine, now_ms);
  showHeadline(page, navigator.onLine, now_ms);
  showFloors();
  showLists(page, now_ms);
  if (!showHeat(page, plan.floor, now_ms) && page.showsHeat) showSide('tab-beacons');
  byId('plan').setAttribute('aria-label', plan.describe());
  const unplaced = [...plan.places.values()].filter((place) => !place.placed).length;
  byId('unplaced').hidden = unplaced === 0 || page.calibrating !== null;
  say(byId('unplaced'), `${unplaced} gateway${unplaced === 1 ? ' has' : 's have'} no place yet: “Set up” sets it.`);
  if (page.calibrating === 'gateways') calibration.refresh();
}

let drawn_ms = performance.now();
let listed_ms = 0;
function frame(now_ms) {
  requestAnimationFrame(frame);
  plan.frame(Math.min(1, (now_ms - drawn_ms) / 1000));
  map.frame(now_ms);
  drawn_ms = now_ms;
  page.frames = (page.frames ?? 0) + 1;
  if (now_ms - listed_ms < listEvery_ms) return;
  listed_ms = now_ms;
  drawLists();
}

showStage(settings.opens === 'map' ? 'tab-map' : 'tab-plan');
showSide('tab-beacons');
if (named()) look(named());
if (location.host) reader.start();
else page.connect({ state: 'misplaced' }, Date.now());
requestAnimationFrame(frame);
// The page's state, for tests and for a search for faults. It can't publish.
window.page = Object.assign(page, { reader, plan, map });
