"""Panels side by side as SVG: lines with bands over one axis each, the upright axis logarithmic.

Knows nothing of what is measured. Only the standard library is needed.
"""

import math
from dataclasses import dataclass, field

PANEL, HIGH, GAP = 190, 190, 46
LEFT, TOP, BELOW = 54, 40, 58
# ticks closer than this would run into each other
CROWDED = 22


@dataclass
class Line:
    """A curve: its places, heights and, if known, the ends of an interval around each."""

    label: str
    places: list[float]
    heights: list[float]
    intervals: list[tuple[float, float]] = field(default_factory=list)

    def reach(self) -> list[float]:
        """Heights that the axis must cover; an interval may end at or below zero."""
        ends = zip(self.heights, self.intervals)
        lower_and_upper = [[max(low, height / 3), high] for height, (low, high) in ends]
        return sum(lower_and_upper, self.heights)


@dataclass
class Panel:
    """One picture of the row."""

    title: str
    lines: list[Line]
    ticks: list[float]


@dataclass
class Style:
    """How curves of one label look, on every panel."""

    colour: str
    dashes: str = ""


def svg(panels: list[Panel], styles: dict[str, Style], columns: int, log_x: bool) -> str:
    """All panels in rows of so many, with one legend above."""
    rows = math.ceil(len(panels) / columns)
    width, height = LEFT + columns * (PANEL + GAP), TOP + rows * (HIGH + BELOW)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for number, (label, style) in enumerate(styles.items()):
        out += legend(LEFT + 170 * number, label, style)
    for number, panel in enumerate(panels):
        left = LEFT + (number % columns) * (PANEL + GAP)
        top = TOP + (number // columns) * (HIGH + BELOW)
        out += drawn(panel, styles, left, top, log_x)
    return "\n".join([*out, "</svg>"])


def legend(left: float, label: str, style: Style) -> list[str]:
    """A piece of line and what it stands for."""
    return [
        f'<line x1="{left}" x2="{left + 30}" y1="18" y2="18" {stroke(style)}/>',
        f'<text x="{left + 36}" y="22">{label}</text>',
    ]


def stroke(style: Style) -> str:
    return f'fill="none" stroke="{style.colour}" stroke-width="1.6" stroke-dasharray="{style.dashes}"'


def scale(heights: list[float]) -> list[float]:
    """Round numbers around all heights: 1, 2 and 5 times powers of ten, or powers alone over many."""
    least, most = min(heights), max(heights)
    digits = [1] if most > 200 * least else [1, 2, 5]
    powers = range(math.floor(math.log10(least)) - 1, math.ceil(math.log10(most)) + 2)
    every = [digit * 10.0**power for power in powers for digit in digits]
    below = max(step for step in every if step <= least)
    above = min(step for step in every if step >= most)
    return [step for step in every if below <= step <= above]


def drawn(
    panel: Panel, styles: dict[str, Style], left: float, top: float, log_x: bool
) -> list[str]:
    """A frame, its ticks and its curves."""
    along = math.log10 if log_x else float
    first, last = along(min(panel.ticks)), along(max(panel.ticks))
    steps = scale([height for line in panel.lines for height in line.reach()])
    low, high = math.log10(steps[0]), math.log10(steps[-1])
    x = lambda value: left + PANEL * (0.04 + 0.92 * (along(value) - first) / (last - first))
    y = lambda value: top + HIGH * (1 - min(1, max(0, (math.log10(value) - low) / (high - low))))
    out = [f'<rect x="{left}" y="{top}" width="{PANEL}" height="{HIGH}" fill="none" stroke="#888"/>']
    for step in steps:
        at = y(step)
        out.append(f'<line x1="{left}" x2="{left + PANEL}" y1="{at:.1f}" y2="{at:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{left - 5}" y="{at + 4:.1f}" text-anchor="end">{step:g}</text>')
    latest = -math.inf
    for tick in panel.ticks:
        if x(tick) - latest > CROWDED:
            latest = x(tick)
            out.append(
                f'<text x="{latest:.1f}" y="{top + HIGH + 14}" text-anchor="middle" font-size="9">{tick:g}</text>'
            )
    middle = left + PANEL / 2
    out.append(f'<text x="{middle}" y="{top + HIGH + 32}" text-anchor="middle">{panel.title}</text>')
    for line in panel.lines:
        out += curve(line, styles[line.label], x, y)
    return out


def curve(line: Line, style: Style, x, y) -> list[str]:
    """A band, if there is one, the line over it and its points."""
    out = []
    smallest = min(line.heights) / 10
    if line.intervals:
        lower = [(x(p), y(max(low, smallest))) for p, (low, _) in zip(line.places, line.intervals)]
        upper = [(x(p), y(high)) for p, (_, high) in zip(line.places, line.intervals)]
        around = " ".join(f"{a:.1f},{b:.1f}" for a, b in [*lower, *reversed(upper)])
        out.append(f'<polygon points="{around}" fill="{style.colour}" fill-opacity="0.15"/>')
    points = [(x(place), y(height)) for place, height in zip(line.places, line.heights)]
    path = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
    out.append(f'<polyline points="{path}" {stroke(style)}/>')
    return [*out, *(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.4" fill="{style.colour}"/>' for a, b in points)]
