"""The pictures of docs/concepts: one small campaign, run here, and what the model says at some moments.

    python docs/figures/concepts.py                 # writes docs/figures/concepts-*.svg
    python docs/figures/concepts.py --png FOLDER    # and a PNG of each, to look at

It needs the package `baton` with matplotlib. The seed is fixed: the same version gives the same pictures.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import socket
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import MaxNLocator

import baton

SEED = 8
BUDGET = 40.0
COSTS = {"coarse": 1, "fine": 5}
COLOURS = {"coarse": "#e69f00", "fine": "#0072b2"}
GREY, GREEN = "#555555", "#009e73"
GRID = np.linspace(0.0, 1.0, 401)
# So many trials are told when the acquisition function is drawn.
TOLD = 10

# Peaks of each task's objective at the highest fidelity: height, place, width. Three tasks are related,
# the fourth is not.
PEAKS = {
    "monday": [(0.6, 0.25, 0.13), (1.0, 0.70, 0.11)],
    "tuesday": [(0.6, 0.27, 0.13), (1.0, 0.72, 0.11)],
    "wednesday": [(0.6, 0.29, 0.13), (1.0, 0.74, 0.11)],
    "thursday": [(1.0, 0.38, 0.10), (0.5, 0.95, 0.10)],
}


def highest(task: str, x: Any) -> Any:
    """The objective at the highest fidelity."""
    return sum(height * np.exp(-(((x - place) / width) ** 2)) for height, place, width in PEAKS[task])


def coarse(task: str, x: Any) -> Any:
    """The same at the low fidelity: damped, with a bias that changes slowly."""
    return 0.8 * highest(task, x) + 0.15 * np.cos(5.0 * x)


def simulate(trial: baton.Trial) -> float:
    level = highest if trial.fidelity == "fine" else coarse
    return float(level(trial.task, trial["x"]))


def campaign_of(folder: Path, name: str, **options: Any) -> baton.Campaign:
    return baton.Campaign(
        {"x": (0.0, 1.0)}, fidelities=COSTS, goal="maximize", seed=SEED,
        store=f"sqlite:{folder / 'concepts.db'}", name=name, **options,
    )


# What the model says: slices of the posterior and of the acquisition function, from the service


@contextlib.contextmanager
def service(folder: Path) -> Iterator[str]:
    """The package's own `baton serve` over the campaigns of a folder, for as long as it is needed."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command = [sys.executable, "-m", "baton", "serve", "--log", "none",
               "--bind", address, "--store", f"sqlite:{folder / 'concepts.db'}"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert running.stdout is not None
        running.stdout.readline()  # it says where it listens
        yield f"http://{address}"
    finally:
        running.terminate()
        running.wait()


def look(url: str, campaign: str, task: str) -> dict[str, dict[str, np.ndarray]]:
    """Per fidelity: the places, the posterior there, and the nats per unit of cost of a trial there."""
    through = urllib.parse.urlencode({"through": json.dumps({"x": 0.5})})
    with urllib.request.urlopen(f"{url}/api/campaigns/{campaign}/tasks/{task}/slices?{through}") as answer:
        (only,) = json.load(answer)["slices"]
    at = np.array(only["at"], dtype=float)
    return {
        band["fidelity"]: {"at": at, **{key: np.array(band[key]) for key in ("mean", "low", "high", "acquisition")}}
        for band in only["bands"]
    }


# Drawing


def sheet(rows: int, columns: int, height: float, **options: Any) -> tuple[Figure, Any]:
    figure = Figure(figsize=(7.2, height), layout="constrained", facecolor="white")
    axes = figure.subplots(rows, columns, squeeze=False, **options)
    for one in axes.flat:
        one.spines[["top", "right"]].set_visible(False)
    return figure, axes


def legend(figure: Figure, handles: list[Any], columns: int | None = None) -> None:
    figure.legend(handles=handles, loc="outside lower center", ncols=columns or len(handles), frameon=False)


def posterior(axes: Axes, band: dict[str, np.ndarray], colour: str = COLOURS["fine"]) -> None:
    axes.fill_between(band["at"], band["low"], band["high"], color=colour, alpha=0.18, linewidth=0)
    axes.plot(band["at"], band["mean"], color=colour, linewidth=1.8)


def objective(axes: Axes, task: str) -> None:
    axes.plot(GRID, highest(task, GRID), color=GREY, linewidth=1.1, linestyle=(0, (4, 3)))


def observations(axes: Axes, trials: list[baton.Trial]) -> None:
    for fidelity, marker in (("coarse", "s"), ("fine", "o")):
        told = [trial for trial in trials if trial.fidelity == fidelity and trial.value is not None]
        axes.plot([trial["x"] for trial in told], [trial.value for trial in told], marker, markersize=6,
                  color=COLOURS[fidelity], markeredgecolor="white", markeredgewidth=0.8, zorder=4)


POSTERIOR = [
    Line2D([], [], color=COLOURS["fine"], linewidth=1.8, label="posterior mean, highest fidelity"),
    Patch(color=COLOURS["fine"], alpha=0.18, linewidth=0, label="90 % interval"),
    Line2D([], [], color=GREY, linestyle=(0, (4, 3)), label="objective (not known to Baton)"),
]


def seen(fidelity: str, marker: str) -> Line2D:
    return Line2D([], [], linestyle="", marker=marker, color=COLOURS[fidelity], label=f"{fidelity} observation")


SEEN = [seen("coarse", "s"), seen("fine", "o")]


# The pictures


def picture_of_campaign(campaign: baton.Campaign) -> Figure:
    """Three tasks: how each budget is spent, and the simple regret on the way."""
    figure, axes = sheet(2, 1, 3.9, sharex=True, height_ratios=[1, 4])
    blocks, regrets = axes[0, 0], axes[1, 0]
    names = ["monday", "tuesday", "wednesday"]
    for place, name in enumerate(names):
        start = spent = place * BUDGET
        optimum, best = float(highest(name, np.linspace(0.0, 1.0, 200_001)).max()), -math.inf
        costs, values = [start], []
        for trial in campaign.task(name).trials:
            blocks.add_patch(Rectangle(
                (spent, 0), trial.cost, 1, facecolor=COLOURS[trial.fidelity], edgecolor="white", linewidth=1.0))
            spent += trial.cost
            best = max(best, float(highest(name, trial["x"])))
            costs.append(spent)
            values.append(optimum - best)
        # A trial's cost is spent when its value is known.
        regrets.step(costs[1:], values, where="post", color=GREEN, linewidth=2.0)
        blocks.text(start + BUDGET / 2, 1.25, f"task {name!r}".replace("'", ""), ha="center", va="bottom", fontweight="bold")
        for edge in (start, start + BUDGET):
            regrets.axvline(edge, color="#bbbbbb", linewidth=0.8, zorder=0)
    blocks.set(ylim=(0, 1), yticks=[])
    blocks.spines[["left", "bottom"]].set_visible(False)
    blocks.tick_params(bottom=False)
    regrets.set(yscale="log", xlim=(0, 3 * BUDGET), xlabel="cost spent in the campaign (budget of each task: 40)",
                ylabel="simple regret", ylim=(None, 1.5))
    legend(figure, [Patch(color=COLOURS["coarse"], label="coarse trial, cost 1"),
                    Patch(color=COLOURS["fine"], label="fine trial, cost 5"),
                    Line2D([], [], color=GREEN, linewidth=2, label="simple regret of the task")])
    return figure


def picture_of_levels() -> Figure:
    """The posterior at the highest fidelity, without and with coarse observations."""
    places = {"coarse": np.linspace(0.04, 0.96, 9), "fine": np.array([0.2, 0.45, 0.75])}
    figure, axes = sheet(1, 2, 3.4, sharey=True)
    shown = (("9 coarse observations", ["coarse"]), ("the same and 3 fine ones", ["coarse", "fine"]))
    for one, (title, levels) in zip(axes[0], shown):
        campaign = baton.Campaign({"x": (0.0, 1.0)}, fidelities=COSTS, goal="maximize", seed=SEED)
        task = campaign.task("monday", budget=BUDGET)
        for level in levels:
            function = highest if level == "fine" else coarse
            task.add([[x] for x in places[level]], [float(function("monday", x)) for x in places[level]], level)
        expected = task.predict([[x] for x in GRID])
        posterior(one, {"at": GRID, "mean": expected.mean, "low": expected.low, "high": expected.high})
        objective(one, "monday")
        observations(one, task.trials)
        one.set(title=title, xlabel="parameter x", xlim=(0, 1))
    axes[0, 0].set(ylabel="value at the highest fidelity")
    legend(figure, [*POSTERIOR, *SEEN], columns=3)
    return figure


def picture_of_length_scales() -> Figure:
    """Two parameters of one task: the value changes fast along one of them and hardly along the other."""
    campaign = baton.Campaign({"x": (0.0, 1.0), "y": (0.0, 1.0)}, goal="maximize", seed=SEED)
    task = campaign.task("two parameters", budget=20)

    def value(x: float, y: float) -> float:
        return float(highest("monday", x)) + 0.15 * y

    while (trial := task.ask()) is not None:
        task.tell(trial, value(trial["x"], trial["y"]))
    best = task.recommendation()
    assert best is not None
    figure, axes = sheet(1, 2, 3.2, sharey=True)
    for one, name in zip(axes[0], ("x", "y")):
        points = [{**best.point, name: float(at)} for at in GRID]
        expected = task.predict(points)
        posterior(one, {"at": GRID, "mean": expected.mean, "low": expected.low, "high": expected.high})
        one.plot(GRID, [value(point["x"], point["y"]) for point in points], color=GREY, linewidth=1.1,
                 linestyle=(0, (4, 3)))
        one.set(xlabel=f"parameter {name}", xlim=(0, 1))
    axes[0, 0].set(title="short length scale", ylabel="value at the highest fidelity")
    axes[0, 1].set(title="long length scale")
    legend(figure, POSTERIOR)
    return figure


def picture_of_acquisition(trials: list[baton.Trial], bands: dict[str, Any], chosen: baton.Trial) -> Figure:
    """The posterior of a task, and what a trial at each place and fidelity is worth."""
    figure, axes = sheet(2, 1, 4.6, sharex=True, height_ratios=[3, 2])
    above, below = axes[:, 0]
    posterior(above, bands["fine"])
    objective(above, "monday")
    observations(above, trials)
    above.set(ylabel="value")
    for fidelity, colour in COLOURS.items():
        band = bands[fidelity]
        below.plot(band["at"], 1e3 * band["acquisition"], color=colour, linewidth=1.8)
    rate = 1e3 * (chosen.nats_optimum or 0.0) / chosen.cost
    for one in (above, below):
        one.axvline(chosen["x"], color=GREEN, linewidth=1.0, zorder=0)
    below.plot(chosen["x"], rate, "*", markersize=14, color=GREEN, markeredgecolor="white", zorder=5)
    below.set(xlabel="parameter x", ylabel="millinats per\nunit of cost", xlim=(0, 1), ylim=(0, None))
    lines = [Line2D([], [], color=colour, linewidth=1.8, label=f"trial at {fidelity}")
             for fidelity, colour in COLOURS.items()]
    star = Line2D([], [], linestyle="", marker="*", markersize=11, color=GREEN, label="next trial")
    below.legend(handles=[*lines, star], frameon=False, loc="upper left")
    legend(figure, [*POSTERIOR, *SEEN], columns=3)
    return figure


def picture_of_ledger(task: baton.Task) -> Figure:
    """The paper's method: what each trial was expected to tell, for this task and for later ones."""
    figure, axes = sheet(1, 1, 3.2)
    one = axes[0, 0]
    trials = [trial for trial in task.trials if trial.nats_optimum is not None]
    numbers = [trial.id for trial in trials]
    here = np.array([(trial.nats_optimum or 0.0) / trial.cost for trial in trials])
    beta = float(task.campaign.settings["beta"])
    later = beta * np.array([(trial.nats_transfer or 0.0) / trial.cost for trial in trials])
    one.bar(numbers, here, color=GREEN, width=0.8)
    one.bar(numbers, later, bottom=here, color="#cc79a7", width=0.8)
    for trial in task.trials:
        one.plot(trial.id, -0.05 * float(np.max(here + later)), "s", markersize=5, color=COLOURS[trial.fidelity], clip_on=False)
    one.set(xlabel="trial", ylabel="nats per unit of cost")
    one.xaxis.set_major_locator(MaxNLocator(integer=True))
    legend(figure, [Patch(color=GREEN, label="about this task's maximum"),
                    Patch(color="#cc79a7", label=f"for later tasks, times beta = {beta:g}"),
                    Line2D([], [], linestyle="", marker="s", color=COLOURS["coarse"], label="coarse"),
                    Line2D([], [], linestyle="", marker="s", color=COLOURS["fine"], label="fine")])
    return figure


Moment = tuple[dict[str, Any], list[baton.Trial], "float | None"]


def picture_of_two(task: str, left: tuple[str, Moment], right: tuple[str, Moment]) -> Figure:
    """What is expected of a task at two moments, with the place of the next trial where there is one."""
    figure, axes = sheet(1, 2, 3.4, sharey=True)
    marks = []
    for one, (title, (bands, trials, next_at)) in zip(axes[0], (left, right)):
        posterior(one, bands["fine"])
        objective(one, task)
        observations(one, trials)
        if next_at is not None:
            one.axvline(next_at, color=GREEN, linewidth=1.4, zorder=0)
            marks = [Line2D([], [], color=GREEN, linewidth=1.4, label="next trial: the test")]
        one.set(title=title, xlabel="parameter x", xlim=(0, 1))
    axes[0, 0].set(ylabel="value at the highest fidelity")
    kinds = {trial.fidelity for _, (_, trials, _) in (left, right) for trial in trials}
    legend(figure, [*POSTERIOR, *(one for one in SEEN if one.get_label().split()[0] in kinds), *marks], columns=3)
    return figure


def run(task: baton.Task, trials: int | None = None) -> None:
    """Evaluates so many trials, or all."""
    while trials is None or trials > 0:
        trial = task.ask()
        if trial is None:
            return
        task.tell(trial, simulate(trial))
        trials = None if trials is None else trials - 1


def pictures(folder: Path) -> dict[str, Figure]:
    drawn = {"levels": picture_of_levels(), "length-scales": picture_of_length_scales()}
    campaign = campaign_of(folder, "related")
    with service(folder) as url:

        def moment(task: baton.Task, next_at: float | None = None) -> Moment:
            told = [trial for trial in task.trials if trial.state == "told"]
            return look(url, "related", task.name), told, next_at

        monday = campaign.task("monday", budget=BUDGET)
        run(monday, TOLD)
        bands, told, _ = moment(monday)
        chosen = monday.ask()
        assert chosen is not None
        drawn["acquisition"] = picture_of_acquisition(told, bands, chosen)
        monday.tell(chosen, simulate(chosen))
        run(monday)
        monday.finish()

        tuesday = campaign.task("tuesday", budget=BUDGET)
        run(tuesday, 1)
        cold = campaign_of(folder, "cold").task("tuesday", budget=BUDGET)
        cold.add([[tuesday.trials[0]["x"]]], [tuesday.trials[0].value])
        drawn["transfer"] = picture_of_two(
            "tuesday",
            ("from nothing, after one trial", (look(url, "cold", "tuesday"), tuesday.trials, None)),
            ("handed on, after the same trial", moment(tuesday)),
        )
        run(tuesday)
        tuesday.finish()
        wednesday = campaign.task("wednesday", budget=BUDGET)
        run(wednesday)
        wednesday.finish()
        drawn["campaign"] = picture_of_campaign(campaign)

        thursday = campaign.task("thursday", budget=BUDGET)
        test = thursday.ask()
        assert test is not None
        before = moment(thursday, next_at=float(test["x"]))
        thursday.tell(test, simulate(test))
        run(thursday)
        drawn["guard"] = picture_of_two(
            "thursday",
            ("before the first trial", before),
            ("at its end: by its own observations", moment(thursday)),
        )
    paper = campaign_of(folder, "paper", settings=baton.Settings("mft-mes", "default"))
    run(paper.task("monday", budget=BUDGET))
    drawn["ledger"] = picture_of_ledger(paper.task("monday"))
    return drawn


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--png", type=Path, help="a folder for PNG copies")
    png = words.parse_args().png
    matplotlib.rcParams.update({
        "font.family": "sans-serif", "font.size": 10, "axes.titlesize": 10, "legend.fontsize": 9,
        "svg.fonttype": "path", "svg.hashsalt": "concepts",
    })
    with tempfile.TemporaryDirectory() as folder:
        for name, figure in pictures(Path(folder)).items():
            path = Path(__file__).with_name(f"concepts-{name}.svg")
            figure.savefig(path, metadata={"Date": None})
            if png is not None:
                figure.savefig(png / f"concepts-{name}.png", dpi=100)
            print(path.name)


if __name__ == "__main__":
    main()
