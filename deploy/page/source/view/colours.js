/** The page's colours, which a canvas has to be told. They change with the light. */
export function colours() {
  const style = getComputedStyle(document.documentElement);
  const found = {};
  for (const name of ['ink', 'soft', 'line', 'ground', 'paper', 'beacon', 'good', 'warn', 'bad', 'quiet', 'focus']) {
    found[name] = style.getPropertyValue(`--${name}`).trim();
  }
  return found;
}
