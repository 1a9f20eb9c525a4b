"""Optuna at the highest fidelity: a study per task, in which the best points of the earlier studies are enqueued,
the latest first. TPE (its default) or its Gaussian process.
"""

import warnings

import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

from problem import Choice, Integer, Method

optuna.logging.set_verbosity(optuna.logging.ERROR)
warnings.filterwarnings("ignore")


def distribution(one):
    if isinstance(one, Choice):
        return CategoricalDistribution(one.values)
    return (IntDistribution if isinstance(one, Integer) else FloatDistribution)(one.low, one.high, log=one.log)


class Tpe(Method):
    sampler = staticmethod(lambda seed: optuna.samplers.TPESampler(seed=seed))

    def task(self, work):
        study = optuna.create_study(sampler=self.sampler(100 * self.seed + work.number))
        for point in reversed(self.bests):
            study.enqueue_trial(point, skip_if_exists=True)
        space = {name: distribution(one) for name, one in self.family.space.items()}
        while work.affords():
            trial = study.ask(space)
            study.tell(trial, work.evaluate(trial.params))
        self.bests.append(study.best_params)
        return study.best_params


class Gp(Tpe):
    sampler = staticmethod(lambda seed: optuna.samplers.GPSampler(seed=seed))
