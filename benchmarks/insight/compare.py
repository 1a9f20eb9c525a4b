"""Which parameters matter, by Baton, by Optuna's fANOVA and PED-ANOVA from the same trials, and in truth.

    compare.py MODEL FIRST_SEED LAST_SEED    # a line of CSV per seed, evaluator and parameter
    compare.py truth MODEL                   # the same of the model itself, by pick and freeze
    compare.py summary RESULTS.csv           # the table of the README
"""

import csv
import sys
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
import optuna
from scipy.stats import qmc, spearmanr

import baton
from models import MODELS

TRIALS = 90
PAIRS = 128
FIELDS = ["model", "seed", "evaluator", "parameter", "first", "total", "matters"]
OTHERS = {
    "fanova": optuna.importance.FanovaImportanceEvaluator,
    "ped-anova": optuna.importance.PedAnovaImportanceEvaluator,
}


def row(*values) -> None:
    csv.DictWriter(sys.stdout, FIELDS).writerow(dict(zip(FIELDS, values)))
    sys.stdout.flush()


def distribution(parameter: baton.space.Parameter) -> optuna.distributions.BaseDistribution:
    parts = parameter.parts
    if parameter.kind == "choice":
        return optuna.distributions.CategoricalDistribution(list(parts["choices"]))
    if parameter.kind == "integer":
        return optuna.distributions.IntDistribution(parts["low"], parts["high"])
    return optuna.distributions.FloatDistribution(parts["low"], parts["high"], log=bool(parts["log"]))


def compare(model: str, seed: int) -> None:
    """One task of Baton, and what each makes of its trials."""
    function, space = MODELS[model]
    campaign = baton.Campaign(space, goal="minimize", seed=seed)
    task = campaign.task("one", budget=TRIALS)
    task.minimize(lambda trial: function(trial.point))
    for effect in campaign.insight()["importance"]["fidelities"][-1]["parameters"]:
        numbers = [effect[kind]["value"] for kind in ("first", "total")]
        row(model, seed, "baton", effect["parameter"], *(f"{n:.4f}" for n in numbers), effect["matters"])
    study = optuna.create_study()
    known = {name: distribution(of) for name, of in campaign.space.parameters.items()}
    for trial in task.trials:
        if trial.value is not None:
            made = optuna.trial.create_trial(params=dict(trial.point), distributions=known, value=trial.value)
            study.add_trial(made)
    for name, evaluator in OTHERS.items():
        arguments = {"seed": seed} if name == "fanova" else {}
        found = optuna.importance.get_param_importances(study, evaluator=evaluator(**arguments))
        for parameter, share in found.items():
            row(model, seed, name, parameter, f"{share:.4f}", "", "")


def truth(model: str) -> None:
    """Sobol's indices of the model itself (Saltelli et al. 2010; Jansen's total)."""
    function, space = MODELS[model]
    kinds = baton.Campaign(space, goal="minimize").space.parameters
    names, cache = list(kinds), {}

    def value(shares: np.ndarray) -> float:
        point = {name: at(kinds[name], share) for name, share in zip(names, shares)}
        key = tuple(value for name, value in point.items() if name != "idle")
        if key not in cache:
            cache[key] = function(point)
        return cache[key]

    drawn = qmc.Sobol(2 * len(names), seed=1).random(PAIRS)
    a, b = drawn[:, : len(names)], drawn[:, len(names) :]
    at_a, at_b = (np.array([value(shares) for shares in block]) for block in (a, b))
    variance = np.var(np.concatenate([at_a, at_b]))
    for i, name in enumerate(names):
        mixed = a.copy()
        mixed[:, i] = b[:, i]
        at_mixed = np.array([value(shares) for shares in mixed])
        first = np.mean(at_b * (at_mixed - at_a)) / variance
        total = 0.5 * np.mean((at_a - at_mixed) ** 2) / variance
        row(model, "", "truth", name, f"{first:.4f}", f"{total:.4f}", "")


def at(parameter: baton.space.Parameter, share: float) -> float | int | str:
    """The value at a share of a parameter's range."""
    parts = parameter.parts
    if parameter.kind == "choice":
        choices = list(parts["choices"])
        return choices[min(int(share * len(choices)), len(choices) - 1)]
    low, high = parts["low"], parts["high"]
    if parameter.kind == "integer":
        return low + min(int(share * (high - low + 1)), high - low)
    return float(low * (high / low) ** share) if parts["log"] else float(low + share * (high - low))


def summary(path: str) -> None:
    """Agreement of rankings, over seeds: Spearman's rank correlation, and how many of the first three are the same."""
    shares: dict = defaultdict(dict)
    idle = defaultdict(list)
    for line in csv.DictReader(Path(path).open()):
        key = line["model"], line["evaluator"], line["seed"]
        shares[key][line["parameter"]] = float(line["total"] or line["first"])
        if line["parameter"] == "idle" and line["matters"]:
            idle[line["model"]].append(line["matters"])
    print("| model | | with | Spearman, mean (least) | of the first three |\n|---|---|---|---|---|")
    for model in MODELS:
        seeds = sorted({seed for name, _, seed in shares if name == model and seed})
        for one, other in (("baton", "fanova"), ("baton", "ped-anova"), ("fanova", "ped-anova"),
                           ("baton", "truth"), ("fanova", "truth"), ("ped-anova", "truth")):
            ranks, same = [], []
            for seed in seeds:
                a = shares[model, one, seed]
                b = shares[model, other, "" if other == "truth" else seed]
                ranks.append(spearmanr([a[name] for name in a], [b[name] for name in a])[0])
                first = [set(sorted(of, key=of.get)[-3:]) for of in (a, b)]
                same.append(len(first[0] & first[1]))
            print(f"| {model} | `{one}` | `{other}` | {np.mean(ranks):.2f} ({min(ranks):.2f}) | {np.mean(same):.1f} |")
        print(f"\n{model}: `idle` matters, by Baton: {', '.join(idle[model])}\n", file=sys.stderr)


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    match sys.argv[1:]:
        case ["truth", model]:
            truth(model)
        case ["summary", path]:
            summary(path)
        case [model, first, last]:
            for seed in range(int(first), int(last) + 1):
                compare(model, seed)
        case _:
            sys.exit(__doc__)
