// What is drawn on the floor plan. A canvas, the camera, the colours and what to draw come in; nothing is kept.

import { plain } from './dom.js';

const whole = Math.PI * 2;
const font = '600 12px system-ui, sans-serif';

/** The step of a scale, in metres, whose length lies between 60 and 160 pixels. */
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

/** Words on a ground of their own, so that they can be read on any plan. */
export function label(canvas, paint, text, middle, y, ink, width = Infinity) {
  const words = plain(text);
  canvas.font = font;
  const half = canvas.measureText(words).width / 2 + 4;
  const x = Math.max(half, Math.min(width - half, middle));
  canvas.textAlign = 'center';
  canvas.textBaseline = 'middle';
  canvas.lineWidth = 4;
  canvas.lineJoin = 'round';
  canvas.strokeStyle = paint.paper;
  canvas.strokeText(words, x, y);
  canvas.fillStyle = ink;
  canvas.fillText(words, x, y);
}

/** All beacons: the circles that hold them two times out of three first, then the dots, then the words. */
export function drawMotes(canvas, camera, paint, motes, chosen) {
  const visible = [];
  for (const mote of motes.values()) {
    const x = camera.x(mote.x_m);
    const y = camera.y(mote.y_m);
    if (x > -200 && y > -200 && x < camera.width + 200 && y < camera.height + 200) visible.push({ mote, x, y });
  }
  drawCircles(canvas, camera, paint, visible.filter(({ mote }) => mote.certain && !mote.unknown), []);
  drawCircles(canvas, camera, paint, visible.filter(({ mote }) => !mote.certain && !mote.unknown), [4, 4]);
  drawDots(canvas, paint, visible);
  // Words where there is room for them; the list has them all.
  const style = { paint, named: visible.length <= 60, wordy: camera.width >= 600 && visible.length <= 60 };
  for (const one of visible) drawMark(canvas, one, style, one.mote.beacon.identity === chosen);
}

function drawCircles(canvas, camera, paint, ones, dashes) {
  canvas.beginPath();
  for (const { mote, x, y } of ones) {
    const radius = mote.radius_m * camera.scale;
    if (radius < 6) continue;
    canvas.moveTo(x + radius, y);
    canvas.arc(x, y, radius, 0, whole);
  }
  // Where many circles lie over each other, a ground would hide the plan and say nothing.
  if (ones.length <= 150) {
    canvas.globalAlpha = 0.1;
    canvas.fillStyle = paint.beacon;
    canvas.fill();
  }
  canvas.globalAlpha = ones.length <= 150 ? 0.55 : 0.25;
  canvas.setLineDash(ones.length <= 150 ? dashes : []);
  canvas.strokeStyle = paint.beacon;
  canvas.lineWidth = 1;
  canvas.stroke();
  canvas.setLineDash([]);
  canvas.globalAlpha = 1;
}

function drawDots(canvas, paint, visible) {
  for (const hollow of [false, true]) {
    canvas.beginPath();
    for (const { mote, x, y } of visible) {
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
}

/** What is said of one beacon: its number, and ?, ↻ or ×2 for unknown, resolving and duplicate. */
function drawMark(canvas, { mote, x, y }, { paint, named, wordy }, chosen) {
  const special = mote.resolving || mote.duplicate;
  if (special || chosen) {
    canvas.beginPath();
    canvas.arc(x, y, 10, 0, whole);
    canvas.setLineDash(mote.resolving && !chosen ? [3, 3] : []);
    canvas.strokeStyle = chosen ? paint.focus : paint.warn;
    canvas.lineWidth = chosen ? 3 : 2;
    canvas.stroke();
    canvas.setLineDash([]);
  }
  if (!named && !special && !chosen) return;
  const sign = (mark, word) => (wordy || chosen ? `${mark} ${word}` : mark);
  const signs = [mote.beacon.label, mote.resolving && sign('↻', 'resolving'), mote.duplicate && sign('×2', 'duplicate'), mote.unknown && sign('?', 'unknown')];
  label(canvas, paint, signs.filter(Boolean).join(' '), x, y + 18, special ? paint.warn : mote.unknown ? paint.quiet : paint.ink);
}

/** A gateway: a square with the mark of its condition, its name and the word, and the people in its zone. */
export function drawGateway(canvas, camera, paint, { id, place, condition, zone, chosen }) {
  const x = camera.x(place.x_m);
  const y = camera.y(place.y_m);
  canvas.beginPath();
  canvas.roundRect(x - 11, y - 11, 22, 22, 6);
  canvas.fillStyle = paint[condition.tone];
  canvas.fill();
  canvas.lineWidth = chosen ? 4 : 2;
  canvas.strokeStyle = chosen ? paint.focus : paint.paper;
  canvas.stroke();
  canvas.font = '700 14px system-ui, sans-serif';
  canvas.textAlign = 'center';
  canvas.textBaseline = 'middle';
  canvas.fillStyle = paint.paper;
  canvas.fillText(condition.mark, x, y + 1);
  const words = condition.tone === 'good' ? id : `${id}: ${condition.word}`;
  label(canvas, paint, words, x, y - 22, condition.tone === 'good' ? paint.ink : paint[condition.tone], camera.width);
  if (zone) label(canvas, paint, zone, x, y + 22, paint.soft);
}
