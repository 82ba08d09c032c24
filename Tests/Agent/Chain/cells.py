"""Coin cells: published discharge curves, and the days of a beacon that lives on one.

The curves are those that two makers of Bluetooth chips give with their programs for a CR2032: the voltage by the used part of the capacity.
Nordic's is that of an Energizer cell in four straight pieces. Silicon Labs' is the mean of the data sheets of Energizer, Maxell and
Panasonic. They agree on the end and differ on the way: at 2.9 V one has used 58 %, the other 20 %.
"""

import math
import random

CURVES = {
    "nordic": [(0, 3000), (58, 2900), (82, 2740), (94, 2440), (100, 2100)],
    "silabs": [(0, 3000), (20, 2900), (40, 2800), (60, 2700), (70, 2600), (80, 2500), (90, 2400), (100, 2000)],
}
# How a beacon's own reading is off from day to day, and what a cold or warm day does to the cell.
NOISE_MV, MV_PER_DEGREE = 8, 1.5


def voltage(curve, used):
    for (start, high), (end, low) in zip(CURVES[curve], CURVES[curve][1:], strict=False):
        if used <= end:
            return high + (low - high) * (used - start) / (end - start)
    return CURVES[curve][-1][1]


def capacity_at(curve, limit_mv):
    """The used part of the capacity at which a cell falls to a voltage."""
    for (start, high), (end, low) in zip(CURVES[curve], CURVES[curve][1:], strict=False):
        if low <= limit_mv:
            return start + (end - start) * (high - limit_mv) / (high - low)
    raise AssertionError(f"{curve} does not fall to {limit_mv} mV")


def life(curve, days, seed, limit_mv=2400):
    """The daily voltages of a cell whose capacity lasts `days`, until it has fallen to the limit."""
    chance = random.Random(f"{curve} {days} {seed}")
    levels = []
    for day in range(math.ceil(days * capacity_at(curve, limit_mv) / 100)):
        degrees = 4 * math.sin(2 * math.pi * (day + 40 * seed) / 365) + chance.gauss(0, 1)
        levels.append(round(voltage(curve, 100 * day / days) + chance.gauss(0, NOISE_MV) + MV_PER_DEGREE * degrees))
    return levels
