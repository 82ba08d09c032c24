// The gateways of a store, whether or not they sent a message, with the faults of each.

import { zoneCounts } from '../model/store.js';
import { conditionOf, suspectRemedy } from './words.js';

/** The gateways that do not work, or work in part. */
export const needsHelp = ({ condition }) => condition.tone === 'bad' || condition.tone === 'warn';

/**
 * All gateways of the selected store: the configured ones, those that its health names, and those that sent a message. Each has an `id`, a
 * `gateway` and a `condition`. `store` has the same for `beacond site`, which is no gateway; null where there is none.
 */
export function rosterOf(page) {
  const site = page.site();
  const known = site?.gateways ?? new Map();
  const store = known.get('site') ?? null;
  const hearing = (store?.status?.state === 'online' && store.health?.hearing) || new Map();
  const configured = new Set([...page.layout.gateways.keys(), ...hearing.keys()]);
  const ids = new Set([...configured, ...known.keys()]);
  ids.delete('site');
  const gateways = [...ids].sort().map((id) => {
    const gateway = known.get(id) ?? { id, status: null, health: null, fix: null };
    // Retained messages come within a moment. A configured gateway without any has never sent one.
    const silent = configured.has(id) && !known.has(id) && page.settled;
    const suspect = (store?.status?.state === 'online' && site?.learned?.suspects.get(id)) || null;
    return { id, gateway, suspect, condition: conditionOf(gateway, hearing.get(id) ?? (silent ? 'silent' : undefined), suspect) };
  });
  return { gateways, store: store && { id: 'site', gateway: store, condition: conditionOf(store) } };
}

/**
 * The number of beacons in each zone, in words: a number, a number of the known ones, or `?` where it can't be known. A store that does
 * not run counts nothing, and a zone whose gateways do not hear is not empty.
 */
export function zoneWords(page, { gateways, store } = rosterOf(page)) {
  const site = page.site();
  const runs = store?.gateway.status?.state === 'online';
  const words = new Map();
  for (const [name, count] of site ? zoneCounts(site) : []) {
    const own = gateways.filter(({ id }) => (page.layout.gateways.get(id)?.zone ?? id) === name);
    const asked = own.length > 0 ? own : gateways;
    const deaf = asked.filter(({ condition }) => condition.tone === 'bad').length;
    const known = count.now || count.states;
    if (!runs || (known === 0 && (count.unknown || (deaf > 0 && deaf === asked.length)))) words.set(name, '?');
    else words.set(name, count.unknown || (own.length > 0 && deaf > 0) ? `${known}, some unknown` : String(known));
  }
  return words;
}

/** A remedy, in one line; empty where there is no fault. */
export function remedyOf({ id, gateway, condition, suspect }, siteName) {
  const { status, health } = gateway;
  if (condition.word === 'offline' && id === 'site') return 'beacond site does not run, or its line is down: look at systemctl status beacond-site.';
  if (condition.word === 'offline') return 'The agent or its line is down: look at its power and its network. It comes back by itself.';
  if (condition.word === 'never heard') {
    return `Look at its power and its network. Its config.toml has to say site = "${siteName}" and id = "${id}".`;
  }
  if (status?.remedy) return status.remedy;
  if (condition.word.startsWith('certificate')) return 'Its broker refuses it after that: look at journalctl -u beacond-renew on the gateway.';
  if (health?.outbox) return `Its disk: ${health.outbox}`;
  return suspect ? suspectRemedy(suspect) : '';
}
