// Makes elements without HTML from words: a broker's data only ever becomes text.

/**
 * Words without deception: a character that changes the direction of text, or that is invisible, becomes a mark. Otherwise an id could
 * look like another one.
 */
export const plain = (words) => words.replace(/[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, '\ufffd');

export const byId = (id) => document.getElementById(id);

/** An element with a class and with children; a string among them becomes text. */
export function element(name, className = '', ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children.filter((child) => child !== null && child !== undefined).map((child) => (typeof child === 'string' ? plain(child) : child)));
  return made;
}

/** Sets text only where it differs, so that a screen reader and a selection are not disturbed. */
export function say(node, words) {
  const shown = plain(words);
  if (node.textContent !== shown) node.textContent = shown;
}

/** Gives `list` one child for each item, in order. A child stays the same element while its key does, and keeps its focus. */
export function keyed(list, items, keyOf, make, update) {
  const rows = (list.rows ??= new Map());
  const wanted = new Set();
  let place = list.firstElementChild;
  for (const item of items) {
    const key = keyOf(item);
    if (wanted.has(key)) continue;
    wanted.add(key);
    let row = rows.get(key);
    if (!row) rows.set(key, (row = make(item)));
    update(row, item);
    if (row === place) place = place.nextElementSibling;
    else list.insertBefore(row, place);
  }
  for (const [key, row] of rows) {
    if (wanted.has(key)) continue;
    row.remove();
    rows.delete(key);
  }
}

/** A list of tabs by WAI-ARIA: arrow keys go from one to the next. */
export function tabs(list, onChange = () => {}) {
  const all = [...list.querySelectorAll('[role=tab]')];
  const choose = (chosen) => {
    for (const tab of all) {
      tab.setAttribute('aria-selected', String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
      byId(tab.getAttribute('aria-controls')).hidden = tab !== chosen;
    }
    onChange(chosen.id);
  };
  for (const tab of all) {
    tab.addEventListener('click', () => choose(tab));
    tab.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const seen = all.filter((one) => !one.hidden);
      const next = seen[(seen.indexOf(tab) + step + seen.length) % seen.length];
      choose(next);
      next.focus();
      event.preventDefault();
    });
  }
  return (id) => choose(byId(id));
}
