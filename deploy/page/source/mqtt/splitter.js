import { PacketError } from './packets.js';

/** Splits a stream of octets into packets, whatever the pieces that it comes in. */
export class Splitter {
  /** `limit` is the longest packet that is accepted, in octets. */
  constructor(limit) {
    this.limit = limit;
    this.kept = new Uint8Array(0);
  }

  /** The packets that are complete by now, each as `head` and `body`. The rest waits for the next piece. */
  push(piece) {
    let octets = piece;
    if (this.kept.length > 0) {
      octets = new Uint8Array(this.kept.length + piece.length);
      octets.set(this.kept);
      octets.set(piece, this.kept.length);
    }
    const packets = [];
    let place = 0;
    for (;;) {
      const length = this.lengthAt(octets, place + 1);
      if (length === null || length.end + length.value > octets.length) break;
      packets.push({ head: octets[place], body: octets.subarray(length.end, length.end + length.value) });
      place = length.end + length.value;
    }
    this.kept = octets.slice(place);
    return packets;
  }

  /** The remaining length that begins there, and its end; null while it is incomplete. */
  lengthAt(octets, start) {
    let value = 0;
    for (let index = 0; index < 4; index += 1) {
      if (start + index >= octets.length) return null;
      const octet = octets[start + index];
      value += (octet & 127) * 128 ** index;
      if (value > this.limit) throw new PacketError(`a packet above ${this.limit} octets`);
      if (octet < 128) return { value, end: start + index + 1 };
    }
    throw new PacketError('a length of more than four octets');
  }
}
