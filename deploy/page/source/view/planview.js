import { marks, shown } from '../model/beacons.js';
import { placesOf } from '../model/layout.js';
import { Camera } from './camera.js';
import { gestures } from './gestures.js';
import { Motes } from './motes.js';
import { drawGateway, drawGround, drawMotes, drawScale, label } from './planmarks.js';
import { rosterOf, zoneWords } from './roster.js';

const still = matchMedia('(prefers-reduced-motion: reduce)');

/** The floor plan. It draws on animation frames, and only when something has changed or still moves. */
export class PlanView {
  /** `page` has the store that is shown, the layout, the filter, the colours and what was chosen. */
  constructor(canvas, page, { onPoint, onPlace }) {
    Object.assign(this, { canvas, page, camera: new Camera(), motes: new Motes(), floor: 0, places: new Map(), dirty: true, seen: -1 });
    this.onPlace = onPlace;
    this.points = [];
    this.image = null;
    this.fitted = false;
    gestures(canvas, this.camera, {
      onTap: ({ x, y }) => (page.calibrating === 'points' ? onPoint(this.share(x, y)) : this.choose(x, y)),
      onGrab: ({ x, y }) => (page.calibrating === 'gateways' ? this.gatewayAt(x, y) : null),
      onDrag: (id, { x_m, y_m }) => onPlace(id, x_m, y_m, this.floor),
      onChange: () => {
        this.touched = true;
        this.dirty = true;
      },
      onFit: () => this.showAll(),
    });
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.resize();
  }

  resize() {
    const density = Math.min(devicePixelRatio || 1, 2);
    const { clientWidth, clientHeight } = this.canvas;
    if (clientWidth === 0) return;
    Object.assign(this.camera, { width: clientWidth, height: clientHeight });
    Object.assign(this.canvas, { width: clientWidth * density, height: clientHeight * density });
    this.context = this.canvas.getContext('2d', { alpha: false });
    this.context.scale(density, density);
    this.fitted = this.fitted && this.touched;
    this.dirty = true;
  }

  /** The plan's picture, whose text is a data: URL of our own making. */
  showImage(source) {
    this.image = null;
    this.touched = this.fitted = false;
    this.dirty = true;
    if (!source) return;
    const image = new Image();
    image.onload = () => Object.assign(this, { image, fitted: false, dirty: true });
    image.src = source;
  }

  share(x, y) {
    const { x_m, y_m } = this.camera.metres(x, y);
    const { width_m } = this.page.layout.plan;
    return { x: x_m / width_m, y: (y_m * this.aspect()) / width_m };
  }

  aspect() {
    return this.image ? this.image.width / this.image.height : 1;
  }

  fit() {
    const xs = [...this.places.values()].map((place) => place.x_m);
    const ys = [...this.places.values()].map((place) => place.y_m);
    const { plan } = this.page.layout;
    if (plan && this.image) {
      xs.push(0, plan.width_m);
      ys.push(0, plan.width_m / this.aspect());
    }
    if (xs.length === 0) return;
    // Room for what stands around the outer gateways.
    const air = plan && this.image ? 0 : 3;
    this.camera.fit({ left: Math.min(...xs) - air, right: Math.max(...xs) + air, bottom: Math.min(...ys) - air, top: Math.max(...ys) + air }, 28);
    this.fitted = true;
    this.dirty = true;
  }

  /** As the plan was before anybody moved it; it follows new gateways and another window again. */
  showAll() {
    this.touched = false;
    this.fit();
  }

  gatewayAt(x, y) {
    const near = ([, place]) => Math.hypot(this.camera.x(place.x_m) - x, this.camera.y(place.y_m) - y) < 24;
    return [...this.places].find(near)?.[0] ?? null;
  }

  choose(x, y) {
    let best = null;
    let least = 22;
    for (const mote of this.motes.all.values()) {
      const away = Math.hypot(this.camera.x(mote.x_m) - x, this.camera.y(mote.y_m) - y);
      if (away < least) [best, least] = [mote.beacon.identity, away];
    }
    this.page.choose(best, best ? null : this.gatewayAt(x, y));
  }

  /** One animation frame. */
  frame(seconds) {
    const { page } = this;
    if (!this.context || this.canvas.clientWidth === 0) return;
    if (this.seen !== page.version() || !this.fitted) {
      this.seen = page.version();
      this.dirty = true;
      this.gather();
    }
    const moving = this.motes.glide(still.matches ? null : seconds);
    if (!this.dirty && !moving) return;
    this.dirty = false;
    this.draw();
  }

  gather() {
    const site = this.page.site();
    const roster = rosterOf(this.page);
    this.zones = zoneWords(this.page, roster);
    this.conditions = new Map(roster.gateways.map(({ id, condition }) => [id, condition]));
    const count = this.places.size;
    this.places = placesOf(this.page.layout, [...this.conditions.keys()], this.floor);
    if (!this.fitted || (count !== this.places.size && !this.touched)) this.fit();
    const zones = new Map([...this.places].map(([id, place]) => [this.page.layout.gateways.get(id)?.zone ?? id, place]));
    this.motes.update(site ? site.beacons.known.values() : [], { places: this.places, zones, floor: this.floor, fits: this.page.filter.fits });
  }

  draw() {
    const { context, camera, page } = this;
    const { paint } = page;
    drawGround(context, camera, paint, this.image, page.layout.plan);
    drawMotes(context, camera, paint, this.motes.all, page.chosen);
    const told = new Set();
    for (const [id, place] of this.places) {
      const zone = page.layout.gateways.get(id)?.zone ?? id;
      const count = told.has(zone) ? undefined : this.zones.get(zone);
      told.add(zone);
      const people = count && `${zone === id ? '' : `${zone}: `}${count.replace(', some', ' here, some').replace(/^[?\d]+$/, '$& here')}`;
      drawGateway(context, camera, paint, { id, place, condition: this.conditions.get(id), zone: people, chosen: page.chosenGateway === id });
    }
    this.points.forEach((point, index) => {
      const { width_m } = page.layout.plan;
      label(context, paint, `✛ ${index + 1}`, camera.x(point.x * width_m), camera.y((point.y * width_m) / this.aspect()), paint.bad);
    });
    drawScale(context, camera, paint);
  }

  /** The plan in words. */
  describe() {
    const site = this.page.site();
    const beacons = site ? [...site.beacons.known.values()] : [];
    const unknown = beacons.filter((beacon) => marks(beacon).includes('unknown')).length;
    const placed = beacons.filter((beacon) => shown(beacon).first?.position).length;
    return `Floor plan with ${this.places.size} gateways and ${beacons.length} beacons, ${placed} of them with a place, ${unknown} unknown. `
      + 'The lists beside it say the same in words. Arrows move it, plus and minus zoom, 0 shows all.';
  }
}
