import { visitsOfSite } from '../model/visits.js';
import { byId, element, keyed, say } from './dom.js';
import { eventFields, visitFields } from './filter.js';
import { clockTime, duration } from './words.js';

const mostRows = 200;
// The places of a visit that are named: the first one, and the latest.
const mostPlaces = 8;

/** One line for each visit; with the switch, one for each event as it was published. */
export function showEvents(page, now_ms) {
  const site = page.site();
  const [all, fields, row] = byId('raw').checked
    ? [site?.events ?? [], eventFields, eventRow]
    : [site ? visitsOfSite(site) : [], visitFields, visitRow];
  const fitting = page.filter.empty ? all : all.filter((one) => page.filter.fits(fields(one, page.names)));
  const rows = fitting.slice(0, mostRows).map((one) => row(one, page.names, now_ms));
  byId('event-none').hidden = rows.length > 0;
  const make = () => element('li', 'event', element('time'), element('b', 'who'), element('span', 'what'));
  keyed(byId('event-list'), rows, ({ key }) => key, make, (line, { time, who, what, leaves }) => {
    say(line.children[0], time);
    say(line.children[1], who);
    say(line.children[2], what);
    line.classList.toggle('leaves', leaves);
  });
}

/** The name of a visit's beacon; its region and numbers where it has none. */
function whoOf({ who, event }, names) {
  const numbers = `${event.major}/${event.minor}`;
  const name = event.instance === `${event.region}/${numbers}` ? names.beacon(event) : numbers;
  return name === numbers ? who : name;
}

function visitRow(visit, names, now_ms) {
  return { key: visit.key, time: clockTime(visit.changed, now_ms), who: whoOf(visit, names), what: journey(visit, names, now_ms), leaves: visit.lost || visit.end !== null };
}

/** A visit as a line: its places and its length. */
function journey(visit, names, now_ms) {
  const path = visit.path.map((place) => names.zone(place));
  const places = path.length <= mostPlaces ? path : [path[0], '…', ...path.slice(2 - mostPlaces)];
  const way = (places.length > 0 ? places : ['in the store']).join(' → ');
  if (visit.lost) return `${way} → left, the page does not know when`;
  if (visit.end === null) return `${way}, since ${clockTime(visit.begin, now_ms)}`;
  const how = visit.unmonitored ? 'no longer monitored' : visit.inferred ? 'left, inferred' : visit.late ? 'left, reported late' : 'left';
  return `${way} → ${how}, ${visit.partial ? 'at least ' : ''}${duration(visit.dwell_s)}`;
}

function eventRow(event, names, now_ms) {
  const who = event.major === null ? event.gateway : event.minor === null ? `${event.major}` : names.beacon(event);
  return { key: event.number, time: clockTime(event.at, now_ms), who, what: story(event, names), leaves: event.type === 'exit' };
}

/** An event as a sentence. */
function story(event, names) {
  const place = event.zone ? `zone ${names.zone(event.zone)}` : event.region;
  const gateway = event.gateway === 'site' ? (event.decidedBy ?? 'site') : event.gateway;
  const by = gateway === event.zone ? '' : ` (${gateway})`;
  if (event.type === 'enter') return `→ entered ${place}${by}`;
  const dwell = event.dwell_s === null ? '' : ` after ${event.partial ? 'at least ' : ''}${duration(event.dwell_s)}`;
  const how = event.unmonitored ? ', no longer monitored' : event.inferred ? ', inferred' : event.late ? ', reported late' : '';
  return `← left ${place}${dwell}${how}${by}`;
}
