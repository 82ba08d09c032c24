"""The map of a floor: the time of all visitors in each of its cells, in five shades."""

import itertools
import math
import re
from collections.abc import Sequence

import matplotlib
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import Affine2D

from .plan import Place, Plan
from .plots import STYLE, WIDTH_PT, cut, figure, svg_of

MOST_CELLS = 4_000
LONGEST_ZONE_PT = 90
# From pale to dark, in grey as well.
SHADES = ("#e6edf4", "#b7cadd", "#7f9fc1", "#46699a", "#16325c")


def heat_map(cells: Sequence[tuple[float, float, float]], size: float | None, name: str, plan: Plan | None = None, zones: Sequence[Place] = ()) -> tuple[str, bool]:
    """Hours for each cell, by its middle, from pale to dark, over the plan and under the names of zones. A cell without a figure has dots; with a plan it is empty.
    Returns the figure, and whether it has such cells."""
    size = size or cell_size(cells)
    left, bottom = min(x for x, _, _ in cells) - size / 2, min(y for _, y, _ in cells) - size / 2
    width, depth = max(x for x, _, _ in cells) + size / 2 - left, max(y for _, y, _ in cells) + size / 2 - bottom
    # A far cell must not make a grid without end.
    while width * depth / size ** 2 > MOST_CELLS:
        size *= 2
    columns, rows = max(math.ceil(width / size - 0.01), 1), max(math.ceil(depth / size - 0.01), 1)
    grid = [[math.nan] * columns for _ in range(rows)]
    for x, y, hours in cells:
        row, column = min(int((y - bottom) / size), rows - 1), min(int((x - left) / size), columns - 1)
        grid[row][column] = hours + (0 if math.isnan(grid[row][column]) else grid[row][column])
    right, top = left + columns * size, bottom + rows * size
    with_plan = plan is not None and plan.image != ""
    # The frame has room for both.
    frame = (min(left, 0), min(bottom, 0), max(right, plan.width_m), max(top, plan.depth_m)) if plan and with_plan else (left, bottom, right, top)
    with matplotlib.rc_context(STYLE):
        drawn, axes = figure(min(max((WIDTH_PT - 70) * (frame[3] - frame[1]) / (frame[2] - frame[0]) + 90, 170), 420))
        if plan and with_plan:
            axes.add_patch(Rectangle((0, 0), plan.width_m, plan.depth_m, facecolor="white", linewidth=0, gid="plan"))
        else:
            axes.add_patch(Rectangle((left, bottom), columns * size, rows * size, facecolor="white", edgecolor="#a0a0a0", hatch="..", linewidth=0))
        for shade, words, places in shaded(grid):
            # One path for all cells of a shade keeps the file small.
            squares = [Path.unit_rectangle().transformed(Affine2D().scale(size).translate(left + column * size, bottom + row * size))
                       for row, column in places]
            path = Path.make_compound_path(*squares) if squares else Path([(left, bottom)])
            axes.add_patch(PathPatch(path, facecolor=shade, edgecolor=shade, linewidth=0.3, label=words, alpha=0.75 if with_plan else 1))
        for zone, x, y in zones:
            if frame[0] <= x <= frame[2] and frame[1] <= y <= frame[3]:
                words = axes.annotate(cut(zone, LONGEST_ZONE_PT), (x, y), ha="center", va="center", annotation_clip=False, zorder=8,
                                      bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1.5})
                words.set_in_layout(False)
        axes.set(xlim=(frame[0], frame[2]), ylim=(frame[1], frame[3]), aspect="equal", xlabel="metres", ylabel="metres")
        axes.xaxis.set_major_locator(MaxNLocator(5))
        axes.yaxis.set_major_locator(MaxNLocator(5))
        drawn.legend(loc="outside upper left", ncols=5, title="hours", alignment="left", frameon=False, fontsize=10, title_fontsize=10,
                     handlelength=1, handleheight=1, columnspacing=0.8, handletextpad=0.4)
        picture = svg_of(drawn, name)
    return with_picture(picture, f"{name}-plan", plan.image) if plan and with_plan else picture, any(math.isnan(hours) for line in grid for hours in line)


def with_picture(svg: str, name: str, image: str) -> str:
    """Puts the picture into the place of the rectangle that stands for it."""
    group = re.search(rf'<g id="{name}">\s*<path d="([^"]+)"[^>]*/>\s*</g>', svg)
    if not group:
        return svg
    numbers = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", group[1])]
    xs, ys = numbers[::2], numbers[1::2]
    place = f'x="{min(xs):g}" y="{min(ys):g}" width="{max(xs) - min(xs):g}" height="{max(ys) - min(ys):g}"'
    return svg[:group.start()] + f'<image {place} preserveAspectRatio="none" xlink:href="{image}"/>' + svg[group.end():]


def shaded(grid: Sequence[Sequence[float]]) -> list[tuple[str, str, list[tuple[int, int]]]]:
    """Five shades, each twice as long as the one before: colour, words and cells."""
    most = max((hours for row in grid for hours in row if not math.isnan(hours)), default=0)
    ends = [most / 2 ** (len(SHADES) - 1 - number) for number in range(len(SHADES))]
    found = []
    for number, shade in enumerate(SHADES):
        least = ends[number - 1] if number else -1.0
        places = [(row, column) for row, line in enumerate(grid) for column, hours in enumerate(line) if least < hours <= ends[number]]
        found.append((shade, f"to {ends[number]:.2g}", places))
    return found


def cell_size(cells: Sequence[tuple[float, float, float]]) -> float:
    """The least distance of two middles on an axis; a metre where there is one cell."""
    steps = [second - first for axis in (0, 1) for first, second in itertools.pairwise(sorted({round(cell[axis], 3) for cell in cells}))]
    return min(steps, default=1.0)
