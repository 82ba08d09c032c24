import { marks, shown } from '../model/beacons.js';
import { newCard, showCard } from './card.js';
import { byId, element, keyed, plain, say } from './dom.js';
import { showEvents } from './eventlist.js';
import { beaconFields } from './filter.js';
import { showGateways } from './gatewaylist.js';
import { zoneWords } from './roster.js';
import { showToday } from './today.js';
import { metres } from './words.js';

// More rows than a person reads would only make the page slow; the search finds the others.
const mostRows = 200;

/** The lists beside the pictures, with all the data of the pictures. */
export function showLists(page, now_ms) {
  const site = page.site();
  showZones(page);
  showBeacons(site, page, now_ms);
  showEvents(page, now_ms);
  showGateways(page, now_ms);
  showToday(page, now_ms);
}

function showZones(page) {
  const counts = [...zoneWords(page)].sort(([one], [other]) => one.localeCompare(other));
  byId('zones').hidden = counts.length === 0;
  keyed(byId('zone-list'), counts, ([name]) => name, () => element('li', 'chip', element('b'), element('span')), (row, [name, count]) => {
    say(row.children[0], page.names.zone(name));
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

function showBeacons(site, page, now_ms) {
  const all = site ? [...site.beacons.known.values()] : [];
  const fitting = page.filter.empty ? all : all.filter((beacon) => page.filter.fits(beaconFields(beacon, page.names)));
  fitting.sort((one, other) => one.major - other.major || one.minor - other.minor || (one.uuid < other.uuid ? -1 : 1));
  const cut = fitting.slice(0, mostRows);
  const chosen = fitting.find((beacon) => beacon.identity === page.chosen);
  if (chosen && !cut.includes(chosen)) cut.unshift(chosen);
  say(byId('beacon-count'), countOf(fitting.length, all.length, 'beacon'));
  keyed(byId('beacon-list'), cut, (beacon) => beacon.identity, makeBeacon(page), (row, beacon) => {
    const button = row.firstElementChild;
    say(button.children[0], beacon.label);
    say(button.children[1], whereabouts(beacon, page.names));
    const signs = marks(beacon);
    say(button.children[2], signs.join(', '));
    const isChosen = beacon.identity === page.chosen;
    button.setAttribute('aria-pressed', String(isChosen));
    button.title = plain(`${beacon.major}/${beacon.minor} of ${beacon.uuid} in ${shown(beacon).region}`);
    if (!isChosen) row.children[1]?.remove();
    else showCard(row.children[1] ?? row.appendChild(newCard()), beacon, page.names, now_ms);
  });
}

/** A beacon's place, in words. */
function whereabouts(beacon, names) {
  const { gateway, zone: id, first } = shown(beacon);
  const zone = id && names.zone(id);
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
