/** Mouse, fingers and keys on a canvas: moves and zooms its camera, and reports taps and drags. */
export function gestures(canvas, camera, { onTap, onGrab, onDrag, onChange, onFit }) {
  const fingers = new Map();
  let moved = false;
  let held = null;
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };

  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, place(event));
    if (fingers.size === 1) {
      moved = false;
      held = onGrab(place(event));
    }
  });
  canvas.addEventListener('pointermove', (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const now = place(event);
    if (!moved && Math.hypot(now.x - before.x, now.y - before.y) < 4) return;
    moved = true;
    const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) pinch(before, now, other);
    else if (held !== null) onDrag(held, camera.metres(now.x, now.y));
    else camera.pan(now.x - before.x, now.y - before.y);
    fingers.set(event.pointerId, now);
    onChange();
  });
  const end = (event) => {
    if (fingers.delete(event.pointerId) && !moved && event.type === 'pointerup') onTap(place(event));
    if (fingers.size === 0) held = null;
  };
  canvas.addEventListener('pointerup', end);
  canvas.addEventListener('pointercancel', end);

  function pinch(before, now, other) {
    const former = Math.hypot(before.x - other.x, before.y - other.y);
    const apart = Math.hypot(now.x - other.x, now.y - other.y);
    if (former > 10 && apart > 10) camera.zoom(apart / former, (now.x + other.x) / 2, (now.y + other.y) / 2);
  }

  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    const { x, y } = place(event);
    camera.zoom(Math.exp(-Math.max(-200, Math.min(200, event.deltaY)) / 400), x, y);
    onChange();
  }, { passive: false });

  const steps = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] };
  canvas.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (steps[event.key]) camera.pan(...steps[event.key]);
    else if (event.key === '+' || event.key === '=') camera.zoom(1.25, camera.width / 2, camera.height / 2);
    else if (event.key === '-') camera.zoom(0.8, camera.width / 2, camera.height / 2);
    else if (event.key !== '0') return;
    event.preventDefault();
    if (event.key === '0') onFit();
    else onChange();
  });
}
