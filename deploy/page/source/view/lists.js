import { marks, shown } from '../model/beacons.js';
import { beaconsOf } from '../model/heard.js';
import { heardWords, newCard, showCard } from './card.js';
import { byId, element, keyed, plain, say } from './dom.js';
import { showEvents } from './eventlist.js';
import { beaconFields, signsOf } from './filter.js';
import { showGateways } from './gatewaylist.js';
import { zoneWords } from './roster.js';
import { showToday } from './today.js';
import { batteryWords, metres } from './words.js';

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
  return ({ beacon }) => {
    const button = element('button', 'row', element('b', 'who'), element('span', 'what'), element('span', 'marks'));
    button.addEventListener('click', () => {
      page.choose(beacon.identity, null);
      page.sought = page.chosen !== null;
    });
    return element('li', '', button);
  };
}

function showBeacons(site, page, now_ms) {
  const all = site ? beaconsOf(site, now_ms) : [];
  const fitting = page.filter.empty ? all : all.filter(({ beacon, health }) => page.filter.fits(beaconFields(beacon, page.names, health)));
  fitting.sort(({ beacon: one }, { beacon: other }) => one.major - other.major || one.minor - other.minor || (one.uuid < other.uuid ? -1 : 1));
  const cut = fitting.slice(0, mostRows);
  const chosen = fitting.find(({ beacon }) => beacon.identity === page.chosen);
  if (chosen && !cut.includes(chosen)) cut.unshift(chosen);
  say(byId('beacon-count'), countOf(fitting.length, all.length, 'beacon'));
  showHealth(all);
  keyed(byId('beacon-list'), cut, ({ beacon }) => beacon.identity, makeBeacon(page), (row, { beacon, health }) => {
    const button = row.firstElementChild;
    say(button.children[0], beacon.label);
    say(button.children[1], whatOf(beacon, health, page.names, now_ms));
    say(button.children[2], [...signsOf(health).map((sign) => signWords[sign]), ...(beacon.heard.size > 0 ? marks(beacon) : [])].join(', '));
    const isChosen = beacon.identity === page.chosen;
    button.setAttribute('aria-pressed', String(isChosen));
    button.title = plain(`${beacon.major}/${beacon.minor} of ${beacon.uuid}${beacon.heard.size > 0 ? ` in ${shown(beacon).region}` : ''}`);
    if (!isChosen) row.children[1]?.remove();
    else showCard(row.children[1] ?? row.appendChild(newCard()), beacon, health, page.names, now_ms);
  });
}

const signWords = { low: 'battery low', silent: 'silent' };

/** Says how many beacons have a low battery, and how many are silent. Each number is a button that searches for them. */
function showHealth(all) {
  const counts = { low: 0, silent: 0 };
  for (const { health } of all) for (const sign of signsOf(health)) counts[sign] += 1;
  byId('beacon-health').hidden = counts.low + counts.silent === 0;
  for (const [sign, count] of Object.entries(counts)) {
    const button = byId(`beacons-${sign}`);
    button.hidden = count === 0;
    say(button, sign === 'low' ? `${count} ${count === 1 ? 'battery' : 'batteries'} low` : `${count} silent`);
  }
}

/** A beacon in words: its place, or when it was last heard; and its battery. */
function whatOf(beacon, health, names, now_ms) {
  const words = [beacon.heard.size > 0 ? placeWords(beacon, names) : heardWords(health, now_ms)];
  if (health?.battery) words.push(batteryWords(health.battery));
  return words.join(', ');
}

/** A beacon's place, in words. */
function placeWords(beacon, names) {
  const { gateway, zone: id, first } = shown(beacon);
  const zone = id && names.zone(id);
  if (first.position) return `${zone ?? 'no zone'}, ±${metres(first.position.error_m)}${first.confidence === null ? '' : `, ${Math.round(first.confidence * 100)}\u00a0% sure`}`;
  if (zone) return zone;
  // A store is no place: its list has the distance from the gateway that hears the beacon best.
  const place = gateway === 'site' ? 'its nearest gateway' : gateway;
  if (first.accuracy_m === null) return gateway === 'site' ? 'no zone, distance unknown' : `${gateway}, distance unknown`;
  return `${metres(first.accuracy_m)} from ${place}${first.error_m === null ? '' : `, ±${metres(first.error_m)}`}`;
}

function countOf(fitting, all, noun) {
  const some = `${fitting} ${noun}${fitting === 1 ? '' : 's'}`;
  const cut = fitting > mostRows ? `, the first ${mostRows} shown: search for the others` : '';
  return (fitting === all ? some : `${some} of ${all}`) + cut;
}
