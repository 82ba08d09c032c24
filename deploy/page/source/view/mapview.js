import { byId } from './dom.js';
import { marksLayer } from './mapmarks.js';
import { rosterOf } from './roster.js';
import { conditionOf, conditionOfSite } from './words.js';

// Places change at most once a second; more pictures would only delay the data of thousands of stores.
const drawEvery_ms = 150;

const order = { good: 0, quiet: 1, warn: 2, bad: 3 };

/** Whether a gateway moves: it went farther than its accuracy explains. */
const moves = (gateway) => gateway.trail.length > 1 && gateway.trail.some((fix) =>
  Math.hypot(fix.latitude - gateway.fix.latitude, (fix.longitude - gateway.fix.longitude) * Math.cos((fix.latitude * Math.PI) / 180)) * 111195
    > 3 * Math.max(5, fix.accuracy_m));

/** The map: stores, and moving things. Without tiles it is an empty ground with a scale, which still shows where things are. */
export class MapView {
  constructor(leaflet, container, page, tiles) {
    Object.assign(this, { leaflet, container, page, tiles, map: null, seen: -1, framed: 0, drawn_ms: 0 });
  }

  open() {
    if (this.map) return void this.map.invalidateSize();
    const { leaflet } = this;
    this.map = leaflet.map(this.container, { center: [30, 10], zoom: 2, zoomAnimation: false, markerZoomAnimation: false, attributionControl: Boolean(this.tiles), zoomControl: false });
    // The words above the map are at its top.
    leaflet.control.zoom({ position: 'bottomleft' }).addTo(this.map);
    leaflet.control.scale({ imperial: false }).addTo(this.map);
    if (this.tiles) leaflet.tileLayer(this.tiles.url, { attribution: this.tiles.attribution, maxZoom: 19 }).addTo(this.map);
    this.layer = marksLayer(leaflet, () => this.things(), () => this.page.paint);
    this.layer.addTo(this.map);
    this.map.on('click', (event) => this.choose(event.containerPoint));
    this.map.on('dragstart', () => (this.framed = Infinity));
    this.seen = -1;
  }

  /** Everything with a place: whole stores, moving gateways, circles. */
  things() {
    const circles = [];
    const movers = [];
    const stores = [];
    const chosen = this.page.site();
    for (const site of this.page.store.sites.values()) {
      circles.push(...site.circles.values());
      let still = null;
      for (const gateway of site.gateways.values()) {
        if (!gateway.fix) continue;
        if (moves(gateway) || gateway.fix.course_deg !== null) movers.push(this.mover(site, gateway));
        else still ??= gateway.fix;
      }
      if (still) stores.push({ site: site.name, name: site.name, fix: still, condition: conditionOfSite(this.conditions(site)), chosen: site === chosen });
    }
    // Stores that need help are drawn last, above the others.
    stores.sort((one, other) => order[one.condition.tone] - order[other.condition.tone]);
    return { circles, movers, stores };
  }

  /** The gateways of a store. Configured gateways count for the selected store; of other stores only those that sent a message are known. */
  conditions(site) {
    if (site === this.page.site()) return rosterOf(this.page).gateways.map(({ condition }) => condition);
    return [...site.gateways.values()].filter(({ id }) => id !== 'site').map((gateway) => conditionOf(gateway));
  }

  mover(site, gateway) {
    return { site: site.name, id: gateway.id, name: gateway.id, fix: gateway.fix, trail: gateway.trail, condition: conditionOf(gateway), chosen: this.page.chosenGateway === gateway.id };
  }

  /** Draws one animation frame. */
  frame(now_ms) {
    if (!this.map || this.container.clientWidth === 0 || this.seen === this.page.version() || now_ms - this.drawn_ms < drawEvery_ms) return;
    this.seen = this.page.version();
    this.drawn_ms = now_ms;
    const { movers, stores, circles } = this.things();
    const places = [...movers, ...stores].map(({ fix }) => fix).concat(circles.map(({ center }) => center));
    byId('map-none').hidden = places.length > 0;
    // Everything is shown until a user moves the map, including new things and those that drive out of sight.
    const view = this.map.getBounds();
    const lost = movers.some(({ fix }) => !view.contains([fix.latitude, fix.longitude]));
    if (this.framed < Infinity && (lost || places.length > this.framed * 1.2)) {
      this.framed = places.length;
      const trails = movers.flatMap(({ trail }) => trail);
      this.map.fitBounds([...places, ...trails].map((place) => [place.latitude, place.longitude]), { padding: [60, 60], maxZoom: 16, animate: false });
    }
    this.layer.draw();
  }

  choose(point) {
    let best = null;
    let least = 24;
    const { movers, stores } = this.things();
    for (const thing of [...movers, ...stores]) {
      const away = this.map.latLngToContainerPoint([thing.fix.latitude, thing.fix.longitude]).distanceTo(point);
      if (away < least) [best, least] = [thing, away];
    }
    if (best) this.page.open(best.site, best.id ?? null);
  }

  repaint() {
    this.seen = -1;
  }
}
