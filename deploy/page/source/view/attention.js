// A chain's gateways that need help, the worst first. Every store counts, selected or not.

import { byId, element, keyed, say } from './dom.js';
import { remedyOf } from './roster.js';
import { certificateWords, conditionOf } from './words.js';

// More rows than a person reads would only make the page slow.
const mostRows = 300;
const soon_s = 30 * 86400;
// Fewer waiting messages are no backlog.
const backlog = 100;

/** The digest that more than half of the gateways have; null where there is none. A store's own settings may differ from it on purpose. */
export function usualDigest(gateways) {
  const counts = new Map();
  let known = 0;
  for (const { status } of gateways) {
    if (!status?.digest) continue;
    known += 1;
    counts.set(status.digest, (counts.get(status.digest) ?? 0) + 1);
  }
  const [digest, count] = [...counts].reduce((most, one) => (one[1] > most[1] ? one : most), [null, 0]);
  return count * 2 > known ? digest : null;
}

/** What is wrong with a gateway, as [harm, words, remedy]; null where nothing is. A higher harm loses more. */
export function troubleOf(gateway, usual) {
  const condition = conditionOf(gateway);
  const remedy = () => remedyOf({ id: gateway.id, gateway, condition }, gateway.site);
  const { status, health } = gateway;
  if (!status) return null;
  if (status.state === 'offline') return [90, 'offline', remedy()];
  if (condition.tone === 'bad') return [80, condition.word, remedy()];
  if (health?.certificate_s != null && health.certificate_s < 7 * 86400) return [70, certificateWords(health.certificate_s), remedy()];
  if (health?.outbox) return [65, 'disk trouble', remedy()];
  if (isGrowing(gateway.waiting ?? [])) return [60, `${gateway.waiting.at(-1)} messages wait, and their number grows`, health?.broker ? `Its last trouble with the broker: ${health.broker}` : 'Look at its line and at the broker.'];
  if (!status.synced) return [40, 'clock not set', 'Its times are wrong: look at its time server (timedatectl).'];
  if (usual && status.digest && status.digest !== usual) return [30, 'other settings than most', 'Compare them: deploy/fleet/settings status, and beacond settings on the gateway.'];
  if (health?.certificate_s != null && health.certificate_s < soon_s) return [20, certificateWords(health.certificate_s), 'Renewal is due: look at journalctl -u beacond-renew on the gateway.'];
  return null;
}

/** Whether each of three figures, a minute apart, is above the one before, and the last is a backlog. */
const isGrowing = (figures) => figures.length === 3 && figures[0] < figures[1] && figures[1] < figures[2] && figures[2] >= backlog;

/**
 * The gateways of all stores that need help: `list` has the worst first, and before others of its kind one whose whole store does not hear.
 * `gateways` and `stores` count all that were heard of.
 */
export function attentionOf(store) {
  const all = [...store.sites.values()].flatMap((site) => [...site.gateways.values()]);
  const usual = usualDigest(all.filter(({ id }) => id !== 'site'));
  const list = [];
  for (const site of store.sites.values()) {
    const found = [...site.gateways.values()].map((gateway) => ({ site: site.name, id: gateway.id, gateway, trouble: troubleOf(gateway, usual) }));
    const radios = found.filter(({ id }) => id !== 'site');
    const isDeaf = radios.length > 0 && radios.every(({ trouble }) => trouble && trouble[0] >= 80);
    for (const one of found) if (one.trouble) list.push({ ...one, harm: one.trouble[0] + (isDeaf ? 5 : 0) });
  }
  list.sort((one, other) => other.harm - one.harm || one.site.localeCompare(other.site) || one.id.localeCompare(other.id));
  return { list, gateways: all.filter(({ id }) => id !== 'site').length, stores: store.sites.size };
}

/** The chain's condition in one sentence, as `stateOf` has it for a store. */
export function chainState({ list, gateways, stores }) {
  const all = `${gateways} gateway${gateways === 1 ? '' : 's'} in ${stores} stores`;
  if (list.length === 0) return { mark: '✓', words: `${all}, none needs help`, tone: 'good' };
  const first = list[0];
  return { mark: '!', words: `${list.length} of ${all} need help: first ${first.site}/${first.id}, ${first.trouble[1]}`, tone: 'bad' };
}

const makeRow = (open) => (one) => {
  const button = element('button', 'row', element('b', 'who'), element('span', 'what'), element('span', 'remedy'));
  button.addEventListener('click', () => open(one.site, one.id === 'site' ? null : one.id));
  return element('li', '', button);
};

/** Lists them. A row opens the gateway's store. */
export function showAttention(page) {
  const { list, gateways, stores } = page.attention;
  const more = list.length > mostRows ? `; the first ${mostRows} are listed` : '';
  say(byId('help-count'), `${list.length} of ${gateways} gateways in ${stores} stores need help${more}`);
  keyed(byId('help-list'), list.slice(0, mostRows), ({ site, id }) => `${site}/${id}`, makeRow((site, id) => page.open(site, id)), (row, { site, id, harm, trouble: [, words, remedy] }) => {
    const [who, what, advice] = row.firstElementChild.children;
    row.dataset.tone = harm >= 60 ? 'bad' : 'warn';
    say(who, `${site}/${id}`);
    say(what, words);
    say(advice, remedy);
    advice.hidden = remedy === '';
  });
}
