import { element, keyed, plain, say } from './dom.js';
import { ago, batteryWords, metres } from './words.js';

// The walk-test card of a beacon: each gateway that hears it with its level. An installer who walks with a beacon sees on it where a gateway
// is missing.

// What a bar shows: hardly heard, and right beside the gateway.
const weakest_dbm = -100;
const strongest_dbm = -40;
const mostGateways = 16;

/** The share of a bar that a level fills, from 0 to 1; 0 for a level that is not known. */
export const fillOf = (rssi_dbm) => (rssi_dbm === null ? 0 : Math.min(1, Math.max(0, (rssi_dbm - weakest_dbm) / (strongest_dbm - weakest_dbm))));

/** The gateways that hear a beacon, the strongest first: each with its latest level, distance, age and rate of reports. The gateway `site` hears nothing itself. */
export function levelsOf(beacon, now_ms) {
  const levels = new Map();
  for (const { gateway, entries, now_ms: came_ms } of beacon.heard.values()) {
    if (gateway === 'site') continue;
    const best = entries.reduce((strongest, one) => ((one.rssi_dbm ?? -200) > (strongest.rssi_dbm ?? -200) ? one : strongest));
    const former = levels.get(gateway);
    if (former && (former.rssi_dbm ?? -200) >= (best.rssi_dbm ?? -200)) continue;
    levels.set(gateway, { gateway, rssi_dbm: best.rssi_dbm, accuracy_m: best.accuracy_m, error_m: best.error_m, interval_ms: best.interval_ms, reports_per_s: best.reports_per_s, age_s: (now_ms - came_ms + (best.age_ms ?? 0)) / 1000 });
  }
  return [...levels.values()].sort((one, other) => (other.rssi_dbm ?? -200) - (one.rssi_dbm ?? -200)).slice(0, mostGateways);
}

/** How often the gateway hears the beacon. Far fewer reports a second than the interval allows mean that packets get lost on the way. */
export function rateWords({ interval_ms, reports_per_s }) {
  if (interval_ms === null || reports_per_s === null) return '';
  return `, ${reports_per_s < 9.95 ? reports_per_s.toFixed(1) : Math.round(reports_per_s)} reports/s, every ${interval_ms < 1000 ? `${interval_ms}\u00a0ms` : `${(interval_ms / 1000).toFixed(1)}\u00a0s`}`;
}

/** The zone of a beacon in words, with the probability of it and of other likely zones. */
export function zoneWords(beacon, names) {
  const store = [...beacon.heard.values()].find(({ gateway }) => gateway === 'site');
  const entry = store?.entries.find(({ zone }) => zone);
  if (!store) return 'No beacond site publishes a zone.';
  if (!entry) return 'The store is not sure of a zone.';
  const percent = (share) => `${Math.round(share * 100)}\u00a0%`;
  const others = entry.others.map(({ zone, confidence }) => `${names.zone(zone)} ${percent(confidence)}`);
  const stays = entry.others.some(({ confidence }) => confidence > entry.confidence) ? ' It stays there until another zone is 90\u00a0% sure.' : '';
  return `Zone ${names.zone(entry.zone)}${entry.confidence === null ? '' : `, ${percent(entry.confidence)} sure`}${others.length === 0 ? '' : `; ${others.join(', ')}`}.${stays}`;
}

/** When a beacon that is not ranged was last heard, in words. */
export function heardWords({ gateway, heard_ms, isFresh }, now_ms) {
  if (heard_ms === null) return `last heard by ${gateway}, whose clock is not set`;
  return `last heard ${ago(heard_ms, now_ms)} by ${gateway}${isFresh ? '' : ', whose list is old'}`;
}

/** The battery of a beacon, and when it was last heard, in sentences; empty where it is in no list. */
export function healthWords(beacon, health, now_ms) {
  if (!health) return '';
  const said = beacon.heard.size > 0 ? [] : [heardWords(health, now_ms)];
  const { battery } = health;
  if (battery) {
    const voltage = battery.percent === null || battery.mv === null ? '' : `, ${(battery.mv / 1000).toFixed(2)}\u00a0V`;
    said.push(`${batteryWords(battery)}${voltage}, read ${ago(battery.at, now_ms)} by ${health.reader}`);
  }
  return said.map((words) => `${words[0].toUpperCase()}${words.slice(1)}.`).join(' ');
}

export const newCard = () => element('div', 'card', element('ul'), element('p'), element('p'));

/** Shows the card of a beacon in an element that `newCard` made. */
export function showCard(card, beacon, health, names, now_ms) {
  const [list, words, state] = card.children;
  const make = () => element('li', '', element('b'), element('meter'), element('span', 'what'));
  keyed(list, levelsOf(beacon, now_ms), ({ gateway }) => gateway, make, (row, level) => {
    const [who, bar, what] = row.children;
    say(who, level.gateway);
    Object.assign(bar, { min: 0, max: 1, low: 0.25, high: 0.5, optimum: 1, value: fillOf(level.rssi_dbm) });
    const dbm = level.rssi_dbm === null ? 'level unknown' : `${Math.round(level.rssi_dbm)} dBm`;
    bar.setAttribute('aria-label', plain(`${level.gateway}: ${dbm}`));
    const distance = level.accuracy_m === null ? '' : `, ${metres(level.accuracy_m)}${level.error_m === null ? '' : ` ±${metres(level.error_m)}`}`;
    say(what, `${dbm}${distance}, ${level.age_s < 1.5 ? 'now' : `${Math.round(level.age_s)} s ago`}${rateWords(level)}`);
  });
  say(words, list.children.length === 0 ? 'No gateway hears it now.' : zoneWords(beacon, names));
  say(state, healthWords(beacon, health, now_ms));
  state.hidden = state.textContent === '';
}
