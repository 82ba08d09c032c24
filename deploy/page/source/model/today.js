// A store's day in figures: what the view shows of it, and what it does not know.

const hour_ms = 3600000;
// An hour that was heard for less of its time may lack visits.
const heardEnough = 0.9;

/** A function from a time to its hour of the day. Null where the zone is not given, or the browser does not know it. */
function clockOf(zone) {
  if (zone === '') return null;
  try {
    const format = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', hourCycle: 'h23', timeZone: zone });
    return (at_ms) => Number(format.format(at_ms));
  } catch {
    return null;
  }
}

/** The hours of the day, those to come among them. An hour without a clock is named by its place in the day. */
function hoursOf(today, region) {
  const clock = clockOf(today.zone);
  const count = Math.max(today.heard.length, Math.ceil((today.to - today.from) / hour_ms));
  return Array.from({ length: count }, (_, index) => {
    const begun = index < today.heard.length;
    const share = begun ? today.heard[index] : null;
    return {
      hour: clock?.(today.from + index * hour_ms) ?? index % 24,
      begun,
      entries: begun ? region.entries[index] : null,
      lastWeek: region.last_week?.[index] ?? null,
      heard: share,
      isHeard: begun && share !== null && share >= heardEnough,
    };
  });
}

/** The hour with the most visits; null while there was none. Of several the first one. */
function busiestOf(hours) {
  let busiest = null;
  for (const one of hours) if (one.entries > 0 && one.entries > (busiest?.entries ?? 0)) busiest = one;
  return busiest;
}

/**
 * What is to be shown of a store's day; null where nothing was published.
 *
 * `runs` says whether `beacond site` does. What is present is unknown without it, and after the day it published.
 */
export function dayOf(today, regionName, runs, now_ms) {
  if (!today) return null;
  const isOver = now_ms >= today.to;
  const people = today.people.find((one) => one.region === regionName) ?? (today.regions.length === 0 ? today.people[0] : null) ?? null;
  if (people) {
    // The zeros before the first count say nothing of the visits so far.
    const sums = people.to_at === null ? { ...people, entered: null, left: null, present: null } : people;
    return { date: today.date, isOver, region: people.region, hours: [], people: sums, present: runs && !isOver ? sums.present : null };
  }
  const region = today.regions.find((one) => one.region === regionName) ?? today.regions[0] ?? null;
  if (!region) return { date: today.date, isOver, region: null, hours: [] };
  const hours = hoursOf(today, region);
  const { present, unknown } = region;
  // A zero says nothing while instances are unknown, because they may be inside.
  const known = runs && !isOver && present !== null && !(present === 0 && unknown > 0);
  return {
    date: today.date, isOver, region: region.region, hours, people: null,
    visits: region.visits,
    present: known ? present : null,
    unknown: known ? (unknown ?? 0) : 0,
    median_s: region.median_stay_s,
    busiest: busiestOf(hours),
    most: Math.max(1, ...hours.map((one) => Math.max(one.entries ?? 0, one.lastWeek ?? 0))),
    hasWeek: region.last_week !== null,
  };
}
