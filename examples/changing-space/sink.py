"""How hot a heat sink gets, with a price for its mass and its noise. One JSON line in, one out."""

import json
import math

HEAT = {"router": 25, "switch": 45, "server": 90, "server, cheap": 90, "rack": 160, "rack, spring": 130}
ELEMENTS = {"coarse": 3, "fine": 12, "finest": 48}  # along a fin
WIDTH, DEPTH = 75.0, 60.0  # of the base, in millimetres
CONDUCTIVITY = 0.18  # of aluminium, in watts per millimetre and degree


def transfer(gap, fan):
    """Watts per square millimetre and degree: air that is squeezed takes less."""
    return 8e-5 * (fan / 2400) ** 0.6 * gap / (gap + 2.5)


def conductance(height, thickness, h, elements):
    """Watts per degree that one fin takes at its foot, by finite volumes along it, from tip to foot."""
    step = height / elements
    along = CONDUCTIVITY * thickness * DEPTH / step
    taken = h * thickness * DEPTH  # the tip
    for _ in range(elements):
        taken += 2 * h * DEPTH * step
        taken = 1 / (1 / along + 1 / taken)
    return taken


def rise(point, fidelity, heat):
    height, thickness, fins = point["height"], point["thickness"], point["fins"]
    fan = point.get("fan", 2400)  # before it could be set
    gap = WIDTH / fins - thickness
    if gap < 0.4:
        return 120 + 20 * (0.4 - gap)  # the fins touch
    h = transfer(gap, fan)
    base = h * DEPTH * gap * fins
    degrees = heat / (base + fins * conductance(height, thickness, h, ELEMENTS[fidelity]))
    mass = 2.7e-6 * DEPTH * (WIDTH * 4 + fins * height * thickness)  # in kilograms
    return degrees + 20 * mass + 4 * (fan / 2400) ** 1.5


request = json.loads(input())
value = rise(request["point"], request["fidelity"], HEAT[request["task"]])
print(json.dumps({"value": value if math.isfinite(value) else None}))
