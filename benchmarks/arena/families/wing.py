"""An airliner's wing that bends, by a vortex lattice coupled with beams (OpenAeroStruct).

| | |
|---|---|
| varied | sweep, taper, thickness to chord, twist half way and at the tip, wall of the spar at three places |
| fidelities | lattices of 3 by 2, 8 by 2 and 13 by 3 points per half wing |
| tasks | nine missions: speed, altitude, range, load |
| value | logarithm of the fuel in 100 tonnes, more where the spar would break; the angle of attack is trimmed so that lift is weight |
"""

import os
import warnings
from functools import lru_cache

os.environ["OPENMDAO_REPORTS"] = "0"
warnings.filterwarnings("ignore")

import numpy as np
import openmdao.api as om
from openaerostruct.integration.aerostruct_groups import AerostructGeometry, AerostructPoint
from openaerostruct.meshing.mesh_generator import generate_mesh

from problem import Family, Real

# Points over the whole span and along the chord; the share to which lift and bending have settled
LATTICES = {"3 by 2": (5, 2, 3e-2), "8 by 2": (15, 2, 1e-3), "13 by 3": (25, 3, 1e-6)}
# Mach number, altitude in km, range in 1000 km, tonnes without fuel and wing
MISSIONS = {
    "short": (0.74, 10.0, 4.0, 95.0),
    "short, low": (0.70, 8.0, 3.0, 95.0),
    "short, full": (0.76, 10.0, 4.0, 120.0),
    "middle": (0.80, 10.5, 8.0, 110.0),
    "middle, fast": (0.86, 10.5, 8.0, 105.0),
    "middle, full": (0.80, 10.0, 8.0, 135.0),
    "long": (0.82, 11.0, 13.0, 110.0),
    "long, fast": (0.86, 11.0, 12.0, 105.0),
    "long, slow": (0.76, 10.0, 13.0, 115.0),
}
CONSUMPTION = 17e-6  # of the engines, in 1/s times standard gravity
LOAD = 2.5  # what the spar has to bear beyond level flight
WORST = 3.0


def air(kilometres):
    """Density in kg/m³ and speed of sound in m/s below the tropopause, of the standard atmosphere."""
    kelvin = 288.15 - 6.5 * kilometres
    return 1.225 * (kelvin / 288.15) ** 4.256, 20.05 * kelvin**0.5


@lru_cache
def model(lattice):
    across, along, settled = LATTICES[lattice]
    mesh = generate_mesh({
        "num_y": across, "num_x": along, "wing_type": "rect", "symmetry": True, "span": 52.0, "root_chord": 9.5,
    })
    surface = {
        "name": "wing", "symmetry": True, "S_ref_type": "wetted", "fem_model_type": "tube", "mesh": mesh,
        "thickness_cp": np.full(3, 0.02), "twist_cp": np.zeros(3), "t_over_c_cp": np.array([0.12]), "sweep": 25.0,
        "taper": 0.3, "CL0": 0.0, "CD0": 0.015, "k_lam": 0.05, "c_max_t": 0.38, "with_viscous": True,
        "with_wave": True, "E": 73e9, "G": 28e9, "yield": 420e6, "safety_factor": 1.5 * LOAD, "mrho": 2780.0,
        "fem_origin": 0.35, "wing_weight_ratio": 1.5, "struct_weight_relief": False,
        "distributed_fuel_weight": False, "exact_failure_constraint": False,
    }
    problem, given = om.Problem(reports=False), om.IndepVarComp()
    units = {
        "v": "m/s", "alpha": "deg", "Mach_number": None, "re": "1/m", "rho": "kg/m**3", "CT": "1/s", "R": "m",
        "W0": "kg", "speed_of_sound": "m/s", "load_factor": None,
    }
    for name, unit in units.items():
        given.add_output(name, val=1.0, units=unit)
    given.add_output("empty_cg", val=np.zeros(3), units="m")
    problem.model.add_subsystem("given", given, promotes=["*"])
    problem.model.add_subsystem("wing", AerostructGeometry(surface=surface), promotes_inputs=["sweep", "taper"])
    point = AerostructPoint(surfaces=[surface])
    problem.model.add_subsystem("point", point, promotes_inputs=[*units, "empty_cg"])
    for name in ("local_stiff_transformed", "nodes", "mesh"):
        problem.model.connect(f"wing.{name}", f"point.coupled.wing.{name}")
    for name in ("radius", "thickness", "nodes", "t_over_c"):
        problem.model.connect(f"wing.{name}", f"point.wing_perf.{name}")
    problem.model.connect("wing.cg_location", "point.total_perf.wing_cg_location")
    problem.model.connect("wing.structural_mass", "point.total_perf.wing_structural_mass")
    problem.setup(check=False)
    problem.set_solver_print(-1)
    solver = problem.model.point.coupled.nonlinear_solver
    solver.options.set(atol=1e-2, rtol=settled, maxiter=60)
    problem.final_setup()
    return problem, problem.model._outputs.asarray(copy=True)


def flown(point, mission, lattice):
    """Fuel in kg, and how far the spar is beyond its strength."""
    mach, altitude, distance, tonnes = mission
    density, sound = air(altitude)
    problem, fresh = model(lattice)
    problem.model._outputs.set_val(fresh)  # else the solver would begin where the last wing was
    problem["v"], problem["Mach_number"], problem["rho"], problem["speed_of_sound"] = mach * sound, mach, density, sound
    problem["re"] = density * mach * sound / 1.45e-5
    problem["CT"], problem["R"], problem["W0"] = 9.80665 * CONSUMPTION, 1e6 * distance, 1000 * tonnes
    problem["load_factor"] = 1.0
    problem["sweep"], problem["taper"] = point["sweep"], point["taper"]
    problem["wing.geometry.t_over_c_cp"] = [point["thickness"]]
    problem["wing.twist_cp"] = [point["twist_tip"], point["twist_mid"], 0.0]
    problem["wing.thickness_cp"] = [point["wall_tip"], point["wall_mid"], point["wall_root"]]

    def missing(alpha):
        """The share of the weight that is not lifted."""
        problem["alpha"] = alpha
        problem.run_model()
        return float(problem["point.total_perf.L_equals_W"][0])

    low, high = missing(1.0), missing(5.0)
    trimmed = 1.0 + 4.0 * low / (low - high)
    if not -10 < trimmed < 15:
        return np.inf, 0.0
    missing(trimmed)
    return float(problem["point.fuelburn"][0]), max(float(problem["point.wing_perf.failure"][0]), 0.0)


class Wing(Family):
    name = "wing"
    space = {
        "sweep": Real(5.0, 40.0),
        "taper": Real(0.15, 0.7),
        "thickness": Real(0.08, 0.16),
        "twist_mid": Real(-6.0, 4.0),
        "twist_tip": Real(-8.0, 4.0),
        "wall_root": Real(0.01, 0.08, log=True),
        "wall_mid": Real(0.006, 0.06, log=True),
        "wall_tip": Real(0.003, 0.03, log=True),
    }
    fidelities = {"3 by 2": 2, "8 by 2": 3, "13 by 3": 7}
    pool = list(MISSIONS)
    budget = 210

    def compute(self, task, point, fidelity):
        try:
            fuel, beyond = flown(point, MISSIONS[task], fidelity)
        except (om.AnalysisError, ValueError):  # so soft that lift and bending do not settle, or are no numbers
            return WORST
        value = np.log(fuel / 1e5) + np.log1p(beyond)
        return min(value, WORST) if np.isfinite(value) else WORST


FAMILY = Wing
