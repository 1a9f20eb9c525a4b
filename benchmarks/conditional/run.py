"""One method on one family, seed after seed: the best value after each tenth evaluation, as CSV lines.

    python run.py METHOD FAMILY FIRST LAST | tee -a ../results/conditional.csv
"""

import logging
import sys
import time
import warnings
from itertools import accumulate

from families import FAMILIES


def baton(tree, function, evaluations, seed):
    import baton

    def when(parent):
        return parent and f"{parent[0]} = {' or '.join(map(str, parent[1]))}"

    space = {
        name: baton.choice(kind, when=when(parent))
        if isinstance(kind, list)
        else baton.real(*kind, when=when(parent))
        for name, kind, parent in tree
    }
    task = baton.Campaign(space, goal="minimize", seed=seed).task("only", budget=evaluations)
    task.minimize(lambda trial: function(trial.params), progress=False)
    return [trial.value for trial in task.trials]


def _optuna(sampler, tree, function, evaluations):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def objective(trial):
        point = {}
        for name, kind, parent in tree:
            if parent and point.get(parent[0]) not in parent[1]:
                continue
            if isinstance(kind, list):
                point[name] = trial.suggest_categorical(name, kind)
            else:
                point[name] = trial.suggest_float(name, *kind)
        return function(point)

    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=evaluations)
    return [trial.value for trial in study.trials]


def tpe(tree, function, evaluations, seed):
    from optuna.samplers import TPESampler

    return _optuna(TPESampler(seed=seed), tree, function, evaluations)


def tpe_grouped(tree, function, evaluations, seed):
    from optuna.samplers import TPESampler

    sampler = TPESampler(seed=seed, multivariate=True, group=True)
    return _optuna(sampler, tree, function, evaluations)


def baton_in_optuna(tree, function, evaluations, seed):
    """Define by run: what brings which parameter is not told, but found out."""
    from baton.optuna import BatonSampler

    return _optuna(BatonSampler(seed=seed), tree, function, evaluations)


def random(tree, function, evaluations, seed):
    from optuna.samplers import RandomSampler

    return _optuna(RandomSampler(seed=seed), tree, function, evaluations)


def smac(tree, function, evaluations, seed):
    import tempfile

    from ConfigSpace import Categorical, ConfigurationSpace, Float, InCondition
    from smac import HyperparameterOptimizationFacade, Scenario

    space, made = ConfigurationSpace(seed=seed), {}
    for name, kind, parent in tree:
        is_list = isinstance(kind, list)
        made[name] = Categorical(name, kind) if is_list else Float(name, kind)
        space.add(made[name])
        if parent:
            space.add(InCondition(made[name], made[parent[0]], parent[1]))
    values = []

    def target(config, seed=0):
        values.append(function(dict(config)))
        return values[-1]

    with tempfile.TemporaryDirectory() as folder:
        scenario = Scenario(
            space, deterministic=True, n_trials=evaluations, seed=seed, output_directory=folder
        )
        HyperparameterOptimizationFacade(scenario, target, logging_level=logging.ERROR).optimize()
    return values


METHODS = {
    "baton": baton,
    "baton-in-optuna": baton_in_optuna,
    "optuna-tpe": tpe,
    "optuna-tpe-grouped": tpe_grouped,
    "smac": smac,
    "random": random,
}


def main(method, family, first, last):
    warnings.simplefilter("ignore")
    tree, function, optimum, evaluations = FAMILIES[family]
    for seed in range(first, last + 1):
        begun = time.perf_counter()
        values = METHODS[method](tree, function, evaluations, seed)
        seconds = time.perf_counter() - begun
        best = list(accumulate(values[:evaluations], min))
        for count in range(10, evaluations + 1, 10):
            regret = best[min(count, len(best)) - 1] - optimum
            print(f"{family},{method},{seed},{count},{regret:.6g},{seconds:.1f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
