"""BoTorch at the highest fidelity: noisy expected improvement (qLogNEI) with a Gaussian process of all tasks.

`botorch-mtgp` has one `MultiTaskGP` of this task and all earlier ones; a later task begins with the best point of
the last one and two Sobol points. `botorch-cold` and every first task have a `SingleTaskGP` and begin with 2 d + 2
Sobol points, for a third of the budget at most. Choices are relaxed to a number for each value.
"""

import random

import torch
from botorch.acquisition import qLogNoisyExpectedImprovement
from botorch.models import MultiTaskGP, SingleTaskGP
from botorch.optim import optimize_acqf
from botorch.sampling import SobolQMCNormalSampler
from botorch.utils.sampling import draw_sobol_samples

from methods.training import SEARCH, trained
from problem import Method, decoded, encoded


class MultiTask(Method):
    transfer = True

    def __init__(self, family, seed):
        super().__init__(family, seed)
        self.seen = []  # (row, task, value) of all tasks

    def task(self, work):
        torch.manual_seed(1000 * self.seed + work.number)
        rng, space = random.Random(f"{self.seed} {work.number}"), self.family.space
        own, before = [], list(self.seen) if self.transfer else []

        def tried(point):
            own.append((encoded(space, point), work.number, -work.evaluate(point)))

        width = len(encoded(space, decoded(space, [0.5] * 99)))
        unit = torch.stack([torch.zeros(width), torch.ones(width)])
        payable = work.left // self.family.fidelities[self.family.finest]
        count = 2 if before else int(min(2 * len(space) + 2, payable // 3))
        if before:
            tried(self.bests[-1])
        for row in draw_sobol_samples(unit, n=count, q=1, seed=rng.randrange(2**31))[:, 0].tolist():
            tried(decoded(space, row))
        model = None
        while work.affords():
            model = self.fitted(before, own, model)
            gain = qLogNoisyExpectedImprovement(
                model, torch.tensor([row for row, _, _ in own]), prune_baseline=True,
                sampler=SobolQMCNormalSampler(torch.Size([128]), seed=rng.randrange(2**31)),
            )
            chosen, _ = optimize_acqf(gain, bounds=unit, q=1, **SEARCH)
            tried(decoded(space, chosen[0].tolist()))
        self.seen += own
        self.bests.append(work.best())
        return work.best()

    def fitted(self, before, own, last):
        data = before + own
        values = torch.tensor([[value] for _, _, value in data])
        if before:
            rows = torch.tensor([[*row, float(task)] for row, task, _ in data])
            return trained(MultiTaskGP(rows, values, task_feature=-1, output_tasks=[own[0][1]]), last)
        return trained(SingleTaskGP(torch.tensor([row for row, _, _ in data]), values), last)


class Cold(MultiTask):
    transfer = False
