/** Converts metres, with y upwards, to pixels of a view, with y downwards, and back. */
export class Camera {
  constructor() {
    Object.assign(this, { x_m: 0, y_m: 0, scale: 20, width: 300, height: 300 });
  }

  x(x_m) {
    return this.width / 2 + (x_m - this.x_m) * this.scale;
  }

  y(y_m) {
    return this.height / 2 - (y_m - this.y_m) * this.scale;
  }

  metres(x, y) {
    return { x_m: this.x_m + (x - this.width / 2) / this.scale, y_m: this.y_m - (y - this.height / 2) / this.scale };
  }

  /** Shows the whole of a box of metres, with a margin of pixels, and more of them `below`. */
  fit({ left, right, bottom, top }, margin, below = 0) {
    const scale = Math.min((this.width - 2 * margin) / Math.max(right - left, 4), (this.height - 2 * margin - below) / Math.max(top - bottom, 4));
    this.scale = Math.min(200, Math.max(0.5, scale));
    this.x_m = (left + right) / 2;
    this.y_m = (bottom + top) / 2 - below / 2 / this.scale;
  }

  /** Zooms; the point under that pixel stays there. */
  zoom(factor, x, y) {
    const before = this.metres(x, y);
    this.scale = Math.min(400, Math.max(0.5, this.scale * factor));
    const after = this.metres(x, y);
    this.x_m += before.x_m - after.x_m;
    this.y_m += before.y_m - after.y_m;
  }

  pan(dx, dy) {
    this.x_m -= dx / this.scale;
    this.y_m += dy / this.scale;
  }
}
