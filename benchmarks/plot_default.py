#!/usr/bin/env python3
"""Regret over tasks of the default method and its rivals, from the experiments behind its page.

usage: plot_default.py results/default-method.jsonl > docs/figures/default-method.svg

Takes the studies of the present state (no earlier `state`, nothing `set`), and of the rivals those
with the same first seed. Radio's score is a share of the optimum: what is missing to 1 is drawn.
"""

import json
import sys
from math import sqrt
from statistics import mean, stdev

from panels import Line, Panel, Style, svg

FAMILIES = [
    "hartmann6", "hartmann6-shifted", "gas", "gas-moving", "radio",
    "forrester", "branin", "rosenbrock", "levy", "styblinski",
]
STYLES = {
    "default": Style("#1b4f72"),
    "warm-start": Style("#b03a2e", "6 3"),
    "mf-mes-fitted": Style("#6c6c6c", "2 3"),
}
# of a normal distribution, for a 90 % interval
QUANTILE = 1.645


def studies(path):
    """Scores by task, of all runs, for every family and method."""
    with open(path) as file:
        all_studies = [json.loads(line) for line in file]
    # seeds 1 to 10 are BoTorch's: the first tasks of them alone are compared
    present = [
        study for study in all_studies
        if study.get("first_seed", 1) > 1 and "state" not in study and "set" not in study
    ]
    seeds = {s["problem"]: s["first_seed"] for s in present if s["method"] == "default"}
    return {
        (s["problem"], s["method"]): s["scores"]
        for s in present if s["first_seed"] == seeds[s["problem"]]
    }


def line(method, by_task, misses):
    """Means with their intervals."""
    runs = [[1 - score for score in task] if misses else task for task in by_task]
    means = [mean(task) for task in runs]
    margins = [QUANTILE * stdev(task) / sqrt(len(task)) for task in runs]
    ends = [(middle - margin, middle + margin) for middle, margin in zip(means, margins)]
    return Line(method, list(range(1, len(runs) + 1)), means, ends)


def main():
    found = studies(sys.argv[1])
    panels = []
    for family in FAMILIES:
        misses = family == "radio"
        lines = [line(m, found[family, m], misses) for m in STYLES if (family, m) in found]
        tasks = max(len(curve.places) for curve in lines)
        title = "radio, 1 - ratio" if misses else family
        panels.append(Panel(title, lines, list(range(1, tasks + 1))))
    print(svg(panels, STYLES, columns=5, log_x=False))


if __name__ == "__main__":
    main()
