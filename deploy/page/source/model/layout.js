// The places of gateways on the floor plan: those of the build, and those that were changed here since. In metres, x to
// the right and y upwards, from the lower left corner of the plan.

const round = (value) => Math.round(value * 100) / 100;
const finite = (value) => typeof value === 'number' && Number.isFinite(value) && Math.abs(value) <= 1e5;

/** A layout from stored data: only valid parts are taken. */
export function readLayout(value) {
  const layout = { plan: null, gateways: new Map() };
  const plan = value?.plan;
  if (typeof plan?.image === 'string' && /^data:image\/(png|jpeg|webp|svg\+xml);base64,/.test(plan.image) && finite(plan.width_m) && plan.width_m > 0) {
    layout.plan = { image: plan.image, width_m: plan.width_m };
  }
  for (const one of Array.isArray(value?.gateways) ? value.gateways.slice(0, 1000) : []) {
    if (typeof one?.id !== 'string') continue;
    const placed = finite(one.x_m) && finite(one.y_m);
    layout.gateways.set(one.id, {
      id: one.id,
      zone: typeof one.zone === 'string' ? one.zone : one.id,
      floor: Number.isInteger(one.floor) ? one.floor : 0,
      rssi_offset_db: finite(one.rssi_offset_db) ? one.rssi_offset_db : 0,
      x_m: placed ? one.x_m : null,
      y_m: placed ? one.y_m : null,
    });
  }
  return layout;
}

export const writeLayout = (layout) => ({ plan: layout.plan, gateways: [...layout.gateways.values()] });

/** Sets a gateway's place, in metres. */
export function placeGateway(layout, id, x_m, y_m, floor) {
  const former = layout.gateways.get(id) ?? { id, zone: id, rssi_offset_db: 0 };
  layout.gateways.set(id, { ...former, x_m: round(x_m), y_m: round(y_m), floor });
}

/** A string in TOML's form. */
function quoted(value) {
  const escaped = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return `"${value.replace(/["\\]/g, '\\$&').replace(/[\u0000-\u001f\u007f\u200b-\u200f\u2028-\u202e\u2060-\u206f]/g, escaped)}"`;
}

/** The lines for the site's config.toml. */
export function configuration(layout) {
  const tables = [...layout.gateways.values()].filter((one) => one.x_m !== null).map((one) =>
    ['[[site.gateway]]', `id = ${quoted(one.id)}`, `zone = ${quoted(one.zone)}`,
      `position = [${one.x_m.toFixed(2)}, ${one.y_m.toFixed(2)}]`, `floor = ${one.floor}`,
      ...(one.rssi_offset_db === 0 ? [] : [`rssi_offset_db = ${one.rssi_offset_db}`])].join('\n'));
  return tables.join('\n\n') + (tables.length > 0 ? '\n' : '');
}

/** The width of the whole plan, from two points of a known distance: the points are shares of the picture's width and height. */
export function planWidth(first, second, distance_m, aspect) {
  const apart = Math.hypot(second.x - first.x, (second.y - first.y) / aspect);
  return apart > 0.005 && distance_m > 0 ? distance_m / apart : null;
}

/** The places at which gateways are drawn: those without a place stand in rows of their own, and are marked. */
export function placesOf(layout, ids, floor) {
  const places = new Map();
  const missing = [];
  for (const id of ids) {
    const one = layout.gateways.get(id);
    if (one && one.x_m !== null) {
      if (one.floor === floor) places.set(id, { x_m: one.x_m, y_m: one.y_m, placed: true });
    } else {
      missing.push(id);
    }
  }
  const columns = Math.ceil(Math.sqrt(missing.length));
  const lowest = [...places.values()].reduce((least, place) => Math.min(least, place.y_m), 0);
  missing.sort().forEach((id, index) => {
    places.set(id, { x_m: (index % columns) * 12, y_m: lowest - 12 - Math.floor(index / columns) * 12, placed: false });
  });
  return places;
}
