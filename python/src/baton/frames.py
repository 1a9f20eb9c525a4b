"""Trials as pandas frames."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from .extras import extra
from .trial import Trial

if TYPE_CHECKING:
    import pandas

#: Besides the parameters, in this order.
COLUMNS = ("value", "cost", "charged", "state", "reason", "aim", "asked", "answered", "holder")


def trials_frame(
    trials: Sequence[Trial],
    parameters: Iterable[str],
    descriptors: Iterable[str] = (),
    constraints: Iterable[str] = (),
) -> pandas.DataFrame:
    """A row per trial: where, at which fidelity, what was said of it, what came out."""
    pd = extra("pandas", "frames")
    rows = [
        {"task": t.task, "trial": t.id, "fidelity": t.fidelity, **t.point, **t.describe, **t.constraints}
        | {column: getattr(t, column) for column in COLUMNS}
        for t in trials
    ]
    value, *others = COLUMNS
    columns = ["task", "trial", "fidelity", *parameters, *descriptors, value, *constraints, *others]
    frame: pandas.DataFrame = pd.DataFrame(rows, columns=columns)
    frame["value"] = frame["value"].astype(float)
    for column in ("asked", "answered"):
        times = pd.to_datetime(frame[column].astype(float), unit="s", utc=True)
        frame[column] = times.dt.round("ms")
    return frame


def ledger_frame(trials: Sequence[Trial]) -> pandas.DataFrame:
    """A row per trial: what it cost, what it was for, and the nats that it was expected to buy."""
    pd = extra("pandas", "frames")
    rows = [
        {
            "task": t.task,
            "trial": t.id,
            "fidelity": t.fidelity,
            "cost": t.cost if t.charged else 0.0,
            "aim": t.aim,
            "nats_optimum": t.nats_optimum,
            "nats_transfer": t.nats_transfer,
            "nats_limits": t.nats_limits,
            "value": t.value,
            "why": t.why,
        }
        for t in trials
    ]
    columns = ["task", "trial", "fidelity", "cost", "aim", "nats_optimum", "nats_transfer",
               "nats_limits", "value", "why"]
    frame: pandas.DataFrame = pd.DataFrame(rows, columns=columns)
    for column in ("cost", "nats_optimum", "nats_transfer", "nats_limits", "value"):
        frame[column] = frame[column].astype(float)
    return frame
