"""One ask of BoTorch: a multi-fidelity Gaussian process fitted anew, then MF-GIBBON per cost.

Points lie in the unit cube; level k of M (from 0, the last is the truth) is the fidelity coordinate
(k + 1) / M. The effort of the search is fixed here, for timing and quality alike.
"""

import warnings
from dataclasses import dataclass, field

import numpy as np
import torch
from botorch.acquisition.cost_aware import InverseCostWeightedUtility
from botorch.acquisition.max_value_entropy_search import qMultiFidelityLowerBoundMaxValueEntropy
from botorch.acquisition.utils import project_to_target_fidelity
from botorch.exceptions.errors import ModelFittingError
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskMultiFidelityGP
from botorch.models.deterministic import GenericDeterministicModel
from botorch.models.transforms import Standardize
from botorch.optim import optimize_acqf_mixed
from gpytorch.mlls import ExactMarginalLogLikelihood
from numpy.typing import NDArray
from torch import Tensor

RESTARTS = 4
RAW_SAMPLES = 128
ITERATIONS = 60
CANDIDATES = 1000

Array = NDArray[np.float64]


@dataclass
class Observations:
    """What was seen of a task: unit points (n x d), levels (n), values and noise variances (n)."""

    points: Array
    levels: NDArray[np.int64]
    values: Array
    noise: Array | None

    def add(self, point: Array, level: int, value: float, noise: float | None) -> None:
        """One more observation."""
        self.points = np.vstack([self.points, point])
        self.levels = np.append(self.levels, level)
        self.values = np.append(self.values, value)
        if self.noise is not None and noise is not None:
            self.noise = np.append(self.noise, noise)


@dataclass
class Gibbon:
    """The optimiser: costs of the levels, and how often a fit failed and kept its start."""

    costs: list[float]
    failed_fits: int = field(default=0)

    def ask(self, seen: Observations, cost_left: float) -> tuple[Array, int]:
        """The next unit point and its level, among the levels that `cost_left` pays for."""
        dimension, count = seen.points.shape[1], len(self.costs)
        model = self.fitted(seen)
        candidates = torch.rand(CANDIDATES, dimension + 1)
        candidates[:, -1] = 1.0
        gain = qMultiFidelityLowerBoundMaxValueEntropy(
            model,
            candidate_set=candidates,
            cost_aware_utility=InverseCostWeightedUtility(self.cost_model()),
            project=lambda points: project_to_target_fidelity(
                points, target_fidelities={dimension: 1.0}, d=dimension + 1
            ),
        )
        bounds = torch.zeros(2, dimension + 1)
        bounds[0, -1], bounds[1] = 1.0 / count, 1.0
        affordable = [k for k, cost in enumerate(self.costs) if cost <= cost_left]
        chosen, _ = optimize_acqf_mixed(
            gain,
            bounds=bounds,
            q=1,
            fixed_features_list=[{dimension: (k + 1) / count} for k in affordable],
            num_restarts=RESTARTS,
            raw_samples=RAW_SAMPLES,
            options={"batch_limit": RESTARTS, "maxiter": ITERATIONS},
        )
        point = chosen[0].detach().numpy()
        return point[:dimension], round(float(point[-1]) * count) - 1

    def fitted(self, seen: Observations) -> SingleTaskMultiFidelityGP:
        """The model at its most probable parameters."""
        levels = (seen.levels + 1.0) / len(self.costs)
        inputs = torch.as_tensor(np.column_stack([seen.points, levels]))
        noise = None if seen.noise is None else torch.as_tensor(seen.noise)[:, None]
        model = SingleTaskMultiFidelityGP(
            inputs,
            torch.as_tensor(seen.values)[:, None],
            train_Yvar=noise,
            data_fidelities=[seen.points.shape[1]],
            outcome_transform=Standardize(m=1),
        )
        try:
            fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        except ModelFittingError:
            self.failed_fits += 1
        return model

    def cost_model(self) -> GenericDeterministicModel:
        """The cost of a level, looked up: costs need not be affine in the fidelity."""
        costs = torch.tensor(self.costs)

        def cost(inputs: Tensor) -> Tensor:
            level = (inputs[..., -1:] * len(costs)).round().long() - 1
            return costs[level.clamp(0, len(costs) - 1)]

        return GenericDeterministicModel(cost)


def prepare(threads: int) -> None:
    """Double precision, the given number of threads, and no remarks about defaults."""
    warnings.filterwarnings("ignore")
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(threads)
