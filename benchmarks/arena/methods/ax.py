"""Ax at the highest fidelity. Every task begins with the best points of the earlier ones, the latest first.

`ax` goes on by Ax's default strategy. `ax-transfer` makes the earlier tasks auxiliary experiments, and takes what
`transfer_learning_generator_specs_constructor` makes: a multi-task model, or a single-task one where that is the
better by cross-validation; an ask takes ten seconds and more.
"""

import logging
import warnings

import torch
from ax.adapter.transfer_learning.adapter import transfer_learning_generator_specs_constructor
from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
from ax.core.auxiliary import AuxiliaryExperimentPurpose
from ax.core.auxiliary_source import AuxiliarySource
from ax.generation_strategy.generation_node import GenerationNode
from ax.generation_strategy.generation_strategy import GenerationStrategy

from problem import Choice, Integer, Method

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
torch.set_num_threads(1)


def parameter(name, one):
    if isinstance(one, Choice):
        kind = "str" if isinstance(one.values[0], str) else "float"
        return ChoiceParameterConfig(name=name, values=list(one.values), parameter_type=kind, is_ordered=False)
    return RangeParameterConfig(
        name=name, bounds=(one.low, one.high), parameter_type="int" if isinstance(one, Integer) else "float",
        scaling="log" if one.log else "linear",
    )


class Ax(Method):
    transfer = False

    def __init__(self, family, seed):
        super().__init__(family, seed)
        self.experiments = []

    def task(self, work):
        client = Client(random_seed=100 * self.seed + work.number)
        client.configure_experiment(
            name=f"task {work.number}", parameters=[parameter(*item) for item in self.family.space.items()]
        )
        client.configure_optimization(objective="-value")
        if self.transfer and self.experiments:
            for experiment in self.experiments:
                client._experiment.add_auxiliary_experiment(
                    purpose=AuxiliaryExperimentPurpose.TRANSFERABLE_EXPERIMENT,
                    auxiliary_experiment=AuxiliarySource(experiment=experiment),
                )
            specs, selector = transfer_learning_generator_specs_constructor()
            node = GenerationNode(name="transfer", generator_specs=specs, best_model_selector=selector)
            client.set_generation_strategy(GenerationStrategy(name="transfer", nodes=[node]))
        tell = lambda index, point: client.complete_trial(index, raw_data={"value": work.evaluate(point)})
        for point in {str(point): point for point in reversed(self.bests)}.values():
            tell(client.attach_trial(point), point)
        while work.affords():
            for index, point in client.get_next_trials(max_trials=1).items():
                tell(index, point)
        self.experiments.append(client._experiment)
        self.bests.append(work.best())
        return client.get_best_parameterization()[0]


class Transfer(Ax):
    transfer = True
