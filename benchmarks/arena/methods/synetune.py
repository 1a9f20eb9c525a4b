"""Syne Tune's transfer at the highest fidelity: the space is narrowed to a box around the best points of the earlier
tasks (`BoundingBox`, two of each task), and searched by conformal quantile regression (`CQR`), asked and told.
"""

import contextlib
import io
import logging
import warnings

import numpy as np
import pandas as pd
from syne_tune.config_space import choice, lograndint, loguniform, randint, uniform
from syne_tune.optimizer.baselines import CQR
from syne_tune.optimizer.schedulers.ask_tell_scheduler import AskTellScheduler
from syne_tune.optimizer.schedulers.transfer_learning.bounding_box import BoundingBox
from syne_tune.optimizer.schedulers.transfer_learning.transfer_learning_task_evaluation import (
    TransferLearningTaskEvaluations,
)

from problem import Choice, Integer, Method, legal

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
POINTS = 2  # of each earlier task


def parameter(one):
    if isinstance(one, Choice):
        return choice(list(one.values))
    if isinstance(one, Integer):
        return (lograndint if one.log else randint)(one.low, one.high)
    return (loguniform if one.log else uniform)(one.low, one.high)


class BoundingBoxCqr(Method):
    def __init__(self, family, seed):
        super().__init__(family, seed)
        self.evaluations = {}

    def task(self, work):
        space, seed = {name: parameter(one) for name, one in self.family.space.items()}, 100 * self.seed + work.number
        searched = lambda box, metric, do_minimize, random_seed: CQR(
            box, metric=metric, do_minimize=do_minimize, random_seed=random_seed, points_to_evaluate=self.bests[::-1]
        )
        with contextlib.redirect_stdout(io.StringIO()):
            scheduler = searched(space, "value", True, seed) if not self.evaluations else BoundingBox(
                searched, space, metric="value", transfer_learning_evaluations=self.evaluations, do_minimize=True,
                num_hyperparameters_per_task=POINTS, random_seed=seed,
            )
        asked = AskTellScheduler(scheduler)
        while work.affords():
            trial = asked.ask()
            asked.tell(trial, {"value": work.evaluate(legal(self.family.space, trial.config))})
        self.evaluations[f"task {work.number}"] = TransferLearningTaskEvaluations(
            configuration_space=space, hyperparameters=pd.DataFrame([point for point, _, _ in work.history]),
            objectives_names=["value"],
            objectives_evaluations=np.array([value for _, _, value in work.history])[:, None, None, None],
        )
        self.bests.append(work.best())
        return work.best()
