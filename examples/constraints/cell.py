"""Minutes to charge a battery cell to 80 %, how hot it gets, and how far it stays from plating lithium.

A lumped model: one temperature, one state of charge, explicit steps in time. One JSON line in, one out.
"""

import json
import math

AMBIENT = {"spring": 20.0, "summer": 33.0, "autumn": 15.0, "summer, old cells": 33.0}
STEP = {"coarse": 90.0, "fine": 3.0}  # seconds
CAPACITY = 5.0  # ampere hours
HEAT, COOLING = 65.0, 0.30  # joules and watts per degree
TARGET = 0.8


def resistance(degrees):
    """Ohms: warm cells have less."""
    return 0.030 * math.exp(0.018 * (25.0 - degrees))


def margin(charge, current, degrees):
    """Millivolts between the anode and metallic lithium; below 0 it plates."""
    open_circuit = 60.0 + 190.0 * math.exp(-2.4 * charge)
    return open_circuit - current * 8.5 * math.exp(0.030 * (25.0 - degrees))


def charge(point, step, ambient):
    """A first current up to a state of charge, a second one from there on."""
    state, degrees, seconds = 0.1, ambient, 0.0
    hottest, least = degrees, math.inf
    while state < TARGET:
        current = point["first"] if state < point["switch"] else point["second"]
        least = min(least, margin(state, current, degrees))
        warming = current**2 * resistance(degrees) - COOLING * (degrees - ambient)
        degrees += step * warming / HEAT
        state += step * current / (3600.0 * CAPACITY)
        seconds += step
        hottest = max(hottest, degrees)
    return seconds / 60.0, hottest, least


request = json.loads(input())
minutes, hottest, least = charge(request["point"], STEP[request["fidelity"]], AMBIENT[request["task"]])
print(json.dumps({"value": minutes, "constraints": {"temperature": hottest, "margin": least}}))
