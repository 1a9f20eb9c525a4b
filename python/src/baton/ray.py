"""Baton on Ray: a searcher for Ray Tune, and campaigns whose evaluations are spread over a cluster.

In both the records of the campaign are the single truth, and Ray does what it is made for: places,
resources, workers, and starting lost ones again.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import ray
from ray.tune.search import Searcher, sample

from .campaign import Campaign
from .errors import CampaignError, ParameterError
from .records import level_of
from .space import Parameter, Space, choice, integer, log, real, stepped
from .task import Callback, Task
from .task import run as run_tasks
from .trial import Recommendation, Trial
from .work import Catch, How, Objective


def run(
    campaign: Campaign | Task,
    function: Objective,
    *,
    concurrency: int | None = None,
    resources: Mapping[str, Mapping[str, Any]] | None = None,
    retries: int = 3,
    catch: Catch = (),
    progress: bool | None = None,
    worker: str | None = None,
    lease: float = 60.0,
    callbacks: Iterable[Callback] = (),
    timeout: float | None = None,
    take_over: bool = False,
) -> list[Recommendation | None]:
    """Runs a campaign, or one task of it, to its end on the Ray cluster that is connected.

    - `function` is given a `baton.Trial` and returns its value; it runs in a worker of the cluster.
    - `concurrency`: evaluations at a time; by default one per CPU of the cluster.
    - `resources`: for each fidelity what one evaluation needs, in the words of Ray's `options`:
      `{"coarse": {"num_cpus": 1}, "fine": {"num_cpus": 4, "num_gpus": 1}}`.
    - `retries`: how often Ray evaluates a trial again whose worker was lost; then it has failed.
    - `catch`, `progress`, `worker`, `lease`, `callbacks`, `timeout`: as in `Task.minimize`.

    Returns what is recommended, one for each task.
    """
    whole = campaign if isinstance(campaign, Campaign) else campaign.campaign
    task = None if isinstance(campaign, Campaign) else campaign.name
    for fidelity in resources or {}:
        level_of(fidelity, whole._all_fidelities())  # refuses one that is not known
    if not ray.is_initialized():
        ray.init()
    places = concurrency or max(1, int(ray.cluster_resources().get("CPU", 1)))
    crew = Cluster(function, places, resources or {}, retries)
    how = How(catch, progress, worker, lease, timeout, take_over)
    return run_tasks(whole, crew, how, callbacks, task)


class Cluster:
    """Evaluations as tasks of Ray: one for each place at a time."""

    kind = "ray"

    def __init__(
        self,
        function: Objective,
        places: int,
        resources: Mapping[str, Mapping[str, Any]],
        retries: int,
    ) -> None:
        self.places = places
        self._remote = ray.remote(_evaluation(function))
        self._resources = resources
        self._retries = retries
        self._running: dict[Any, int] = {}

    def begin(self, place: int, trial: Trial) -> None:
        options = {"max_retries": self._retries, "name": f"{trial.task}/{trial.id}"}
        options.update(self._resources.get(trial.fidelity, {}))
        self._running[self._remote.options(**options).remote(trial)] = place

    def wait(self, seconds: float) -> list[tuple[int, Any]]:
        if not self._running:
            return []
        ready, _ = ray.wait(list(self._running), num_returns=1, timeout=seconds)
        return [(self._running.pop(one), _outcome(one)) for one in ready]

    def leave(self) -> None:
        for one in self._running:
            ray.cancel(one)
        self._running.clear()


def _evaluation(function: Objective) -> Callable[[Trial], Any]:
    def evaluate(trial: Trial) -> Any:
        return function(trial)

    return evaluate


def _outcome(reference: Any) -> Any:
    """The value, or what was raised: the objective's own exception as it was."""
    from .errors import TrialFailed

    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        return error.cause
    except ray.exceptions.RayError as error:  # lost again and again
        return TrialFailed(f"its workers were lost: {error}")


class BatonSearcher(Searcher):  # type: ignore[misc]
    """Ray Tune asks a task of a campaign for its trials.

    - `task`: the task to work on; its budget ends the search, however many samples Tune wants.
    - `fidelity`: the entry of the trainable's `config` that has the name of the fidelity.
    - `metric`: the entry of what the trainable reports that is the value. Its entries with the names
      of the task's constraints are what was measured of these; what is no finite number was not.
    - `describe`: the entry of the trainable's `config` that has what is said of the task, by
      descriptor; only where the campaign has descriptors.

    Any number of trials may run at a time; `tune.TuneConfig(max_concurrent_trials=4)` limits it. The
    state is saved and restored with the experiment.
    """

    def __init__(
        self,
        task: Task,
        *,
        metric: str,
        mode: str | None = None,
        fidelity: str = "fidelity",
        describe: str = "describe",
    ) -> None:
        goal = {"minimize": "min", "maximize": "max"}[task.campaign.goal]
        if mode not in (None, goal):
            raise CampaignError(
                f"the mode is {mode!r}, the campaign was made to {task.campaign.goal}"
            )
        super().__init__(metric=metric, mode=goal)
        self._value = metric
        self._task = task
        self._fidelity = fidelity
        self._describe = describe
        self._trials: dict[str, Trial] = {}

    def suggest(self, trial_id: str) -> dict[str, Any] | str | None:
        trial = self._task.ask()
        if trial is not None:
            self._trials[trial_id] = trial
            said = {self._describe: trial.describe} if self._task.campaign.descriptors else {}
            return {**trial.point, **said, self._fidelity: trial.fidelity}
        if any(one.state == "pending" for one in self._task.trials):
            return None  # perhaps later: a failed trial may give its cost back
        finished: str = Searcher.FINISHED
        return finished

    def on_trial_complete(
        self, trial_id: str, result: dict[str, Any] | None = None, error: bool = False
    ) -> None:
        trial = self._trials.pop(trial_id, None)
        if trial is None:
            return
        result = result or {}
        value = result.get(self._value)
        if error or value is None:
            reason = "the trainable failed" if error else f"it reported no {self._value!r}"
            self._task.fail(trial, reason)
        elif not abs(value) < float("inf"):
            self._task.fail(trial, f"the value is {value}, not a finite number")
        else:
            named = {name: result.get(name, math.nan) for name in self._task.constraints}
            told = {name: one for name, one in named.items() if one is not None and math.isfinite(one)}
            self._task.tell(trial, value, constraints=told)

    def save(self, checkpoint_path: str) -> None:
        """Keeps which trial of Tune is which trial of the task; a campaign in memory goes with it."""
        entries = (self._fidelity, self._describe)
        state = (self._task.campaign, self._task.name, self._trials, entries)
        with open(checkpoint_path, "wb") as file:
            pickle.dump(state, file)

    def restore(self, checkpoint_path: str) -> None:
        with open(checkpoint_path, "rb") as file:
            campaign, name, self._trials, entries = pickle.load(file)
        self._fidelity, self._describe = entries
        self._task = Task(campaign, name)


def space(config: Mapping[str, Any]) -> Space:
    """The space of a configuration of Ray Tune, such as `{"lr": tune.loguniform(1e-4, 1e-1)}`."""
    return Space({name: _parameter(name, domain) for name, domain in config.items()})


def _parameter(name: str, domain: Any) -> Parameter:
    step = None
    sampler = domain.get_sampler() if isinstance(domain, sample.Domain) else None
    if isinstance(sampler, sample.Quantized):
        step, sampler = sampler.q, sampler.sampler
    logarithmic = isinstance(sampler, sample.LogUniform)
    if isinstance(domain, sample.Categorical):
        return choice(domain.categories)
    if isinstance(domain, (sample.Float, sample.Integer)) and step not in (None, 1):
        if not logarithmic:
            return stepped(domain.lower, domain.upper, float(step or 1))
    elif isinstance(domain, sample.Integer):
        return integer(domain.lower, domain.upper - 1, log=logarithmic)
    elif isinstance(domain, sample.Float) and domain.lower > float("-inf"):
        return (log if logarithmic else real)(domain.lower, domain.upper)
    raise ParameterError(f"parameter {name}: {domain!r} has no counterpart in a space of Baton")


__all__ = ["BatonSearcher", "Cluster", "run", "space"]
