/** The page's colours for the canvas. They change between light and dark. */
export function colours() {
  const style = getComputedStyle(document.documentElement);
  const found = {};
  for (const name of ['ink', 'soft', 'line', 'ground', 'paper', 'beacon', 'good', 'warn', 'bad', 'quiet', 'focus']) {
    found[name] = style.getPropertyValue(`--${name}`).trim();
  }
  return found;
}
