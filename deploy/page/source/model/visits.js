import { instanceOf } from './store.js';

// Visits, composed from events: one for each stay in the store, with the places on its way.

// A zone that follows another one this soon is the same visit, where no region covers the whole store.
const joins_ms = 10000;

/** The subject of the event: one instance of a region, or of a circle one gateway. */
const subjectOf = (event) => (event.uuid === null ? `${event.region}@${event.gateway}` : event.instance);

/** The place of the event; null where it is about the whole store. */
function placeOf(event) {
  if (event.uuid === null) return event.region;
  return event.zone ?? (event.gateway === 'site' ? null : event.gateway);
}

function begin(event) {
  const who = event.uuid === null ? event.gateway : event.instance.replace('/', ' ');
  return { key: `${subjectOf(event)}/${event.number}`, who, event, path: [], inside: new Set(), begin: event.at, changed: event.at, end: null, dwell_s: null, whole: false, closed: false, lost: false };
}

/** Whether an event continues that visit. */
function goesOn(visit, event, place) {
  if (!visit) return false;
  if (event.type === 'exit') return !visit.closed || event.at <= visit.end + joins_ms;
  if (visit.closed || (place === null && visit.whole)) return false;
  return visit.end === null || event.at - visit.end <= joins_ms;
}

function enter(visit, place) {
  visit.end = null;
  if (place === null) visit.whole = true;
  else {
    visit.inside.add(place);
    if (visit.path[visit.path.length - 1] !== place) visit.path.push(place);
  }
}

function leave(visit, event, place, isWhole) {
  if (visit.closed) return;
  if (place !== null) {
    visit.inside.delete(place);
    // The beacon was there before the page was opened.
    if (!visit.path.includes(place)) visit.path.push(place);
    if (event.dwell_s !== null) visit.begin = Math.min(visit.begin, event.at - event.dwell_s * 1000);
    if (isWhole || visit.whole || visit.inside.size > 0) return;
  }
  Object.assign(visit, {
    end: event.at, closed: place === null, partial: event.partial, unmonitored: event.unmonitored, inferred: event.inferred, late: event.late,
    dwell_s: place === null && event.dwell_s !== null ? event.dwell_s : (event.at - visit.begin) / 1000,
  });
}

/**
 * The visits of these events, the latest first. `whole` are the regions for which the store itself publishes the end of a visit: in these,
 * leaving a zone is not leaving the store.
 */
export function visitsOf(events, whole) {
  const visits = [];
  const latest = new Map();
  // Events come in any order; those of one moment keep their order.
  for (const event of [...events].sort((one, other) => one.at - other.at)) {
    const place = placeOf(event);
    if (event.late) {
      // A visit of its own between two others: no entry was published, and the next visit does not follow from it.
      const visit = begin(event);
      leave(visit, event, place, false);
      visits.push(visit);
      continue;
    }
    let visit = latest.get(subjectOf(event));
    if (!goesOn(visit, event, place)) {
      // The end of the former visit was never published.
      if (visit?.end === null) visit.lost = true;
      visit = begin(event);
      latest.set(subjectOf(event), visit);
      visits.push(visit);
    }
    if (!visit.closed) visit.changed = event.at;
    if (event.type === 'enter') enter(visit, place);
    else leave(visit, event, place, whole.has(event.region));
  }
  return visits.sort((one, other) => other.changed - one.changed);
}

/** Ends a visit whose exit the page did not get, where the store's state shows that it has ended. */
function settle(visit, state) {
  const end = state?.since ?? state?.at ?? null;
  if (visit.end !== null || visit.lost || state?.state !== 'outside' || end === null || end < visit.begin) return;
  Object.assign(visit, { end, dwell_s: (end - visit.begin) / 1000 });
}

/** The visits of a store: by the events of `site` where there are any, and otherwise by those of the gateways. */
export function visitsOfSite(site) {
  const store = site.gateways.get('site');
  if (!store) return visitsOf([...site.events].reverse(), new Set());
  const events = [...site.storeEvents.values()];
  const states = new Map([...store.states.values()].filter(({ zone }) => !zone).map((state) => [instanceOf(state), state]));
  const whole = new Set([...[...states.values()].map(({ region }) => region), ...events.filter(({ zone }) => zone === null).map(({ region }) => region)]);
  const visits = visitsOf(events, whole);
  for (const visit of visits) settle(visit, states.get(visit.event.instance));
  return visits;
}
