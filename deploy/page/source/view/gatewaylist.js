import { byId, element, keyed, say } from './dom.js';
import { needsHelp, remedyOf, rosterOf } from './roster.js';
import { certificateWords, clockTime, duration, metres, receiverWords } from './words.js';

// More rows than a person reads would only make the page slow.
const mostRows = 300;

function makeGateway() {
  const head = element('summary', '', element('span', 'badge'), element('b', 'who'), element('span', 'what'), element('span', 'remedy'));
  return element('li', '', element('details', '', head, element('dl')));
}

/** Lists the gateways that need help first, each with its remedy; an opened one shows its health below. */
export function showGateways(page, now_ms) {
  const worst = { bad: 0, warn: 1, quiet: 2, good: 3 };
  const { gateways, store } = rosterOf(page);
  const all = store ? [...gateways, store] : [...gateways];
  all.sort((one, other) => worst[one.condition.tone] - worst[other.condition.tone] || one.id.localeCompare(other.id));
  const bad = gateways.filter(needsHelp).length;
  const help = bad === 0 ? 'none needs help' : `${bad} ${bad === 1 ? 'needs' : 'need'} help`;
  say(byId('gateway-count'), `${gateways.length} gateway${gateways.length === 1 ? '' : 's'}${gateways.length === 0 ? '' : `, ${help}`}`);
  keyed(byId('gateway-list'), all.slice(0, mostRows), ({ id }) => id, makeGateway, (row, one) => {
    const { gateway, condition } = one;
    const details = row.firstElementChild;
    const [badge, who, what, remedy] = details.firstElementChild.children;
    row.dataset.tone = condition.tone;
    say(badge, condition.mark);
    say(who, gateway.id);
    say(what, condition.word + (gateway.status && !gateway.status.synced ? ', clock not set' : ''));
    say(remedy, remedyOf(one, page.siteName));
    remedy.hidden = remedy.textContent === '';
    const offset = page.site()?.learned?.offsets.get(gateway.id);
    const facts = details.open || gateway.id === page.chosenGateway ? factsOf(gateway, now_ms, offset) : [];
    const make = () => element('div', '', element('dt'), element('dd'));
    keyed(details.lastElementChild, facts, ([name]) => name, make, (line, [name, value]) => {
      say(line.children[0], name);
      say(line.children[1], value);
    });
  });
}

export const facts = [
  ['reports per second', 'reports_per_s'], ['beacons heard', 'tracks'], ['events waiting', 'queue_depth'], ['dropped', 'dropped'],
  ['rejected', 'rejected'], ['radio recoveries', 'recoveries'], ['came too late', 'late'], ['gateways changed', 'suspects'], ['reports of people refused', 'people_refused'],
  ['processor, %', 'cpu_percent'], ['memory, KiB', 'rss_kib'],
];

function factsOf({ status, health, fix }, now_ms, offset) {
  const found = [];
  if (status) found.push(['version', status.version], ['status since', clockTime(status.at, now_ms)]);
  if (status?.location) found.push(['location', status.location.availability + (status.location.paused ? ', paused' : '')]);
  if (fix) found.push(['place', `${fix.latitude.toFixed(5)}, ${fix.longitude.toFixed(5)}, ±${metres(fix.accuracy_m)}`]);
  if (offset) found.push(['learned offset', `${offset.offset_db.toFixed(1)} ± ${offset.plusMinus_db.toFixed(1)} dB${offset.links === null ? '' : `, from ${offset.links} links`}`]);
  if (!health) return [...found, ['health', 'not published yet']];
  for (const [words, name] of facts) if (health.figures[name] !== undefined) found.push([words, String(health.figures[name])]);
  if (health.receiver) found.push(['radio', receiverWords(health.receiver)]);
  if (health.figures.uptime_s !== undefined) found.push(['running for', duration(health.figures.uptime_s)]);
  if (health.spoofing > 0) found.push(['suspected floods', String(health.spoofing)]);
  if (health.certificate_s !== null) found.push(['certificate', certificateWords(health.certificate_s).replace('certificate ', '')]);
  if (health.broker) found.push(['last trouble with the broker', health.broker]);
  return [...found, ['health of', clockTime(health.at, now_ms)]];
}
