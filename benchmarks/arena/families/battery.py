"""Charging a battery cell from 10 to 80 % by three currents, by PyBaMM: the cells of `examples/battery`.

| | |
|---|---|
| varied | three currents, after which shares of the charge they change |
| fidelities | one particle (SPM), one with an electrolyte (SPMe), Doyle, Fuller and Newman's model (DFN) |
| tasks | two cells in four surroundings |
| value | logarithm of the minutes, and .1 for every degree above 45 °C and every 2 mV of lithium plating |
"""

import math
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[3] / "examples" / "battery"))
import battery

from problem import Family, Real

HOTTEST, WORST = 45.0, 12.0


class Battery(Family):
    name = "battery"
    space = {
        "first": Real(0.4, 3.0, log=True),
        "first_share": Real(0.1, 0.8),
        "second": Real(0.3, 2.0, log=True),
        "second_share": Real(0.1, 0.9),
        "third": Real(0.2, 1.5, log=True),
    }
    fidelities = {"SPM": 1, "SPMe": 4, "DFN": 20}
    pool = list(battery.TASKS)
    budget = 600

    def compute(self, task, point, fidelity):
        from pybamm import SolverError

        try:
            minutes, limits = battery.charge(point, fidelity, task)
        except SolverError:
            return WORST
        hot = max(limits.get("temperature", 100.0) - HOTTEST, 0.0)  # full early: how hot is not known
        return min(math.log(minutes) + 0.1 * hot + 0.05 * max(-limits["margin"], 0.0), WORST)


FAMILY = Battery
