"""The rivals by name: the file and the class that is made once per sequence of tasks."""

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
    module, kind = METHODS[name]
    return getattr(import_module(f"methods.{module}"), kind)(family, seed)
