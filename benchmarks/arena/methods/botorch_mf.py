"""BoTorch with several fidelities, each task from nothing: a multi-fidelity Gaussian process and MF-GIBBON per cost,
as in BoTorch's tutorials on multi-fidelity optimisation with discrete fidelities.

It begins with Sobol points at random fidelities for a quarter of the budget at most, and ends with the point of the
best posterior mean, tried at the highest fidelity: its cost is kept for that. Choices are relaxed to a number for each value.
"""

import random

import torch
from botorch.acquisition import PosteriorMean
from botorch.acquisition.cost_aware import InverseCostWeightedUtility
from botorch.acquisition.fixed_feature import FixedFeatureAcquisitionFunction
from botorch.acquisition.max_value_entropy_search import qMultiFidelityLowerBoundMaxValueEntropy
from botorch.acquisition.utils import project_to_target_fidelity
from botorch.models import SingleTaskMultiFidelityGP
from botorch.models.deterministic import GenericDeterministicModel
from botorch.models.transforms import Standardize
from botorch.optim import optimize_acqf
from botorch.utils.sampling import draw_sobol_samples

from methods.training import SEARCH, trained
from problem import Method, decoded, encoded

CANDIDATES = 1000
RAW = 256  # points by which the fidelity is chosen; the search goes on at that one
OFTEN = 40  # evaluations up to which every ask trains the model; then every fifth
BRIEF = SEARCH | {"num_restarts": 2, "options": SEARCH["options"] | {"maxiter": 25}}


class Gibbon(Method):
    def task(self, work):
        torch.manual_seed(1000 * self.seed + work.number)
        rng = random.Random(f"{self.seed} {work.number}")
        levels = list(self.family.fidelities)
        costs = torch.tensor(list(self.family.fidelities.values()), dtype=torch.double)
        space, rows, values = self.family.space, [], []
        top = costs[-1].item()

        def tried(row, level):
            point = decoded(space, row)
            values.append([-work.evaluate(point, levels[level])])
            rows.append([*encoded(space, point), (level + 1) / len(levels)])

        width = len(encoded(space, decoded(space, [0.5] * 99)))
        unit = torch.stack([torch.zeros(width + 1), torch.ones(width + 1)])
        count = 2 * len(space) + 2
        for row in draw_sobol_samples(unit[:, :-1], n=count, q=1, seed=rng.randrange(2**31))[:, 0].tolist():
            level = rng.randrange(len(levels)) if len(rows) else len(levels) - 1
            if work.left - costs[level] >= 0.75 * self.family.budget:
                tried(row, level)

        def cost(x):
            level = (x[..., -1:] * len(levels)).round().long() - 1
            return costs[level.clamp(0, len(levels) - 1)]

        utility = InverseCostWeightedUtility(GenericDeterministicModel(cost))
        at = lambda x, level: torch.cat([x[:, :-1], torch.full((len(x), 1), (level + 1) / len(levels))], 1)
        project = lambda x: project_to_target_fidelity(x, target_fidelities={width: 1.0}, d=width + 1)
        model = None
        while work.left - costs[0] >= top:  # what the last point will cost is kept
            model = self.fitted(rows, values, width, model)
            candidates = torch.rand(CANDIDATES, width + 1)
            gain = qMultiFidelityLowerBoundMaxValueEntropy(
                model, candidate_set=project(candidates), cost_aware_utility=utility, project=project
            )
            payable = [k for k in range(len(levels)) if work.left - costs[k] >= top]
            level = max(payable, key=lambda k: float(gain(at(candidates[:RAW], k)[:, None]).max()))
            chosen, _ = optimize_acqf(
                gain, bounds=unit, q=1, fixed_features={width: (level + 1) / len(levels)}, **BRIEF
            )
            tried(chosen[0, :-1].tolist(), level)
        mean = PosteriorMean(self.fitted(rows, values, width, model))
        best = FixedFeatureAcquisitionFunction(mean, width + 1, [width], [1.0])
        chosen, _ = optimize_acqf(best, bounds=unit[:, :-1], q=1, **SEARCH)
        tried(chosen[0].tolist(), len(levels) - 1)
        return work.best()

    def fitted(self, rows, values, width, last):
        model = SingleTaskMultiFidelityGP(
            torch.tensor(rows), torch.tensor(values), data_fidelities=[width], outcome_transform=Standardize(m=1)
        )
        return trained(model, last, again=len(rows) < OFTEN or len(rows) % 5 == 0)
