"""Two rivals without a model, both at the highest fidelity.

`random` draws uniformly. `last-best` begins with the best point of the last task and goes on from the best so far
by Gaussian steps, longer after a better point and shorter after a worse one; its first task begins with five
random points.
"""

import random

from problem import Choice, Method, decoded, drawn, encoded

STEP, LONGER, SHORTER = 0.15, 1.5, 0.85
OTHER = 0.15  # how often a choice is drawn anew


class Random(Method):
    def task(self, work):
        rng = random.Random(f"{self.seed} {work.number}")
        while work.affords():
            work.evaluate(drawn(self.family.space, rng))
        return work.best()


class LastBest(Method):
    last = None

    def task(self, work):
        space, rng, step = self.family.space, random.Random(f"{self.seed} {work.number}"), STEP
        for point in [self.last] if self.last else [drawn(space, rng) for _ in range(5)]:
            work.evaluate(point)
        while work.affords():
            best = work.best()
            point = decoded(space, [u + rng.gauss(0, step) for u in encoded(space, best)])
            for name, one in space.items():
                if isinstance(one, Choice):
                    point[name] = rng.choice(one.values) if rng.random() < OTHER else best[name]
            so_far = work.improved[-1][1]
            step *= LONGER if work.evaluate(point) < so_far else SHORTER
            step = min(max(step, 0.005), 0.3)
        self.last = work.best()
        return self.last
