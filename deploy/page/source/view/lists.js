import { marks, shown } from '../model/beacons.js';
import { byId, element, keyed, plain, say } from './dom.js';
import { showEvents } from './eventlist.js';
import { beaconFields } from './filter.js';
import { showGateways } from './gatewaylist.js';
import { zoneWords } from './roster.js';
import { showToday } from './today.js';
import { metres } from './words.js';

// More rows than anybody reads would only make the page slow; the search finds the others.
const mostRows = 200;

/** The lists beside the pictures. They say all that the pictures show. */
export function showLists(page, now_ms) {
  const site = page.site();
  showZones(page);
  showBeacons(site, page);
  showEvents(page, now_ms);
  showGateways(page, now_ms);
  showToday(page, now_ms);
}

function showZones(page) {
  const counts = [...zoneWords(page)].sort(([one], [other]) => one.localeCompare(other));
  byId('zones').hidden = counts.length === 0;
  keyed(byId('zone-list'), counts, ([name]) => name, () => element('li', 'chip', element('b'), element('span')), (row, [name, count]) => {
    say(row.children[0], name);
    say(row.children[1], ` ${count}`);
    row.title = count === '?' ? 'The gateways of this zone do not hear, or beacond site does not run.' : '';
  });
}

function makeBeacon(page) {
  return (beacon) => {
    const button = element('button', 'row', element('b', 'who'), element('span', 'what'), element('span', 'marks'));
    button.addEventListener('click', () => {
      page.choose(beacon.identity, null);
      page.sought = page.chosen !== null;
    });
    return element('li', '', button);
  };
}

function showBeacons(site, page) {
  const all = site ? [...site.beacons.known.values()] : [];
  const fitting = page.filter.empty ? all : all.filter((beacon) => page.filter.fits(beaconFields(beacon)));
  fitting.sort((one, other) => one.major - other.major || one.minor - other.minor || (one.uuid < other.uuid ? -1 : 1));
  const cut = fitting.slice(0, mostRows);
  const chosen = fitting.find((beacon) => beacon.identity === page.chosen);
  if (chosen && !cut.includes(chosen)) cut.unshift(chosen);
  say(byId('beacon-count'), countOf(fitting.length, all.length, 'beacon'));
  keyed(byId('beacon-list'), cut, (beacon) => beacon.identity, makeBeacon(page), (row, beacon) => {
    const button = row.firstElementChild;
    say(button.children[0], beacon.label);
    say(button.children[1], whereabouts(beacon));
    const signs = marks(beacon);
    say(button.children[2], signs.join(', '));
    button.setAttribute('aria-pressed', String(beacon.identity === page.chosen));
    button.title = plain(`${beacon.uuid} in ${shown(beacon).region}`);
  });
}

/** Where a beacon is, in words. */
function whereabouts(beacon) {
  const { gateway, zone, first } = shown(beacon);
  if (first.position) return `${zone ?? 'no zone'}, ±${metres(first.position.error_m)}${first.confidence === null ? '' : `, ${Math.round(first.confidence * 100)}\u00a0% sure`}`;
  if (zone) return zone;
  if (first.accuracy_m === null) return `${gateway}, distance unknown`;
  return `${metres(first.accuracy_m)} from ${gateway}${first.error_m === null ? '' : `, ±${metres(first.error_m)}`}`;
}

function countOf(fitting, all, noun) {
  const some = `${fitting} ${noun}${fitting === 1 ? '' : 's'}`;
  const cut = fitting > mostRows ? `, the first ${mostRows} shown: search for the others` : '';
  return (fitting === all ? some : `${some} of ${all}`) + cut;
}
