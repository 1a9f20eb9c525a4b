"""SMAC3's multi-fidelity facade (random forest and Hyperband), asked and told; each task from nothing.

Hyperband's budgets are 1, 3, 9, ...: one for each fidelity.
"""

import logging
import tempfile
import warnings

import numpy as np
from ConfigSpace import CategoricalHyperparameter, ConfigurationSpace, UniformFloatHyperparameter
from ConfigSpace import UniformIntegerHyperparameter
from smac import MultiFidelityFacade, Scenario
from smac.runhistory import TrialValue

from problem import Choice, Integer, Method, Spent

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
ETA = 3


def parameter(name, one):
    if isinstance(one, Choice):
        return CategoricalHyperparameter(name, one.values)
    kind = UniformIntegerHyperparameter if isinstance(one, Integer) else UniformFloatHyperparameter
    return kind(name, lower=one.low, upper=one.high, log=one.log)


class Smac(Method):
    def task(self, work):
        seed, levels = 100 * self.seed + work.number, list(self.family.fidelities)
        space = ConfigurationSpace(seed=seed)
        space.add([parameter(*item) for item in self.family.space.items()])
        with tempfile.TemporaryDirectory() as folder:
            scenario = Scenario(
                space, deterministic=True, seed=seed, output_directory=folder, min_budget=1,
                max_budget=ETA ** (len(levels) - 1),
                n_trials=int(self.family.budget / min(self.family.fidelities.values())),
            )
            smac = MultiFidelityFacade(
                scenario, lambda config, seed, budget: 0.0, overwrite=True, logging_level=False,
                intensifier=MultiFidelityFacade.get_intensifier(scenario, eta=ETA),
            )
            while work.left >= min(self.family.fidelities.values()):
                info = smac.ask()
                level = levels[round(np.log(info.budget) / np.log(ETA))]
                try:
                    value = work.evaluate(dict(info.config), level)
                except Spent:
                    break
                smac.tell(info, TrialValue(cost=value))
        return work.best()
