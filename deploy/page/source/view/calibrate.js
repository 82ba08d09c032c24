import { configuration, placeGateway, planWidth } from '../model/layout.js';
import { byId, element, keyed, plain, say } from './dom.js';

// A phone's photo is larger than any screen that shows it, and than a browser stores.
const longestSide = 1600;

/** The page's own calibration: a picture, two points of a known distance, gateways at their places, and the lines to paste. */
export class Calibration {
  constructor(page, view) {
    Object.assign(this, { page, view });
    byId('calibrate').addEventListener('click', () => this.open());
    byId('calibration-close').addEventListener('click', () => this.close());
    byId('plan-file').addEventListener('change', (event) => this.take(event.target.files[0]));
    byId('plan-points').addEventListener('click', () => this.askPoints());
    byId('plan-distance').addEventListener('submit', (event) => {
      event.preventDefault();
      this.measure(Number(byId('plan-metres').value));
    });
    byId('plan-remove').addEventListener('click', () => this.setPlan(null));
    byId('lines-copy').addEventListener('click', () => this.copy());
    byId('layout-reset').addEventListener('click', () => page.resetLayout());
  }

  open() {
    byId('calibration').hidden = false;
    this.step('gateways');
    byId('calibration').focus();
  }

  close() {
    byId('calibration').hidden = true;
    this.step(null);
    byId('calibrate').focus();
  }

  step(name) {
    this.page.calibrating = name;
    this.view.points = [];
    this.view.dirty = true;
    byId('plan-distance').hidden = true;
    byId('plan-points').disabled = !this.page.layout.plan;
    byId('plan-remove').hidden = !this.page.layout.plan;
    this.showHint();
    this.refresh();
  }

  showHint() {
    const { calibrating } = this.page;
    const words = {
      points: `Tap ${this.view.points.length === 0 ? 'one end' : 'the other end'} of something on the plan whose length you know: a wall, a shelf.`,
      gateways: this.page.layout.plan ? 'Drag each gateway to its place, or type its metres below.'
        : 'Choose a picture of the plan, or go without one: drag each gateway, or type its metres below.',
    };
    say(byId('calibration-hint'), words[calibrating] ?? '');
  }

  async take(file) {
    if (!file) return;
    try {
      const bitmap = await createImageBitmap(file);
      const share = Math.min(1, longestSide / Math.max(bitmap.width, bitmap.height));
      const canvas = Object.assign(document.createElement('canvas'), {
        width: Math.round(bitmap.width * share), height: Math.round(bitmap.height * share),
      });
      canvas.getContext('2d').drawImage(bitmap, 0, 0, canvas.width, canvas.height);
      this.setPlan({ image: canvas.toDataURL('image/webp', 0.8), width_m: this.page.layout.plan?.width_m ?? 20 });
      this.askPoints();
    } catch {
      say(byId('calibration-hint'), 'This file is no picture that the browser can show. PNG, JPEG and WebP are.');
    }
  }

  setPlan(plan) {
    this.page.layout.plan = plan;
    this.page.keepLayout();
    this.view.showImage(plan?.image);
    this.step('gateways');
  }

  askPoints() {
    this.step('points');
  }

  /** Handles a tap on a point, in shares of the picture's width and height. */
  point(share) {
    if (this.view.points.length >= 2) this.view.points = [];
    this.view.points.push(share);
    this.view.dirty = true;
    const both = this.view.points.length === 2;
    byId('plan-distance').hidden = !both;
    if (both) byId('plan-metres').focus();
    else this.showHint();
  }

  measure(distance_m) {
    const [first, second] = this.view.points;
    const width_m = second && planWidth(first, second, distance_m, this.view.aspect());
    if (!width_m) return void say(byId('calibration-hint'), 'The two points have to lie apart, and the length has to be above 0.');
    this.page.layout.plan.width_m = Math.round(width_m * 100) / 100;
    this.page.keepLayout();
    this.view.touched = this.view.fitted = false;
    this.step('gateways');
  }

  place(id, x_m, y_m, floor) {
    placeGateway(this.page.layout, id, x_m, y_m, floor);
    this.page.keepLayout();
    this.refresh();
  }

  /** The numbers of each gateway, for people who can't drag, and the lines. */
  refresh() {
    const ids = [...this.view.places.keys()].sort();
    const make = (id) => {
      const row = element('li', '', element('b', '', id));
      for (const [name, unit] of [['x', 'm to the right'], ['y', 'm up']]) {
        const input = Object.assign(element('input'), { type: 'number', step: '0.1' });
        input.setAttribute('aria-label', plain(`${id}, ${unit}`));
        input.addEventListener('change', () => {
          const [x, y] = row.querySelectorAll('input');
          if (x.value !== '' && y.value !== '') this.place(id, x.valueAsNumber, y.valueAsNumber, this.view.floor);
        });
        row.append(element('label', '', `${name} `, input));
      }
      return row;
    };
    keyed(byId('place-list'), ids, (id) => id, make, (row, id) => {
      const one = this.page.layout.gateways.get(id);
      const values = [one?.x_m ?? null, one?.y_m ?? null];
      row.querySelectorAll('input').forEach((input, index) => {
        if (document.activeElement !== input) input.value = values[index] ?? '';
      });
    });
    const lines = configuration(this.page.layout);
    byId('lines').value = lines;
    byId('lines-copy').disabled = lines === '';
  }

  async copy() {
    byId('lines').select();
    // Without TLS a browser gives no access to the clipboard; the text is selected then.
    const copied = await navigator.clipboard?.writeText(byId('lines').value).then(() => true, () => false);
    say(byId('calibration-hint'), copied ? 'Copied. Paste the lines into the config.toml of beacond site.' : 'The lines are selected: copy them, and paste them into the config.toml of beacond site.');
  }
}
