import { chainState } from './attention.js';
import { byId, say } from './dom.js';
import { needsHelp, rosterOf } from './roster.js';
import { clockTime } from './words.js';

// The gateways that are named; the list has the others.
const mostNames = 3;

/** A list of things in words. */
function listed(words) {
  const named = words.slice(0, mostNames);
  const more = words.length - named.length;
  return named.join(', ') + (more > 0 ? `, and ${more} more` : '');
}

/** The store's condition in one sentence: `mark`, `words` and `tone`. It is good only where no fault is known. */
export function stateOf(page) {
  if (page.isChain && page.attention) return chainState(page.attention);
  const { gateways, store } = rosterOf(page);
  const bad = gateways.filter(needsHelp);
  const hear = gateways.filter(({ condition }) => condition.tone === 'good').length;
  const found = [];
  if (bad.length > 0) {
    // Gateways that do not hear at all are named before those that work in part.
    const order = [...bad].sort((one, other) => (one.condition.tone === other.condition.tone ? 0 : one.condition.tone === 'bad' ? -1 : 1));
    found.push(`${bad.length} of ${gateways.length} ${bad.length === 1 ? 'needs' : 'need'} help: ${listed(order.map(({ id, condition }) => `${id} ${condition.says}`))}`);
  }
  if (store?.condition.word === 'offline') found.push('beacond site is offline, so counts are unknown');
  else if (store && needsHelp(store)) found.push(`beacond site ${store.condition.says}`);
  if (page.connection.why) found.push('the broker hides a part of the store');
  if (found.length > 0) return { mark: '!', words: found.join('; '), tone: 'bad' };
  if (gateways.length === 0) return { mark: '?', words: 'no gateway heard yet', tone: 'quiet' };
  if (hear < gateways.length) return { mark: '?', words: `${hear} of ${gateways.length} gateways heard so far`, tone: 'quiet' };
  return { mark: '✓', words: `${hear} of ${gateways.length} gateway${gateways.length === 1 ? ' hears' : 's hear'}`, tone: 'good' };
}

/** The headline of the page: the store's condition, or the reason why the page can't know it. */
export function headlineOf(page, online, now_ms) {
  const asOf_ms = page.asOf(online, now_ms);
  const { state, tried } = page.connection;
  const age = asOf_ms === null ? '' : `, as of ${clockTime(asOf_ms, now_ms)}`;
  if (!online) return { mark: '✕', words: `no network${age}`, tone: 'bad' };
  if (state === 'refused') return tried ? { mark: '✕', words: `login refused${age}`, tone: 'bad' } : { mark: '?', words: `please log in${age}`, tone: 'quiet' };
  if (state === 'online' && asOf_ms === null) return stateOf(page);
  if (state === 'connecting' && asOf_ms === null) return { mark: '…', words: 'connecting', tone: 'quiet' };
  return { mark: '✕', words: `no broker${age}`, tone: 'bad' };
}

export function showHeadline(page, online, now_ms) {
  const { mark, words, tone } = headlineOf(page, online, now_ms);
  const button = byId('connection');
  button.dataset.state = online ? page.connection.state : 'offline';
  button.dataset.tone = tone;
  say(button, `${mark} ${words}`);
}
