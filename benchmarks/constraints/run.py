"""A method on a constrained problem: `python run.py METHOD PROBLEM FIRST LAST`, a line per seed and checkpoint.

Every method gets the same number of evaluations, its own first design included. Prints problem, method, seed,
evaluations, best feasible value so far (empty: none yet), seconds.
"""

import sys
import time
import warnings

from problems import PROBLEMS

warnings.filterwarnings("ignore")


def baton(problem, seed, evaluate, **settings):
    import baton

    space = {
        f"x{i}": baton.integer(int(low), int(high)) if i in problem.whole else (float(low), float(high))
        for i, (low, high) in enumerate(problem.bounds)
    }
    count = len(problem.function([low for low, _ in problem.bounds])[1])
    names = [f"c{k}" for k in range(count)]
    campaign = baton.Campaign(
        space, goal="minimize", constraints={name: "<= 0" for name in names}, seed=seed, settings=settings or None
    )
    task = campaign.task("one", budget=problem.trials)
    for _ in range(problem.trials):
        trial = task.ask()
        value, limits = evaluate([trial[f"x{i}"] for i in range(len(space))])
        task.tell(trial, value, constraints=dict(zip(names, limits)))


def optuna_(sampler):
    def run(problem, seed, evaluate):
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        limits_of = lambda trial: trial.user_attrs["c"]
        samplers = {
            "tpe": lambda: optuna.samplers.TPESampler(seed=seed, constraints_func=limits_of),
            "gp": lambda: optuna.samplers.GPSampler(seed=seed, constraints_func=limits_of),
        }

        def objective(trial):
            x = [
                trial.suggest_int(f"x{i}", low, high)
                if i in problem.whole
                else trial.suggest_float(f"x{i}", low, high)
                for i, (low, high) in enumerate(problem.bounds)
            ]
            value, limits = evaluate(x)
            trial.set_user_attr("c", limits)
            return value

        study = optuna.create_study(sampler=samplers[sampler]())
        study.optimize(objective, n_trials=problem.trials)

    return run


def botorch(problem, seed, evaluate):
    """qLogEI with constraints, as BoTorch's tutorial on closed-loop constrained optimisation has it."""
    import torch
    from botorch.acquisition import qLogNoisyExpectedImprovement
    from botorch.acquisition.objective import GenericMCObjective
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from botorch.models.transforms import Standardize
    from botorch.optim import optimize_acqf
    from botorch.sampling import SobolQMCNormalSampler
    from botorch.utils.sampling import draw_sobol_samples
    from gpytorch.mlls import ExactMarginalLogLikelihood

    torch.manual_seed(seed)
    torch.set_num_threads(1)
    d = len(problem.bounds)
    low, span = ([b[0] for b in problem.bounds], [b[1] - b[0] for b in problem.bounds])

    def at(u):
        x = [l + s * float(v) for l, s, v in zip(low, span, u)]
        x = [round(v) if i in problem.whole else v for i, v in enumerate(x)]
        value, limits = evaluate(x)
        back = [(v - l) / s for v, l, s in zip(x, low, span)]
        return back, [-value, *limits]

    unit = torch.tensor([[0.0] * d, [1.0] * d], dtype=torch.double)
    rows = [at(u) for u in draw_sobol_samples(unit, n=2 * d + 2, q=1, seed=seed).squeeze(1)]
    for step in range(2 * d + 2, problem.trials):
        X = torch.tensor([row[0] for row in rows], dtype=torch.double)
        Y = torch.tensor([row[1] for row in rows], dtype=torch.double)
        # Independent outputs of one batched model: as a list of models, in a part of its time
        noise = 1e-6 * Y.std(0).clamp_min(1e-9).square().expand_as(Y)
        model = SingleTaskGP(X, Y, noise, outcome_transform=Standardize(Y.shape[-1]))
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        acquisition = qLogNoisyExpectedImprovement(
            model,
            X,
            sampler=SobolQMCNormalSampler(torch.Size([128]), seed=seed * 1000 + step),
            objective=GenericMCObjective(lambda Z, X=None: Z[..., 0]),
            constraints=[(lambda Z, k=k: Z[..., k]) for k in range(1, Y.shape[-1])],
            prune_baseline=True,
        )
        best, _ = optimize_acqf(
            acquisition, unit, q=1, num_restarts=8, raw_samples=256, options={"batch_limit": 5, "maxiter": 100}
        )
        rows.append(at(best.squeeze(0)))


METHODS = {
    "baton": baton,
    "optuna-tpe": optuna_("tpe"),
    "optuna-gp": optuna_("gp"),
    "botorch": botorch,
}


def main(method, name, first, last):
    problem = PROBLEMS[name]
    for seed in range(int(first), int(last) + 1):
        best, history, begun = None, [], time.time()

        def evaluate(x):
            nonlocal best
            value, limits = problem.function(x)
            if all(limit <= 1e-9 for limit in limits) and (best is None or value < best):
                best = value
            history.append(best)
            return value, limits

        METHODS[method](problem, seed, evaluate)
        seconds = time.time() - begun
        for count in sorted({problem.trials // 2, 3 * problem.trials // 4, problem.trials}):
            shown = "" if history[count - 1] is None else f"{history[count - 1]:.8g}"
            print(f"{name},{method},{seed},{count},{shown},{seconds:.1f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
