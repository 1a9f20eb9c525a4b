"""The rivals by name: the file and the class that is made once per sequence of tasks."""

import json
from importlib import import_module

METHODS = {
    "baton": ("baton", "Baton"),
    "baton-cold": ("baton", "Cold"),
    "random": ("simple", "Random"),
    "last-best": ("simple", "LastBest"),
    "optuna-tpe": ("optuna", "Tpe"),
    "optuna-gp": ("optuna", "Gp"),
    "botorch-cold": ("botorch_mtgp", "Cold"),
    "botorch-mf": ("botorch_mf", "Gibbon"),
    "botorch-mtgp": ("botorch_mtgp", "MultiTask"),
    "ax": ("ax", "Ax"),
    "ax-transfer": ("ax", "Transfer"),
    "smac": ("smac", "Smac"),
    "synetune": ("synetune", "BoundingBoxCqr"),
    "hebo": ("hebo", "Hebo"),
}
#: They learn nothing from earlier tasks.
COLD = ("baton-cold", "random", "botorch-cold", "botorch-mf", "smac")


def method(name, family, seed):
    """By its name; `baton:explore=0+drift=0` is Baton with other settings than its defaults."""
    name, _, settings = name.partition(":")
    module, kind = METHODS[name]
    player = getattr(import_module(f"methods.{module}"), kind)(family, seed)
    if settings:
        player.settings = {key: json.loads(value) for key, value in (one.split("=") for one in settings.split("+"))}
    return player
