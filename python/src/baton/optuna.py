"""Baton as a sampler of Optuna: earlier studies are finished tasks, running trials are pending ones.

Optuna keeps the records; every proposal is made from them anew, so that any storage and any number of
processes will do.

>>> import optuna
>>> from baton.optuna import BatonSampler
>>> study = optuna.create_study(sampler=BatonSampler(seed=7))
>>> study.optimize(lambda trial: trial.suggest_float("x", 0, 1) ** 2, n_trials=5)
"""

from __future__ import annotations

import difflib
import json
import math
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Union

from optuna.distributions import BaseDistribution, CategoricalDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.samplers._base import _process_constraints_after_trial
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from . import _baton
from .branches import Conditions, conditions, steady
from .distributions import inward, outward, parameter_of
from .descriptors import Description, Descriptors, check_description, description
from .errors import FidelityError
from .parts import Fidelity, Settings, SettingsLike, fidelities_of, wanted_of
from .space import ABSENT, Space, Value, is_absent
from .trial import Recommendation

#: What a trial was given and what for; others see it before the trial has stored its parameters.
GIVEN = "baton:given"
#: Where Optuna keeps constraints: a list of `constraints_func`, or each by its name (Optuna 5).
CONSTRAINTS = "constraints"

Distributions = dict[str, BaseDistribution]
#: An earlier study, perhaps with what is known of it.
SourceStudy = Union[Study, tuple[Study, Description]]


class BatonSampler(BaseSampler):
    """Proposes trials by Baton's method.

    - `seed`: same seed and same records, same proposal.
    - `source_studies`: earlier studies over the same parameters, oldest first; each is taken as a
      finished task, and what it taught is used from the first trial on. One that has nothing to
      teach is warned of; one to the other direction is an error. `(study, {"reynolds": 1e6})` says
      what is known of one.
    - `descriptors`: what is known of studies, such as `{"reynolds": baton.log(1e5, 1e7)}`; written as
      the parameters of a `baton.Space`.
    - `describe`: what is known of this study, such as `{"reynolds": 3e6}`. With `search_space`,
      `recommendation(study)` is then there before the first trial.
    - `fidelity`: `{name: {value: cost, ..}}`, the parameter that says how finely to evaluate, its
      values from the cheapest to the highest fidelity. The objective suggests it like any other
      parameter; `best_trial(study)` is then the best one at the highest fidelity, while
      `study.best_trial` may be a cheaper one.
    - `search_space`: the distributions, if they are to be known before the first trial has ended.
    - `settings`: `baton.Settings`, for methods and settings of your own.
    - `constraints_func`: is given a trial that has ended and returns numbers, each of which has to be 0
      or less, as of any sampler of Optuna. They are modelled as soon as a trial was completed, or from
      the start with source studies that have them. So are those of `trial.set_constraint` (Optuna 5).

    Parameters that not every completed trial had are conditional: the sampler finds out which values of
    which other parameters bring them, and models all of them together. What no such values tell, and
    parameters whose distribution changes, are drawn at random.
    """

    def __init__(
        self,
        *,
        seed: int | None = None,
        source_studies: Sequence[SourceStudy] | Study = (),
        fidelity: Mapping[str, Mapping[Any, float]] | None = None,
        search_space: Mapping[str, BaseDistribution] | None = None,
        settings: SettingsLike = None,
        descriptors: Mapping[str, Any] | None = None,
        describe: Description | None = None,
        constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None,
    ) -> None:
        self._constraints_func = constraints_func
        self._random = RandomSampler(seed=seed)
        self._settings = Settings.of(settings).but(seed=0 if seed is None else seed)
        studies = [source_studies] if isinstance(source_studies, Study) else source_studies
        self._sources = [_Source(study) for study in studies]
        self._descriptors = Descriptors(descriptors)
        self._describe = description({} if describe is None else describe)
        for said in (self._describe, *(source.describe for source in self._sources)):
            check_description(self._descriptors, said)
        self._fidelity = _Levels(fidelity)
        self._given_space = None if search_space is None else dict(search_space)
        if self._given_space is not None and self._fidelity.name in self._given_space:
            self._fidelity.check(self._given_space[self._fidelity.name])
        self._warned = False
        self._start()

    def _start(self) -> None:
        self._lock = threading.RLock()
        self._models: dict[tuple[Any, ...], _Model] = {}

    def __getstate__(self) -> dict[str, Any]:
        left_here = ("_lock", "_models")
        return {key: value for key, value in vars(self).items() if key not in left_here}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._start()

    def reseed_rng(self) -> None:
        self._random.reseed_rng()

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> Distributions:
        if len(study.directions) > 1:
            raise ValueError(f"BatonSampler has one objective; the study has {study.directions}")
        for source in self._sources:
            source.check(study.direction)
        return self._space(study)

    def _space(self, study: Study) -> Distributions:
        trials, given = _completed(study), self._given_space
        found = steady(trials) if given is None else given
        space = {name: one for name, one in sorted(found.items()) if not one.single()}
        unknown = set() if given is not None else self._conditions(space, trials)[1]
        return {name: one for name, one in space.items() if name not in unknown}

    def _conditions(
        self, space: Distributions, trials: Sequence[FrozenTrial]
    ) -> tuple[Conditions, set[str]]:
        others = {name: one for name, one in space.items() if name != self._fidelity.name}

        def is_of_it(trial: FrozenTrial) -> bool:
            return all(_offers(d, trial.params[n]) for n, d in others.items() if n in trial.params)

        return conditions(others, [trial for trial in trials if is_of_it(trial)])

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: Distributions
    ) -> dict[str, Any]:
        if not set(search_space) - {self._fidelity.name}:
            return {}
        with self._lock:  # until what is proposed can be seen by the other threads
            model = self._model(study, search_space)
            trials = [t for t in study.get_trials(deepcopy=False) if t.number != trial.number]
            found = model.proposer.propose(json.dumps(model.records(trials)))
            if found is None:
                return {}
            study._storage.set_trial_system_attr(trial._trial_id, GIVEN, found)
            row, level, _ = json.loads(found)
            return model.parameters(row, level)

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        if param_name == self._fidelity.name:
            self._fidelity.check(param_distribution)
            return self._fidelity.values[0]
        return self._random.sample_independent(study, trial, param_name, param_distribution)

    def after_trial(
        self,
        study: Study,
        trial: FrozenTrial,
        state: TrialState,
        values: Sequence[float] | None,
    ) -> None:
        self._random.after_trial(study, trial, state, values)
        if self._constraints_func is not None:
            _process_constraints_after_trial(self._constraints_func, study, trial, state)
        if self._fidelity.name is None or state != TrialState.COMPLETE or not values:
            return
        if self._fidelity.name not in trial.params:
            raise self._fidelity.missing(list(trial.params))
        told = study._storage.get_trial(trial._trial_id)  # with its constraints
        if not self._warned and _is_feasible(told):
            self._warn_of_cheaper_best(study, (values[0], self._fidelity.level(trial)))

    def _warn_of_cheaper_best(self, study: Study, now: tuple[float, int | None]) -> None:
        ended = [trial for trial in _completed(study) if _is_feasible(trial)]
        told = [(t.value or 0.0, self._fidelity.level(t)) for t in ended] + [now]
        levels = [level for _, level in told]
        _, best = min(told, key=lambda one: _loss(study, one[0]))
        if self._fidelity.top in levels and best != self._fidelity.top:
            self._warned = True
            warnings.warn(
                f"the best value of the study belongs to a cheaper fidelity ({self._fidelity.name}); "
                "sampler.best_trial(study) is the best trial at the highest fidelity, "
                "sampler.recommendation(study) what to use",
                stacklevel=2,
            )

    def best_trial(self, study: Study) -> FrozenTrial | None:
        """The best completed trial at the highest fidelity that keeps all constraints; none before
        there is one.

        `study.best_trial` may be one at a cheaper fidelity, whose values are not comparable.
        """
        ended = [trial for trial in _completed(study) if _is_feasible(trial)]
        top = [t for t in ended if self._fidelity.level(t) == self._fidelity.top]
        return min(top, key=lambda trial: _loss(study, trial.value or 0.0), default=None)

    def recommendation(self, study: Study) -> Recommendation | None:
        """The parameters to use: those with the best expected value at the highest fidelity.

        None before a trial was completed.
        """
        space = self._space(study)
        if not set(space) - {self._fidelity.name}:
            return None
        with self._lock:
            model = self._model(study, space)
            trials = study.get_trials(deepcopy=False)
            text = model.proposer.recommend(json.dumps(model.records(trials)))
        if text is None:
            return None
        found = json.loads(text)
        point = model.parameters(found["point"], self._fidelity.top)
        low, high = found["interval"]
        return Recommendation(point, found["mean"], low, high, feasible=found.get("feasible"))

    def _model(self, study: Study, search_space: Distributions) -> _Model:
        direction = study.direction
        ended = _completed(study)
        when = self._conditions(search_space, ended)[0]
        if self._constraints_func is not None:
            ended = [*(trial for source in self._sources for trial in source.trials), *ended]
        limits = sorted({name for trial in ended for name in _constraints(trial)})
        key = (direction, tuple(search_space.items()), tuple(when.items()), tuple(limits))
        if key not in self._models:
            self._models.clear()  # the space has changed: what was before is not needed again
            model = _Model(
                direction, search_space, when, limits, self._fidelity, self._settings, self._descriptors
            )
            for source in self._sources:
                source.check(direction)
                model.learn(source)
            model.begin(self._describe)
            self._models[key] = model
        return self._models[key]


class _Source:
    """An earlier study, as it was when the sampler was made."""

    def __init__(self, given: SourceStudy) -> None:
        study, said = given if isinstance(given, tuple) and len(given) == 2 else (given, {})
        if not isinstance(study, Study):
            raise ValueError(
                f"a source study is {given!r}; write a list: source_studies=[study], or with what is "
                'known of it [(study, {"reynolds": 1e6})]'
            )
        self.describe = description(said)
        self.name, self.direction = study.study_name, study.direction
        self.trials = study.get_trials(deepcopy=False)
        if not any(isinstance(_outcome(trial), float) for trial in self.trials):
            self.warn("none of its trials has a value", 4)

    def check(self, direction: StudyDirection) -> None:
        """Refuses to learn from a study to the other direction."""
        if self.direction != direction:
            raise ValueError(
                f"the source study {self.name!r} is to {self.direction.name}, this one is to "
                f"{direction.name}"
            )

    def warn(self, reason: str, depth: int) -> None:
        """It is left out."""
        text = f"the source study {self.name!r} teaches nothing and is left out: {reason}"
        warnings.warn(text, stacklevel=depth)


class _Levels:
    """The fidelity as a parameter: its name, its values and their costs."""

    def __init__(self, given: Mapping[str, Mapping[Any, float]] | None) -> None:
        if given is not None and len(given) != 1:
            raise FidelityError(f"the fidelity is {given!r}; expected {{name: {{value: cost}}}}")
        self.name: str | None = next(iter(given)) if given else None
        if given and not isinstance(given[self.name or ""], Mapping):
            raise FidelityError(
                f"the fidelity is {given!r}, without costs; write value: cost, from the cheapest to "
                f"the highest: {{{self.name!r}: {{5: 5, 50: 50}}}}"
            )
        costs: Mapping[Any, float] = given[self.name] if given and self.name else {"full": 1.0}
        self.values = list(costs)
        self.levels = fidelities_of([Fidelity(str(v), float(c)) for v, c in costs.items()])
        self.top = len(self.values) - 1
        for before, after in zip(self.levels, self.levels[1:]):
            if after.cost < before.cost:
                raise FidelityError(
                    f"the fidelity {self.name}={after.name} costs {after.cost:g}, less than "
                    f"{before.name} before it ({before.cost:g}); list values from the cheapest to the "
                    "highest fidelity, whose values count"
                )

    def check(self, distribution: BaseDistribution) -> None:
        """Refuses values that the objective does not offer."""
        strange = [value for value in self.values if not _offers(distribution, value)]
        if strange:
            raise FidelityError(
                f"the fidelity {self.name!r} has {', '.join(map(repr, strange))}, which the objective "
                f"does not offer: it suggests {self.name!r} from {distribution}"
            )

    def level(self, trial: FrozenTrial) -> int | None:
        """The level of a trial; the top if it has none; nothing if it is none of ours."""
        if self.name is None or self.name not in trial.params:
            return self.top
        value = trial.params[self.name]
        return self.values.index(value) if value in self.values else None

    def missing(self, names: list[str]) -> FidelityError:
        """A trial was completed without the parameter: perhaps its name is misspelt."""
        close = difflib.get_close_matches(self.name or "", names, n=1, cutoff=0.0)
        hint = f"; did you mean fidelity={{{close[0]!r}: ..}}?" if close else ""
        return FidelityError(
            f"the fidelity is {self.name!r}, and a trial was completed that suggested no such "
            f"parameter; its parameters are {', '.join(names) or 'none'}{hint}"
        )


class _Model:
    """A search space with the proposer for it, and the way from Optuna's trials to records."""

    def __init__(
        self,
        direction: StudyDirection,
        search_space: Distributions,
        when: Conditions,
        limits: Sequence[str],
        fidelity: _Levels,
        settings: Settings,
        descriptors: Descriptors,
    ) -> None:
        self.fidelity = fidelity
        self.with_fidelity = fidelity.name in search_space
        if fidelity.name is not None and self.with_fidelity:
            fidelity.check(search_space[fidelity.name])
        self.space = {name: d for name, d in search_space.items() if name != fidelity.name}
        self.when, self.limits = when, limits
        goal = "maximize" if direction == StudyDirection.MAXIMIZE else "minimize"
        parameters = Space(
            {name: parameter_of(name, d, when.get(name)) for name, d in self.space.items()}
        )
        self._wanted = wanted_of(
            parameters,
            fidelity.levels,
            goal,
            settings,
            descriptors=descriptors._json,
            constraints=[{"name": name, "max": 0.0} for name in limits],
        )
        self._knowledge: str | None = None

    def begin(self, describe: str) -> None:
        """The next study, of which something may be said, begins from what was learned."""
        self.proposer = _baton.Proposer(self._wanted, self._knowledge, describe)

    def learn(self, source: _Source) -> None:
        """Takes an earlier study as a finished task; the user is told if it has nothing to teach."""
        told = [trial for trial in source.trials if isinstance(_outcome(trial), float)]
        if told and not any(self._fits(trial) for trial in told):
            names = set(told[-1].params) - {self.fidelity.name}
            if names == set(self.space):
                reason = "none of its trials lies in the ranges of this study"
            else:
                its, here = (", ".join(sorted(these)) for these in (names, self.space))
                reason = f"its parameters are {its}; those of this study are {here}"
            source.warn(reason, 6)
        self.begin(source.describe)
        self._knowledge = self.proposer.learn(json.dumps(self.records(source.trials)))

    def records(self, trials: Sequence[FrozenTrial]) -> list[list[Any]]:
        """Points, levels, outcomes, aims and constraints in the order of outcomes, running trials last."""
        ended = [trial for trial in trials if trial.state.is_finished()]
        ended.sort(key=lambda trial: (trial.datetime_complete, trial.number))
        running = [trial for trial in trials if trial.state == TrialState.RUNNING]
        records = []
        for trial in ended + running:
            given = json.loads(trial.system_attrs.get(GIVEN, "[[], 0, null]"))
            place = self._place(trial, given)
            if place is not None:
                outcome = _outcome(trial)
                known = _constraints(trial) if isinstance(outcome, float) else {}
                told = {name: one for name, one in known.items() if name in self.limits}
                records.append([*place, outcome, given[2], told])
        return records

    def _fits(self, trial: FrozenTrial) -> bool:
        """Whether a trial that has ended lies in the space."""
        if self.fidelity.level(trial) is None:
            return False
        return all(
            _offers(d, trial.params[name]) if name in trial.params else name in self.when
            for name, d in self.space.items()
        )

    def _place(self, trial: FrozenTrial, given: list[Any]) -> tuple[list[Value], int] | None:
        """Point and level of a trial; nothing if it lacks a parameter."""
        if trial.state == TrialState.RUNNING and len(given[0]) == len(self.space):
            return given[0], given[1]
        found = self.fidelity.level(trial)
        if found is None:
            return None
        row: list[Any] = []
        for name, d in self.space.items():
            if name not in trial.params:
                if name not in self.when:
                    return None
                row.append(ABSENT)
                continue
            value = trial.params[name]
            if isinstance(d, CategoricalDistribution) and not _offers(d, value):
                return None
            row.append(inward(d, value))
        return row, found

    def parameters(self, row: Sequence[Value], level: int) -> dict[str, Any]:
        """A point in Optuna's values."""
        values = zip(self.space.items(), row)
        point = {name: outward(d, value) for (name, d), value in values if not is_absent(value)}
        if self.with_fidelity and self.fidelity.name is not None:
            point[self.fidelity.name] = self.fidelity.values[level]
        return point


def _offers(distribution: BaseDistribution, value: Any) -> bool:
    """Whether a value is one of a distribution."""
    try:
        return bool(distribution._contains(distribution.to_internal_repr(value)))
    except (TypeError, ValueError):
        return False


def _completed(study: Study) -> list[FrozenTrial]:
    return study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))


def _constraints(trial: FrozenTrial) -> dict[str, float]:
    """What has to be 0 or less, as Optuna keeps it: `c0`, `c1`, .., or by the names of Optuna 5."""
    attributes = trial.system_attrs
    listed = enumerate(attributes.get(CONSTRAINTS) or ())
    named = ((name, one) for name, one in attributes.items() if name.startswith(f"{CONSTRAINTS}:"))
    return {**{f"c{i}": one for i, one in listed}, **dict(named)}


def _is_feasible(trial: FrozenTrial) -> bool:
    """Whether it keeps all constraints, as Optuna sees it."""
    return all(value <= 0.0 for value in _constraints(trial).values())


def _loss(study: Study, value: float) -> float:
    return -value if study.direction == StudyDirection.MAXIMIZE else value


def _outcome(trial: FrozenTrial) -> float | str | None:
    if trial.state == TrialState.RUNNING:
        return None
    if trial.state == TrialState.COMPLETE and trial.value is not None:
        numbers = (trial.value, *_constraints(trial).values())
        return trial.value if all(map(math.isfinite, numbers)) else "failed"
    return "failed"  # failed and pruned ones are not asked for again and have no value


__all__ = ["BatonSampler", "parameter_of"]
