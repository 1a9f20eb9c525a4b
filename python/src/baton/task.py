"""One task of a campaign: ask, tell, finish, and what it has shown so far."""

from __future__ import annotations

import json
import math
import time
import warnings
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .constraints import Constraints, in_words
from .descriptors import Description, description
from .errors import (
    CampaignError,
    FinishedTrialError,
    NotFiniteError,
    PausedError,
    ShapeError,
    StoreError,
    TrialError,
)
from .html import table
from .parts import Fidelity
from .records import Records, level_of
from .space import Point, PointLike, Space
from .trial import BestSeen, Measurement, Prediction, Recommendation, Trial
from .work import Catch, Crew, How, Objective, Watcher, drive, local_crew

if TYPE_CHECKING:
    import pandas


class Task(BestSeen):
    """A task of a campaign. It holds no state of its own: the records of the campaign hold it."""

    def __init__(self, campaign: Records, name: str) -> None:
        self.campaign = campaign
        self.name = name

    # Driving it

    def ask(self, context: Description | None = None) -> Trial | None:
        """Proposes the next trial, which is then pending; nothing if none can be asked for now.

        The interpreter lock is released meanwhile. Pending trials are taken into account, so any
        number may be asked for before one is told.

        `context` is for descriptors that change from ask to ask, such as the weather of the hour: it
        counts beyond what is said of the task, or instead.
        """
        campaign, end = self.campaign, time.monotonic() + 60.0
        said = None if context is None else description(context, "the context")
        while True:
            step = json.loads(
                campaign._desk.step(campaign._asker(), None, self.name, False, None, said)
            )
            if step["step"] == "trial":
                return Trial._read(step["trial"])
            if step["step"] == "paused":
                raise PausedError(f"the task {self.name!r} is paused: {step['reason']}")
            if step["step"] != "busy":
                return None
            if time.monotonic() > end:
                raise StoreError(f"ask for a trial of {self.name!r}: others have had the turn")
            time.sleep(0.05)

    def tell(
        self,
        trial: Trial | int,
        value: ArrayLike,
        *,
        noise: float | None = None,
        cost: float | None = None,
        constraints: Constraints | None = None,
    ) -> None:
        """Reports the value of a trial. Telling the same again changes nothing; another value,
        noise, cost or constraint is refused.

        - `noise=0.02`: the standard error of this value; the noise of its fidelity counts otherwise.
        - `cost=3.7`: what it really cost, more than 0, which the budget is charged with; the cost of
          its fidelity is reserved while the trial is pending, and charged otherwise.
        - `constraints={"temperature": 43.7}`: what was measured of the quantities that have to keep
          bounds. What could not be measured is left out; then the trial is not known to be feasible.
        """
        given = {} if constraints is None else constraints
        told = Measurement(value, noise, cost, given)._checked(_number(trial))
        if not math.isfinite(told.value):
            raise NotFiniteError(
                f"the value of trial {_number(trial)} is {told.value}, not a finite number; "
                "a trial without a value is reported with fail"
            )
        self._settle(trial, told, "")

    def fail(self, trial: Trial | int, reason: str) -> None:
        """Reports that a trial could not be evaluated."""
        self._settle(trial, None, reason)

    def _settle(self, trial: Trial | int, told: Measurement | None, reason: str) -> None:
        number = _number(trial)
        if isinstance(trial, Trial) and trial.task != self.name:
            raise TrialError(f"trial {number} belongs to the task {trial.task!r}, not {self.name!r}")
        if number < 0:
            raise TrialError(f"trial {number}: trials are numbered from 0")
        task = trial.task_number if isinstance(trial, Trial) else self._begun()
        became, text = self.campaign._desk.settle((task, number), None, told, reason, "")
        if became == "superseded":
            now = Trial._read(json.loads(text))
            answer = f"the value {told}" if told is not None else f"the failure {reason!r}"
            known = Measurement(now.value, now.noise, now.paid, now.constraints)
            outcome = known if now.state == "told" else f"failed: {now.reason}"
            raise FinishedTrialError(
                f"trial {number} of {self.name!r} has its outcome already ({outcome}); "
                f"{answer} was not taken"
            )

    def suggest(self, point: PointLike, fidelity: str | None = None) -> Trial:
        """Makes a point of your own choice pending, by default at the highest fidelity.

        A task that has not begun begins with it.
        """
        campaign = self.campaign
        self._in_order()
        row, level = json.dumps([self.space.row(point)]), self._level(fidelity)
        while True:
            step = json.loads(campaign._desk.suggest(row, level, campaign._asker()))
            if step["step"] == "trial":
                return Trial._read(step["trial"])
            time.sleep(0.05)

    def add(
        self,
        points: Any,
        values: Any,
        fidelity: str | Iterable[str] | None = None,
        *,
        again: bool = False,
        constraints: Constraints | None = None,
    ) -> None:
        """Adds evaluations made elsewhere at no cost, by default of the highest fidelity.

        Those that the task has already are left out, with a warning; `again=True` adds them once
        more, as further observations. `constraints={"temperature": [43.7, 46.1]}` has a list for each
        quantity that was measured, with NaN or None where it was not.
        """
        self._in_order()
        problem = (self.space, self.fidelities)
        rows = self.campaign._rows(points, values, fidelity, problem, constraints)
        asker = self.campaign._asker()
        known = 0

        def add() -> bool:
            nonlocal known
            left_out = self.campaign._desk.add_free(rows, asker, again)
            known = left_out or 0
            return left_out is not None

        self.campaign._in_turn(add)
        if known:
            warnings.warn(
                f"{known} of {len(json.loads(rows))} evaluations are in the task {self.name!r} already "
                "and were left out; again=True adds them once more, as further observations",
                stacklevel=2,
            )

    def finish(self) -> Recommendation | None:
        """Ends the task: what it taught goes to the next one. Returns what is recommended, or None
        if nothing was told.

        Pending trials are given up, with a warning: they count as failed, and cost what failed
        trials cost.
        """
        if self.state == "to come":
            raise CampaignError(f"the task {self.name!r} has not begun")
        if self.state != "finished":
            pending = [trial.id for trial in self.trials if trial.state == "pending"]
            asker = self.campaign._asker()
            self.campaign._in_turn(lambda: self.campaign._desk.finish(asker))
            self._warn_of_given_up(pending)
        return self.recommendation()

    def _warn_of_given_up(self, pending: list[int]) -> None:
        given_up = [t for t in self.trials if t.id in pending and t.state == "failed"]
        if not given_up:
            return
        numbers = ", ".join(str(trial.id) for trial in given_up)
        charge = sum(trial.cost for trial in given_up if trial.charged)
        warnings.warn(
            f"finish {self.name!r}: no answer came for {len(given_up)} of its trials ({numbers}); they "
            f"count as failed, {charge:g} of the budget is charged for them, and answers are refused "
            "from now on",
            stacklevel=3,
        )

    def _problem(self) -> dict[str, Any]:
        about: dict[str, Any] = json.loads(self.campaign._desk.problem(self.name))
        return about

    @property
    def space(self) -> Space:
        """What may be varied in it: the space of the campaign, with all that changed up to this task."""
        return Space._read(self._problem()["space"])

    @property
    def fidelities(self) -> tuple[Fidelity, ...]:
        """The ways to evaluate it, cheapest first, the highest fidelity last."""
        return tuple(Fidelity(**level) for level in self._problem()["fidelities"])

    @property
    def constraints(self) -> dict[str, str]:
        """The bounds that hold in it, by name: those of the campaign, with all that changed up to this task.

        >>> import baton
        >>> campaign = baton.Campaign(
        ...     {"x": (0.0, 1.0)}, goal="minimize", constraints={"temperature": "<= 45"}
        ... )
        >>> campaign.task("monday", budget=9, constraints={"temperature": "<= 43"}).constraints
        {'temperature': '<= 43'}
        """
        return in_words(self._problem()["constraints"])

    @property
    def changes(self) -> list[str]:
        """What is otherwise than in the task before, in words.

        >>> import baton
        >>> campaign = baton.Campaign({"x": (0.0, 1.0)}, goal="minimize", tasks={"monday": 9})
        >>> tuesday = campaign.task("tuesday", budget=9, space={"tilt": baton.real(0, 10, was=3)})
        >>> tuesday.changes, tuesday.space.names
        (['tilt is new; it was 3'], ('x', 'tilt'))
        """
        return list(self._problem()["changes"])

    def _level(self, fidelity: str | None) -> int:
        return level_of(fidelity, self.fidelities)

    @property
    def describe(self) -> Point:
        """What is said of it: values of descriptors, by name."""
        return dict(self._about().get("describe", {}))

    @property
    def stopped(self) -> dict[str, Any] | None:
        """Why it ended early, if it did: `stop`, `chance`, `left` and `gained`."""
        found: dict[str, Any] | None = self._about().get("stopped")
        return found

    @property
    def attributes(self) -> dict[str, Any]:
        """What was noted about the task with `annotate`."""
        return dict(self._about().get("attributes", {}))

    def annotate(self, trial: Trial | int | None = None, /, **attributes: Any) -> dict[str, Any]:
        """Notes something about the task, or about one of its trials; `None` takes it away.

        A task that has not begun begins with it.

        >>> from baton import Campaign
        >>> task = Campaign({"x": (0.0, 1.0)}, goal="minimize", tasks={"monday": 9}).task("monday")
        >>> trial = task.ask()
        >>> task.annotate(trial, note="door open", batch=3)
        {'batch': 3, 'note': 'door open'}
        """
        number = None if trial is None else _number(trial)
        changes = json.dumps({name: _plain(name, value) for name, value in attributes.items()})
        if trial is None and self.state == "to come":
            self.add([], [])  # a task that has not begun begins with it
        noted = json.loads(self.campaign._desk.annotate(self._begun(), number, changes))
        return dict(noted)

    def go_on(self) -> None:
        """Lets the task go on after it was paused because too many trials failed in a row."""
        self.campaign._desk.go_on()

    def minimize(
        self,
        function: Objective,
        *,
        n_jobs: int = 1,
        catch: Catch = (),
        progress: bool | None = None,
        worker: str | None = None,
        lease: float = 60.0,
        callbacks: Iterable[Callback] = (),
        timeout: float | None = None,
        take_over: bool = False,
    ) -> Recommendation | None:
        """Runs the task to its end and finishes it; `function` is given a trial, returns its value.

        - `n_jobs=4`: four evaluations at a time, each in a thread.
        - `catch=(OSError,)`: exceptions that make a trial a failed one; any other comes out
          unchanged, and its trial stays pending: the next call, here or in another process,
          evaluates it again. So it is after Ctrl-C.
        - `progress=False`: no bar; by default there is one on a terminal and in notebooks.
        - `worker="node 7"`: a name among all that work on the campaign. One that is kept gets the
          trials back that it had.
        - `lease=600`: so many seconds without a sign of life, and others may take the trial.
        - `callbacks=[show]`: each is called as `show(task, trial)` after a trial has its outcome,
          in the thread of the caller. An exception of it comes out unchanged, except `baton.Stop`:
          then no new trial is begun.
        - `timeout=3600`: no new trial is begun after so many seconds.
        - `take_over=True`: trials that others asked for and did not answer are evaluated here, too.
          Those that this process asked for and forgot always are.

        After `timeout` and `baton.Stop`, what is running is finished and told, and the task stays
        open: a later call goes on. A function that returns NaN or None, or raises
        `baton.TrialFailed`, makes the trial a failed one.

        >>> import baton
        >>> campaign = baton.Campaign({"x": (0.0, 1.0)}, goal="minimize", seed=7)
        >>> task = campaign.task("monday", budget=9)
        >>> def good_enough(task, trial):
        ...     if trial.value is not None and len(task.trials) == 3:
        ...         raise baton.Stop
        >>> best = task.minimize(lambda trial: trial["x"] ** 2, callbacks=[good_enough])
        >>> task.state, task.spent
        ('open', 3.0)
        >>> best = task.minimize(
        ...     lambda trial: trial["x"] ** 2, n_jobs=2, catch=(OSError,), progress=False,
        ...     worker="node 7", lease=600, timeout=3600,
        ... )
        >>> task.state, task.spent
        ('finished', 9.0)
        """
        how = How(catch, progress, worker, lease, timeout, take_over)
        return optimize(self.campaign, "minimize", function, n_jobs, how, callbacks, self.name)[0]

    def maximize(
        self,
        function: Objective,
        *,
        n_jobs: int = 1,
        catch: Catch = (),
        progress: bool | None = None,
        worker: str | None = None,
        lease: float = 60.0,
        callbacks: Iterable[Callback] = (),
        timeout: float | None = None,
        take_over: bool = False,
    ) -> Recommendation | None:
        """As `minimize`, for a campaign whose goal is to maximize."""
        how = How(catch, progress, worker, lease, timeout, take_over)
        return optimize(self.campaign, "maximize", function, n_jobs, how, callbacks, self.name)[0]

    # What it has shown

    def _about(self) -> dict[str, Any]:
        found = [task for task in self.campaign._tasks() if task["name"] == self.name]
        if not found:
            raise CampaignError(f"the campaign has no task {self.name!r}")
        return found[0]

    def _in_order(self) -> None:
        """Refuses what would be about another task: they come one after the other."""
        first = next((t for t in self.campaign._tasks() if t["state"] != "finished"), None)
        if first is None or first["name"] != self.name:
            raise CampaignError(f"the task {self.name!r} is not the one under way")

    def _begun(self) -> int:
        number = self._about()["number"]
        if number is None:
            raise CampaignError(f"the task {self.name!r} has not begun")
        return int(number)

    @property
    def state(self) -> str:
        """`to come`, `open`, `paused` or `finished`."""
        return str(self._about()["state"])

    @property
    def budget(self) -> float:
        """What may be spent in all."""
        return float(self._about()["budget"])

    @property
    def spent(self) -> float:
        """What its trials cost so far, pending ones included."""
        return float(self._about()["spent"])

    @property
    def trials(self) -> list[Trial]:
        """All trials, in the order in which they were asked for."""
        number = self._about()["number"]
        if number is None:
            return []
        records = json.loads(self.campaign._desk.trials(number))
        return [Trial._read(record) for record in records]

    @property
    def best_trial(self) -> Trial | None:
        """The trial with the best value seen at the highest fidelity; none before there is one.

        What was measured elsewhere where it is forbidden here is none, nor what is not known to keep
        all constraints.
        """
        problem = self._problem()
        top, free = len(problem["fidelities"]), not problem["constraints"]
        told = [
            trial
            for trial in self.trials
            if trial.level == top and trial.value is not None and trial.allowed
            and (free or trial.feasible)
        ]
        sign = 1.0 if self.campaign.goal == "minimize" else -1.0
        return min(told, key=lambda trial: sign * float(trial.value or 0.0), default=None)

    def recommendation(self, context: Description | None = None) -> Recommendation | None:
        """The point to use.

        Of the posterior maximum and what was tried at the highest fidelity, the one whose 90 % interval has the
        best lower end.

        With a `context`, the point to use where that holds, as in `ask`.
        """
        said = None if context is None else description(context, "the context")
        number = self._about()["number"]
        text = None if number is None else self.campaign._desk.recommendation(number, said)
        if text is None:
            return None
        found = json.loads(text)
        point, (low, high) = self.space.point(found["point"]), found["interval"]
        evaluated, seen, feasible = found["evaluated"], found["seen"], found.get("feasible")
        return Recommendation(point, found["mean"], low, high, evaluated, seen, feasible)

    def predict(self, points: Any) -> Prediction:
        """What is expected at the highest fidelity at some points: an array, a frame, or a list of points."""
        rows = self.space.rows(points)
        parts = self.campaign._desk.expectations(self._begun(), json.dumps(rows))
        if rows and not parts[0]:
            raise CampaignError(f"predict the values of {self.name!r}: nothing was told yet")
        return Prediction(*(np.array(part) for part in parts))

    def arrays(self) -> tuple[NDArray[Any], NDArray[np.intp], NDArray[np.float64]]:
        """Points, levels (counted from 1, the cheapest) and values of the trials that were told."""
        told = [trial for trial in self.trials if trial.value is not None]
        points = self.space.array([trial.point for trial in told])
        levels = np.array([trial.level for trial in told], dtype=np.intp)
        return points, levels, np.array([trial.value for trial in told], dtype=float)

    def frame(self) -> pandas.DataFrame:
        """Its trials as a pandas frame."""
        from .frames import trials_frame

        names, descriptors = self.space.names, self.campaign.descriptors
        return trials_frame(self.trials, names, descriptors, self.constraints)

    def ledger(self) -> pandas.DataFrame:
        """What each trial cost and was expected to buy, as a pandas frame."""
        from .frames import ledger_frame

        return ledger_frame(self.trials)

    def __repr__(self) -> str:
        about = self._about()
        return f"<Task {self.name!r}: {about['state']}, {about['spent']} of {about['budget']} spent>"

    def _repr_html_(self) -> str:
        names = self.space.names
        rows = [
            [t.id, t.fidelity, *map(t.point.get, names), t.value if t.value is not None else t.state]
            for t in self.trials
        ]
        return table(["trial", "fidelity", *names, "value"], rows, caption=repr(self))


def _plain(name: str, value: Any) -> Any:
    """What can be kept of a note."""
    try:
        json.dumps(value, allow_nan=False)
        return value
    except (TypeError, ValueError):
        raise ShapeError(
            f"the note {name}={value!r} of type {type(value).__name__} cannot be kept; write texts, "
            "finite numbers, truth values, or lists and dictionaries of them"
        ) from None


def _number(trial: Trial | int) -> int:
    if isinstance(trial, Trial):
        return trial.id
    if isinstance(trial, (int, np.integer)) and not isinstance(trial, bool):
        return int(trial)
    raise TrialError(f"{trial!r} is neither a trial nor the number of one")


#: Is told of every trial that has its outcome, with its task.
Callback = Callable[[Task, Trial], Any]


def optimize(
    campaign: Records,
    goal: str,
    function: Objective,
    n_jobs: int,
    how: How,
    callbacks: Iterable[Callback],
    task: str | None = None,
) -> list[Recommendation | None]:
    """Runs a task, or all, to the end in this process: what is recommended, one for each."""
    if goal != campaign.goal:
        raise CampaignError(f"the campaign was made to {campaign.goal}, not to {goal}")
    if task is None and not campaign._tasks():
        raise CampaignError(
            f"{goal} the tasks of {campaign.name!r}: it has none; add one with "
            'campaign.task("monday", budget=40), or with tasks={"monday": 40}'
        )
    return run(campaign, local_crew(function, n_jobs), how, callbacks, task)


def run(
    campaign: Records,
    crew: Crew,
    how: How,
    callbacks: Iterable[Callback],
    task: str | None = None,
) -> list[Recommendation | None]:
    """Runs a task, or all, to the end with a crew: what is recommended, one for each."""
    if callable(callbacks):
        raise ShapeError(f"callbacks is {callbacks!r}; write a list: callbacks=[function]")

    def watcher(callback: Callback) -> Watcher:
        return lambda trial: callback(Task(campaign, trial.task), trial)

    drive(campaign, crew, task=task, how=how, watchers=[watcher(one) for one in callbacks])
    names = [one["name"] for one in campaign._tasks() if task in (None, one["name"])]
    return [Task(campaign, name).recommendation() for name in names]
