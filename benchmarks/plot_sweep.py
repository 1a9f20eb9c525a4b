#!/usr/bin/env python3
"""The tables of `baton bench sweep --csv` as a picture: milliseconds over each axis, both logarithmic.

usage: plot_sweep.py svgd.csv ask.csv > docs/figures/sweep.svg
"""

import csv
import sys

from panels import Line, Panel, Style, svg

AXES = ["points", "particles", "dimension", "fidelities"]
STYLES = {"SVGD step, ms": Style("#1b4f72"), "ask, preset paper, ms": Style("#b03a2e", "6 3")}


def rows(path):
    with open(path, newline="") as file:
        return [(row["axis"], float(row["value"]), float(row["ms"])) for row in csv.DictReader(file)]


def panel(axis, tables):
    """Both tables over one axis."""
    of_axis = [[(value, ms) for name, value, ms in table if name == axis] for table in tables]
    lines = [Line(label, *map(list, zip(*points))) for label, points in zip(STYLES, of_axis)]
    return Panel(axis, lines, sorted({value for points in of_axis for value, _ in points}))


def main():
    tables = [rows(path) for path in sys.argv[1:3]]
    print(svg([panel(axis, tables) for axis in AXES], STYLES, columns=4, log_x=True))


if __name__ == "__main__":
    main()
