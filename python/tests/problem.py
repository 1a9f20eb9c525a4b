"""The small problem that the tests share; `crates/baton/examples/proposals.rs` has the same."""

from __future__ import annotations

from typing import Any

import baton

SPACE = {
    "x": (0.0, 1.0),
    "rate": baton.log(1e-3, 1.0),
    "layers": range(1, 5),
    "mode": ["a", "b", "c"],
}
FIDELITIES = {"coarse": 1, "fine": 4}


def value(point: Any, fidelity: str) -> float:
    x, rate = point["x"], point["rate"]
    bias = 0.0 if fidelity == "fine" else 0.125 * x
    return (x - 0.375) * (x - 0.375) + (rate - 0.25) * (rate - 0.25) + bias


def objective(trial: baton.Trial) -> float:
    return value(trial, trial.fidelity)


def campaign(**options: Any) -> baton.Campaign:
    usual = {"goal": "minimize", "fidelities": FIDELITIES, "seed": 7}
    return baton.Campaign(SPACE, **{**usual, **options})


def small(**options: Any) -> baton.Campaign:
    """One parameter, quick to ask for."""
    usual = {"goal": "minimize", "fidelities": FIDELITIES, "seed": 7}
    return baton.Campaign({"x": (0.0, 1.0)}, **{**usual, **options})


def bowl(trial: baton.Trial) -> float:
    return (trial["x"] - 0.3) ** 2
