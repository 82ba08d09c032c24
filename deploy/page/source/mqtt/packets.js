// MQTT 3.1.1 as far as a reader needs it (OASIS, mqtt-v3.1.1): octets of a packet to a value, and back.
//
// Every packet begins with a fixed header (section 2.2):
//
//     octet 0        bits 7–4 the kind, bits 3–0 flags
//     octets 1 … 4   the remaining length, 7 bits an octet, the lowest first; bit 7: one more octet follows
//
// A broker's data is not trusted: a packet that is too short for its fields raises a PacketError. It never raises
// another exception, and is never read beyond its end.

export const kinds = { connect: 1, connack: 2, publish: 3, puback: 4, subscribe: 8, suback: 9, unsubscribe: 10, pingreq: 12, pingresp: 13, disconnect: 14 };

/** Octets of a broker that violate MQTT; the message names the violation. */
export class PacketError extends Error {}

const encoder = new TextEncoder();
// A payload that is not UTF-8 is garbage; it is reported, not repaired. ignoreBOM: a byte order mark is garbage as
// well.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Octets as text; a PacketError where they are not UTF-8. */
export function text(octets) {
  try {
    return decoder.decode(octets);
  } catch {
    throw new PacketError('not UTF-8');
  }
}

/** A packet of this kind with these flags; `parts` are arrays of octets, one after the other. */
function packet(kind, flags, parts) {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const octets = [(kind << 4) | flags];
  let rest = length;
  do {
    octets.push((rest % 128) | (rest >= 128 ? 128 : 0));
    rest = Math.floor(rest / 128);
  } while (rest > 0);
  const out = new Uint8Array(octets.length + length);
  out.set(octets);
  let place = octets.length;
  for (const part of parts) {
    out.set(part, place);
    place += part.length;
  }
  return out;
}

/** A string in MQTT's form: its length in two octets, then UTF-8 (section 1.5.3). */
function string(value) {
  const octets = encoder.encode(value).subarray(0, 65535);
  const out = new Uint8Array(octets.length + 2);
  out.set([octets.length >> 8, octets.length & 255]);
  out.set(octets, 2);
  return out;
}

/** CONNECT (section 3.1), with a clean session: missed messages have no value for a viewer. */
export function connect({ client, username, password, keepAlive_s }) {
  const flags = 0x02 | (username ? 0x80 : 0) | (username && password ? 0x40 : 0);
  const parts = [string('MQTT'), [4, flags, keepAlive_s >> 8, keepAlive_s & 255], string(client)];
  if (username) parts.push(string(username));
  if (username && password) parts.push(string(password));
  return packet(kinds.connect, 0, parts);
}

/** SUBSCRIBE (section 3.8), all with quality 0: a closed page misses messages anyway. */
export function subscribe(identifier, filters) {
  const parts = [[identifier >> 8, identifier & 255]];
  for (const filter of filters) parts.push(string(filter), [0]);
  return packet(kinds.subscribe, 2, parts);
}

/** UNSUBSCRIBE (section 3.10). */
export function unsubscribe(identifier, filters) {
  return packet(kinds.unsubscribe, 2, [[identifier >> 8, identifier & 255], ...filters.map(string)]);
}

export const pingRequest = () => packet(kinds.pingreq, 0, []);
export const disconnect = () => packet(kinds.disconnect, 0, []);

/** A packet's content: `head` is its first octet, `body` follows the length. Kinds that a reader does not need are null. */
export function read(head, body) {
  const kind = head >> 4;
  if (kind === kinds.connack) {
    if (body.length < 2) throw new PacketError('a CONNACK without a code');
    return { kind, code: body[1] };
  }
  if (kind === kinds.suback) {
    if (body.length < 3) throw new PacketError('a SUBACK without a code');
    return { kind, identifier: (body[0] << 8) | body[1], codes: Array.from(body.subarray(2)) };
  }
  if (kind === kinds.publish) return readPublish(head, body);
  return kind === kinds.pingresp ? { kind } : null;
}

/** PUBLISH (section 3.3): bit 0 of the first octet is retain, bits 1 and 2 are the quality. */
function readPublish(head, body) {
  if (body.length < 2) throw new PacketError('a PUBLISH without a topic');
  const end = 2 + ((body[0] << 8) | body[1]);
  const quality = (head >> 1) & 3;
  const start = end + (quality > 0 ? 2 : 0);
  if (start > body.length) throw new PacketError('a PUBLISH that ends within its topic');
  return { kind: kinds.publish, topic: text(body.subarray(2, end)), retained: (head & 1) === 1, payload: body.subarray(start) };
}
