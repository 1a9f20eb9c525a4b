"""Functions that fail, Ctrl-C, other threads, forked processes, workers that are lost."""

from __future__ import annotations

import inspect
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import baton
from problem import bowl, small

#: The paper's settings make an ask last: many particles, many steps.
SLOW = baton.Settings("mft-mes", particles=10, svgd_steps=100, refit_every=1)


class OwnError(Exception):
    pass


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_exception_of_the_function_comes_out_unchanged_and_its_trial_is_done_later(n_jobs):
    task = small().task("monday", budget=12)
    raised = OwnError("disk full")
    calls = []

    def function(trial):
        calls.append(trial.id)
        if len(calls) == 4:
            raise raised
        return bowl(trial)

    with pytest.raises(OwnError) as caught:
        task.minimize(function, n_jobs=n_jobs)
    assert caught.value is raised
    assert any("disk full" not in str(trial.reason) for trial in task.trials)
    assert all(trial.state != "failed" for trial in task.trials)
    task.minimize(bowl, n_jobs=n_jobs)
    assert [trial.state for trial in task.trials] == ["told"] * len(task.trials)
    assert task.spent == 12


def test_failures_are_outcomes():
    task = small(pause_after=0).task("monday", budget=12)
    answers = iter([None, float("nan"), ZeroDivisionError("by zero"), baton.TrialFailed("bad mesh")])

    def function(trial):
        answer = next(answers, 0.5)
        if isinstance(answer, Exception):
            raise answer
        return answer

    task.minimize(function, catch=ZeroDivisionError)
    reasons = [trial.reason for trial in task.trials if trial.state == "failed"]
    assert reasons == ["the objective returned None", "the value is nan, not a finite number",
                       "by zero", "bad mesh"]
    assert task.spent == 12  # failed trials are charged, unless the settings say otherwise


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_callbacks_see_every_answered_trial_and_may_stop(n_jobs):
    task = small().task("monday", budget=12)
    seen = []

    def watch(its_task, trial):
        assert its_task.name == "monday" and trial.state in ("told", "failed")
        assert trial in its_task.trials
        seen.append(trial.id)
        if len(seen) == 3:
            raise baton.Stop

    assert task.minimize(bowl, n_jobs=n_jobs, callbacks=[watch]) is not None
    assert 3 <= len(seen) < 3 + n_jobs and task.state == "open"
    assert {trial.state for trial in task.trials} == {"told"}  # what was running was told
    raised = OwnError("in the callback")

    def broken(task, trial):
        raise raised

    with pytest.raises(OwnError) as caught:
        task.minimize(bowl, callbacks=[broken])
    assert caught.value is raised
    outcomes = []
    task.minimize(bowl, n_jobs=n_jobs, callbacks=[lambda task, trial: outcomes.append(trial.value)])
    assert task.state == "finished" and task.spent == 12
    assert len(outcomes) + len(seen) + 1 == len(task.trials) and None not in outcomes


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_no_trial_is_begun_after_the_timeout_and_a_later_call_goes_on(n_jobs):
    whole = small(tasks={"monday": 9, "tuesday": 9})

    def slow(trial):
        time.sleep(0.4)
        return bowl(trial)

    whole.minimize(slow, n_jobs=n_jobs, timeout=0.3)
    monday = whole.task("monday")
    assert monday.state == "open" and 1 <= len(monday.trials) <= n_jobs
    assert {trial.state for trial in monday.trials} == {"told"}
    assert monday.minimize(bowl, timeout=0) is not None and len(monday.trials) <= n_jobs
    whole.minimize(bowl, timeout=600)
    assert [(task.state, task.spent) for task in whole.tasks] == [("finished", 9)] * 2


def test_minimize_has_an_explicit_signature():
    expected = ["self", "function", "n_jobs", "catch", "progress", "worker", "lease", "callbacks",
                "timeout", "take_over"]
    for owner in (baton.Task, baton.Campaign):
        for name in ("minimize", "maximize"):
            assert list(inspect.signature(getattr(owner, name)).parameters) == expected
    with pytest.raises(TypeError, match="jobs"):
        small().task("monday", budget=9).minimize(bowl, jobs=2)


def test_other_threads_run_during_an_ask():
    """Counts turns of another thread while one ask is under way; with the lock held there were none."""
    space = {f"x{i}": (0.0, 1.0) for i in range(4)}
    whole = baton.Campaign(space, goal="minimize", settings=SLOW, seed=1)
    task = whole.task("monday", budget=100)
    rng = np.random.default_rng(0)
    points = rng.random((50, 4))
    task.add(points, np.sum((points - 0.4) ** 2, axis=1))
    asking, turns = threading.Event(), []

    def count():
        asking.wait()
        while asking.is_set():
            turns.append(time.perf_counter())
            time.sleep(0.001)

    other = threading.Thread(target=count)
    other.start()
    begun = time.perf_counter()
    asking.set()
    task.ask()
    ended = time.perf_counter()
    asking.clear()
    other.join()
    during = [turn for turn in turns if begun < turn < ended]
    assert len(during) > 20, f"{len(during)} turns in {ended - begun:.3f} s"


INTERRUPTED = """
import sys, time, threading
import numpy as np
import baton
what = sys.argv[1]
if what == "ask":
    settings = baton.Settings("mft-mes", particles=200, svgd_steps=1_000_000, refit_every=1)
    space = {"x": (0., 1.), "y": (0., 1.)}
    task = baton.Campaign(space, goal="minimize", settings=settings).task("a", 100)
    task.add(np.random.default_rng(0).random((60, 2)), np.arange(60.0))
    call = task.ask
else:
    task = baton.Campaign({"x": (0., 1.)}, goal="minimize").task("a", 100)
    call = lambda: task.minimize(lambda trial: time.sleep(1000), n_jobs=int(what))
try:
    print("begun", flush=True)
    call()
except KeyboardInterrupt:
    print("interrupted", flush=True)
    raise SystemExit(7)
"""


@pytest.mark.parametrize("what", ["ask", "1", "2"])
def test_ctrl_c_is_heard_at_once(what):
    """The program is in an ask, or in evaluations, that would last for hours."""
    program = subprocess.Popen([sys.executable, "-c", INTERRUPTED, what], stdout=subprocess.PIPE,
                               text=True)
    try:
        assert program.stdout.readline() == "begun\n"
        time.sleep(0.5)  # either way the call is interrupted: it never ends by itself
        sent = time.monotonic()
        program.send_signal(signal.SIGINT)
        assert program.stdout.readline() == "interrupted\n"
        heard = time.monotonic() - sent
        assert program.wait(timeout=60) == 7
    finally:
        program.kill()
    print(f"heard after {heard:.2f} s")
    assert heard < 30  # usually 0.05; a busy machine may take longer


def in_a_process_of_its_own(name: str) -> None:
    """Signals and forks are no business of the other libraries that are loaded here by now."""
    program = f"import test_running; test_running.{name}()"
    here = os.path.dirname(__file__)
    subprocess.run([sys.executable, "-c", program], cwd=here, check=True, timeout=300)


def test_a_trial_asked_for_during_ctrl_c_is_handed_out_by_the_next_ask():
    in_a_process_of_its_own("ctrl_c_during_an_ask")


def ctrl_c_during_an_ask():
    task = small(settings=SLOW).task("monday", budget=12)
    task.add(np.linspace(0, 1, 30).reshape(-1, 1), np.linspace(0, 1, 30) ** 2)
    asked = []
    threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        asked.append(task.ask().id)
        time.sleep(1000)  # where the ask was quicker
    while (trial := task.ask()) is not None:
        asked.append(trial.id)
    assert asked == [trial.id for trial in task.trials if trial.charged]


def test_a_forked_process_can_ask_on_its_own():
    """Threads do not survive a fork: what needs them must start its own."""
    in_a_process_of_its_own("ask_after_a_fork")


def ask_after_a_fork():
    task = small().task("monday", budget=20)
    for _ in range(8):
        trial = task.ask()
        task.tell(trial, bowl(trial))
    expected = small().task("monday", budget=20).ask().point
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.alarm(60)
            own = small().task("monday", budget=20)
            for _ in range(8):
                trial = own.ask()
                own.tell(trial, bowl(trial))
            try:
                task.ask()
            except baton.CampaignError as error:
                code = 0 if "another process" in str(error) else 2
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    assert expected == task.trials[0].point


LOST = """
import sys, time
import baton
task = baton.Campaign.open(sys.argv[1]).task("monday")
def function(trial):
    print("evaluating", flush=True)
    time.sleep(1000)
task.minimize(function, lease=1.0, worker=sys.argv[2])
"""


def test_a_trial_whose_worker_was_killed_is_done_by_another(tmp_path):
    store = f"sqlite:{tmp_path / 'campaign.db'}"
    task = small(store=store, tasks={"monday": 9}).task("monday")
    worker = subprocess.Popen([sys.executable, "-c", LOST, store, "ada"], stdout=subprocess.PIPE,
                              text=True)
    assert worker.stdout.readline() == "evaluating\n"
    worker.send_signal(signal.SIGKILL)
    worker.wait(timeout=60)
    task.minimize(bowl, worker="ben")
    told = task.trials
    assert [trial.state for trial in told] == ["told"] * len(told)
    assert sum(trial.cost for trial in told) == 9
    assert [trial.lost for trial in told].count(1) == 1
    assert told[0].holder == "ben/1"


def test_the_package_brings_the_command():
    command = Path(sys.executable).parent / "baton"
    ran = subprocess.run([command, "--version"], capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stdout) == (0, f"baton {baton.__version__}\n")
    assert subprocess.run([command, "no-such-command"], capture_output=True, timeout=60).returncode == 2
    demo = [sys.executable, "-m", "baton", "demo", "--tasks", "2"]
    ran = subprocess.run(demo, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0 and "Simple regret" in ran.stdout, ran.stderr


def test_ctrl_c_ends_the_command():
    command = [sys.executable, "-m", "baton", "demo", "--tasks", "100"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert "100 related tasks" in running.stdout.readline()
        running.send_signal(signal.SIGINT)
        try:
            assert running.wait(timeout=20) == -signal.SIGINT
        finally:
            running.kill()
