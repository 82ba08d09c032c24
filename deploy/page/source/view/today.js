import { dayOf } from '../model/today.js';
import { byId, element, keyed, say } from './dom.js';
import { rosterOf } from './roster.js';
import { clockTime, duration } from './words.js';

// The chart in its own units: as wide as the list on a phone.
const chart = { width: 360, height: 150, left: 30, right: 4, top: 8, bottom: 20 };
const namespace = 'http://www.w3.org/2000/svg';
// A row of hours has room for as many names.
const hoursBetweenNames = 3;

const twoDigits = (number) => String(number).padStart(2, '0');

/** An hour as people say it: `14–15`. */
const hourName = ({ hour }) => `${twoDigits(hour)}–${twoDigits((hour + 1) % 24)}`;

const count = (number, noun) => `${number} ${noun}${number === 1 ? '' : 's'}`;

/** Hours that follow each other in one name: `01–03, 05–06`. */
export function spansOf(hours) {
  const spans = [];
  let last = null;
  hours.forEach((one, index) => {
    if (!one.begun || one.isHeard) return;
    if (last !== null && last === index - 1) spans[spans.length - 1][1] = one;
    else spans.push([one, one]);
    last = index;
  });
  return spans.map(([first, end]) => `${twoDigits(first.hour)}–${twoDigits((end.hour + 1) % 24)}`);
}

/** The sums of people in sentences. */
function wordsOfPeople({ to_at, omitted, partial }) {
  if (to_at === null) return ['No count yet today: it comes once enough people left within half an hour, or at midnight.'];
  const words = [`Counted until ${clockTime(to_at, to_at)}.`];
  if (omitted > 0) words.push(`Left out, because too few people came or left: ${count(omitted, 'count')}.`);
  if (partial) words.push('Not heard all the time: visits may be missing.');
  return words;
}

/** The day in sentences. */
export function wordsOf(day) {
  if (day.people) return wordsOfPeople(day.people);
  const words = [];
  words.push(day.busiest ? `Busiest hour: ${hourName(day.busiest)}, ${count(day.busiest.entries, 'visit')}.` : 'No visit began yet today.');
  words.push(day.median_s === null ? 'No visit has ended yet today.' : `Median stay: ${duration(day.median_s)}.`);
  if (day.unknown > 0) words.push(`${day.unknown} more may be present: no gateway knows.`);
  const spans = spansOf(day.hours);
  if (spans.length > 0) words.push(`Not heard, or only in part: ${spans.join(', ')}. Visits may be missing there.`);
  if (!day.hasWeek) words.push('Nothing is known of the same weekday a week ago.');
  return words;
}

/** What a screen reader says of the chart. */
export const labelOf = (day) => `Visits by hour: ${day.hours.filter((one) => one.begun && one.entries > 0)
  .map((one) => `${hourName(one)}: ${one.entries}`).join(', ') || 'none yet'}`;

function draw(name, attributes, ...children) {
  const made = document.createElementNS(namespace, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
}

/** The chart: a bar for each hour, the week before as a line, and hatching where nobody heard. */
function chartOf(day) {
  const { width, height, left, right, top, bottom } = chart;
  const step = (width - left - right) / day.hours.length;
  const base = height - bottom;
  const x = (index) => left + index * step;
  const y = (value) => base - (value / day.most) * (base - top);
  const parts = [];
  const unheard = [];
  const week = [];
  day.hours.forEach((one, index) => {
    if (one.begun && !one.isHeard) {
      let lines = '';
      for (let from = 0; from < base - top; from += 8) lines += `M${x(index).toFixed(1)} ${base - from}l${step.toFixed(1)} ${-Math.min(8, base - top - from)}`;
      unheard.push(draw('path', { class: 'hatch', d: lines }));
    }
    if (one.entries > 0) parts.push(draw('rect', { class: 'bar-today', x: x(index) + 1, y: y(one.entries), width: Math.max(1, step - 2), height: base - y(one.entries) }));
    if (one.lastWeek !== null) week.push(`${week.length === 0 ? 'M' : 'L'}${(x(index) + step / 2).toFixed(1)} ${y(one.lastWeek).toFixed(1)}`);
    if (index % hoursBetweenNames === 0) parts.push(draw('text', { x: x(index), y: height - 5 }, twoDigits(one.hour)));
  });
  parts.push(...unheard);
  if (week.length > 0) parts.push(draw('path', { class: 'line-week', d: week.join('') }));
  parts.push(draw('text', { x: left - 4, y: top + 10, 'text-anchor': 'end' }, String(day.most)), draw('text', { x: left - 4, y: base, 'text-anchor': 'end' }, '0'));
  parts.push(draw('path', { class: 'axis', d: `M${left} ${base}H${width - right}` }));
  return draw('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': labelOf(day) }, ...parts);
}

function showRegions(page, today, chosen) {
  const names = [...today.regions, ...today.people].map((one) => one.region);
  const select = byId('today-region');
  byId('today-choice').hidden = names.length < 2;
  keyed(select, names, (name) => name, (name) => Object.assign(element('option', '', name), { value: name }), () => {});
  if (document.activeElement !== select) select.value = chosen;
  select.onchange = () => {
    page.todayRegion = select.value;
    page.changes += 1;
  };
}

function showFigures(day) {
  const known = (number) => number === null ? '?' : String(number);
  const figures = day.people ? [['entered', known(day.people.entered)], ['left', known(day.people.left)], ['present then', known(day.present)]]
    : [['visits', String(day.visits)], ['present now', known(day.present)], ['median stay', day.median_s === null ? '–' : duration(day.median_s)]];
  keyed(byId('today-figures'), figures, ([name]) => name, () => element('div', '', element('dt'), element('dd')), (row, [name, value]) => {
    say(row.children[0], name);
    say(row.children[1], value);
  });
}

function rowOf(one) {
  const heard = !one.begun ? '' : one.heard === null ? '?' : `${Math.round(one.heard * 100)}\u00a0%`;
  const cells = [one.begun ? String(one.entries) : '', one.lastWeek === null ? '' : String(one.lastWeek), heard];
  return element('tr', '', Object.assign(element('th', '', twoDigits(one.hour)), { scope: 'row' }), ...cells.map((words) => element('td', '', words)));
}

/** The heading: which day it is, and why it may not be the present one. */
function headingOf(day, today, runs, now_ms) {
  if (!day) return 'beacond site publishes a store’s day. Nothing has come from it yet.';
  const age = `as of ${clockTime(today.at, now_ms)}`;
  if (day.isOver) return `${day.date}: this day is over. ${age}`;
  return runs ? `${day.date}, ${age}` : `${day.date}, ${age}. beacond site does not run now.`;
}

export function showToday(page, now_ms) {
  const today = page.site()?.today ?? null;
  const runs = rosterOf(page).store?.gateway.status?.state === 'online';
  // Without a connection no time passes for what is shown.
  const day = dayOf(today, page.todayRegion, runs, page.asOf(true, now_ms) ?? now_ms);
  say(byId('today-date'), headingOf(day, today, runs, now_ms) + (day && day.region === null ? ' It names no region.' : ''));
  byId('today').hidden = !day || day.region === null;
  if (!day || day.region === null) return;
  showRegions(page, today, day.region);
  showFigures(day);
  keyed(byId('today-words'), wordsOf(day), (words) => words, () => element('li'), (row, words) => say(row, words));
  byId('today').classList.toggle('people', day.people !== null);
  if (day.people) return;
  const drawn = JSON.stringify(day.hours);
  const place = byId('today-chart');
  if (place.dataset.drawn === drawn) return;
  place.dataset.drawn = drawn;
  place.replaceChildren(chartOf(day));
  byId('today-hours').replaceChildren(...day.hours.map(rowOf));
}
