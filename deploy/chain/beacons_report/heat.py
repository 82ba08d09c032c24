"""The map of a floor: the time of all visitors in each of its cells, in five shades."""

import itertools
import math
from collections.abc import Sequence

import matplotlib
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import Affine2D

from .plots import STYLE, WIDTH_PT, figure, svg_of

MOST_CELLS = 4_000
# From pale to dark, in grey as well.
SHADES = ("#e6edf4", "#b7cadd", "#7f9fc1", "#46699a", "#16325c")


def heat_map(cells: Sequence[tuple[float, float, float]], size: float | None, name: str) -> str:
    """Hours for each cell, by its middle, from pale to dark. A cell without a figure has dots."""
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
    with matplotlib.rc_context(STYLE):
        drawn, axes = figure(min(max((WIDTH_PT - 70) * rows / columns + 90, 170), 420))
        axes.add_patch(Rectangle((left, bottom), columns * size, rows * size, facecolor="white", edgecolor="#a0a0a0", hatch="..", linewidth=0))
        for shade, words, places in shaded(grid):
            # One path for all cells of a shade keeps the file small.
            squares = [Path.unit_rectangle().transformed(Affine2D().scale(size).translate(left + column * size, bottom + row * size))
                       for row, column in places]
            path = Path.make_compound_path(*squares) if squares else Path([(left, bottom)])
            axes.add_patch(PathPatch(path, facecolor=shade, edgecolor=shade, linewidth=0.3, label=words))
        axes.set(xlim=(left, left + columns * size), ylim=(bottom, bottom + rows * size), aspect="equal", xlabel="metres", ylabel="metres")
        axes.xaxis.set_major_locator(MaxNLocator(5))
        axes.yaxis.set_major_locator(MaxNLocator(5))
        drawn.legend(loc="outside upper left", ncols=5, title="hours", alignment="left", frameon=False, fontsize=10, title_fontsize=10,
                     handlelength=1, handleheight=1, columnspacing=0.8, handletextpad=0.4)
        return svg_of(drawn, name)


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
