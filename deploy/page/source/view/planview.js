import { marks, shown } from '../model/beacons.js';
import { placesOf } from '../model/layout.js';
import { beaconFields } from './filter.js';
import { rangedHealth } from '../model/heard.js';
import { Camera } from './camera.js';
import { describeHeat, drawHeat } from './heat.js';
import { gestures } from './gestures.js';
import { Motes } from './motes.js';
import { drawCircles, drawCluster, drawDots, drawGateway, drawGround, drawLines, drawScale, drawSought, font, label } from './planmarks.js';
import { rosterOf, zoneWords } from './roster.js';
import { sceneOf } from './scene.js';

// The most results of a search to which the plan moves, and the metres shown around them.
const mostFound = 20;
const nearby_m = 6;
// The room at the bottom for the scale and the legend's button.
const forScale = 28;
const still = matchMedia('(prefers-reduced-motion: reduce)');

/** The floor plan. It draws on animation frames, and only when something has changed or still moves. */
export class PlanView {
  /** `page` has the selected store, the layout, the filter, the colours and the choices. */
  constructor(canvas, page, { onPoint, onPlace }) {
    Object.assign(this, { canvas, page, camera: new Camera(), motes: new Motes(), floor: 0, places: new Map(), dirty: true, seen: -1 });
    this.onPlace = onPlace;
    this.points = [];
    this.image = null;
    this.fitted = false;
    this.widths = new Map();
    this.before = null;
    this.shown = { sought: [], dots: [], rings: [], clusters: [] };
    gestures(canvas, this.camera, {
      onTap: ({ x, y }) => (page.calibrating === 'points' ? onPoint(this.share(x, y)) : this.choose(x, y)),
      onGrab: ({ x, y }) => (page.calibrating === 'gateways' ? this.gatewayAt(x, y) : null),
      onDrag: (id, { x_m, y_m }) => onPlace(id, x_m, y_m, this.floor),
      onChange: () => {
        page.sought = false;
        this.before = null;
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

  /** The plan's picture, from a data: URL that the page itself made. */
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
    // Room for the marks around the outer gateways.
    const air = plan && this.image ? 0 : 3;
    this.camera.fit({ left: Math.min(...xs) - air, right: Math.max(...xs) + air, bottom: Math.min(...ys) - air, top: Math.max(...ys) + air }, 28, forScale);
    this.fitted = true;
    this.dirty = true;
  }

  /** Restores the view before the user's moves; it follows new gateways and another window size again. */
  showAll() {
    this.touched = false;
    this.fit();
  }

  gatewayAt(x, y) {
    const near = ([, place]) => Math.hypot(this.camera.x(place.x_m) - x, this.camera.y(place.y_m) - y) < 24;
    return [...this.places].find(near)?.[0] ?? null;
  }

  /**
   * Handles a tap: it chooses the beacon there, by its dot or ring, or else the gateway. Where beacons stand too close together it zooms
   * in.
   */
  choose(x, y) {
    let best = null;
    let least = 22;
    for (const { mote, x: left, y: top, radius, ring } of [...this.shown.sought, ...this.shown.dots, ...this.shown.rings]) {
      const away = Math.abs(Math.hypot(left - x, top - y) - (ring ? radius : 0)) + (ring ? 10 : 0);
      if (away < least) [best, least] = [mote.beacon.identity, away];
    }
    const gateway = best === null ? this.gatewayAt(x, y) : null;
    const cluster = this.shown.clusters.find((one) => Math.hypot(one.x - x, one.y - y) < 24);
    if (best === null && cluster && cluster.gateways.length !== 1) {
      this.camera.zoom(2, x, y);
      this.touched = this.dirty = true;
    } else this.page.choose(best, gateway);
  }

  /** Moves to the results of a search, once they are there; and back, once the search is over. */
  seek() {
    const { page, camera, motes } = this;
    const found = [...motes.all.values()].filter((mote) => (page.chosen === null ? !page.filter.empty : mote.beacon.identity === page.chosen));
    if (page.filter.empty && page.chosen === null) {
      page.sought = false;
      if (this.before) Object.assign(camera, this.before);
      this.before = null;
      return;
    }
    if (found.length === 0) this.changeFloor();
    if (found.length === 0 || found.length > mostFound) return;
    page.sought = false;
    this.before ??= { x_m: camera.x_m, y_m: camera.y_m, scale: camera.scale };
    const [xs, ys] = [found.map(({ aim }) => aim.x_m), found.map(({ aim }) => aim.y_m)];
    const box = { left: Math.min(...xs) - nearby_m, right: Math.max(...xs) + nearby_m, bottom: Math.min(...ys) - nearby_m, top: Math.max(...ys) + nearby_m };
    camera.fit(box, 28);
    this.touched = this.fitted = this.dirty = true;
  }

  /** Changes to the floor of the results, where this floor has none. */
  changeFloor() {
    const { page } = this;
    const looked = (beacon) => (page.chosen === null ? page.filter.fits(beaconFields(beacon, page.names, rangedHealth(page.site(), beacon))) : beacon.identity === page.chosen);
    const elsewhere = [...(page.site()?.beacons.known.values() ?? [])].find((beacon) => looked(beacon) && shown(beacon).first?.position);
    if (!elsewhere) return;
    this.floor = shown(elsewhere).first.position.floor;
    page.changes += 1;
  }

  /** Draws one animation frame. */
  frame(seconds) {
    const { page } = this;
    if (!this.context || this.canvas.clientWidth === 0) return;
    if (this.seen !== page.version() || !this.fitted) {
      this.seen = page.version();
      this.dirty = true;
      this.gather();
      if (page.sought) this.seek();
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
    this.places = placesOf(this.page.layout, [...this.conditions.keys()], this.floor);
    const extent = [...this.places.values()].map(({ x_m, y_m }) => `${x_m} ${y_m}`).join();
    if (!this.fitted || (extent !== this.extent && !this.touched)) this.fit();
    this.extent = extent;
    const zones = new Map([...this.places].map(([id, place]) => [this.page.layout.gateways.get(id)?.zone ?? id, place]));
    this.motes.update(site ? site.beacons.known.values() : [], { places: this.places, zones, floor: this.floor, fits: (beacon) => this.page.filter.fits(beaconFields(beacon, this.page.names, rangedHealth(site, beacon))) });
  }

  /** Beacons and gateways with their places in pixels, in the form of the scene. */
  scene() {
    const { camera, page } = this;
    const counted = new Set();
    const gateways = [...this.places].map(([id, place]) => {
      const zone = page.layout.gateways.get(id)?.zone ?? id;
      const count = counted.has(zone) ? undefined : this.zones.get(zone);
      counted.add(zone);
      const people = count && `${zone === id ? '' : `${page.names.zone(zone)}: `}${count.replace(/^[?\d]+/, '$& here')}`;
      return { id, x: camera.x(place.x_m), y: camera.y(place.y_m), condition: this.conditions.get(id), people, chosen: page.chosenGateway === id };
    });
    const dots = [...this.motes.all.values()].map((mote) =>
      ({ mote, x: camera.x(mote.x_m), y: camera.y(mote.y_m), radius: mote.radius_m * camera.scale, ring: !mote.certain }));
    const few = !page.filter.empty && dots.length <= mostFound;
    const found = ({ mote }) => few || mote.beacon.identity === page.chosen;
    return sceneOf({ camera, gateways, dots, found, measure: (words) => this.measure(words), calm: page.calibrating === null });
  }

  /** The width of words. Measuring on a canvas is slow, so each is measured once. */
  measure(words) {
    if (this.widths.size > 5000) this.widths.clear();
    if (!this.widths.has(words)) {
      this.context.font = font;
      this.widths.set(words, this.context.measureText(words).width);
    }
    return this.widths.get(words);
  }

  draw() {
    const { context, camera, page } = this;
    const { paint } = page;
    drawGround(context, camera, paint, this.image, page.layout.plan);
    if (page.showsHeat) drawHeat(context, camera, paint, page.site()?.heat.on(this.floor));
    const scene = this.shown = this.scene();
    drawCircles(context, paint, scene.dots.filter(({ mote }) => !mote.unknown), [], true);
    drawCircles(context, paint, scene.rings, [4, 4], false);
    drawDots(context, paint, scene.dots);
    for (const one of scene.clusters) drawCluster(context, paint, one);
    for (const one of scene.gateways) drawGateway(context, paint, one);
    drawSought(context, paint, scene.sought);
    drawLines(context, paint, scene.labels.placed.flatMap(({ lines }) => lines));
    for (const { words, ink, x, y } of scene.labels.placed) label(context, paint, words, x, y, paint[ink]);
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
      + (this.page.showsHeat ? describeHeat(site?.heat.on(this.floor)) : '')
      + 'The lists beside it say the same in words. Arrows move it, plus and minus zoom, 0 shows all.';
  }
}
