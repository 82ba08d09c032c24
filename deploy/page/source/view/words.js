// Conditions in words: a word, a mark that shows it without colour, and the name of the colour.

export const radios = {
  scanning: ['✓', 'scanning', 'good', 'hears'],
  replay: ['▶', 'replays a recording', 'good', 'hears'],
  absent: ['!', 'no radio', 'bad', 'has no radio'],
  unauthorized: ['!', 'not permitted', 'bad', 'is not permitted'],
  blocked: ['!', 'adapter blocked', 'bad', 'is blocked'],
  off: ['!', 'adapter off', 'bad', 'is off'],
  stalled: ['!', 'does not answer', 'bad', 'does not answer'],
  unusable: ['!', 'publishes too rarely', 'bad', 'publishes too rarely'],
};
// The store's word in `health.gateways` for a gateway without a status of its own.
export const hearings = {
  hears: ['✓', 'heard by the store', 'good', 'hears'],
  blind: ['!', 'does not hear', 'bad', 'does not hear'],
  offline: ['✕', 'offline', 'bad', 'is offline'],
  silent: ['✕', 'never heard', 'bad', 'was never heard'],
};

// The reasons in `learned` for which a gateway's links have changed: a word, the end of a sentence, and what to do.
export const suspicions = {
  moved: ['moved or turned', 'was moved or turned', 'Put it back. If it stays there, change its position in [[site.gateway]] and restart beacond site.'],
  covered: ['covered', 'is covered', 'Look for a shelf, a freezer or a display in front of it.'],
  beacon: ['sends otherwise', 'sends otherwise than before', 'Look at its antenna, and at [advertise] in its config.toml.'],
  receiver: ['hears otherwise', 'hears otherwise than before', 'Look at its antenna and its adapter.'],
};

/** What to do for a gateway whose links have changed. */
export function suspectRemedy({ reason, change_db }) {
  const size = change_db === null ? '' : `Its links have changed by ${Math.abs(change_db).toFixed(0)} dB. `;
  return size + (Object.hasOwn(suspicions, reason) ? suspicions[reason][2] : 'Look at its place and its antenna.');
}

/**
 * The condition of a gateway: `mark`, `word`, `tone`, and `says`, the end of a sentence. `hearing` is the store's word for it, if there is
 * one.
 */
export function conditionOf(gateway, hearing, suspect = null) {
  const { status, health } = gateway;
  let found = ['?', 'not heard of yet', 'quiet', 'has published no status'];
  if (status?.state === 'offline') found = hearings.offline;
  else if (status && gateway.id === 'site') found = ['✓', 'joins the gateways', 'good', 'joins the gateways'];
  else if (status) found = Object.hasOwn(radios, status.radio) ? radios[status.radio] : ['?', status.radio || 'unknown', 'quiet', 'reports no radio'];
  else if (Object.hasOwn(hearings, hearing ?? '')) found = hearings[hearing];
  if (found[2] === 'good' && (health?.certificate_s ?? Infinity) < 7 * 86400) {
    found = ['!', certificateWords(health.certificate_s), 'warn', `has a certificate that ${health.certificate_s < 0 ? 'has expired' : 'expires soon'}`];
  }
  if (found[2] === 'good' && health?.outbox) found = ['!', 'disk trouble', 'warn', 'has trouble with its disk'];
  if (found[2] === 'good' && suspect) {
    const [word, says] = Object.hasOwn(suspicions, suspect.reason) ? suspicions[suspect.reason] : ['changed', 'has changed'];
    found = ['!', word, 'warn', says];
  }
  return { mark: found[0], word: found[1], tone: found[2], says: found[3] };
}

/** The condition of a store, in one word: that of its worst gateway. */
export function conditionOfSite(conditions) {
  const bad = conditions.filter((one) => one.tone === 'bad').length;
  if (bad > 0 && bad === conditions.length) return { mark: '✕', word: bad > 1 ? 'no gateway works' : conditions[0].word, tone: 'bad' };
  if (bad > 0) return { mark: '!', word: `${bad} of ${conditions.length} gateways do not work`, tone: 'warn' };
  return conditions.some((one) => one.tone === 'good') ? { mark: '✓', word: 'works', tone: 'good' } : { mark: '?', word: 'not heard of yet', tone: 'quiet' };
}

/** The end of a gateway's certificate, in so many seconds. */
export function certificateWords(seconds) {
  return seconds < 0 ? 'certificate has expired' : `certificate expires in ${duration(seconds)}`;
}

/** A receiver of another maker in words: how often it publishes, and the messages that could not be read. */
export function receiverWords({ batch_s, malformed }) {
  const period = batch_s === null ? '' : `, publishes every ${duration(batch_s)}`;
  return `a receiver${period}${malformed ? `, ${malformed} messages could not be read` : ''}`;
}

/** Seconds in words. A number and its unit stay on one line. */
export function duration(seconds) {
  if (seconds < 99.5) return `${seconds < 9.95 ? seconds.toFixed(1) : Math.round(seconds)}\u00a0s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 100) return `${minutes}\u00a0min`;
  const hours = Math.round(seconds / 3600);
  return hours < 72 ? `${hours}\u00a0h` : `${Math.round(hours / 24)}\u00a0days`;
}

/** A time of day, with the date where it is another day. */
export function clockTime(at_ms, now_ms) {
  const at = new Date(at_ms);
  const time = at.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false });
  return Math.abs(now_ms - at_ms) < 43200000 ? time : `${at.toLocaleDateString([], { year: 'numeric', month: '2-digit', day: '2-digit' })} ${time}`;
}

/** How long ago something was, in words. */
export const ago = (at_ms, now_ms) => (now_ms - at_ms < 1500 ? 'now' : `${duration((now_ms - at_ms) / 1000)} ago`);

/** A battery in words: its charge, or without one its voltage. */
export const batteryWords = ({ percent, mv }) => (percent !== null ? `battery ${percent}\u00a0%` : `battery ${(mv / 1000).toFixed(2)}\u00a0V`);

export const metres = (value) => (value === null ? '?' : `${value < 10 ? value.toFixed(1) : Math.round(value)}\u00a0m`);
