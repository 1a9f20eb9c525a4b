#!/usr/bin/env python3
"""What transfer gains: simple regret over tasks beside BoTorch and Optuna, for the README.

usage: plot_gain.py > ../docs/figures/gain.svg

Nothing passes from task to task in the peers: each of their tasks is a first one. Tasks of a family
are independent draws, so all runs of a peer count for every task, and its line is flat.
"""

import json
from math import sqrt
from pathlib import Path
from statistics import mean, stdev

from panels import Line, Panel, Style, svg
from plot_default import QUANTILE, line, studies

RESULTS = Path(__file__).parent / "results"
FAMILIES = {"hartmann6": "Hartmann-6: simple regret by task", "rosenbrock": "Rosenbrock: simple regret by task"}
OWN = "Baton"
STYLES = {
    OWN: Style("#1b4f72"),
    "BoTorch, MF-GIBBON": Style("#b03a2e", "6 3"),
    "Optuna, GP": Style("#6c6c6c", "2 3"),
}


def peers(family):
    """All scores of each peer on a family."""
    found = {}
    for path in sorted(RESULTS.glob(f"*-{family}.jsonl")):
        for text in path.read_text().splitlines():
            run = json.loads(text)
            if run["peer"] in STYLES:
                found.setdefault(run["peer"], []).append(run["regret"])
    return found


def flat(label, scores, tasks):
    """The same mean and interval at every task."""
    middle, margin = mean(scores), QUANTILE * stdev(scores) / sqrt(len(scores))
    count = len(tasks)
    return Line(label, tasks, [middle] * count, [(middle - margin, middle + margin)] * count)


def main():
    own = studies(RESULTS / "default-method.jsonl")
    panels = []
    for family, title in FAMILIES.items():
        falling = line(OWN, own[family, "default"], misses=False)
        others = [flat(label, scores, falling.places) for label, scores in peers(family).items()]
        panels.append(Panel(title, [falling, *others], falling.places))
    print(svg(panels, STYLES, columns=2, log_x=False))


if __name__ == "__main__":
    main()
