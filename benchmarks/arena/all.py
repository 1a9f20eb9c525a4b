"""All cells, spread over cores: `python all.py ../results/arena --seeds 10 --minutes 60`. Called again, it goes on.

A cell is a family, a rival and a seed. Each runs in a process of its own, with one thread; the first seeds of all
come first. No cell begins after the time is over, and those that still run then are given `--grace` minutes.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

from families import NAMES
from methods import METHODS
from run import there

HERE = Path(__file__).parent


def main():
    parser = argparse.ArgumentParser(description="all rivals on all families of the arena")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--families", default=",".join(NAMES))
    parser.add_argument("--methods", default=",".join(name for name in METHODS if name not in ("ax-transfer", "hebo")))
    parser.add_argument("--first", type=int, default=1, help="seed")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--grace", type=float, default=0.0)
    parser.add_argument("--procs", type=int, default=os.cpu_count())
    call = parser.parse_args()
    call.folder.mkdir(parents=True, exist_ok=True)
    files = {family: call.folder / f"{family}.csv" for family in call.families.split(",")}
    done = set().union(*(there(path) for path in files.values()))
    cells = [
        (family, method, seed)
        for seed in range(call.first, call.first + call.seeds)
        for method in call.methods.split(",")
        for family in files
        if (family, method, seed) not in done
    ]
    until, running, failed = time.time() + 60 * call.minutes, {}, []
    print(f"{len(cells)} cells, {len(done)} there already", flush=True)
    while cells or running:
        while cells and len(running) < call.procs and time.time() < until:
            family, method, seed = cell = cells.pop(0)
            words = [family, method, str(seed), str(seed), "--out", str(files[family])]
            same = os.environ | {"PYTHONHASHSEED": "0"}  # the order of sets, on which some rivals depend
            running[subprocess.Popen([sys.executable, str(HERE / "run.py"), *words], env=same)] = cell
        for process in [one for one in running if one.poll() is not None]:
            cell = running.pop(process)
            failed += [cell] if process.returncode else []
        if time.time() >= until + 60 * call.grace or (time.time() >= until and not running):
            break
        time.sleep(0.2)
    for process in running:
        process.kill()
    print(f"{len(cells) + len(running)} cells are left; failed: {failed or 'none'}", flush=True)


if __name__ == "__main__":
    main()
