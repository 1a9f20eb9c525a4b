"""Evaluating the trials of a campaign, several at a time, until there is nothing left.

One loop serves threads of this process and workers of a Ray cluster: a crew has places, takes a trial
for a place, and says later what came out. The records of the campaign are the single truth: a loop
that ends in the middle is started again and goes on.
"""

from __future__ import annotations

import contextlib
import json
import math
import queue
import sys
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Union

from ._baton import process_name
from .errors import PausedError, RangeError, ShapeError, Stop, TrialFailed
from .records import Records
from .trial import Measurement, Trial

#: Who has nothing to do waits so long before looking again, in seconds.
NAP = 0.1
#: Who waits for others says so after this long, and again and again, in seconds.
PATIENCE, REMINDER = 2.0, 60.0
#: A trial that this many workers lost is not given to another: it may be what ends them.
MOST_LOST = 3

#: Evaluates a trial.
Objective = Callable[[Trial], Any]
#: Is told of every trial that has its outcome.
Watcher = Callable[[Trial], Any]
Catch = Union[tuple[type[Exception], ...], type[Exception]]


@dataclass(frozen=True)
class How:
    """`Task.minimize` says what each is for."""

    catch: Catch = ()
    progress: bool | None = None
    worker: str | None = None
    lease: float = 60.0
    timeout: float | None = None
    take_over: bool = False

    def __post_init__(self) -> None:
        for name, seconds in (("lease", self.lease), ("timeout", self.timeout)):
            if not isinstance(seconds, (int, float, type(None))):
                raise ShapeError(f"{name} is {seconds!r}; write seconds, such as {name}=600")
        if not self.lease > 0:
            raise RangeError(f"lease is {self.lease}; it must be more than 0 seconds")
        if self.timeout is not None and not self.timeout >= 0:
            raise RangeError(f"timeout is {self.timeout}; it must be at least 0 seconds, or None")


class Crew(Protocol):
    """Those who evaluate."""

    kind: str
    places: int

    def begin(self, place: int, trial: Trial) -> None:
        """Starts an evaluation at a place that is free."""

    def wait(self, seconds: float) -> list[tuple[int, Any]]:
        """What came out, by place: values, or the exceptions that came instead."""

    def leave(self) -> None:
        """Nothing more will be asked of them."""


class Alone:
    """One evaluation at a time, in the caller's thread."""

    kind = "python"
    places = 1

    def __init__(self, function: Objective) -> None:
        self._function = function
        self._trial: Trial | None = None

    def begin(self, place: int, trial: Trial) -> None:
        self._trial = trial

    def wait(self, seconds: float) -> list[tuple[int, Any]]:
        trial, self._trial = self._trial, None
        return [] if trial is None else [(0, _attempt(self._function, trial))]

    def leave(self) -> None:
        pass


class Threads:
    """Several evaluations at a time, each in a thread that does not outlive the program."""

    kind = "python"

    def __init__(self, function: Objective, places: int) -> None:
        self._function = function
        self.places = places
        self._done: queue.Queue[tuple[int, Any]] = queue.Queue()

    def begin(self, place: int, trial: Trial) -> None:
        def evaluate() -> None:
            self._done.put((place, _attempt(self._function, trial)))

        threading.Thread(target=evaluate, daemon=True, name=f"baton-{place}").start()

    def wait(self, seconds: float) -> list[tuple[int, Any]]:
        try:
            return [self._done.get(timeout=seconds)]
        except queue.Empty:
            return []

    def leave(self) -> None:
        pass


def _attempt(function: Objective, trial: Trial) -> Any:
    try:
        return function(trial)
    except Exception as error:
        return error


def local_crew(function: Objective, n_jobs: int) -> Crew:
    """Threads of this process; the caller's own if there is to be one."""
    if n_jobs < 1:
        raise ShapeError(f"n_jobs is {n_jobs}; it must be at least 1")
    return Alone(function) if n_jobs == 1 else Threads(function, n_jobs)


def drive(
    campaign: Records,
    crew: Crew,
    *,
    task: str | None = None,
    how: How = How(),
    watchers: Sequence[Watcher] = (),
) -> None:
    """Works on a task, or on all, until it is finished, the time is over, or a watcher stops it."""
    name = how.worker or process_name(crew.kind)
    holders = [f"{name}/{place + 1}" for place in range(crew.places)]
    campaign._desk.go_on()
    campaign._desk.end_leases_of_the_gone()
    with _SignsOfLife(campaign, holders, how.lease), _Bar(campaign, task, how.progress) as bar:
        try:
            _Loop(campaign, crew, holders, task, how, watchers, bar).run()
        except BaseException:  # Ctrl-C, too: what was not answered is free for the next who comes
            with contextlib.suppress(Exception):  # else the leases end by themselves
                campaign._desk.release(holders)
            raise
        finally:
            crew.leave()


class _Loop:
    def __init__(
        self,
        campaign: Records,
        crew: Crew,
        holders: list[str],
        task: str | None,
        how: How,
        watchers: Sequence[Watcher],
        bar: _Bar,
    ) -> None:
        self.campaign, self.crew, self.holders = campaign, crew, holders
        self.task, self.how, self.watchers, self.bar = task, how, watchers, bar
        #: trials that this process asked for and forgot are taken over, or those of anybody
        self.forgetful = "" if how.take_over else campaign._asker()
        #: when it is said what is waited for
        self.patience = math.inf
        #: no trial is begun after it
        self.end = math.inf if how.timeout is None else time.monotonic() + how.timeout
        self.busy: dict[int, Trial] = {}

    def run(self) -> None:
        while True:
            over = self._fill()
            if over and not self.busy:
                return
            for place, outcome in self.crew.wait(NAP if self.busy else 0.0):
                self._answer(self.busy.pop(place), self.holders[place], outcome)
            if not self.busy and not over:
                time.sleep(0.0 if self._filled else NAP)

    def _fill(self) -> bool:
        """Gives trials to free places. Whether there is nothing left to do."""
        self._filled = False
        for place in range(self.crew.places):
            if place in self.busy:
                continue
            if time.monotonic() >= self.end:
                return True
            step = self._step(self.holders[place])
            if step["step"] == "finished" and self.task is None:
                self.bar.update()
                self._filled = True
            elif step["step"] in ("done", "finished"):
                return True
            elif step["step"] == "paused":
                raise PausedError(f"the task {step['task']!r} is paused: {step['reason']}")
            elif step["step"] == "trial":
                self._begin(place, Trial._read(step["trial"]))
            else:
                if step["step"] == "wait" and not self.busy:
                    self._say_what_is_waited_for()
                break  # nothing to do for the others either
            self.patience = math.inf
        return False

    def _say_what_is_waited_for(self) -> None:
        """If only others can go on, the user is told after a while, and again and again."""
        now = time.monotonic()
        if self.patience == math.inf:
            self.patience = now + PATIENCE
        if now < self.patience:
            return
        pending: list[dict[str, Any]] = json.loads(self.campaign._desk.pending())
        if not pending:
            return
        self.patience = now + REMINDER
        task, first = pending[0]["task"], pending[0]["id"]
        if all(one["expires"] is not None for one in pending):
            way_on = "or wait: what gives no sign of life until its lease ends is then evaluated here"
        else:
            way_on = "or call again with take_over=True to evaluate here what nobody works on"
        warnings.warn(
            f"waiting for {', '.join(map(_waited_for, pending))} of {task!r}: answer with "
            f"campaign.task({task!r}).tell({first}, value) or .fail({first}, reason), {way_on}",
            stacklevel=2,
        )

    def _step(self, holder: str) -> dict[str, Any]:
        step: dict[str, Any] = json.loads(
            self.campaign._desk.step(holder, self.how.lease, self.task, True, self.forgetful)
        )
        return step

    def _begin(self, place: int, trial: Trial) -> None:
        self._filled = True
        if trial.lost >= MOST_LOST:
            reason = f"{trial.lost} workers were lost while they evaluated it"
            self._settle(trial, self.holders[place], None, reason)
        else:
            self.crew.begin(place, trial)
            self.busy[place] = trial

    def _answer(self, trial: Trial, holder: str, outcome: Any) -> None:
        self._filled = True
        if isinstance(outcome, TrialFailed) or isinstance(outcome, self.how.catch):
            reason = str(outcome) or type(outcome).__name__
            self._settle(trial, holder, None, reason, log=repr(outcome))
        elif isinstance(outcome, BaseException):
            raise outcome
        elif outcome is None:
            self._settle(trial, holder, None, "the objective returned None")
        else:
            measured = outcome if isinstance(outcome, Measurement) else Measurement(outcome)
            told = measured._checked(trial.id)
            if math.isfinite(told.value):
                self._settle(trial, holder, told, "")
            else:
                self._settle(trial, holder, None, f"the value is {told.value}, not a finite number")

    def _settle(
        self, trial: Trial, holder: str, told: Measurement | None, reason: str, log: str = ""
    ) -> None:
        desk, number = self.campaign._desk, trial.task_number
        became, text = desk.settle((number, trial.id), holder, told, reason, log)
        self.bar.update(trial, told.value if told else None)
        if became == "counted":
            self._show(Trial._read(json.loads(text)))

    def _show(self, trial: Trial) -> None:
        for watcher in self.watchers:
            try:
                watcher(trial)
            except Stop:
                self.end = -math.inf


def _waited_for(one: dict[str, Any]) -> str:
    """A pending trial: who has it, for how long, and when its lease ends."""
    now, expires = time.time(), one["expires"]
    ends = "" if expires is None else f"; its lease ends in {max(expires - now, 0.0):.0f} s"
    return f"trial {one['id']} (with {one['holder'] or 'nobody'} for {now - one['asked']:.0f} s{ends})"


class _SignsOfLife:
    """Tells the others, every third of a lease, that the trials are still being evaluated."""

    def __init__(self, campaign: Records, holders: list[str], lease: float) -> None:
        self._over = threading.Event()

        def live() -> None:
            while not self._over.wait(lease / 3.0):
                try:
                    campaign._desk.renew(holders, lease)
                except Exception:  # a store that cannot be reached is noticed by the loop
                    pass

        self._thread = threading.Thread(target=live, daemon=True, name="baton-signs-of-life")

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()


class _Bar:
    """A bar over the budget of what is being run, with the best value so far."""

    def __init__(self, campaign: Records, task: str | None, shown: bool | None) -> None:
        self._campaign, self._task = campaign, task
        self._bar: Any = None
        if shown if shown is not None else _visible():
            from tqdm.auto import tqdm

            spent, budget = self._sums()
            self._bar = tqdm(total=budget, initial=spent, unit="", desc=task or campaign.name)

    def _sums(self) -> tuple[float, float]:
        tasks = [t for t in self._campaign._tasks() if self._task in (None, t["name"])]
        return sum(t["spent"] for t in tasks), sum(t["budget"] for t in tasks)

    def update(self, trial: Trial | None = None, value: float | None = None) -> None:
        """Shows where the campaign is now."""
        if self._bar is None:
            return
        spent, self._bar.total = self._sums()
        if trial is not None:
            shown = "failed" if value is None else f"{value:.5g}"
            self._bar.set_postfix_str(f"{trial.task}: trial {trial.id} at {trial.fidelity} {shown}",
                                      refresh=False)
        self._bar.n = spent
        self._bar.refresh()

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()


def _visible() -> bool:
    """On a terminal, and in notebooks."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules
