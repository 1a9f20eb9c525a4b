"""The sequence against a cold start on every data set: the error of the recommended models.

Usage: python3 compare.py [SEEDS]   (2 by default; needs `baton` on the path or in BATON)
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


def output(call, folder, line=""):
    done = subprocess.run(call, cwd=folder, check=True, input=line, stdout=subprocess.PIPE, text=True)
    return done.stdout


def run(text, folder):
    """Runs a campaign file; returns the error of each task's recommended model, trained on all."""
    folder.mkdir(parents=True)
    (folder / "train.py").write_text((HERE / "train.py").read_text())
    (folder / "campaign.toml").write_text(text)
    output([BATON, "run", "campaign.toml", "--quiet"], folder)
    errors = {}
    for task in json.loads(output([BATON, "best", "campaign.toml", "--json"], folder))["tasks"]:
        request = {"task": task["task"], "fidelity": "all", "point": task["recommended"]["point"]}
        answer = output([sys.executable, "train.py"], folder, json.dumps(request) + "\n")
        errors[task["task"]] = json.loads(answer)["value"]
    return errors


def main():
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    file = (HERE / "campaign.toml").read_text()
    head, budget = file.split("[[task]]")[0], re.search(r"budget = (\d+)", file)[1]
    handed_on, cold = {task: [] for task in TASKS}, {task: [] for task in TASKS}
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(1, seeds + 1):
            seeded = lambda text: re.sub(r"seed = \d+", f"seed = {seed}", text)
            for task, error in run(seeded(file), pathlib.Path(scratch, f"sequence-{seed}")).items():
                handed_on[task].append(error)
            for task in TASKS:
                alone = f'{seeded(head)}[[task]]\nname = "{task}"\nbudget = {budget}\n'
                cold[task].append(run(alone, pathlib.Path(scratch, f"{task}-{seed}"))[task])
            print(f"seed {seed} of {seeds} done", file=sys.stderr)
    print(f"error of the recommended model after a budget of {budget}, mean over {seeds} seeds")
    print(f"{'data set':<15}{'handed on':>10}{'cold':>10}")
    for task in TASKS:
        mean = [sum(errors[task]) / seeds for errors in (handed_on, cold)]
        print(f"{task:<15}{mean[0]:>10.4f}{mean[1]:>10.4f}")


main()
