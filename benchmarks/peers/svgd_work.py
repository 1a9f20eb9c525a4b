"""The work of one SVGD step, the same for every peer: sizes, data, start, and a check.

V particles theta of D entries, n observations of d coordinates at one of 4 fidelities. A particle
is a deep kernel: three tanh layers of 64 units with output h, and
`k = exp(-|h - h'|^2) exp(-softplus(z) (m - m')^2)`; the noise variance 0.1 is known, the prior is
N(0, 0.5 I). One step evaluates the gradient of evidence and prior for every particle, lets the
particles interact with `exp(-|theta - theta'|^2 / 1.326)` and moves them with rate 1e-3. All of it
in double precision.

A peer brings two functions of its own, `scores` and `directions`; `check` compares them with the
reference values that Baton itself is compared with, so that all do the same work.
"""

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

NOISE_VARIANCE = 0.1
PRIOR_VARIANCE = 0.5
INVERSE_BANDWIDTH = 1.0 / 1.326
RATE = 1e-3
FIDELITIES = 4
WIDTH = 64
RUNS = 5
TOLERANCE = 1e-7


@dataclass(frozen=True)
class Data:
    """Observations: points (n x d), level numbers (n) and values (n)."""

    points: Array
    levels: Array
    values: Array


@dataclass(frozen=True)
class Layout:
    """How theta is divided: weights (outputs x inputs) and biases of three layers, then z."""

    dimension: int
    width: int

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        inputs = (self.dimension, self.width, self.width)
        layers = [shape for i in inputs for shape in ((self.width, i), (self.width,))]
        return [*layers, (1,)]

    @property
    def offsets(self) -> list[int]:
        sizes = [int(np.prod(shape)) for shape in self.shapes]
        return [0, *np.cumsum(sizes).tolist()]

    @property
    def size(self) -> int:
        return self.offsets[-1]


def arguments(peer: str) -> argparse.ArgumentParser:
    """The command line of a peer: the size of the work."""
    parser = argparse.ArgumentParser(description=f"One SVGD step in {peer}; prints JSON")
    parser.add_argument("--particles", type=int, default=10)
    parser.add_argument("--points", type=int, default=50)
    parser.add_argument("--dimension", type=int, default=6)
    parser.add_argument("--steps", type=int, default=100, help="in each run; the best counts")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--check", type=Path, metavar="FILE", help="compare with reference values")
    return parser


def random_data(points: int, dimension: int) -> Data:
    """Uniform points at random levels with standard normal values."""
    rng = np.random.default_rng(0)
    levels = rng.integers(0, FIDELITIES, points).astype(np.float64)
    return Data(rng.random((points, dimension)), levels, rng.standard_normal(points))


def start(particles: int, layout: Layout) -> Array:
    """Draws of the prior (V x D)."""
    draws = np.random.default_rng(1).standard_normal((particles, layout.size))
    return np.asarray(draws * np.sqrt(PRIOR_VARIANCE))


def best_milliseconds(run: Callable[[], object], steps: int) -> float:
    """The best of several runs, per step; one more goes ahead for compilation and caches."""
    run()
    times = []
    for _ in range(RUNS):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return 1e3 * min(times) / steps


def check(
    file: Path,
    scores: Callable[[Layout, Data, Array], ArrayLike],
    directions: Callable[[Array, Array, float], ArrayLike],
) -> float:
    """The largest relative error against the deep kernels of a file of reference values.

    `scores` takes particles (V x D) to gradients of log evidence plus log prior, `directions` takes
    particles, scores and an inverse bandwidth to the directions of SVGD. At the bandwidth that is
    timed, particles are too far apart to feel each other, so another one is checked as well.
    """
    worst = 0.0
    for case in json.loads(file.read_text()):
        if case["kernel"] != "deep":
            continue
        layout = Layout(case["dimension"], case["hidden"])
        arrays = (np.array(case[key], float) for key in ("x", "fidelity", "y"))
        particles, expect = np.array(case["particles"]), case["expect"]
        likelihood = -np.array(expect["gradient"])
        prior = -particles / PRIOR_VARIANCE
        found = np.asarray(scores(layout, Data(*arrays), particles)) - prior
        worst = max(worst, relative_error(found, likelihood))
        slopes, svgd = likelihood + np.array(expect["kde"]["score"]), expect["svgd"]
        for bandwidth, key in (
            (INVERSE_BANDWIDTH, "direction_at_h_1_over_1_326"),
            (svgd["median_bandwidth"], "direction_at_median"),
        ):
            moved = directions(particles, slopes, bandwidth)
            worst = max(worst, relative_error(moved, np.array(svgd[key])))
    if not worst <= TOLERANCE:
        raise SystemExit(f"this peer does other work: error {worst:.1e} against {file}")
    return worst


def relative_error(found: ArrayLike, expected: Array) -> float:
    """The largest difference of a particle, relative to its largest entry."""
    difference = np.abs(np.asarray(found) - expected).max(1)
    return float(np.max(difference / np.abs(expected).max(1)))


def report(
    peer: str, version: str, call: argparse.Namespace, milliseconds: float, **more: float
) -> None:
    """Prints one JSON document."""
    size = {key: getattr(call, key) for key in ("particles", "points", "dimension", "threads")}
    head = {"peer": peer, "version": version, "ms_per_step": milliseconds}
    print(json.dumps({**head, **size, **more}))
