"""Gain of a three-element Yagi antenna, by the method of moments: one JSON line in, one out."""

import json
import math

import necpp

MAST, RADIUS = 3.0, 0.006  # height over ground and radius of the wires, in metres
GROUND = 13.0, 0.005  # relative permittivity and conductivity (S/m) of average soil
ELEVATION = 10.0  # degrees above the horizon, where the other station is
LINE = 50.0  # ohm


def done(code):
    """Every call of NEC tells whether it worked."""
    if code != 0:
        raise ValueError(necpp.nec_error_message())


def gain(point, frequency, segments):
    """Gain in dBi towards the other station, less what the feed line reflects.

    Lengths and distances are in metres, the frequency in Hz. An odd number of segments has one in the
    middle, where the antenna is fed.
    """
    wires = (
        (-point["behind"], point["reflector"]),
        (0.0, point["driven"]),
        (point["ahead"], point["director"]),
    )
    nec = necpp.nec_create()
    try:
        for tag, (x, length) in enumerate(wires, 1):
            ends = (x, -length / 2, MAST, x, length / 2, MAST)
            done(necpp.nec_wire(nec, tag, segments, *ends, RADIUS, 1.0, 1.0))
        done(necpp.nec_geometry_complete(nec, 1))
        done(necpp.nec_gn_card(nec, 0, 0, *GROUND, 0, 0, 0, 0))
        done(necpp.nec_fr_card(nec, 0, 1, frequency / 1e6, 0))
        done(necpp.nec_ex_card(nec, 0, 2, (segments + 1) // 2, 0, 1.0, 0, 0, 0, 0, 0))
        done(necpp.nec_rp_card(nec, 0, 1, 1, 0, 5, 0, 0, 90.0 - ELEVATION, 0, 0, 0, 0, 0))
        towards = necpp.nec_gain(nec, 0, 0, 0)
        impedance = complex(necpp.nec_impedance_real(nec, 0), necpp.nec_impedance_imag(nec, 0))
    finally:
        necpp.nec_delete(nec)
    reflected = abs((impedance - LINE) / (impedance + LINE)) ** 2
    return towards + 10 * math.log10(max(1 - reflected, 1e-4))


if __name__ == "__main__":
    request = json.loads(input())
    frequency = request["describe"]["frequency"]
    segments = int(request["fidelity"].split()[0])
    print(json.dumps({"value": gain(request["point"], frequency, segments)}))
