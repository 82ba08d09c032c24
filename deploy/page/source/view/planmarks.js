// Draws on the floor plan. The canvas, the camera, the colours and the things to draw are arguments; it keeps no state.

import { plain } from './dom.js';

const whole = Math.PI * 2;
export const font = '600 12px system-ui, sans-serif';

/** The step of a scale, in metres, with a length between 60 and 160 pixels. */
export function scaleStep(pixelsPerMetre) {
  let step = 1;
  while (step * pixelsPerMetre < 60) step *= step.toString().startsWith('2') ? 2.5 : 2;
  while (step * pixelsPerMetre > 160) step /= 2;
  return step;
}

export function drawGround(canvas, camera, paint, image, plan) {
  canvas.fillStyle = paint.ground;
  canvas.fillRect(0, 0, camera.width, camera.height);
  if (image && plan) {
    const height_m = (plan.width_m * image.height) / image.width;
    canvas.drawImage(image, camera.x(0), camera.y(height_m), plan.width_m * camera.scale, height_m * camera.scale);
    return;
  }
  const step = scaleStep(camera.scale) / 2;
  const start = camera.metres(0, camera.height);
  const end = camera.metres(camera.width, 0);
  canvas.beginPath();
  for (let x_m = Math.ceil(start.x_m / step) * step; x_m < end.x_m; x_m += step) {
    canvas.moveTo(Math.round(camera.x(x_m)) + 0.5, 0);
    canvas.lineTo(Math.round(camera.x(x_m)) + 0.5, camera.height);
  }
  for (let y_m = Math.ceil(start.y_m / step) * step; y_m < end.y_m; y_m += step) {
    canvas.moveTo(0, Math.round(camera.y(y_m)) + 0.5);
    canvas.lineTo(camera.width, Math.round(camera.y(y_m)) + 0.5);
  }
  canvas.strokeStyle = paint.line;
  canvas.lineWidth = 1;
  canvas.stroke();
}

/** A bar of a round number of metres, in the corner. */
export function drawScale(canvas, camera, paint) {
  const step = scaleStep(camera.scale);
  const y = camera.height - 14;
  canvas.strokeStyle = canvas.fillStyle = paint.ink;
  canvas.lineWidth = 2;
  canvas.beginPath();
  canvas.moveTo(14, y - 5);
  canvas.lineTo(14, y);
  canvas.lineTo(14 + step * camera.scale, y);
  canvas.lineTo(14 + step * camera.scale, y - 5);
  canvas.stroke();
  label(canvas, paint, `${step} m`, 14 + (step * camera.scale) / 2, y - 12, paint.ink);
}

/** Words on a background of their own, so that they are readable on any plan. */
export function label(canvas, paint, text, x, y, ink) {
  const words = plain(text);
  canvas.font = font;
  canvas.textAlign = 'center';
  canvas.textBaseline = 'middle';
  canvas.lineWidth = 4;
  canvas.lineJoin = 'round';
  canvas.strokeStyle = paint.paper;
  canvas.strokeText(words, x, y);
  canvas.fillStyle = ink;
  canvas.fillText(words, x, y);
}

/** Thin lines from labels to the marks that they are about. */
export function drawLines(canvas, paint, lines) {
  canvas.beginPath();
  for (const { from, to } of lines) {
    canvas.moveTo(from.x, from.y);
    canvas.lineTo(to.x, to.y);
  }
  canvas.strokeStyle = paint.quiet;
  canvas.lineWidth = 1;
  canvas.stroke();
}

/** Circles that hold their beacon two times out of three, and dashed rings where only the distance from the gateway is known. */
export function drawCircles(canvas, paint, dots, dashes, ground) {
  canvas.beginPath();
  for (const { x, y, radius } of dots) {
    if (radius < 6) continue;
    canvas.moveTo(x + radius, y);
    canvas.arc(x, y, radius, 0, whole);
  }
  canvas.strokeStyle = canvas.fillStyle = paint.beacon;
  canvas.globalAlpha = 0.1;
  if (ground) canvas.fill();
  canvas.globalAlpha = 0.55;
  canvas.setLineDash(dashes);
  canvas.lineWidth = ground ? 1 : 1.5;
  canvas.stroke();
  canvas.setLineDash([]);
  canvas.globalAlpha = 1;
}

/** Dots, hollow where the proximity is unknown; with a dashed circle while resolving, and a full circle for a duplicate. */
export function drawDots(canvas, paint, dots) {
  for (const hollow of [false, true]) {
    canvas.beginPath();
    for (const { mote, x, y } of dots) {
      if (mote.unknown !== hollow) continue;
      canvas.moveTo(x + 6, y);
      canvas.arc(x, y, 6, 0, whole);
    }
    canvas.fillStyle = hollow ? paint.paper : paint.beacon;
    canvas.strokeStyle = hollow ? paint.quiet : paint.paper;
    canvas.lineWidth = hollow ? 2 : 1.5;
    canvas.fill();
    canvas.stroke();
  }
  for (const { mote, x, y } of dots) {
    if (mote.resolving || mote.duplicate) drawHalo(canvas, x, y, 10, paint.warn, mote.resolving ? [3, 3] : [], 2);
  }
}

function drawHalo(canvas, x, y, radius, ink, dashes, width) {
  canvas.beginPath();
  canvas.arc(x, y, radius, 0, whole);
  canvas.setLineDash(dashes);
  canvas.strokeStyle = ink;
  canvas.lineWidth = width;
  canvas.stroke();
  canvas.setLineDash([]);
}

/** Marks the results of a search, above everything else. */
export function drawSought(canvas, paint, dots) {
  for (const dot of dots) {
    const { x, y, radius, ring } = dot;
    if (ring) drawHalo(canvas, x, y, Math.max(16, radius), paint.focus, [6, 4], 3);
    else {
      drawCircles(canvas, paint, [dot], [], true);
      drawDots(canvas, paint, [dot]);
      drawHalo(canvas, x, y, 11, paint.focus, [], 3);
    }
    if (!ring && radius > 14) drawHalo(canvas, x, y, radius, paint.focus, [], 1);
  }
}

function drawBox(canvas, paint, { x, y, width, fill, ink, edge, words, chosen }) {
  canvas.beginPath();
  canvas.roundRect(x - width / 2, y - 11, width, 22, 6);
  canvas.fillStyle = fill;
  canvas.fill();
  canvas.lineWidth = chosen ? 4 : 2;
  canvas.strokeStyle = chosen ? paint.focus : edge;
  canvas.stroke();
  canvas.font = '700 13px system-ui, sans-serif';
  canvas.textAlign = 'center';
  canvas.textBaseline = 'middle';
  canvas.fillStyle = ink;
  canvas.fillText(words, x, y + 1);
}

/** A gateway: a square with the mark of its condition. */
export function drawGateway(canvas, paint, { x, y, condition, chosen }) {
  drawBox(canvas, paint, { x, y, width: 22, fill: paint[condition.tone], ink: paint.paper, edge: paint.paper, words: condition.mark, chosen });
}

/** Gateways and beacons that stand too close together: the mark of the worst condition, and the number of beacons. Only faults are loud. */
export function drawCluster(canvas, paint, { x, y, gateways, count }) {
  const [first] = gateways;
  const words = [first?.condition.mark, count > 0 ? String(count) : ''].filter(Boolean).join(' ');
  const tone = first?.condition.tone ?? 'beacon';
  const look = tone === 'good' ? { fill: paint.paper, ink: paint.good, edge: paint.good } : { fill: paint[tone], ink: paint.paper, edge: paint.paper };
  drawBox(canvas, paint, { x, y, width: Math.max(22, words.length * 7 + 8), ...look, words, chosen: gateways.some(({ chosen }) => chosen) });
}
