"""One SVGD step in JAX: a run is one compiled `lax.scan`, particles are mapped by `vmap`."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.scipy.linalg import cho_solve

import svgd_work as work
import threads


def covariance(layout: work.Layout, data: work.Data, theta: Array) -> Array:
    """The covariance of the observations (n x n) for one particle."""
    parts = [
        theta[begin:end].reshape(shape)
        for begin, end, shape in zip(layout.offsets, layout.offsets[1:], layout.shapes)
    ]
    features = jnp.asarray(data.points)
    for weights, biases in zip(parts[0:6:2], parts[1:6:2]):
        features = jnp.tanh(features @ weights.T + biases)
    squares = jnp.sum(features * features, 1)
    distances = jnp.maximum(squares[:, None] + squares - 2.0 * features @ features.T, 0.0)
    gaps = (data.levels[:, None] - data.levels) ** 2
    between_levels = jnp.exp(-jax.nn.softplus(parts[6][0]) * gaps)
    noise = work.NOISE_VARIANCE * jnp.eye(len(data.values))
    return jnp.exp(-distances) * between_levels + noise


def log_posterior_slope(layout: work.Layout, data: work.Data, theta: Array) -> Array:
    """A number with the gradient of log evidence plus log prior.

    The evidence's derivative by the covariance is known, `(K^-1 - a a') / 2` with `a = K^-1 y`, so
    nothing has to be differentiated through the factorisation.
    """
    matrix = covariance(layout, data, theta)
    identity = jnp.eye(len(data.values))
    factor = jnp.linalg.cholesky(lax.stop_gradient(matrix))
    inverse = cho_solve((factor, True), identity)
    weights = inverse @ data.values
    by_matrix = lax.stop_gradient(inverse - jnp.outer(weights, weights))
    prior = jnp.sum(theta * theta) / work.PRIOR_VARIANCE
    return -0.5 * (jnp.sum(by_matrix * matrix) + prior)


def scores(layout: work.Layout, data: work.Data, particles: Array) -> Array:
    """Gradients of log evidence plus log prior (V x D)."""
    gradient = jax.grad(lambda theta: log_posterior_slope(layout, data, theta))
    return jax.vmap(gradient)(particles)


def directions(particles: Array, slopes: Array, inverse_bandwidth: float) -> Array:
    """The directions of SVGD (V x D)."""
    squares = jnp.sum(particles * particles, 1)
    distances = jnp.maximum(squares[:, None] + squares - 2.0 * particles @ particles.T, 0.0)
    kernel = jnp.exp(-inverse_bandwidth * distances)
    apart = particles * jnp.sum(kernel, 1)[:, None] - kernel @ particles
    return (kernel @ slopes + 2.0 * inverse_bandwidth * apart) / len(particles)


def main() -> None:
    call = work.arguments("JAX").parse_args()
    threads.pin(call.threads)
    jax.config.update("jax_enable_x64", True)
    more = {}
    if call.check is not None:
        more["reference_error"] = work.check(
            call.check,
            lambda layout, data, theta: np.asarray(scores(layout, data, jnp.asarray(theta))),
            lambda theta, slopes, h: np.asarray(
                directions(jnp.asarray(theta), jnp.asarray(slopes), h)
            ),
        )
    layout = work.Layout(call.dimension, work.WIDTH)
    data = work.random_data(call.points, call.dimension)

    def step(particles: Array, _: None) -> tuple[Array, None]:
        slopes = scores(layout, data, particles)
        moved = directions(particles, slopes, work.INVERSE_BANDWIDTH)
        return particles + work.RATE * moved, None

    run = jax.jit(lambda particles: lax.scan(step, particles, None, length=call.steps)[0])
    begin = jnp.asarray(work.start(call.particles, layout))
    milliseconds = work.best_milliseconds(lambda: run(begin).block_until_ready(), call.steps)
    assert np.isfinite(run(begin)).all()
    work.report("JAX, compiled", jax.__version__, call, milliseconds, **more)


if __name__ == "__main__":
    main()
