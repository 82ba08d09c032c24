// Labels that avoid each other: each takes the first of its places that is free, and a label without a free place is
// left out.

const height = 17;
const air = 3;
// A label farther from its mark has a line to it, because it could be taken for the label of another mark, or stand in another room.
const near = 16;

/** The line from a box to a mark that is too far from it; null where it is near. */
function lineTo({ left, right, top, bottom }, { x, y }) {
  const from = { x: Math.max(left, Math.min(right, x)), y: Math.max(top, Math.min(bottom, y)) };
  return Math.hypot(x - from.x, y - from.y) > near ? { from, to: { x, y } } : null;
}

export class Labels {
  /** `measure` gives the width of words in pixels. */
  constructor(width, tall, measure) {
    Object.assign(this, { width, tall, measure, taken: [], placed: [] });
  }

  /** Keeps labels out of a place. A label without another place may cover a `soft` mark. */
  block(x, y, width, tall, soft = false) {
    this.taken.push({ left: x - width / 2, right: x + width / 2, top: y - tall / 2, bottom: y + tall / 2, soft });
  }

  isFree(box, soft) {
    return this.taken.every((one) => (soft && one.soft) || box.right <= one.left || box.left >= one.right || box.bottom <= one.top || box.top >= one.bottom);
  }

  /** The places of words around a mark of that size, the best one first. */
  around(words, x, y, away) {
    const half = this.measure(words) / 2 + away + air;
    return [[x, y + away + 9], [x, y - away - 9], [x + half, y], [x - half, y], [x + half, y + away + 9], [x - half, y + away + 9], [x + half, y - away - 9], [x - half, y - away - 9]];
  }

  /**
   * Writes words at the first free place, and returns whether there was one. A label that `must` be seen takes its first place otherwise.
   * A `soft` one may cover soft marks. `marks` are the places that the words are about.
   */
  place(words, ink, places, { must = false, soft = false, marks = [] } = {}) {
    const wide = this.measure(words) + 2 * air;
    const boxes = places.map(([x, y]) => this.box(x, y, wide));
    const inside = boxes.filter((box) => box.inside);
    const found = inside.find((box) => this.isFree(box, false)) ?? (soft || must ? inside.find((box) => this.isFree(box, true)) : undefined) ?? (must ? (inside[0] ?? boxes[0]) : undefined);
    if (!found) return false;
    this.taken.push({ ...found, soft: false });
    const lines = marks.map((mark) => lineTo(found, mark)).filter(Boolean);
    this.placed.push({ words, ink, x: (found.left + found.right) / 2, y: (found.top + found.bottom) / 2, marks, lines, ...found });
    return true;
  }

  /** A box of words. Where it would stick out a little, it is moved inwards. */
  box(x, y, wide) {
    const middle = Math.max(wide / 2, Math.min(this.width - wide / 2, x));
    const box = { left: middle - wide / 2, right: middle + wide / 2, top: y - height / 2, bottom: y + height / 2 };
    return { ...box, inside: x > 0 && x < this.width && Math.abs(middle - x) < 40 && box.top >= 0 && box.bottom <= this.tall };
  }
}
