#!/usr/bin/env python3
"""The tables of `baton bench sweep --csv` as a picture: milliseconds over each axis, both logarithmic.

usage: plot_sweep.py svgd.csv ask.csv > docs/figures/sweep.svg
"""

import csv
import math
import sys

AXES = ["points", "particles", "dimension", "fidelities"]
STYLES = [("#1b4f72", "", "SVGD step"), ("#b03a2e", "6 3", "ask, preset paper")]
WIDTH, HEIGHT, PANEL, GAP = 940, 300, 190, 40
TOP, BOTTOM = 40, 50


def rows(path):
    with open(path, newline="") as file:
        return [(row["axis"], float(row["value"]), float(row["ms"])) for row in csv.DictReader(file)]


def main():
    tables = [rows(path) for path in sys.argv[1:3]]
    times = [ms for table in tables for _, _, ms in table]
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))
    height = HEIGHT - TOP - BOTTOM
    y = lambda ms: TOP + height * (1 - (math.log10(ms) - low) / (high - low))
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="11">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
    ]
    for place, axis in enumerate(AXES):
        left = 50 + place * (PANEL + GAP)
        values = sorted({value for table in tables for name, value, _ in table if name == axis})
        first, last = math.log10(values[0]), math.log10(values[-1])
        x = lambda value: left + PANEL * (math.log10(value) - first) / (last - first)
        out.append(f'<rect x="{left}" y="{TOP}" width="{PANEL}" height="{height}" fill="none" stroke="#888"/>')
        for power in range(low, high + 1):
            at = y(10.0**power)
            out.append(f'<line x1="{left}" x2="{left + PANEL}" y1="{at:.1f}" y2="{at:.1f}" stroke="#ddd"/>')
            if place == 0:
                out.append(f'<text x="{left - 5}" y="{at + 4:.1f}" text-anchor="end">{10.0**power:g} ms</text>')
        for value in values:
            out.append(
                f'<text x="{x(value):.1f}" y="{TOP + height + 14}" text-anchor="middle" font-size="9">{value:g}</text>')
        out.append(f'<text x="{left + PANEL / 2}" y="{HEIGHT - 12}" text-anchor="middle">{axis}</text>')
        for table, (colour, dashes, _) in zip(tables, STYLES):
            points = [(x(value), y(ms)) for name, value, ms in table if name == axis]
            path = " ".join(f"{px:.1f},{py:.1f}" for px, py in points)
            out.append(
                f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.6" stroke-dasharray="{dashes}"/>')
            out += [f'<circle cx="{px:.1f}" cy="{py:.1f}" r="2.6" fill="{colour}"/>' for px, py in points]
    for place, (colour, dashes, label) in enumerate(STYLES):
        at = 50 + 170 * place
        out.append(f'<line x1="{at}" x2="{at + 30}" y1="20" y2="20" stroke="{colour}" stroke-width="1.6" stroke-dasharray="{dashes}"/>')
        out.append(f'<text x="{at + 36}" y="24">{label}</text>')
    out.append("</svg>")
    print("\n".join(out))


if __name__ == "__main__":
    main()
