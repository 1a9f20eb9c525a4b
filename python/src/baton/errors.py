"""What can go wrong, by name. Every message has the value at fault."""

from __future__ import annotations


class BatonError(Exception):
    """Whatever Baton refuses or cannot do."""


class ShapeError(BatonError, ValueError):
    """A point, a list or an array has another size than it should."""


class NotFiniteError(BatonError, ValueError):
    """A number is NaN or infinite."""


class RangeError(BatonError, ValueError):
    """A number lies outside what is meaningful."""


class ParameterError(BatonError, ValueError):
    """A parameter cannot be used, or cannot have this value."""


class UnknownParameterError(ParameterError):
    """The space has no parameter of that name."""


class DescriptorError(BatonError, ValueError):
    """A descriptor of tasks is not known, cannot be used, or cannot have this value."""


class ConstraintError(BatonError, ValueError):
    """A constraint is not known, cannot be used, or its quantity cannot have this value."""


class FidelityError(BatonError, ValueError):
    """A fidelity is not known or cannot be used."""


class SettingError(BatonError, ValueError):
    """A setting of the method is not known or cannot have this value."""


class KnowledgeError(BatonError, ValueError):
    """Knowledge cannot be read, or does not belong to this problem."""


class TrialError(BatonError, ValueError):
    """There is no such trial, or it is not in a state that allows the call."""


class FinishedTrialError(TrialError):
    """The trial has another outcome already."""


class CampaignError(BatonError, RuntimeError):
    """The records of the campaign do not allow the call."""


class PausedError(CampaignError):
    """The task is paused: too many trials failed in a row."""


class StoreError(BatonError, RuntimeError):
    """The store cannot be reached or does not answer as it should."""


class NumericalError(BatonError, ArithmeticError):
    """The inputs are too large or too small for arithmetic."""


class Stop(Exception):
    """Raised by a callback: no new trial is begun. What is running is finished and told."""


class TrialFailed(Exception):
    """Raised by an objective: this trial has no value. The campaign goes on without it."""
