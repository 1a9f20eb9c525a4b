"""Which parameters an objective suggests when, by what its completed trials had."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from optuna.distributions import BaseDistribution, CategoricalDistribution, IntDistribution
from optuna.trial import FrozenTrial

from .distributions import inward
from .space import Value

Distributions = Mapping[str, BaseDistribution]
#: Names with conditions in the words of a campaign; those that are always there have none.
Conditions = dict[str, str]

#: A parameter of more values than these is not asked whether others depend on it.
MOST_VALUES = 64


def steady(trials: Sequence[FrozenTrial]) -> dict[str, BaseDistribution]:
    """The parameters of the trials that were always suggested from the same distribution."""
    found: dict[str, BaseDistribution] = {}
    changing: set[str] = set()
    for trial in trials:
        for name, distribution in trial.distributions.items():
            if found.setdefault(name, distribution) != distribution:
                changing.add(name)
    return {name: one for name, one in found.items() if name not in changing}


def conditions(space: Distributions, trials: Sequence[FrozenTrial]) -> tuple[Conditions, set[str]]:
    """When each parameter is there, and those of which no condition tells it.

    A parameter that some trials lack is there where other parameters, which more trials have, have
    certain values: those of the trials that had it.
    """
    had = {name: [name in trial.params for trial in trials] for name in space}
    found: Conditions = {}
    unknown: set[str] = set()
    for name in sorted(space, key=lambda one: -sum(had[one])):
        if all(had[name]) or not any(had[name]):
            continue
        parents = [p for p in space if p not in unknown and sum(had[p]) > sum(had[name])]
        condition = _condition(space, trials, had[name], parents)
        if condition is None:
            unknown.add(name)
        else:
            found[name] = condition
    return found, unknown


def _condition(
    space: Distributions, trials: Sequence[FrozenTrial], there: list[bool], parents: list[str]
) -> str | None:
    """Clauses that hold for the trials that are there and for no other; of each step the one that leaves
    out the most others."""
    left = [trial for trial, is_there in zip(trials, there) if not is_there]
    with_it = [trial for trial, is_there in zip(trials, there) if is_there]
    clauses: list[str] = []
    while left:
        best: tuple[int, str, list[FrozenTrial]] | None = None
        for parent in parents:
            values = _values(space[parent], parent, with_it)
            if values is None:
                continue
            others = [t for t in left if parent in t.params]
            clause, holds = _clause(space[parent], parent, values, others)
            rest = [t for t in others if holds(inward(space[parent], t.params[parent]))]
            if best is None or len(rest) < best[0]:
                best = len(rest), clause, rest
        if best is None or best[0] == len(left):
            return None
        clauses.append(best[1])
        left = best[2]
    return " and ".join(clauses)


def _values(
    distribution: BaseDistribution, name: str, trials: Sequence[FrozenTrial]
) -> list[int] | None:
    """The values of a discrete parameter in trials that all have it; few of them."""
    discrete = isinstance(distribution, (CategoricalDistribution, IntDistribution))
    if not discrete or any(name not in trial.params for trial in trials):
        return None
    values = {cast(int, inward(distribution, trial.params[name])) for trial in trials}
    return sorted(values) if len(values) <= MOST_VALUES else None


def _clause(
    distribution: BaseDistribution, name: str, values: Sequence[int], others: Sequence[FrozenTrial]
) -> tuple[str, Callable[[Value], bool]]:
    """What the values of a parameter have in common that those of the others have not, if possible:
    a bound of whole numbers, else that they are these; and whether a value fulfils it."""
    quoted = '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
    theirs = [cast(int, inward(distribution, trial.params[name])) for trial in others]
    if isinstance(distribution, IntDistribution) and theirs:
        above, below = max(theirs), min(theirs)
        if above < values[0]:
            return f"{quoted} > {above}", lambda value: cast(int, value) > above
        if below > values[-1]:
            return f"{quoted} < {below}", lambda value: cast(int, value) < below
    return f"{quoted} = {' or '.join(map(str, values))}", lambda value: value in values


__all__ = ["Conditions", "conditions", "steady"]
