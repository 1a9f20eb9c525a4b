"""HEBO at the highest fidelity: a new optimiser for each task, told the best points of the earlier ones first."""

import contextlib
import io
import logging
import warnings

import numpy as np
import torch

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
torch.set_num_threads(1)

import pandas as pd
from hebo.design_space.design_space import DesignSpace
from hebo.optimizers.hebo import HEBO

from problem import Choice, Integer, Method, legal


def parameter(name, one):
    if isinstance(one, Choice):
        return {"name": name, "type": "cat", "categories": list(one.values)}
    kind = {(False, False): "num", (False, True): "pow", (True, False): "int", (True, True): "pow_int"}
    return {"name": name, "type": kind[isinstance(one, Integer), one.log], "lb": one.low, "ub": one.high}


class Hebo(Method):
    def task(self, work):
        space = DesignSpace().parse([parameter(*item) for item in self.family.space.items()])
        seed = 100 * self.seed + work.number
        np.random.seed(seed)
        torch.manual_seed(seed)
        search = HEBO(space, scramble_seed=seed)

        def tell(table):
            point = legal(self.family.space, table.iloc[0].to_dict())
            search.observe(table, np.array([[work.evaluate(point)]]))

        with contextlib.redirect_stdout(io.StringIO()):
            for point in reversed(self.bests):
                tell(pd.DataFrame([point]))
            while work.affords():
                tell(search.suggest())
        self.bests.append(work.best())
        return work.best()
