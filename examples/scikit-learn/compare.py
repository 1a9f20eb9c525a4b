"""The sequence against a cold start on every data set: error reached after a part of the budget.

Usage: python3 compare.py [SEEDS]   (3 by default; needs `baton` on the path or in BATON)
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
BATON = os.environ.get("BATON", "baton")
TASKS = ["iris", "wine", "breast_cancer", "digits"]
SHARES = [0.5, 1.0]
TOP = "all"


def run(text, folder):
    """Runs a campaign file and returns its trials, by task."""
    folder.mkdir(parents=True)
    (folder / "train.py").write_text((HERE / "train.py").read_text())
    (folder / "campaign.toml").write_text(text)
    call = [BATON, "run", "campaign.toml", "--quiet"]
    subprocess.run(call, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    call = [BATON, "export", "campaign.toml", "--json"]
    exported = json.loads(subprocess.run(call, cwd=folder, check=True, stdout=subprocess.PIPE).stdout)
    return {task: [t for t in exported["trials"] if t["task"] == task] for task in TASKS}


def reached(trials, budget):
    """The best value at the top fidelity within a budget; 1 if there is none."""
    spent, best = 0.0, 1.0
    for trial in trials:
        spent += trial["cost"]
        if spent > budget:
            break
        if trial["fidelity"] == TOP and trial["value"] is not None:
            best = min(best, trial["value"])
    return best


def main():
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    file = (HERE / "campaign.toml").read_text()
    head, budget = file.split("[[task]]")[0], float(re.search(r"budget = (\d+)", file)[1])
    errors = {}
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(1, seeds + 1):
            seeded = lambda text: re.sub(r"seed = \d+", f"seed = {seed}", text)
            handed_on = run(seeded(file), pathlib.Path(scratch, f"sequence-{seed}"))
            for task in TASKS:
                alone = f'{seeded(head)}[[task]]\nname = "{task}"\nbudget = {budget:g}\n'
                cold = run(alone, pathlib.Path(scratch, f"{task}-{seed}"))
                for share in SHARES:
                    pair = reached(handed_on[task], share * budget), reached(cold[task], share * budget)
                    errors.setdefault((task, share), []).append(pair)
            print(f"seed {seed} of {seeds} done", file=sys.stderr)
    print(f"mean error over {seeds} seeds, handed on / cold")
    print("data set       " + "".join(f"{share:>7.0%} of budget" for share in SHARES))
    for task in TASKS:
        cells = []
        for share in SHARES:
            pairs = errors[task, share]
            mean = [sum(column) / len(pairs) for column in zip(*pairs)]
            cells.append(f"{mean[0]:.4f} / {mean[1]:.4f}")
        print(f"{task:<15}" + "  ".join(f"{cell:>16}" for cell in cells))


main()
