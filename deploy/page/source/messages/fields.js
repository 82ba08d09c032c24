// Values of a message, read by the contract's rules for their fields: an invalid one is null.

// For fields without a limit in the contract. A later release's word is shown as it is, within the limit of a word.
const most = { number: 1e12, text: 1000, word: 40, list: 1000, each: 1000 };

/** Turns RFC 3339 into milliseconds since 1970; null where it is invalid. */
export function instant(value) {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(value)) return null;
  const ms = Date.parse(value);
  return Number.isFinite(ms) ? ms : null;
}

export const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

/** A number; `none` is the value that means no number. */
const number = (value, { low = -most.number, high = most.number, none }) =>
  (typeof value === 'number' && value !== none && value >= low && value <= high ? value : null);

function word(value, { words, grows }) {
  if (words.includes(value)) return value;
  return grows && typeof value === 'string' ? value.slice(0, most.word) : null;
}

/** Drops invalid items. A list without which the message is useless must have none. */
function list(value, field, isEssential) {
  if (!Array.isArray(value)) return null;
  const taken = value.slice(0, field.most ?? most.list);
  const items = taken.map((one) => readers[field.of.is](one, field.of)).filter((one) => one !== null);
  return isEssential && items.length < taken.length ? null : items;
}

function each(value, { of }) {
  if (!isObject(value)) return null;
  return Object.fromEntries(Object.entries(value).slice(0, most.each).map(([name, one]) => [name, readers[of.is](one, of)]));
}

function object(value, field) {
  const found = isObject(value) ? readObject(value, field) : null;
  return found === null || found.missing !== null ? null : found.fields;
}

const readers = {
  time: instant, flag: (value) => value === true, number, word, list, each, object,
  whole: (value, { low, high = Number.MAX_SAFE_INTEGER }) => (Number.isInteger(value) ? number(value, { low, high }) : null),
  text: (value, field) => (typeof value === 'string' ? value.slice(0, field.most ?? most.text) : null),
};

/** The fields of an object by their names, and the first missing one without which the object is useless. */
export function readObject(value, { fields, essential = [] }) {
  const found = {};
  let missing = null;
  for (const name in fields) {
    const isEssential = essential.includes(name);
    found[name] = readers[fields[name].is](value[name], fields[name], isEssential);
    if (isEssential && found[name] === null) missing ??= name;
  }
  return { fields: found, missing };
}
