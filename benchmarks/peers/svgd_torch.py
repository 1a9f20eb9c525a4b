"""One SVGD step in PyTorch, all particles in one batch: eager, or compiled with --compile."""

import argparse
from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import softplus

import svgd_work as work
import threads


class Density:
    """Evidence times prior for a batch of particles; what does not depend on them is kept."""

    def __init__(self, layout: work.Layout, data: work.Data) -> None:
        self.layout = layout
        self.points = torch.as_tensor(data.points)
        self.values = torch.as_tensor(data.values)
        levels = torch.as_tensor(data.levels)
        self.gaps = (levels[:, None] - levels) ** 2
        self.identity = torch.eye(len(data.values))

    def covariance(self, particles: Tensor) -> Tensor:
        """Covariances of the observations (V x n x n)."""
        offsets, count = self.layout.offsets, len(particles)
        parts = [
            particles[:, begin:end].reshape(count, *shape)
            for begin, end, shape in zip(offsets, offsets[1:], self.layout.shapes)
        ]
        features = self.points.expand(count, -1, -1)
        for weights, biases in zip(parts[0:6:2], parts[1:6:2]):
            features = torch.tanh(torch.baddbmm(biases[:, None], features, weights.mT))
        squares = features.square().sum(2)
        products = features @ features.mT
        distances = (squares[:, :, None] + squares[:, None] - 2.0 * products).clamp_min(0.0)
        exponent = distances + softplus(parts[6])[:, :, None] * self.gaps
        return torch.exp(-exponent) + work.NOISE_VARIANCE * self.identity

    def scores(self, particles: Tensor) -> Tensor:
        """Gradients of log evidence plus log prior (V x D).

        The evidence's derivative by the covariance is known, `(K^-1 - a a') / 2` with
        `a = K^-1 y`, so nothing has to be differentiated through the factorisation.
        """
        free = particles.detach().requires_grad_()
        matrix = self.covariance(free)
        inverse = torch.cholesky_inverse(torch.linalg.cholesky(matrix.detach()))
        weights = inverse @ self.values
        by_matrix = 0.5 * (weights[:, :, None] * weights[:, None] - inverse)
        (likelihood,) = torch.autograd.grad(matrix, free, by_matrix)
        return likelihood - particles / work.PRIOR_VARIANCE


def directions(particles: Tensor, slopes: Tensor, inverse_bandwidth: float) -> Tensor:
    """The directions of SVGD (V x D)."""
    squares = particles.square().sum(1)
    distances = (squares[:, None] + squares - 2.0 * particles @ particles.T).clamp_min(0.0)
    kernel = torch.exp(-inverse_bandwidth * distances)
    apart = particles * kernel.sum(1)[:, None] - kernel @ particles
    return (kernel @ slopes + 2.0 * inverse_bandwidth * apart) / len(particles)


def check(call: argparse.Namespace) -> dict[str, float]:
    """Comparison with reference values, if asked for."""
    if call.check is None:
        return {}
    error = work.check(
        call.check,
        lambda layout, data, theta: Density(layout, data).scores(torch.as_tensor(theta)).numpy(),
        lambda theta, slopes, h: directions(
            torch.as_tensor(theta), torch.as_tensor(slopes), h
        ).numpy(),
    )
    return {"reference_error": error}


def runner(call: argparse.Namespace, compiled: bool) -> Callable[[], Tensor]:
    """A run of all steps from the same start."""
    layout = work.Layout(call.dimension, work.WIDTH)
    density = Density(layout, work.random_data(call.points, call.dimension))
    begin = torch.as_tensor(work.start(call.particles, layout))

    def step(particles: Tensor) -> Tensor:
        slopes = density.scores(particles)
        return particles + work.RATE * directions(particles, slopes, work.INVERSE_BANDWIDTH)

    one = torch.compile(step) if compiled else step

    def run() -> Tensor:
        particles = begin
        for _ in range(call.steps):
            particles = one(particles)
        return particles

    return run


def main() -> None:
    parser = work.arguments("PyTorch")
    parser.add_argument("--compile", action="store_true", help="with torch.compile")
    call = parser.parse_args()
    threads.pin(call.threads)
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(call.threads)
    more = check(call)
    run = runner(call, call.compile)
    milliseconds = work.best_milliseconds(run, call.steps)
    assert run().isfinite().all()
    peer = "PyTorch, compiled" if call.compile else "PyTorch, eager"
    work.report(peer, torch.__version__, call, milliseconds, **more)


if __name__ == "__main__":
    main()
