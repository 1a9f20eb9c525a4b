"""Optuna's distributions as parameters, and their values in both directions."""

from __future__ import annotations

from typing import Any, cast

from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

from .errors import ParameterError
from .space import Parameter, Value, choice, integer, log, real, stepped


def parameter_of(
    name: str, distribution: BaseDistribution, when: str | None = None
) -> Parameter:
    """The parameter that stands for one of Optuna's distributions, perhaps under a condition only."""
    if isinstance(distribution, FloatDistribution):
        if distribution.step is not None:
            return stepped(distribution.low, distribution.high, distribution.step, when=when)
        make = log if distribution.log else real
        return make(distribution.low, distribution.high, when=when)
    if isinstance(distribution, IntDistribution):
        if distribution.step != 1:
            return stepped(distribution.low, distribution.high, distribution.step, when=when)
        return integer(distribution.low, distribution.high, log=distribution.log, when=when)
    if isinstance(distribution, CategoricalDistribution):
        # Choices may be anything: their places stand for them.
        return choice(range(len(distribution.choices)), when=when)
    raise ParameterError(f"parameter {name}: the distribution {distribution!r} is not known")


def inward(distribution: BaseDistribution, value: Any) -> Value:
    """A value of Optuna as a value of the parameter."""
    if isinstance(distribution, CategoricalDistribution):
        return int(distribution.to_internal_repr(value))
    number: Value = value
    return number


def outward(distribution: BaseDistribution, value: Value) -> Any:
    """A value of the parameter as a value of Optuna."""
    if isinstance(distribution, CategoricalDistribution):
        return distribution.choices[int(cast(int, value))]
    if isinstance(distribution, IntDistribution):
        return int(cast(int, value))
    return float(cast(float, value))
