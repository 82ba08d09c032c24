"""Plots as small SVG files, the same bytes for the same figures."""

from xml.sax.saxutils import escape

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 720, 240, 56, 30, 14, 40
COLOURS = ("#0b6e99", "#c4532d", "#7a7a7a", "#5b8c2a")


def ticks(low, high, count=5):
    step = (high - low) / count or 1
    power = 10 ** len(str(int(step))) / 10 if step >= 1 else 0.1
    step = max(power * round(step / power), power)
    value = step * -(-low // step)
    while value <= high + 1e-9:
        yield value + 0.0  # Never −0.
        value += step


class Panel:
    """One pair of axes; panels of one plot stand below each other."""

    def __init__(self, title, x_label, y_label, x_range, y_range):
        self.title, self.x_label, self.y_label = title, x_label, y_label
        self.x_range, self.y_range = x_range, y_range
        self.parts, self.legend = [], []

    def x(self, value):
        low, high = self.x_range
        return LEFT + (WIDTH - LEFT - RIGHT) * (min(max(value, low), high) - low) / (high - low or 1)

    def y(self, value):
        low, high = self.y_range
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (min(max(value, low), high) - low) / (high - low or 1)

    def line(self, name, points, colour, dashed=False):
        path = " ".join(f"{self.x(x):.0f},{self.y(y):.0f}" for x, y in points)
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"{dash}/>')
        self.legend.append((name, colour))

    def dots(self, name, points, colour):
        places = sorted({(round(self.x(x)), round(self.y(y))) for x, y in points})
        path = "".join(f"M{x} {y}h3v3h-3z" for x, y in places)
        self.parts.append(f'<path d="{path}" fill="{colour}" fill-opacity="0.6"/>')
        self.legend.append((name, colour))

    def band(self, points, colour):
        upper = [(x, high) for x, _, high in points]
        lower = [(x, low) for x, low, _ in reversed(points)]
        path = " ".join(f"{self.x(x):.0f},{self.y(y):.0f}" for x, y in upper + lower)
        self.parts.append(f'<polygon points="{path}" fill="{colour}" fill-opacity="0.18"/>')

    def marks(self, name, xs, colour, share):
        """Ticks at a height of the panel, `share` of it from the bottom."""
        y = HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)
        path = "".join(f"M{self.x(x):.0f} {y:.0f}v-14" for x in xs)
        self.parts.append(f'<path d="{path}" stroke="{colour}" stroke-width="2"/>')
        self.legend.append((name, colour))

    def svg(self, offset):
        text = [f'<g transform="translate(0 {offset})">']
        text.append(f'<text x="{LEFT}" y="16" font-weight="bold">{escape(self.title)}</text>')
        for value in ticks(*self.y_range):
            y = f"{self.y(value):.0f}"
            text.append(f'<path d="M{LEFT} {y}H{WIDTH - RIGHT}" stroke="#ddd"/>')
            text.append(f'<text x="{LEFT - 6}" y="{float(y) + 4:.0f}" text-anchor="end">{value:g}</text>')
        for value in ticks(*self.x_range, 8):
            text.append(f'<text x="{self.x(value):.0f}" y="{HEIGHT - BOTTOM + 15}" text-anchor="middle">{value:g}</text>')
        text += self.parts
        text.append(f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 8}" text-anchor="end">{escape(self.x_label)}</text>')
        text.append(f'<text x="{LEFT + 4}" y="{TOP + 12}">{escape(self.y_label)}</text>')
        place = LEFT + 8 * len(self.title) + 20
        for name, colour in self.legend:
            text.append(f'<text x="{place}" y="16" fill="{colour}">{escape(name)}</text>')
            place += 7 * len(name) + 18
        return "\n".join(text + ["</g>"])


def save(path, panels):
    body = "\n".join(panel.svg(index * HEIGHT) for index, panel in enumerate(panels))
    with open(path, "w") as file:
        file.write(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT * len(panels)}" font-family="sans-serif" '
            f'font-size="12">\n<rect width="100%" height="100%" fill="white"/>\n{body}\n</svg>\n')
