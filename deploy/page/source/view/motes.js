import { shown } from '../model/beacons.js';

// A beacon moves from its shown place to its new one within about this time.
const glide_s = 0.25;

/**
 * The drawn beacons: dots with circles where the place is known, and rings around a gateway where only the distance is. Each glides
 * towards its latest place.
 */
export class Motes {
  constructor() {
    this.all = new Map();
  }

  /**
   * Takes the beacons of a floor. `places` are the gateways', `zones` those of zones, `fits` leaves out beacons that do not match the
   * search.
   */
  update(beacons, { places, zones, floor, fits }) {
    const kept = new Set();
    for (const beacon of beacons) {
      if (!fits(beacon)) continue;
      const { entries, gateway, resolving, duplicate } = shown(beacon);
      entries.forEach((entry, index) => {
        const key = index === 0 ? beacon.identity : `${beacon.identity}#${index}`;
        const aim = entry.position ? this.positioned(entry, floor) : this.around(entry, places.get(gateway) ?? zones.get(entry.zone));
        if (!aim) return;
        kept.add(key);
        const mote = this.all.get(key) ?? { x_m: aim.x_m, y_m: aim.y_m, radius_m: aim.radius_m };
        this.all.set(key, Object.assign(mote, {
          aim, beacon, resolving: resolving && (entry.resolving || entries.length === 1), duplicate,
          unknown: entry.proximity === 'unknown' && !entry.position, certain: Boolean(entry.position),
        }));
      });
    }
    for (const key of this.all.keys()) if (!kept.has(key)) this.all.delete(key);
  }

  positioned({ position }, floor) {
    return position.floor === floor ? { x_m: position.x_m, y_m: position.y_m, radius_m: position.error_m } : null;
  }

  around(entry, place) {
    return place ? { x_m: place.x_m, y_m: place.y_m, radius_m: entry.accuracy_m ?? 0 } : null;
  }

  /** Passes time, and returns whether anything still moves. */
  glide(seconds) {
    const share = seconds === null ? 1 : 1 - Math.exp(-seconds / glide_s);
    let moving = false;
    for (const mote of this.all.values()) {
      for (const name of ['x_m', 'y_m', 'radius_m']) {
        const step = mote.aim[name] - mote[name];
        if (Math.abs(step) < 0.005) continue;
        mote[name] += step * share;
        moving = true;
      }
    }
    return moving;
  }
}
