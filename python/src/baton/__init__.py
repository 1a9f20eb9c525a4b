"""Bayesian optimisation of sequences of related, expensive tasks at several fidelities.

>>> import baton
>>> campaign = baton.Campaign(
...     {"x": (0.0, 1.0)}, goal="minimize", fidelities={"coarse": 1, "fine": 4}, seed=7
... )
>>> best = campaign.task("monday", budget=12).minimize(lambda trial: (trial["x"] - 0.3) ** 2)
>>> campaign.task("monday").state
'finished'

The modules `baton.optuna`, `baton.ray` and `baton.plots` are imported on their own, since they need
Optuna, Ray and matplotlib.
"""

from ._baton import __version__
from .campaign import Campaign
from .descriptors import DescriptorShares, Forecast, NearestTask
from .errors import (
    BatonError,
    CampaignError,
    ConstraintError,
    DescriptorError,
    FidelityError,
    FinishedTrialError,
    KnowledgeError,
    NotFiniteError,
    NumericalError,
    ParameterError,
    PausedError,
    RangeError,
    SettingError,
    ShapeError,
    Stop,
    StoreError,
    TrialError,
    TrialFailed,
    UnknownParameterError,
)
from .parts import Fidelity, Knowledge, Settings
from .space import Parameter, Space, choice, fixed, integer, log, ordered, real, stepped
from .task import Task
from .trial import Measurement, Prediction, Recommendation, Trial

__all__ = [
    "BatonError",
    "Campaign",
    "CampaignError",
    "ConstraintError",
    "DescriptorError",
    "DescriptorShares",
    "Fidelity",
    "FidelityError",
    "FinishedTrialError",
    "Forecast",
    "Knowledge",
    "KnowledgeError",
    "Measurement",
    "NearestTask",
    "NotFiniteError",
    "NumericalError",
    "Parameter",
    "ParameterError",
    "PausedError",
    "Prediction",
    "RangeError",
    "Recommendation",
    "SettingError",
    "Settings",
    "ShapeError",
    "Space",
    "Stop",
    "StoreError",
    "Task",
    "Trial",
    "TrialError",
    "TrialFailed",
    "UnknownParameterError",
    "__version__",
    "choice",
    "fixed",
    "integer",
    "log",
    "ordered",
    "real",
    "stepped",
]
