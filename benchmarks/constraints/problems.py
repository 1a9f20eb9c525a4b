"""Constrained problems of the literature: bounds, which parameters are whole, f, constraints (feasible: all at
most 0), and the least feasible value known. All are minimised, without noise."""

from dataclasses import dataclass
from math import exp, pi, sin, sqrt
from typing import Callable, Sequence


@dataclass(frozen=True)
class Problem:
    bounds: Sequence[tuple[float, float]]
    whole: frozenset
    function: Callable[[Sequence[float]], tuple[float, list[float]]]
    optimum: float
    trials: int


def gramacy(x):
    """Gramacy et al., Modeling an augmented Lagrangian for blackbox constrained optimization, 2016."""
    a, b = x
    wave = 1.5 - a - 2 * b - 0.5 * sin(2 * pi * (a * a - 2 * b))
    return a + b, [wave, a * a + b * b - 1.5]


def pressure_vessel(x):
    """Coello and Montes, 2002; thicknesses in sixteenths of an inch."""
    shell, head, radius, length = 0.0625 * x[0], 0.0625 * x[1], x[2], x[3]
    cost = (
        0.6224 * shell * radius * length
        + 1.7781 * head * radius**2
        + 3.1661 * shell**2 * length
        + 19.84 * shell**2 * radius
    )
    volume = pi * radius**2 * length + 4.0 / 3.0 * pi * radius**3
    return cost, [0.0193 * radius - shell, 0.00954 * radius - head, 1296000.0 - volume, length - 240.0]


def welded_beam(x):
    """Coello and Montes, 2002."""
    h, l, t, b = x
    load, span, young, shear = 6000.0, 14.0, 30e6, 12e6
    primary = load / (sqrt(2.0) * h * l)
    arm = sqrt(l * l / 4 + ((h + t) / 2) ** 2)
    moment = load * (span + l / 2)
    polar = 2 * sqrt(2.0) * h * l * (l * l / 12 + ((h + t) / 2) ** 2)
    secondary = moment * arm / polar
    tau = sqrt(primary**2 + primary * secondary * l / arm + secondary**2)
    sigma = 6 * load * span / (b * t * t)
    delta = 4 * load * span**3 / (young * t**3 * b)
    buckling = (
        4.013 * young * sqrt(t * t * b**6 / 36) / span**2 * (1 - t / (2 * span) * sqrt(young / (4 * shear)))
    )
    cost = 1.10471 * h * h * l + 0.04811 * t * b * (14.0 + l)
    return cost, [tau - 13600.0, sigma - 30000.0, h - b, delta - 0.25, load - buckling]


def speed_reducer(x):
    """Golinski's speed reducer; Lemonge et al., 2010."""
    b, m, z, l1, l2, d1, d2 = x
    weight = (
        0.7854 * b * m * m * (3.3333 * z * z + 14.9334 * z - 43.0934)
        - 1.508 * b * (d1**2 + d2**2)
        + 7.4777 * (d1**3 + d2**3)
        + 0.7854 * (l1 * d1**2 + l2 * d2**2)
    )
    return weight, [
        27 / (b * m * m * z) - 1,
        397.5 / (b * m * m * z * z) - 1,
        1.93 * l1**3 / (m * z * d1**4) - 1,
        1.93 * l2**3 / (m * z * d2**4) - 1,
        sqrt((745 * l1 / (m * z)) ** 2 + 16.9e6) / (0.1 * d1**3) - 1100,
        sqrt((745 * l2 / (m * z)) ** 2 + 157.5e6) / (0.1 * d2**3) - 850,
        m * z - 40,
        5 - b / m,
        b / m - 12,
        (1.5 * d1 + 1.9) / l1 - 1,
        (1.1 * d2 + 1.9) / l2 - 1,
    ]


ALPHA = (1.0, 1.2, 3.0, 3.2)
A = ((10, 3, 17, 3.5, 1.7, 8), (0.05, 10, 17, 0.1, 8, 14), (3, 3.5, 1.7, 10, 17, 8), (17, 8, 0.05, 10, 0.1, 14))
P = (
    (0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886),
    (0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991),
    (0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650),
    (0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381),
)


def hartmann(x):
    """Hartmann's function of six parameters within the unit ball, as in BoTorch."""
    terms = (a * exp(-sum(c * (u - p) ** 2 for c, u, p in zip(A[i], x, P[i]))) for i, a in enumerate(ALPHA))
    return -sum(terms), [sqrt(sum(u * u for u in x)) - 1.0]


PROBLEMS = {
    "gramacy": Problem([(0, 1)] * 2, frozenset(), gramacy, 0.5998, 40),
    "hartmann": Problem([(0, 1)] * 6, frozenset(), hartmann, -3.32237, 60),
    "pressure-vessel": Problem(
        [(1, 99), (1, 99), (10, 200), (10, 200)], frozenset({0, 1}), pressure_vessel, 6059.714, 60
    ),
    "welded-beam": Problem([(0.125, 10), (0.1, 10), (0.1, 10), (0.1, 10)], frozenset(), welded_beam, 1.724853, 60),
    "speed-reducer": Problem(
        [(2.6, 3.6), (0.7, 0.8), (17, 28), (7.3, 8.3), (7.3, 8.3), (2.9, 3.9), (5, 5.5)],
        frozenset({2}),
        speed_reducer,
        2994.4711,
        60,
    ),
}
