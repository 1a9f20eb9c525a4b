"""A rival on a family: `python run.py FAMILY METHOD FIRST_SEED LAST_SEED --out FILE`. Seeds that are there are skipped.

| column | meaning |
|---|---|
| family, method, seed, task | the run; tasks count from 1 |
| what | `best`: a better value at the highest fidelity; `end`: the point recommended at the end |
| cost | of the task so far |
| value | at the highest fidelity; at the end that of the recommended point, free of charge |
| asks, seconds | at the end: evaluations, and seconds of the method itself |
| label | at the end: the task's name |
| least | at the end: the best value there is, where it is known |
"""

import os

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[threads] = "1"

import argparse
import csv
import fcntl
import io
import random
import time
from pathlib import Path

from families import family
from methods import method
from problem import TASKS, Work

COLUMNS = ["family", "method", "seed", "task", "what", "cost", "value", "asks", "seconds", "label", "least"]


def there(path):
    """Runs whose last task is in the file."""
    if not path.exists():
        return set()
    with path.open(encoding="utf-8") as file:
        return {
            (row["family"], row["method"], int(row["seed"]))
            for row in csv.DictReader(file)
            if row["what"] == "end" and int(row["task"]) == TASKS
        }


def run(name, rival, seed, tasks=TASKS):
    """The rows of a sequence of tasks."""
    its, rows = family(name), []
    player = method(rival, its, seed)
    for number, task in enumerate(its.tasks(random.Random(seed))[:tasks], 1):
        work, begun = Work(its, task, number), time.perf_counter()
        point = player.task(work)
        seconds = time.perf_counter() - begun - work.seconds
        key = [name, rival, seed, number]
        rows += [[*key, "best", f"{cost:g}", f"{value:.7g}", "", "", "", ""] for cost, value in work.improved]
        used, least = its.evaluate(task, point, its.finest), its.least(task)
        rows.append([
            *key, "end", f"{its.budget - work.left:g}", f"{used:.7g}", len(work.history), f"{seconds:.2f}", task,
            "" if least is None else f"{least:.7g}",
        ])
    its.remember()
    return rows


def append(path, rows):
    """All rows of a run at once, whoever else writes to the file."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    with path.open("a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if file.seek(0, os.SEEK_END) == 0:
            file.write(",".join(COLUMNS) + "\n")
        file.write(text.getvalue())


def main():
    parser = argparse.ArgumentParser(description="a rival on a family of the arena")
    parser.add_argument("family")
    parser.add_argument("method")
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--tasks", type=int, default=TASKS, help="fewer, to try it (into another file)")
    call = parser.parse_args()
    done = there(call.out)
    for seed in range(call.first, call.last + 1):
        if (call.family, call.method, seed) not in done:
            begun = time.perf_counter()
            append(call.out, run(call.family, call.method, seed, call.tasks))
            print(f"{call.family} {call.method} {seed}: {time.perf_counter() - begun:.1f} s", flush=True)


if __name__ == "__main__":
    main()
