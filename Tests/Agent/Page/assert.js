// What the rules have in common: octets, one identity, and what must be the same.

export const bytes = (...values) => new Uint8Array(values);
export const json = (value) => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));
export const at = '2026-01-01T00:00:11.167Z';
export const uuid = '39ED98FF-2900-441A-802F-9C398FC199D2';
/** A message with such fields, and with what no message of its kind goes without. */
export const message = (fields) => json({ schema: 1, at, clock: 'synced', epoch: 'E', radio: 'scanning', region: 'carts', since: at, ...fields });

export function same(one, other) {
  const [left, right] = [JSON.stringify(one), JSON.stringify(other)];
  if (left !== right) throw new Error(`${left} is not ${right}`);
}
export function throws(kind, action) {
  try {
    action();
  } catch (error) {
    if (error instanceof kind) return;
    throw error;
  }
  throw new Error('nothing was thrown');
}
