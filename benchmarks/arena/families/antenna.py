"""A Yagi antenna of four wires over soil, by the method of moments (NEC).

| | |
|---|---|
| varied | lengths of four wires, three distances |
| fidelities | 5, 11 or 25 segments per wire |
| tasks | frequencies between 138 and 162 MHz |
| value | less is better: minus the gain towards the other station in dBi, what the feed line reflects taken off |
"""

import math

import necpp

from problem import Family, Real

MAST, RADIUS = 3.0, 0.006  # metres
GROUND = 13.0, 0.005  # relative permittivity and conductivity (S/m) of average soil
ELEVATION = 10.0  # degrees above the horizon
LINE = 50.0  # ohm
WORST = 10.0


def gain(point, megahertz, segments):
    wires = [
        (-point["behind"], point["reflector"]),
        (0.0, point["driven"]),
        (point["ahead"], point["first"]),
        (point["ahead"] + point["further"], point["second"]),
    ]
    nec = necpp.nec_create()
    try:
        for tag, (x, length) in enumerate(wires, 1):
            necpp.nec_wire(nec, tag, segments, x, -length / 2, MAST, x, length / 2, MAST, RADIUS, 1.0, 1.0)
        necpp.nec_geometry_complete(nec, 1)
        necpp.nec_gn_card(nec, 0, 0, *GROUND, 0, 0, 0, 0)
        necpp.nec_fr_card(nec, 0, 1, megahertz, 0)
        necpp.nec_ex_card(nec, 0, 2, (segments + 1) // 2, 0, 1.0, 0, 0, 0, 0, 0)
        if necpp.nec_rp_card(nec, 0, 1, 1, 0, 5, 0, 0, 90.0 - ELEVATION, 0, 0, 0, 0, 0) != 0:
            return -WORST
        towards = necpp.nec_gain(nec, 0, 0, 0)
        impedance = complex(necpp.nec_impedance_real(nec, 0), necpp.nec_impedance_imag(nec, 0))
    finally:
        necpp.nec_delete(nec)
    taken = 1 - abs((impedance - LINE) / (impedance + LINE)) ** 2
    return max(towards + 10 * math.log10(max(taken, 1e-3)), -WORST)


class Antenna(Family):
    name = "antenna"
    space = {
        "reflector": Real(0.85, 1.2),
        "driven": Real(0.8, 1.15),
        "first": Real(0.75, 1.1),
        "second": Real(0.75, 1.1),
        "behind": Real(0.15, 0.9),
        "ahead": Real(0.15, 0.9),
        "further": Real(0.15, 0.9),
    }
    fidelities = {"5 segments": 1, "11 segments": 4, "25 segments": 16}
    pool = [f"{megahertz} MHz" for megahertz in range(138, 163, 3)]
    budget = 480

    def compute(self, task, point, fidelity):
        return -gain(point, float(task.split()[0]), int(fidelity.split()[0]))


FAMILY = Antenna
