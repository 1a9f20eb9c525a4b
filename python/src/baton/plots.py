"""Pictures of campaigns, as matplotlib figures.

Every function returns a `matplotlib.figure.Figure`: a notebook shows it, `savefig` writes it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from .extras import extra

extra("matplotlib", "plots")

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from .campaign import Campaign
from .errors import CampaignError, UnknownParameterError
from .records import Records
from .space import Parameter, Value
from .task import Task
from .trial import Trial

#: Colours that can be told apart, in grey and by those who see fewer colours, too.
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#000000")
#: Points along a slice.
POINTS = 101


def _sheet(height: float = 3.6) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(6.4, height), layout="constrained")
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
    return figure, axes


def _tasks(given: Campaign | Task) -> tuple[Records, list[Task]]:
    if isinstance(given, Task):
        return given.campaign, [given]
    begun = [task for task in given.tasks if task.state != "to come"]
    if not begun:
        raise CampaignError(f"draw {given.name!r}: no task has begun")
    return given, begun


def _colour(index: int) -> str:
    return COLOURS[index % len(COLOURS)]


def _cost(trial: Trial) -> float:
    return trial.cost if trial.charged else 0.0


def _told(trials: Sequence[Trial]) -> list[Trial]:
    """Trials with a value, in the order in which they were told."""
    told = [trial for trial in trials if trial.value is not None]
    return sorted(told, key=lambda trial: trial.order or 0)


def best_against_cost(given: Campaign | Task) -> Figure:
    """The best value seen at the highest fidelity against what was spent, a line per task; where there
    are constraints, of the trials that keep them."""
    campaign, tasks = _tasks(given)
    better = min if campaign.goal == "minimize" else max
    figure, axes = _sheet()
    for i, task in enumerate(tasks):
        spent, best, costs, values = 0.0, math.nan, [], []
        top, free = len(task.fidelities), not task.constraints
        for trial in _told(task.trials):
            spent += _cost(trial)
            value = float(trial.value or 0.0)
            if trial.level == top and (free or trial.feasible):
                best = value if math.isnan(best) else better(best, value)
                axes.plot(spent, value, ".", color=_colour(i), alpha=0.35, zorder=1)
            costs.append(spent)
            values.append(best)
        axes.step(costs, values, where="post", color=_colour(i), label=task.name)
    name = " or ".join(dict.fromkeys(task.fidelities[-1].name for task in tasks))
    axes.set(xlabel="cost", ylabel=f"best value seen at {name}", title=f"to {campaign.goal}")
    axes.legend(frameon=False)
    return figure


def fidelity_use(given: Campaign | Task) -> Figure:
    """How much of each task's cost went into which fidelity, with the number of trials."""
    campaign, tasks = _tasks(given)
    figure, axes = _sheet(1.4 + 0.4 * len(tasks))
    left = np.zeros(len(tasks))
    for level, fidelity in enumerate(campaign._all_fidelities(), start=1):
        used = [[t for t in task.trials if t.fidelity == fidelity.name and t.charged] for task in tasks]
        costs = np.array([sum(trial.cost for trial in trials) for trials in used])
        bars = axes.barh(range(len(tasks)), costs, left=left, color=_colour(level - 1),
                         label=fidelity.name)
        counts = [str(len(trials)) if trials else "" for trials in used]
        axes.bar_label(bars, counts, label_type="center", color="white", fontsize=9)
        left += costs
    axes.set_yticks(range(len(tasks)), [task.name for task in tasks])
    axes.invert_yaxis()
    axes.set(xlabel="cost (numbers: trials)")
    axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1), title="fidelity")
    return figure


def posterior_slice(task: Task, parameter: str) -> Figure:
    """What is expected at the highest fidelity along one parameter, the others as recommended, with a 90 % band."""
    best = task.recommendation()
    space = task.space
    if parameter not in space.parameters:
        names = ", ".join(space.names)
        raise UnknownParameterError(f"unknown parameter {parameter!r}; the parameters are {names}")
    if best is None:
        raise CampaignError(f"draw {task.name!r}: nothing was told yet")
    if parameter not in best:
        raise CampaignError(f"draw {task.name!r}: the recommended point has no {parameter!r}")
    domain = space.parameters[parameter]
    along, discrete = _along(domain)
    expected = task.predict(space.varied(best.point, parameter, along))
    figure, axes = _sheet()
    if discrete:
        places = np.arange(len(along))
        spread = [expected.mean - expected.low, expected.high - expected.mean]
        axes.errorbar(places, expected.mean, spread, fmt="o", color=_colour(0), capsize=3)
        axes.set_xticks(places, [str(value) for value in along])
        axes.margins(x=0.1)
    else:
        places = np.array(along, dtype=float)
        axes.fill_between(places, expected.low, expected.high, color=_colour(0), alpha=0.2,
                          linewidth=0, label="90 % band")
        axes.plot(places, expected.mean, color=_colour(0), label="expected")
        axes.axvline(float(cast(float, best[parameter])), color=_colour(5), linestyle=":", label="recommended")
        if domain.parts["log"]:
            axes.set_xscale("log")
        axes.legend(frameon=False)
    others = ", ".join(f"{n}={v:.4g}" if isinstance(v, float) else f"{n}={v}"
                       for n, v in best.point.items() if n != parameter)
    axes.set(xlabel=parameter, ylabel=f"expected at {task.fidelities[-1].name}, 90 %",
             title=f"{task.name}" + (f", at {others}" if others else ""))
    return figure


def _along(parameter: Parameter) -> tuple[list[Value], bool]:
    """Legal values of a parameter, evenly spread, and whether they are few."""
    kind, parts = parameter.kind, parameter.parts
    if kind in ("ordered", "choice"):
        return list(parts["choices"]), True
    low, high = parts["low"], parts["high"]
    if kind in ("real", "log"):
        spread = np.geomspace if parts["log"] else np.linspace
        inside = np.clip(spread(low, high, POINTS), low, high)
        return [float(value) for value in inside], False
    step = parts.get("step", 1)
    count = math.floor((high - low) / step + 1e-9) + 1
    places = np.unique(np.round(np.linspace(0, count - 1, min(count, POINTS))).astype(int))
    values = [low + int(place) * step for place in places]
    return [int(v) if kind == "integer" else min(float(v), high) for v in values], count <= 12


def importance(given: Campaign | Task) -> Figure:
    """Which parameters matter: the share of the variance that each takes part in, alone and with others,
    with 90 % intervals; of the last task in which anything was told, or of this one."""
    found = _insight(given)
    if found["importance"] is None:
        raise CampaignError(f"draw what matters in {given.name!r}: nothing was told yet")
    effects = found["importance"]["fidelities"][-1]["parameters"]
    effects = sorted(effects, key=lambda effect: -float(effect["total"]["value"]))
    figure, axes = _sheet(1.4 + 0.4 * len(effects))
    for kind, alpha, label in (("total", 0.35, "with others"), ("first", 1.0, "alone")):
        shares = [effect[kind]["value"] for effect in effects]
        axes.barh(range(len(effects)), shares, color=_colour(0), alpha=alpha, label=label)
    for place, total in enumerate(effect["total"] for effect in effects):
        low, high = total["interval"]
        spread = [[total["value"] - low], [high - total["value"]]]
        axes.errorbar(total["value"], place, xerr=spread, fmt="none", color="black", capsize=3)
    axes.set_yticks(range(len(effects)), [effect["parameter"] for effect in effects])
    axes.invert_yaxis()
    axes.set(xlim=(0, 1), xlabel="share of the variance, 90 % intervals", title=f"what matters in {found['task']}")
    axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    return figure


def calibration(given: Campaign | Task) -> Figure:
    """How often intervals held what was told against how often they promise to: of all tasks, or of this
    one."""
    found = _insight(given)
    if not found["calibration"]:
        raise CampaignError(f"draw the calibration of {given.name!r}: nothing was told yet")
    nominal = [of["nominal"] for of in found["calibration"]]
    figure, axes = _sheet(4.8)
    axes.plot([0, 1], [0, 1], "--", color="0.5", label="as promised")
    for i, (kind, label) in enumerate((("left_out", "expected from all others"), ("one_ahead", "from those before"))):
        held = [of[kind] for of in found["calibration"]]
        axes.plot(nominal, held, "o-", color=_colour(i), label=label)
    axes.set(xlim=(0, 1), ylim=(0, 1.02), xlabel="what intervals promise", ylabel="what they hold",
             title=found["trust_in_words"])
    axes.legend(frameon=False)
    return figure


def _insight(given: Campaign | Task) -> dict[str, Any]:
    records, task = (given.campaign, given.name) if isinstance(given, Task) else (given, None)
    found: dict[str, Any] = json.loads(records._desk.insight(task))
    return found


def ledger(task: Task) -> Figure:
    """What each trial was expected to buy, for this task and for later ones, in nats per unit of cost."""
    trials = [trial for trial in task.trials if trial.nats_optimum is not None]
    if not trials:
        raise CampaignError(f"draw the ledger of {task.name!r}: no trial was chosen by the model yet")
    figure, axes = _sheet()
    numbers = np.array([trial.id for trial in trials])
    here = np.array([(t.nats_optimum or 0.0) / t.cost for t in trials])
    later = np.array([(t.nats_transfer or 0.0) / t.cost for t in trials])
    axes.bar(numbers, here, color=_colour(0), label="about this task's optimum")
    axes.bar(numbers, later, bottom=here, color=_colour(1), label="for later tasks")
    names = [level.name for level in task.fidelities]
    height = float(np.max(here + later)) or 1.0
    for trial in task.trials:
        place = -0.04 * height * trial.level
        axes.plot(trial.id, place, "s", markersize=4, color=_colour(1 + trial.level))
    for level, name in enumerate(names, start=1):
        axes.plot([], [], "s", markersize=4, color=_colour(1 + level), label=f"at {name}")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set(xlabel="trial", ylabel="nats per unit of cost", title=f"ledger of {task.name}")
    axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    return figure


def regret_over_tasks(campaign: Campaign, optimum: float | Mapping[str, float]) -> Figure:
    """What the best value seen of each finished task misses of the optimum.

    `optimum` is the best possible value, of every task or by the name of the task.
    """
    _, begun = _tasks(campaign)
    tasks = [task for task in begun if task.best is not None]
    sign = 1.0 if campaign.goal == "minimize" else -1.0
    missed = []
    for task in tasks:
        best = task.best
        known = optimum[task.name] if isinstance(optimum, Mapping) else optimum
        missed.append(sign * (float(best.value or 0.0) - known) if best is not None else math.nan)
    figure, axes = _sheet()
    axes.plot(range(1, len(tasks) + 1), missed, "o-", color=_colour(0))
    axes.set_xticks(range(1, len(tasks) + 1), [task.name for task in tasks])
    positive = [value for value in missed if value > 0]
    if positive and len(positive) == len(missed) and max(positive) > 10 * min(positive):
        axes.set_yscale("log")
    axes.set(xlabel="task", ylabel="regret of the best value seen")
    return figure


__all__ = [
    "best_against_cost",
    "calibration",
    "fidelity_use",
    "importance",
    "ledger",
    "posterior_slice",
    "regret_over_tasks",
]
