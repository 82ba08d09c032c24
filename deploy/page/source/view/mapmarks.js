// Draws moving things and stores on one canvas over the map. 5,000 elements would be slow; 5,000 drawn marks are not.

import { plain } from './dom.js';

const whole = Math.PI * 2;

/** A layer of Leaflet's that draws the result of `things()`, on animation frames. */
export function marksLayer(leaflet, things, paint) {
  const Layer = leaflet.Layer.extend({
    onAdd(map) {
      this.canvas = leaflet.DomUtil.create('canvas', 'marks');
      map.getPanes().overlayPane.appendChild(this.canvas);
      map.on('moveend zoomend viewreset resize', this.reset, this);
      this.reset();
    },
    onRemove(map) {
      this.canvas.remove();
      map.off('moveend zoomend viewreset resize', this.reset, this);
    },
    reset() {
      const size = this._map.getSize();
      const density = Math.min(devicePixelRatio || 1, 2);
      leaflet.DomUtil.setPosition(this.canvas, this._map.containerPointToLayerPoint([0, 0]));
      Object.assign(this.canvas, { width: size.x * density, height: size.y * density });
      this.canvas.style.width = `${size.x}px`;
      this.canvas.style.height = `${size.y}px`;
      this.context = this.canvas.getContext('2d');
      this.context.scale(density, density);
      this.draw();
    },
    draw() {
      if (!this._map || !this.context) return;
      const size = this._map.getSize();
      this.context.clearRect(0, 0, size.x, size.y);
      drawAll(this.context, this._map, things(), paint(), size);
    },
  });
  return new Layer();
}

/** Converts metres on the ground to pixels, at this latitude and zoom: Web Mercator with tiles of 256 pixels. */
export const pixelsPerMetre = (latitude, zoom) => (256 * 2 ** zoom) / (40075016.686 * Math.max(0.01, Math.cos((latitude * Math.PI) / 180)));

function drawAll(context, map, { circles, movers, stores }, paint, size) {
  const point = (place) => map.latLngToContainerPoint([place.latitude, place.longitude]);
  const near = ({ x, y }) => x > -50 && y > -50 && x < size.x + 50 && y < size.y + 50;
  const zoom = map.getZoom();
  for (const circle of circles) drawCircle(context, point(circle.center), circle.radius_m * pixelsPerMetre(circle.center.latitude, zoom), circle, paint);
  const crowded = stores.length + movers.length > 80 && zoom < 11;
  for (const store of stores) {
    const at = point(store.fix);
    if (near(at)) drawMark(context, at, store, paint, crowded ? 0.5 : 1);
  }
  for (const mover of movers) {
    drawTrail(context, mover.trail.map(point), paint);
    const at = point(mover.fix);
    if (!near(at)) continue;
    drawAccuracy(context, at, mover.fix.accuracy_m * pixelsPerMetre(mover.fix.latitude, zoom), paint);
    if (mover.fix.course_deg !== null) drawCourse(context, at, mover.fix.course_deg, paint);
    drawMark(context, at, mover, paint, 1);
  }
}

function drawCircle(context, at, radius, { region, gateway, state }, paint) {
  context.beginPath();
  context.arc(at.x, at.y, radius, 0, whole);
  context.setLineDash(state === 'inside' ? [] : state === 'unknown' ? [2, 6] : [8, 5]);
  context.strokeStyle = state === 'inside' ? paint.good : paint.quiet;
  context.lineWidth = 2;
  context.stroke();
  context.setLineDash([]);
  if (radius > 25) words(context, `${region}: ${gateway} ${state}`, at.x, at.y - radius - 9, paint.soft, paint);
}

function drawTrail(context, points, paint) {
  context.beginPath();
  points.forEach((at, index) => (index === 0 ? context.moveTo(at.x, at.y) : context.lineTo(at.x, at.y)));
  context.strokeStyle = paint.beacon;
  context.globalAlpha = 0.7;
  context.lineWidth = 3;
  context.stroke();
  context.globalAlpha = 1;
}

function drawAccuracy(context, at, radius, paint) {
  if (radius < 8) return;
  context.beginPath();
  context.arc(at.x, at.y, radius, 0, whole);
  context.strokeStyle = context.fillStyle = paint.beacon;
  context.globalAlpha = 0.15;
  context.fill();
  context.globalAlpha = 0.6;
  context.lineWidth = 1;
  context.stroke();
  context.globalAlpha = 1;
}

/** An arrow beside the mark, in its direction of travel: 0° is north. */
function drawCourse(context, at, course_deg, paint) {
  context.save();
  context.translate(at.x, at.y);
  context.rotate((course_deg * Math.PI) / 180);
  context.beginPath();
  context.moveTo(0, -24);
  context.lineTo(8, -11);
  context.lineTo(-8, -11);
  context.closePath();
  context.fillStyle = paint.beacon;
  context.strokeStyle = paint.paper;
  context.lineWidth = 2;
  context.stroke();
  context.fill();
  context.restore();
}

/** A disc for a working one, a triangle for one that works in part, a square for one that does not work: readable without colour. */
function drawMark(context, at, { name, condition, chosen }, paint, size) {
  context.beginPath();
  if (condition.tone === 'bad') context.rect(at.x - 9 * size, at.y - 9 * size, 18 * size, 18 * size);
  else if (condition.tone === 'warn') {
    context.moveTo(at.x, at.y - 12 * size);
    context.lineTo(at.x + 12 * size, at.y + 9 * size);
    context.lineTo(at.x - 12 * size, at.y + 9 * size);
    context.closePath();
  } else context.arc(at.x, at.y, 9 * size, 0, whole);
  context.fillStyle = paint[condition.tone];
  context.strokeStyle = chosen ? paint.focus : paint.paper;
  context.lineWidth = chosen ? 4 : 2 * size;
  context.fill();
  context.stroke();
  if (size < 1) return;
  context.font = '700 12px system-ui, sans-serif';
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillStyle = paint.paper;
  context.fillText(condition.mark, at.x, at.y + 1);
  words(context, condition.tone === 'good' ? name : `${name}: ${condition.word}`, at.x, at.y + 20, paint.ink, paint);
}

function words(context, text, x, y, ink, paint) {
  const said = plain(text);
  context.font = '600 12px system-ui, sans-serif';
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.lineWidth = 4;
  context.lineJoin = 'round';
  context.strokeStyle = paint.paper;
  context.strokeText(said, x, y);
  context.fillStyle = ink;
  context.fillText(said, x, y);
}
