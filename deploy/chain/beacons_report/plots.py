"""The figures as SVG by Matplotlib: readable in grey, on a phone and in print. The same data give the same bytes."""

import io
import itertools
import math
import re
import unicodedata
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib

from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from matplotlib.ticker import FuncFormatter, MaxNLocator

# At 328 points a phone of 360 pixels shows a point as a pixel.
WIDTH_PT = 328
LETTER_PT = 11
INK, FILL, PALE = "#1b1b1b", "#8fa9c4", "#dfe7ef"
STYLE: dict[Any, Any] = {
    "svg.fonttype": "none", "svg.hashsalt": "beacons", "text.parse_math": False, "font.size": LETTER_PT, "font.family": "DejaVu Sans", "axes.edgecolor": INK,
    "axes.linewidth": 0.8, "axes.spines.top": False, "axes.spines.right": False, "xtick.color": INK, "ytick.color": INK, "text.color": INK,
    "axes.labelcolor": INK, "hatch.linewidth": 0.9, "hatch.color": INK, "axes.axisbelow": True, "figure.dpi": 72, "savefig.dpi": 72,
    "axes.unicode_minus": False,
}
MOST_LABEL_PT = 318
MISSING_GLYPH = "Glyph .* missing from"
# The page gives the figure its title, and a table says all of it to those who do not see it. WeasyPrint reads no style sheet for a figure's font.
ATTRIBUTES = 'role="img" font-family="Report"'


@dataclass(frozen=True)
class Mark:
    """A number to compare with; with both ends where it lies between them."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Bar:
    """A bar with its interval, the figure of the week before and the usual one. `heard` is False where too little was heard."""

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None
    before: Mark | None = None
    usual: Mark | None = None
    heard: bool = True
    note: str = "?"


def figure(height_pt: float) -> tuple[Figure, Any]:
    drawn = Figure(figsize=(WIDTH_PT / 72, height_pt / 72), layout="constrained")
    return drawn, drawn.add_subplot()


def bars_by_day(bars: Sequence[Bar], name: str) -> str:
    with matplotlib.rc_context(STYLE):
        drawn, axes = figure(220)
        for x, bar in enumerate(bars):
            if bar.value is None:
                note(axes, x, bar.note)
            else:
                draw_bar(axes, x, bar)
            draw_marks(axes, x, bar)
        labels(axes, [bar.label for bar in bars])
        axes.set_ylabel("visits")
        return svg_of(drawn, name)


def bars_by_hour(bars: Sequence[Bar], every: int, name: str) -> str:
    """`every`: an hour that has a label, of so many."""
    with matplotlib.rc_context(STYLE):
        drawn, axes = figure(200)
        for x, bar in enumerate(bars):
            if bar.value is not None:
                draw_bar(axes, x, bar, width=0.86)
        if any(bar.before for bar in bars):
            # An hour without a figure breaks the line.
            before = [bar.before.value if bar.before else math.nan for bar in bars]
            axes.plot(range(len(bars)), before, color=INK, linewidth=1.2, linestyle=(0, (2, 1.5)), marker="D", markersize=3.5, markerfacecolor="white")
        labels(axes, [bar.label if number % every == 0 else "" for number, bar in enumerate(bars)])
        axes.set_ylabel("visits")
        return svg_of(drawn, name)


def draw_bar(axes: Any, x: float, bar: Bar, width: float = 0.7) -> None:
    axes.bar([x], [bar.value], width, color=FILL if bar.heard else "white", edgecolor=INK, linewidth=0.8, hatch=None if bar.heard else "////")
    if bar.low is not None and bar.high is not None and bar.value is not None:
        # Where a part was not heard, the interval lies above the counted number.
        axes.errorbar([x], [(bar.low + bar.high) / 2], [(bar.high - bar.low) / 2], color=INK, capsize=4, linewidth=1.8, zorder=6)


def draw_marks(axes: Any, x: float, bar: Bar) -> None:
    """The week before as a diamond at the side, and the usual number as dashes. What lies between two numbers shows both."""
    if bar.before:
        if bar.before.low is not None:
            axes.plot([x + 0.24] * 2, [bar.before.low, bar.before.high], color=INK, linewidth=0.9, marker="_", markersize=5, zorder=5)
        axes.plot([x + 0.24], [bar.before.value], marker="D", markersize=5, markerfacecolor="white", markeredgecolor=INK, linestyle="none", zorder=5)
    if bar.usual:
        ends = [bar.usual.value] if bar.usual.low is None else [bar.usual.low, bar.usual.high]
        for end in ends:
            axes.plot([x - 0.42, x + 0.42], [end] * 2, color=INK, linewidth=1.2, linestyle=(0, (2, 1.5)), zorder=4)


def note(axes: Any, x: float, words: str) -> None:
    """Words in the place of a bar."""
    axes.annotate(words, (x, 0), (0, 4), textcoords="offset points", ha="center", va="bottom", rotation=90 if len(words) > 1 else 0)


def labels(axes: Any, words: Sequence[str]) -> None:
    axes.set_xticks(range(len(words)), words)
    axes.set_xlim(-0.6, len(words) - 0.4)
    axes.tick_params(axis="x", length=0)
    axes.set_ylim(0, max(axes.get_ylim()[1], 1))
    axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.grid(axis="y", color="#c8c8c8", linewidth=0.6)


def dwell_by_day(days: Sequence[tuple[str, tuple[float, float, float] | None, str]], name: str) -> str:
    """Minutes: a bar from the first to the third quartile, and a line at the median."""
    with matplotlib.rc_context(STYLE):
        drawn, axes = figure(190)
        for x, (_, dwell, words) in enumerate(days):
            if dwell is None:
                note(axes, x, words)
                continue
            low, middle, high = (seconds / 60 for seconds in dwell)
            axes.bar([x], [high - low], 0.5, bottom=low, color=PALE, edgecolor=INK, linewidth=0.8)
            axes.plot([x - 0.25, x + 0.25], [middle] * 2, color=INK, linewidth=2.6, solid_capstyle="butt")
        labels(axes, [label for label, _, _ in days])
        axes.set_ylabel("minutes")
        return svg_of(drawn, name)


def bars_of_ways(ways: Sequence[tuple[str, int]], name: str) -> str:
    """A bar for each way, with its name above and its number behind."""
    with matplotlib.rc_context(STYLE):
        drawn, axes = figure(34 * len(ways) + 12)
        most = max(number for _, number in ways)
        for place, (way, number) in enumerate(ways):
            axes.barh([place], [number], 0.4, color=FILL, edgecolor=INK, linewidth=0.8)
            label = axes.annotate(cut(way), (0, place - 0.26), (0, 1), textcoords="offset points", va="bottom", ha="left", annotation_clip=False)
            label.set_in_layout(False)
            axes.annotate(f"{number:,}", (number, place), (4, 0), textcoords="offset points", va="center", annotation_clip=False)
        axes.set_ylim(len(ways) - 0.6, -0.9)
        axes.set_xlim(0, most * 1.15)
        axes.set_axis_off()
        return svg_of(drawn, name)


def timeline(days: Sequence[str], opened: Sequence[tuple[int, float, float]], gaps: Sequence[tuple[int, float, float]], name: str) -> str:
    """A row for each day, hours along it: filled while heard, hatched where not, empty while closed."""
    with matplotlib.rc_context(STYLE):
        drawn, axes = figure(26 * len(days) + 30)
        for row, begin, end in opened:
            axes.barh([row], [end - begin], 0.6, left=begin, color=FILL, linewidth=0)
        for row, begin, end in gaps:
            # A gap of minutes has to be seen.
            axes.barh([row], [max(end - begin, 0.08)], 0.6, left=begin, color="white", edgecolor=INK, linewidth=0.8, hatch="////")
        axes.set_yticks(range(len(days)), days)
        axes.set_ylim(len(days) - 0.5, -0.5)
        axes.set_xlim(0, 24)
        axes.set_xticks(range(0, 25, 4), [str(hour) for hour in range(0, 25, 4)])
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("o'clock")
        axes.grid(axis="x", color="#c8c8c8", linewidth=0.6)
        return svg_of(drawn, name)


def cut(words: str, most_pt: float = MOST_LABEL_PT) -> str:
    """The words as far as a line has room. A longer label would leave no room for the bars."""
    widths = list(itertools.accumulate(width_pt(letter) for letter in words))
    return words if not widths or widths[-1] <= most_pt else words[:sum(width <= most_pt - LETTER_PT for width in widths)] + "…"


def width_pt(letter: str) -> float:
    """In Matplotlib's font. It has no letters of East Asia, which are squares."""
    if unicodedata.east_asian_width(letter) in "WF":
        return LETTER_PT
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", MISSING_GLYPH)
        return float(text_to_path.get_text_width_height_descent(letter, FontProperties(family="DejaVu Sans", size=LETTER_PT), False)[0])


def svg_of(drawn: Figure, name: str) -> str:
    """The figure for a page with others: without a head, without its own fonts, and with identifiers of its own."""
    file = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": name}), warnings.catch_warnings():
        # The reader's own fonts have the letters that are missing here.
        warnings.filterwarnings("ignore", MISSING_GLYPH)
        drawn.savefig(file, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = file.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>\s*|<style type=\"text/css\">.*?</style>", "", text[text.index("<svg"):], flags=re.DOTALL)
    # Names from outside stand between tags, escaped, and stay as they are.
    return re.sub(r"<[^>]+>", lambda tag: own_tag(tag[0], name), text).strip()


def own_tag(tag: str, name: str) -> str:
    if tag.startswith("<svg"):
        # The frame scales with the page.
        box = re.search(r'viewBox="[^"]*"', tag)
        return f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" {box[0] if box else ""} {ATTRIBUTES}>'
    tag = re.sub(r"font-family: [^;\"]*;? ?", "", tag)
    return tag.replace(' id="', f' id="{name}-').replace("url(#", f"url(#{name}-").replace('href="#', f'href="#{name}-')
