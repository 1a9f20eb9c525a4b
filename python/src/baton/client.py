"""A client of `baton serve`: ask, tell and look, with nothing but the standard library.

    from baton.client import Client

    client = Client("http://127.0.0.1:8080")            # token="…" where the service has tokens
    client.create("bowl", space=[{"name": "x", "low": 0, "high": 1}], goal="minimize",
                  tasks=[{"name": "monday", "budget": 20}])
    client.run("bowl", lambda trial: (trial["point"]["x"] - 0.3) ** 2)
    print(client.campaign("bowl")["task_list"][0]["recommended"])

Calls that were cut off are made again: asks carry an idempotency key, and a value told twice is taken
once, so that nothing happens twice.
"""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import math
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
import warnings
from typing import Any, Callable, Iterator, Mapping

try:
    from .constraints import wanted_constraints
    from .errors import TrialFailed
except ImportError:  # this file alone, without the package

    def wanted_constraints(given: Mapping[str, Any] | None) -> list[dict[str, Any]]:
        raise ValueError(f'{given!r}: without the package write [{{"name": "temperature", "max": 45}}]')

    class TrialFailed(Exception):  # type: ignore[no-redef]
        """Raised by an objective: this trial has no value. The campaign goes on without it."""


__all__ = ["Client", "Problem", "TrialFailed", "Unreachable"]

#: Statuses of a service that may be back soon.
AWAY = (0, 503)
#: What `baton serve` takes at most, in bytes.
LARGEST_BODY = 1 << 20
#: Who waits for others says so after this long, and again and again, in seconds.
PATIENCE, REMINDER = 2.0, 60.0


class Problem(Exception):
    """Why the service refused a call: what could not be done, why, and a hint where there is one."""

    def __init__(self, status: int, problem: dict[str, Any]):
        self.status = status
        self.title = problem.get("title", "the service answered")
        self.detail = problem.get("detail", str(status))
        self.hint = problem.get("hint")
        hint = f"\nhint: {self.hint}" if self.hint else ""
        super().__init__(f"{self.title}: {self.detail}{hint}")


class Unreachable(Problem, ConnectionError):
    """The service did not answer, or not to the end; its `status` is 0."""

    def __init__(self, what: str, why: str, hint: str):
        super().__init__(0, {"title": what, "detail": why, "hint": hint})


class Client:
    """A service at an address such as `http://127.0.0.1:8080`.

    - `timeout`: so many seconds are waited for one answer.
    - `retries`: so often a call is made again that was cut off, or that the service had no time for:
      after 0.2 s, 0.4 s, .. `run` has more patience, since an evaluation would be lost.
    """

    def __init__(self, url: str, token: str | None = None, timeout: float = 150.0, retries: int = 3):
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"the address is {url!r}; write http://HOST:PORT or https://HOST:PORT")
        self.url = url.rstrip("/")
        self._token = token
        self.timeout = timeout
        self.retries = retries

    # Campaigns

    def campaigns(self) -> list[dict[str, Any]]:
        """All campaigns, and how far each is."""
        return self._call("GET", "/api/campaigns")["campaigns"]

    def create(self, campaign: str, **wanted: Any) -> dict[str, Any]:
        """Makes a campaign, or adds tasks to it: `space`, `fidelities`, `constraints`, `goal`, `tasks`, `seed`,
        `method`, `settings`.

        `descriptors=[{"name": "reynolds", "low": 1e5, "high": 1e7, "log": True}]` declares what is known
        of tasks, `tasks=[{"name": "cruise", "budget": 40, "describe": {"reynolds": 1e6}}]` says it.

        `constraints`, of the campaign or of a task, are written as those of `baton.Campaign`,
        `{"temperature": "<= 45"}`, or as the service has them, `[{"name": "temperature", "max": 45}]`.
        """
        wanted = _with_constraints(wanted)
        if "tasks" in wanted:
            wanted["tasks"] = [_with_constraints(task) for task in wanted["tasks"]]
        return self._call("PUT", _campaign(campaign), wanted)

    def campaign(self, campaign: str) -> dict[str, Any]:
        """A campaign in full."""
        return self._call("GET", _campaign(campaign))

    def rename(self, campaign: str, name: str) -> dict[str, Any]:
        """Gives a campaign another name."""
        return self._call("POST", f"{_campaign(campaign)}/rename", {"name": name})

    def archive(self, campaign: str, aside: bool = True) -> dict[str, Any]:
        """Puts a campaign aside, so that it is not listed, or takes it up again."""
        return self._call("PUT", f"{_campaign(campaign)}/archived", {"archived": aside})

    def delete(self, campaign: str) -> None:
        """Deletes a campaign with all its records, for good."""
        self._call("DELETE", _campaign(campaign))

    def ledger(self, campaign: str, task: str | None = None) -> dict[str, Any]:
        """What each trial cost and was expected to buy."""
        query = "" if task is None else "?" + urllib.parse.urlencode({"task": task})
        return self._call("GET", f"{_campaign(campaign)}/ledger{query}")

    def knowledge(self, campaign: str) -> list[dict[str, Any]]:
        """What passed from task to task."""
        return self._call("GET", f"{_campaign(campaign)}/knowledge")["stages"]

    def insight(self, campaign: str, task: str | None = None) -> dict[str, Any]:
        """Which parameters matter, how far intervals are to be trusted, what each fidelity tells: the
        document of `baton insight --json`. It takes seconds."""
        query = "" if task is None else f"?{urllib.parse.urlencode({'task': task})}"
        return self._call("GET", f"{_campaign(campaign)}/insight{query}")

    def predict(
        self,
        campaign: str,
        describe: dict[str, Any] | None = None,
        over: str | None = None,
        points: int | None = None,
    ) -> dict[str, Any]:
        """The point to use for a task of this description before its first trial, its value, the
        nearest earlier task, and which descriptors matter.

        With `over`, also the best point and value at some values of one descriptor.
        """
        given = {"describe": json.dumps(describe or {}), "over": over, "points": points}
        query = urllib.parse.urlencode({key: part for key, part in given.items() if part is not None})
        return self._call("GET", f"{_campaign(campaign)}/predict?{query}")

    # Trials

    def ask(
        self,
        campaign: str,
        worker: str | None = None,
        advance: bool = False,
        key: str | None = None,
        context: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Asks for a trial: `{"trial": {…}, "reason": None}`, or no trial and the reason.

        With `advance`, a task that has spent its budget is finished and the next one begun. `context`
        has descriptors that change from ask to ask.
        """
        body: dict[str, Any] = {"advance": advance}
        if worker is not None:
            body["worker"] = worker
        if context is not None:
            body["context"] = context
        return self._call("POST", f"{_campaign(campaign)}/ask", body, key or str(uuid.uuid4()))

    def tell(
        self,
        campaign: str,
        task: str,
        trial: int,
        value: float,
        noise: float | None = None,
        cost: float | None = None,
        constraints: Mapping[str, float] | None = None,
    ) -> dict[str, Any]:
        """Reports the value of a trial, perhaps with its standard error, what it really cost, and what
        was measured of constrained quantities, `{"temperature": 43.7}`.

        It is on disk when this returns.
        """
        measured = _measured(trial, constraints) if constraints else None
        body = {"value": value, "noise": noise, "cost": cost, "constraints": measured}
        known = {key: part for key, part in body.items() if part is not None}
        return self._call("POST", f"{_task(campaign, task)}/trials/{trial}/tell", known)

    def fail(self, campaign: str, task: str, trial: int, reason: str) -> dict[str, Any]:
        """Reports that a trial could not be evaluated."""
        return self._call("POST", f"{_task(campaign, task)}/trials/{trial}/fail", {"reason": reason})

    def release(self, campaign: str, worker: str) -> None:
        """Gives back the trials that a worker has and did not answer: another may have them at once."""
        self._call("POST", f"{_campaign(campaign)}/release", {"worker": worker})

    def propose(
        self, campaign: str, task: str, point: dict[str, Any], fidelity: str | None = None
    ) -> dict[str, Any]:
        """Makes a point of one's own a pending trial."""
        body: dict[str, Any] = {"point": point}
        if fidelity is not None:
            body["fidelity"] = fidelity
        return self._call("POST", f"{_task(campaign, task)}/trials", body, str(uuid.uuid4()))

    def trials(self, campaign: str, task: str) -> list[dict[str, Any]]:
        """The trials of a task, in the order in which they were asked for."""
        return self._call("GET", f"{_task(campaign, task)}/trials")["trials"]

    def trial(self, campaign: str, task: str, trial: int) -> dict[str, Any]:
        """A trial in full, with why it was chosen."""
        return self._call("GET", f"{_task(campaign, task)}/trials/{trial}")

    def annotate(
        self, campaign: str, task: str, trial: int | None = None, /, **attributes: Any
    ) -> dict[str, Any]:
        """Notes something about a task, or about one of its trials; `None` takes it away."""
        about = "" if trial is None else f"/trials/{trial}"
        path = f"{_task(campaign, task)}{about}/attributes"
        return self._call("POST", path, {"attributes": attributes})["attributes"]

    # Tasks

    def task(self, campaign: str, task: str) -> dict[str, Any]:
        """How far a task is."""
        return self._call("GET", _task(campaign, task))

    def pause(self, campaign: str, task: str, reason: str) -> dict[str, Any]:
        """Stops asking for trials of a task."""
        return self._call("POST", f"{_task(campaign, task)}/pause", {"reason": reason})

    def go_on(self, campaign: str, task: str) -> dict[str, Any]:
        """Lets a paused task go on."""
        return self._call("POST", f"{_task(campaign, task)}/continue")

    def extend(self, campaign: str, task: str, total: float) -> dict[str, Any]:
        """Raises the budget of a task to a new total."""
        return self._call("PUT", f"{_task(campaign, task)}/budget", {"total": total})

    def finish(self, campaign: str, task: str) -> dict[str, Any]:
        """Ends a task and hands on what it taught."""
        return self._call("POST", f"{_task(campaign, task)}/finish")

    def recommendation(
        self, campaign: str, task: str, context: dict[str, Any] | None = None
    ) -> dict[str, Any] | None:
        """The point to use, by what was told so far; with a context, where that holds."""
        query = "" if context is None else "?" + urllib.parse.urlencode({"context": json.dumps(context)})
        return self._call("GET", f"{_task(campaign, task)}/recommendation{query}")["recommended"]

    # All of it

    def run(
        self,
        campaign: str,
        evaluate: Callable[[dict[str, Any]], Any],
        worker: str | None = None,
        pause: float = 0.2,
        catch: tuple[type[Exception], ...] | type[Exception] = (),
        patience: float = 600.0,
    ) -> str:
        """Evaluates trials until there is nothing left; returns why: `done` or `paused`.

        A service that does not answer, such as one that is started again, is waited for `patience`
        seconds; then the exception says which value could not be told.

        As in `Task.minimize`, an exception of `evaluate` comes out unchanged, and its trial is given
        back: the next call evaluates it again. Those of `catch` make the trial a failed one; so do
        `TrialFailed`, NaN and None.
        """
        worker = worker or f"python:{uuid.uuid4()}"
        try:
            return _Run(self, campaign, worker, patience).run(evaluate, pause, catch)
        except BaseException:  # Ctrl-C, too
            with contextlib.suppress(Problem):
                self.release(campaign, worker)
            raise

    def _waited_for(self, campaign: str) -> str:
        """What has to be answered before anything can be asked for, and how."""
        task = str(self.campaign(campaign)["task"])
        pending = [one for one in self.trials(campaign, task) if one["state"] == "pending"]
        trials = ", ".join(
            f"trial {one['trial']} (with {one['worker'] or 'nobody'} for "
            f"{time.time() - one['asked']:.0f} s)"
            for one in pending
        )
        return (
            f"waiting for {trials or 'others'} of {task!r}: answer with "
            f"client.tell({campaign!r}, {task!r}, trial, value) or client.fail(…)"
        )

    def events(self, campaign: str, since: int | None = None) -> Iterator[dict[str, Any]]:
        """What changes in a campaign, as it changes, until the connection ends."""
        query = "" if since is None else f"?since={since}"
        with self._open("GET", f"{_campaign(campaign)}/events{query}", None, None) as answer:
            data = ""
            for line in answer:
                text = line.decode().rstrip("\n")
                if text.startswith("data:"):
                    data += text[5:]
                elif not text and data:
                    yield json.loads(data)
                    data = ""

    # The way there and back

    def _call(self, method: str, path: str, body: Any = None, key: str | None = None) -> Any:
        """Calls, and calls again if the service could not be reached or asks for patience."""
        for attempt in itertools.count():
            try:
                with self._open(method, path, body, key) as answer:
                    text = answer.read()
                if answer.status == 204:
                    return None
                return _json(f"{method} {self.url}{path}", answer.status, text)
            except Problem as refused:
                problem = refused
            except (http.client.HTTPException, OSError) as error:  # it broke off while it was read
                problem = self._unreachable(method, path, b"", error)
            if problem.status not in AWAY or attempt >= self.retries:
                raise problem from None
            time.sleep(0.2 * 2**attempt)
        raise AssertionError("every attempt returns, raises or is followed by another")

    def _open(self, method: str, path: str, body: Any, key: str | None) -> Any:
        """The answer to a call, not yet read; or the problem, in the words of the service."""
        headers = {"Accept": "application/json, text/event-stream"}
        data = None
        if body is not None:
            data = json.dumps(body, allow_nan=False).encode()
            headers["Content-Type"] = "application/json"
        if key is not None:
            headers["Idempotency-Key"] = key
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            return urllib.request.urlopen(request, timeout=self.timeout)
        except urllib.error.HTTPError as error:
            raise _problem(f"{method} {self.url}{path}", error, data or b"") from None
        except (http.client.HTTPException, OSError) as error:
            raise self._unreachable(method, path, data or b"", error) from None

    def _unreachable(self, method: str, path: str, sent: bytes, error: Exception) -> Unreachable:
        why = getattr(error, "reason", None) or error
        hint = f"is `baton serve` running, and is {self.url} its address?"
        hung_up = isinstance(why, (BrokenPipeError, ConnectionResetError))
        if hung_up and len(sent) > LARGEST_BODY:  # before all of it was sent
            limit = f"`baton serve` takes {LARGEST_BODY}"
            hint = f"the body has {len(sent)} bytes; {limit}: send less at once"
        return Unreachable(f"{method} {self.url}{path}", f"the service does not answer: {why}", hint)


class _Run:
    """A worker's way through a campaign, which outlasts a service that is started again."""

    def __init__(self, client: Client, campaign: str, worker: str, patience: float) -> None:
        self.client, self.campaign, self.worker, self.patience = client, campaign, worker, patience

    def run(
        self,
        evaluate: Callable[[dict[str, Any]], Any],
        pause: float,
        catch: tuple[type[Exception], ...] | type[Exception],
    ) -> str:
        due = math.inf
        while True:
            key = str(uuid.uuid4())
            asked = self._patiently(
                lambda: self.client.ask(self.campaign, worker=self.worker, advance=True, key=key)
            )
            trial = asked["trial"]
            if trial is not None:
                due = math.inf
                self._evaluate(trial, evaluate, catch)
                continue
            if asked["reason"] in ("done", "paused"):
                return str(asked["reason"])
            if due == math.inf:
                due = time.monotonic() + PATIENCE
            if time.monotonic() >= due:
                due = time.monotonic() + REMINDER
                warnings.warn(self.client._waited_for(self.campaign), stacklevel=4)
            time.sleep(pause)  # others are at the last trials of the task

    def _evaluate(
        self,
        trial: dict[str, Any],
        evaluate: Callable[[dict[str, Any]], Any],
        catch: tuple[type[Exception], ...] | type[Exception],
    ) -> None:
        place = (self.campaign, trial["task"], trial["trial"])
        try:
            outcome = evaluate(trial)
        except Exception as error:
            if not isinstance(error, TrialFailed) and not isinstance(error, catch):
                raise
            return self._fail(place, str(error) or type(error).__name__)
        if outcome is None:
            return self._fail(place, "the objective returned None")
        told = getattr(outcome, "value", outcome)  # of a baton.Measurement
        value = _number(f"the value of trial {place[2]}", told)
        if not math.isfinite(value):
            return self._fail(place, f"the value is {value}, not a finite number")
        parts = [getattr(outcome, part, None) for part in ("noise", "cost", "constraints")]
        lost = f"trial {place[2]} of {place[1]!r} has the value {value!r}, which was not told"
        self._patiently(lambda: self.client.tell(*place, value, *parts), lost)

    def _fail(self, place: tuple[str, str, int], reason: str) -> None:
        lost = f"trial {place[2]} of {place[1]!r} failed, which was not told: {reason}"
        self._patiently(lambda: self.client.fail(*place, reason), lost)

    def _patiently(self, call: Callable[[], Any], lost: str | None = None) -> Any:
        """Calls until the service is back. If it does not come back, the problem says what is lost."""
        end, naps, told = time.monotonic() + self.patience, itertools.count(), False
        while True:
            try:
                return call()
            except Problem as problem:
                if problem.status not in AWAY or time.monotonic() >= end:
                    problem.args = ("\n".join(filter(None, (str(problem), lost))),)
                    raise
                if not told:
                    told = True
                    text = f"{problem.detail}; it is waited for, for {self.patience:g} s at most"
                    warnings.warn(text, stacklevel=5)
            time.sleep(min(0.5 * 2 ** next(naps), 5.0, max(end - time.monotonic(), 0.0)))


def _problem(what: str, error: urllib.error.HTTPError, sent: bytes) -> Problem:
    """What the service says, or what its status says where something else answered."""
    try:
        told = _json(what, error.code, error.read())
    except Problem as problem:
        told = {"title": what, "detail": problem.detail, "hint": problem.hint}
    if not isinstance(told, dict):
        told = {"title": what, "detail": str(told)}
    if error.code == 413:
        told["detail"] = f"the body of {len(sent)} bytes is too large"
        told["hint"] = f"send less at once: `baton serve` takes {LARGEST_BODY} bytes"
    return Problem(error.code, told)


def _json(what: str, status: int, text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        shown = text[:60].decode(errors="replace").strip()
        detail = f"the answer with status {status} is not JSON: {shown!r}"
        hint = "is it the address of `baton serve`, or of something in front of it?"
        raise Problem(status, {"title": what, "detail": detail, "hint": hint}) from None


def _with_constraints(given: Any) -> Any:
    """The same with constraints as the service has them."""
    if not isinstance(given, Mapping) or not isinstance(given.get("constraints"), Mapping):
        return given
    return {**given, "constraints": wanted_constraints(given["constraints"])}


def _measured(trial: int, constraints: Mapping[str, Any]) -> dict[str, float]:
    """Numbers by the names of constraints. Those that are not finite are refused here: JSON has none."""
    told = {}
    for name, value in constraints.items():
        what = f"the constraint {name} of trial {trial}"
        told[name] = _number(what, value)
        if not math.isfinite(told[name]):
            raise ValueError(
                f"{what} is {told[name]}, not a finite number; leave it out if it was not measured, "
                "or let the trial fail"
            )
    return told


def _number(what: str, value: Any) -> float:
    """A number, from whatever is one. Words and truth values are none."""
    held = value.item() if hasattr(value, "item") else value  # of NumPy, PyTorch, ..
    try:
        if isinstance(held, (str, bytes, bool)):
            raise TypeError
        return float(held)
    except (TypeError, ValueError):
        kind = type(held).__name__
        reason = f"{what} is {value!r} of type {kind}; expected one number"
        raise ValueError(reason) from None


def _campaign(name: str) -> str:
    return "/api/campaigns/" + urllib.parse.quote(name, safe="")


def _task(campaign: str, task: str) -> str:
    return f"{_campaign(campaign)}/tasks/{urllib.parse.quote(task, safe='')}"
