"""The time of one ask of BoTorch on Hartmann-6: fit included, values of random points given."""

import argparse
import json
import time

import botorch
import numpy as np
import torch

import threads
from gibbon_botorch import Array, Gibbon, Observations, prepare

COSTS = [10.0, 15.0, 20.0, 25.0]
NOISE_VARIANCE = 0.1
DIMENSION = 6
# Heights of the four bumps, a column per level; their widths and centres.
HEIGHTS = np.array(
    [
        [1.0, 1.01, 1.02, 1.03],
        [1.2, 1.19, 1.18, 1.17],
        [3.0, 2.9, 2.8, 2.7],
        [3.2, 3.3, 3.4, 3.5],
    ]
)
NARROWNESS = np.array(
    [
        [10.0, 3.0, 17.0, 3.5, 1.7, 8.0],
        [0.05, 10.0, 17.0, 0.1, 8.0, 14.0],
        [3.0, 3.5, 1.7, 10.0, 17.0, 8.0],
        [17.0, 8.0, 0.05, 10.0, 0.1, 14.0],
    ]
)
CENTRES = 1e-4 * np.array(
    [
        [1312, 1696, 5569, 124, 8283, 5886],
        [2329, 4135, 8307, 3736, 1004, 9991],
        [2348, 1451, 3522, 2883, 3047, 6650],
        [4047, 8828, 8732, 5743, 1091, 381],
    ]
)


def hartmann6(point: Array, level: int) -> float:
    """The unvaried function, to be maximised."""
    exponents = (NARROWNESS * (point - CENTRES) ** 2).sum(1)
    return float(HEIGHTS[:, level] @ np.exp(-exponents))


def random_observations(count: int, seed: int) -> Observations:
    """Uniform points at random levels with noise."""
    rng = np.random.default_rng(seed)
    points = rng.random((count, DIMENSION))
    levels = rng.integers(0, len(COSTS), count)
    truths = np.array([hartmann6(point, level) for point, level in zip(points, levels)])
    values = truths + np.sqrt(NOISE_VARIANCE) * rng.standard_normal(count)
    return Observations(points, levels, values, np.full(count, NOISE_VARIANCE))


def main() -> None:
    parser = argparse.ArgumentParser(description="One ask in BoTorch; prints JSON")
    parser.add_argument("--points", type=int, default=64)
    parser.add_argument("--asks", type=int, default=5, help="each after other random points")
    parser.add_argument("--threads", type=int, default=1)
    call = parser.parse_args()
    threads.pin(call.threads)
    prepare(call.threads)
    gibbon, times = Gibbon(COSTS), []
    # The first ask, which loads and compiles what is loaded and compiled late, is not counted.
    for seed in range(call.asks + 1):
        torch.manual_seed(seed)
        seen = random_observations(call.points, seed)
        begin = time.perf_counter()
        gibbon.ask(seen, max(COSTS))
        times.append(1e3 * (time.perf_counter() - begin))
    times = times[1:]
    document = {
        "peer": "BoTorch, MF-GIBBON",
        "version": botorch.__version__,
        "ms_per_ask": float(np.median(times)),
        "best_ms_per_ask": min(times),
        "asks": len(times),
        "failed_fits": gibbon.failed_fits,
        "points": call.points,
        "dimension": DIMENSION,
        "fidelities": len(COSTS),
        "threads": call.threads,
    }
    print(json.dumps(document))


if __name__ == "__main__":
    main()
