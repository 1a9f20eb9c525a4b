"""The time of BoTorch's asks in a task that already has its observations, fits included.

As `baton bench ask` does it: uniform points at random levels come first, then asks are timed, each
followed by a tell. Six dimensions, four levels, a known noise variance.
"""

import argparse
import json
import math
import time
from collections.abc import Callable

import botorch
import numpy as np
import torch

import threads
from gibbon_botorch import Array, Gibbon, Observations, prepare

COSTS = [10.0, 15.0, 20.0, 25.0]
NOISE_VARIANCE = 0.1
DIMENSION = 6
# Hartmann-6: heights of the four bumps, a column per level; their widths and centres.
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


def hills(point: Array, level: int) -> float:
    """The function of `baton bench ask`: two hills, the lower of which grows at cheap levels."""
    crude = (len(COSTS) - 1 - level) / len(COSTS)
    tall, low = (
        np.exp(-((point - centre) ** 2).mean() / width**2)
        for centre, width in ((0.3, 0.2), (0.75, 0.25))
    )
    return float(3.0 * tall + (1.5 + crude) * low)


class Noisy:
    """A function whose values are seen with noise."""

    def __init__(self, truth: Callable[[Array, int], float], seed: int) -> None:
        self.truth = truth
        self.rng = np.random.default_rng(seed)

    def observe(self, point: Array, level: int) -> float:
        """The value of a point at a level, from 0."""
        return self.truth(point, level) + math.sqrt(NOISE_VARIANCE) * self.rng.standard_normal()

    def random_observations(self, count: int) -> Observations:
        """Uniform points at random levels."""
        points = self.rng.random((count, DIMENSION))
        levels = self.rng.integers(0, len(COSTS), count)
        values = [self.observe(point, level) for point, level in zip(points, levels)]
        return Observations(points, levels, np.array(values), np.full(count, NOISE_VARIANCE))


def timed_asks(function: Noisy, points: int, asks: int) -> list[float]:
    """Milliseconds of asks after so many points."""
    gibbon, seen, times = Gibbon(COSTS), function.random_observations(points), []
    # Not counted: it loads and compiles what is loaded and compiled late.
    gibbon.ask(seen, max(COSTS))
    for _ in range(asks):
        begin = time.perf_counter()
        point, level = gibbon.ask(seen, max(COSTS))
        times.append(1e3 * (time.perf_counter() - begin))
        seen.add(point, level, function.observe(point, level), NOISE_VARIANCE)
    return times


def main() -> None:
    functions = {"hills": hills, "hartmann6": hartmann6}
    parser = argparse.ArgumentParser(description="Asks in BoTorch; prints JSON")
    parser.add_argument("--function", choices=functions, default="hartmann6")
    parser.add_argument("--points", type=int, default=64, help="before the first timed ask")
    parser.add_argument("--asks", type=int, default=16)
    parser.add_argument("--threads", type=int, default=1)
    call = parser.parse_args()
    threads.pin(call.threads)
    prepare(call.threads)
    torch.manual_seed(1)
    times = timed_asks(Noisy(functions[call.function], seed=1), call.points, call.asks)
    document = {
        "peer": "BoTorch, MF-GIBBON",
        "version": botorch.__version__,
        "ms_per_ask": float(np.mean(times)),
        "ms_median": float(np.median(times)),
        "ms_fastest": min(times),
        "function": call.function,
        "asks": call.asks,
        "points": call.points,
        "dimension": DIMENSION,
        "fidelities": len(COSTS),
        "threads": call.threads,
    }
    print(json.dumps(document))


if __name__ == "__main__":
    main()
