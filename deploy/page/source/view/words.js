// How conditions are said: a word, a mark that tells it without colour, and the name of the colour.

const radios = {
  scanning: ['✓', 'scanning', 'good'],
  replay: ['▶', 'replays a recording', 'good'],
  absent: ['!', 'no adapter', 'bad'],
  unauthorized: ['!', 'not permitted', 'bad'],
  blocked: ['!', 'adapter blocked', 'bad'],
  off: ['!', 'adapter off', 'bad'],
  stalled: ['!', 'adapter does not answer', 'bad'],
};

/** What a gateway is doing: `mark`, `word`, `tone`. */
export function conditionOf(gateway) {
  const { status } = gateway;
  let found = ['?', 'not heard of yet', 'quiet'];
  if (status?.state === 'offline') found = ['✕', 'offline', 'bad'];
  else if (status && gateway.id === 'site') found = ['✓', 'joins the gateways', 'good'];
  else if (status) found = Object.hasOwn(radios, status.radio) ? radios[status.radio] : ['?', status.radio || 'unknown', 'quiet'];
  return { mark: found[0], word: found[1], tone: found[2] };
}

/** A store in one word: as bad as the worst of its gateways. */
export function conditionOfSite(site) {
  const all = [...site.gateways.values()].map(conditionOf);
  const bad = all.filter((one) => one.tone === 'bad').length;
  if (all.length > 0 && bad === all.length) return { mark: '✕', word: all.length > 1 ? 'no gateway works' : all[0].word, tone: 'bad' };
  if (bad > 0) return { mark: '!', word: `${bad} of ${all.length} gateways do not work`, tone: 'warn' };
  return all.some((one) => one.tone === 'good') ? { mark: '✓', word: 'works', tone: 'good' } : { mark: '?', word: 'not heard of yet', tone: 'quiet' };
}

/** Seconds as people say them. A number and its unit stay on one line. */
export function duration(seconds) {
  if (seconds < 99.5) return `${seconds < 9.95 ? seconds.toFixed(1) : Math.round(seconds)}\u00a0s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 100) return `${minutes}\u00a0min`;
  const hours = Math.round(seconds / 3600);
  return hours < 72 ? `${hours}\u00a0h` : `${Math.round(hours / 24)}\u00a0days`;
}

/** A time of day, with the day where it is another one. */
export function clockTime(at_ms, now_ms) {
  const at = new Date(at_ms);
  const time = at.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false });
  return Math.abs(now_ms - at_ms) < 43200000 ? time : `${at.toLocaleDateString([], { year: 'numeric', month: '2-digit', day: '2-digit' })} ${time}`;
}

export const metres = (value) => (value === null ? '?' : `${value < 10 ? value.toFixed(1) : Math.round(value)}\u00a0m`);
