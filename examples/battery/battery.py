"""Minutes to charge a battery cell from 10 to 80 %, how hot it gets, and how far it stays from plating lithium,
by PyBaMM: https://docs.pybamm.org. One JSON line in, one out.

Three models of the cell are three fidelities: one particle (`SPM`), one with an electrolyte (`SPMe`), and
Doyle, Fuller and Newman's (`DFN`).
"""

import json
import os
from functools import lru_cache

os.environ["PYBAMM_DISABLE_TELEMETRY"] = "true"

# What a task is: the cell's parameters, degrees outside, and watts per square metre and degree of cooling
TASKS = {
    "spring": ("Chen2020", 18.0, 12.0),
    "summer": ("Chen2020", 29.0, 12.0),
    "winter": ("Chen2020", 8.0, 12.0),
    "with a fan": ("Chen2020", 22.0, 30.0),
    "new supplier, spring": ("OKane2022", 18.0, 12.0),
    "new supplier, summer": ("OKane2022", 29.0, 12.0),
    "new supplier, winter": ("OKane2022", 8.0, 12.0),
    "new supplier, with a fan": ("OKane2022", 22.0, 30.0),
}
CHARGED = 0.7  # of the capacity, from 10 to 80 %
FADE = 4.0  # seconds in which one current becomes the next
STOP = 5.5  # volts, beyond which no cell goes

SURFACE = "egative electrode surface potential difference"
MARGIN = {
    "SPM": f"X-averaged n{SURFACE} [V]",
    "SPMe": f"N{SURFACE} at separator interface [V]",
    "DFN": f"N{SURFACE} at separator interface [V]",
}
TEMPERATURE = "X-averaged cell temperature [K]"
CONDITIONS = ["Ambient temperature [K]", "Initial temperature [K]", "Total heat transfer coefficient [W.m-2.K-1]"]


@lru_cache
def simulation(model, cell):
    """A cell whose currents and conditions are given when it is solved, and its capacity."""
    import pybamm

    pybamm.set_logging_level("ERROR")
    parameters = pybamm.ParameterValues(cell)
    parameters.update({name: "[input]" for name in CONDITIONS})
    capacity = parameters["Nominal cell capacity [A.h]"]
    first, second, third, early, late = (pybamm.InputParameter(f"c{k}") for k in range(5))

    def current(time):
        after = lambda moment: 1 / (1 + pybamm.exp((moment - time) / FADE))
        return -capacity * (first + (second - first) * after(early) + (third - second) * after(late))

    parameters["Current function [A]"] = current
    parameters["Upper voltage cut-off [V]"] = STOP
    parameters.set_initial_state(0.1)
    solver = pybamm.IDAKLUSolver(output_variables=[TEMPERATURE, MARGIN[model]])
    chemistry = getattr(pybamm.lithium_ion, model)({"thermal": "lumped"})
    return pybamm.Simulation(chemistry, parameter_values=parameters, solver=solver)


def charge(point, model, task):
    """Three currents, in capacities per hour, one after the other; each for a share of what is left to charge."""
    cell, outside, cooling = TASKS[task]
    first = CHARGED * point["first_share"]
    second = (CHARGED - first) * point["second_share"]
    third = CHARGED - first - second
    hours = [first / point["first"], second / point["second"], third / point["third"]]
    early, late, end = 3600 * hours[0], 3600 * (hours[0] + hours[1]), 3600 * sum(hours)
    currents = (point["first"], point["second"], point["third"], early, late)
    kelvin = outside + 273.15
    inputs = {f"c{k}": value for k, value in enumerate(currents)} | dict(zip(CONDITIONS, (kelvin, kelvin, cooling)))
    solution = simulation(model, cell).solve([0, end], t_interp=[min(end * k / 120, end) for k in range(121)], inputs=inputs)
    limits = {"margin": 1000 * float(min(solution[MARGIN[model]].entries))}
    if solution.termination == "final time":  # else the cell was full early, and how hot it gets is not known
        limits["temperature"] = float(max(solution[TEMPERATURE].entries)) - 273.15
    return end / 60, limits


if __name__ == "__main__":
    request = json.loads(input())
    minutes, limits = charge(request["point"], request["fidelity"], request["task"])
    print(json.dumps({"value": minutes, "constraints": limits}))
