"""The heat in the middle of a plate: what it takes to compute it. One JSON line in, one out."""

import json
import math

ALONG = {"plate": 1.0, "wood": 6.0}  # how much better heat is conducted along the columns
ACCURACY = 2e-3  # that is asked for, as a share of the heat


def exact(along):
    """The heat in the middle, -along u_xx - u_yy = 1 in the unit square, by its series."""
    total = 0.0
    for m in range(1, 200, 2):
        for n in range(1, 200, 2):
            sign = -1.0 if (m + n) % 4 == 0 else 1.0
            total += sign / (m * n * (along * m * m + n * n))
    return 16 * total / math.pi**4


class Plate:
    """The equations on a grid, a list with a frame of zeros around the unknowns."""

    def __init__(self, columns, rows, along):
        self.wide, self.count = columns + 2, columns * rows
        self.size = self.wide * (rows + 2)
        self.inside = [j * self.wide + i for j in range(1, rows + 1) for i in range(1, columns + 1)]
        self.x, self.y = along * (columns + 1) ** 2, float((rows + 1) ** 2)
        self.diagonal = 2 * (self.x + self.y)
        self.operations = 0

    def around(self, u, k):
        return self.x * (u[k - 1] + u[k + 1]) + self.y * (u[k - self.wide] + u[k + self.wide])

    def applied(self, u):
        self.operations += 7 * self.count
        out = [0.0] * self.size
        for k in self.inside:
            out[k] = self.diagonal * u[k] - self.around(u, k)
        return out

    def product(self, a, b):
        self.operations += 2 * self.count
        return sum(a[k] * b[k] for k in self.inside)

    def swept(self, u, right, order, factor):
        self.operations += 9 * self.count
        for k in order:
            u[k] += factor * ((right[k] + self.around(u, k)) / self.diagonal - u[k])

    def middle(self, u):
        """Between the unknowns around the middle."""
        columns, rows = self.wide - 2, self.count // (self.wide - 2)
        near = lambda n: {(n + 1) // 2, (n + 2) // 2}
        places = [j * self.wide + i for i in near(columns) for j in near(rows)]
        return sum(u[k] for k in places) / len(places)


def relaxed(plate, right, factor):
    u = [0.0] * plate.size
    for _ in range(400):
        before = plate.middle(u)
        plate.swept(u, right, plate.inside, factor)
        if abs(plate.middle(u) - before) < 1e-7 * abs(before):
            break
    return u


def descended(plate, right, weight):
    """Conjugate gradients; a forward and a backward sweep precondition them, if there is a weight."""

    def preconditioned(r):
        if weight is None:
            return r
        z = [0.0] * plate.size
        plate.swept(z, r, plate.inside, weight)
        plate.swept(z, r, plate.inside[::-1], weight)
        return z

    u, r = [0.0] * plate.size, list(right)
    z = preconditioned(r)
    p, size = z, plate.product(r, z)
    start = size
    while size > 1e-8 * start:
        a = plate.applied(p)
        step = size / plate.product(p, a)
        u = [x + step * y for x, y in zip(u, p)]
        r = [x - step * y for x, y in zip(r, a)]
        z = preconditioned(r)
        before, size = size, plate.product(r, z)
        p = [x + size / before * y for x, y in zip(z, p)]
    return u


def cost(point, along):
    plate = Plate(point["columns"], point["rows"], along)
    right = [0.0] * plate.size
    for k in plate.inside:
        right[k] = 1.0
    if point["solver"] == "relaxation":
        u = relaxed(plate, right, point["factor"])
    else:
        u = descended(plate, right, point.get("weight"))
    if point["solver"] == "direct":  # the same result, by elimination within the band
        band = point["columns"] if point["numbering"] == "by rows" else point["rows"]
        plate.operations = plate.count * (band**2 + 6 * band)
    truth = exact(along)
    error = abs(plate.middle(u) - truth) / truth
    return math.log10(plate.operations) + 1.5 * max(0.0, math.log10(max(error, 1e-12) / ACCURACY))


if __name__ == "__main__":
    request = json.loads(input())
    print(json.dumps({"value": cost(request["point"], ALONG[request["task"]])}))
