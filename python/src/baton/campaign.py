"""Campaigns: a sequence of tasks with its records, in memory or in a store."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, overload

from ._baton import Desk
from .constraints import Constraints, in_words, wanted_constraints
from .descriptors import Description, Descriptors, DescriptorShares, Forecast, description
from .errors import CampaignError, DescriptorError, ParameterError, RangeError
from .hints import GuessLike, StopLike, guesses_of, stop_of
from .html import table
from .parts import (
    FidelitiesLike,
    Fidelity,
    Knowledge,
    Settings,
    SettingsLike,
    fidelities_of,
    wanted_of,
)
from .records import Records
from .space import Space, _parameter, one_number, plain
from .task import Callback, Task, optimize
from .trial import BestSeen, Recommendation, Trial, Trials
from .work import Catch, How, Objective

if TYPE_CHECKING:
    import pandas


class Campaign(Records, BestSeen):
    """A sequence of related tasks over one space.

    Without a `store` the records are kept in memory. With one (`sqlite:FILE` or
    `postgres://USER@HOST/DATABASE`) the campaign is made there or continued: it is the same campaign
    that the command line works on, and either may go on where the other stopped. A path is that of
    a file of SQLite.

    The settings are `Settings`, a dictionary of their keys, or the name of a method.

    A parameter may be there under a condition only, `baton.real(0, 1, when="optimizer = sgd")`; then
    points have what is there, and nothing else. `forbid` lists combinations that must not be, such as
    `"x + y > 1.2"` or `"solver = direct and cores > 8"`.

    What is known of tasks before their first trial is declared in `descriptors`, as parameters are,
    and said of each task with `describe`: `campaign.task("cruise", budget=40, describe=…)`, or
    `tasks={"cruise": {"budget": 40, "describe": {"reynolds": 1e6}}}`.

    Quantities that are measured with the value and have to keep bounds are `constraints`:
    `{"temperature": "<= 45", "gain": (8, None)}`, or `{"temperature": {"max": 45, "noise": 0.1}}` with
    the variance of its noise, which is learned otherwise; a list has one for each fidelity.

    >>> campaign = Campaign({"x": (0.0, 1.0)}, goal="minimize", tasks={"monday": 10}, seed=7)
    >>> trial = campaign.task("monday").ask()
    >>> campaign.task("monday").tell(trial, trial["x"] ** 2)
    """

    def __init__(
        self,
        space: Space | Mapping[str, Any],
        *,
        goal: str | None = None,
        fidelities: FidelitiesLike = None,
        forbid: Iterable[str] = (),
        constraints: Constraints | None = None,
        descriptors: Mapping[str, Any] | None = None,
        tasks: Mapping[str, float | Mapping[str, Any]] | None = None,
        name: str = "campaign",
        store: str | os.PathLike[str] | None = None,
        seed: int = 0,
        settings: SettingsLike = None,
        knowledge: Knowledge | None = None,
        pause_after: int | None = None,
        stop: StopLike = None,
    ) -> None:
        if goal is None:
            raise CampaignError('there is no goal; write goal="minimize" or goal="maximize"')
        if goal not in ("minimize", "maximize"):
            raise CampaignError(
                f'the goal is {goal!r}; write goal="minimize" or goal="maximize"'
            )
        self.space = space if isinstance(space, Space) else Space(space)
        self.descriptors = Descriptors(descriptors)
        self.fidelities = fidelities_of(fidelities)
        self.goal = goal
        self.name = name
        self.store = None if store is None else _address(store)
        self.settings = Settings.of(settings).but(seed=seed)
        self.forbid = _lines(forbid)
        limits = wanted_constraints(constraints)
        self.constraints = in_words(limits)
        described = self.descriptors._json
        wanted = wanted_of(
            self.space, self.fidelities, goal, self.settings, pause_after, described, self.forbid, limits,
            stop_of(stop),
        )
        plan = [_plan(_name(task), about) for task, about in (tasks or {}).items()]
        try:
            self._desk = Desk.create(self.store, name, wanted, plan)
        except CampaignError as refused:
            raise self._explained(refused) from None
        begun = {task["name"]: task for task in self._overview()["tasks"]}
        for task, budget, _, _ in plan:
            if task in begun:
                _is_lower(budget, begun[task])
        if knowledge is not None and not begun:
            self._desk.set_knowledge(knowledge.text)

    @classmethod
    def open(cls, store: str | os.PathLike[str], name: str | None = None) -> Campaign:
        """Opens a campaign that is in a store, such as one begun on the command line.

        Without a name it is the only one of the store that is not archived.
        """
        address = _address(store)
        if name is None:
            names = Desk.campaigns(address, active=True)
            if len(names) != 1:
                archived = sorted(set(Desk.campaigns(address)) - set(names))
                aside = f", and archived {archived}" if archived else ""
                raise CampaignError(
                    f"the store {address} has {len(names)} campaigns: {names}{aside}; "
                    f"name one: Campaign.open({address!r}, name={(names + archived or ['…'])[0]!r})"
                )
            name = names[0]
        elif name not in (known := Desk.campaigns(address)):
            raise CampaignError(f"the store {address} has no campaign {name!r}; it has {known}")
        return cls._around(Desk.open(address, name), address)

    @classmethod
    def _around(cls, desk: Desk, store: str | None) -> Campaign:
        campaign = cls.__new__(cls)
        about = json.loads(desk.overview())
        campaign._desk, campaign.store, campaign.name = desk, store, about["name"]
        campaign.space = Space._read(about["space"])
        campaign.forbid = tuple(about["forbid"])
        campaign.descriptors = Descriptors._read(about["descriptors"])
        campaign.fidelities = tuple(Fidelity(**level) for level in about["fidelities"])
        campaign.constraints = in_words(about["constraints"])
        campaign.goal = about["goal"]
        campaign.settings = Settings._of(desk.settings())
        return campaign

    def _explained(self, refused: CampaignError) -> CampaignError:
        """Why the campaign of the store is not this one, and the way on."""
        if self.store is None or self.name not in Desk.campaigns(self.store):
            return refused
        return CampaignError(
            f"continue the campaign {self.name!r} of {self.store}: {refused}. To go on as it began, "
            f"write baton.Campaign.open({self.store!r}, {self.name!r}); say what changes in its next "
            "task, campaign.task(…, space={…}); for another problem, give it another name or another store"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """A campaign of a store is opened again there; one in memory goes with all its records."""
        if self.store is not None:
            return (Campaign.open, (self.store, self.name))
        return (_from_image, (self._desk.image(), self.name))

    # Tasks

    def task(
        self,
        name: str,
        budget: float | None = None,
        *,
        describe: Description | None = None,
        space: Mapping[str, Any] | None = None,
        fidelities: FidelitiesLike = None,
        forbid: Iterable[str] | None = None,
        constraints: Constraints | None = None,
        stop: StopLike = None,
        guess: GuessLike = None,
    ) -> Task:
        """The task of that name. With a budget it is added if it is missing, or its budget changed.

        The budget of a task that has begun is only raised: a lower one changes nothing, with a warning.
        `describe` says what is known of it before its first trial; once it has begun, that stays. Of
        descriptors that are left out, the mean of earlier tasks is assumed.

        `space`, `fidelities`, `forbid` and `constraints` say what is otherwise from this task on, and
        what was learned is carried along: parameters that are new (`was` is the value that they had
        before; without it, that is learned), have another range or other choices, or are fixed
        (`baton.fixed`); all fidelities; all that is forbidden; constraints that are new or have other
        bounds. `Task.changes` has it in words. Once the task has begun, that stays.

        `stop` says when it ends early, if otherwise than the campaign says. `guess` is where somebody
        believes that good points lie: `{"point": {"x": 0.3}, "within": {"x": 0.1}}`, or a list of such;
        what is left out of `point` is not guessed.

        >>> import baton
        >>> campaign = baton.Campaign(
        ...     {"x": (0.0, 1.0)}, goal="minimize", descriptors={"load": baton.log(1, 100)}
        ... )
        >>> campaign.task("cruise", budget=12, describe={"load": 5}).describe
        {'load': 5.0}
        """
        name, known = _name(name), {task["name"]: task for task in self._tasks()}
        said = None if describe is None else description(describe)
        if budget is None and name not in known:
            raise CampaignError(
                f"there is no task {name!r}; the tasks are {list(known)}. A new one needs a budget"
            )
        if budget is not None:
            budget = _budget(name, budget)
            if name in known and (
                budget == known[name]["budget"] or _is_lower(budget, known[name])
            ):
                budget = None
        changes = _changes(space, fidelities, forbid, constraints, stop, guess)
        if budget is not None or said is not None or changes is not None:
            self._desk.plan((name, budget, said, changes))
        return Task(self, name)

    @property
    def tasks(self) -> list[Task]:
        """All tasks, in their order: those that have begun, and those to come."""
        return [Task(self, task["name"]) for task in self._tasks()]

    # Running

    def minimize(
        self,
        function: Objective,
        *,
        n_jobs: int = 1,
        catch: Catch = (),
        progress: bool | None = None,
        worker: str | None = None,
        lease: float = 60.0,
        callbacks: Iterable[Callback] = (),
        timeout: float | None = None,
        take_over: bool = False,
    ) -> list[Recommendation | None]:
        """Runs all tasks to their end; `function` is given a trial and returns its value.

        `Task.minimize` explains the arguments, with an example of each. `timeout` is for all tasks
        together. Returns what is recommended, one for each task.

        >>> campaign = Campaign(
        ...     {"x": (0.0, 1.0)}, goal="minimize", tasks={"monday": 5, "tuesday": 3}, seed=7
        ... )
        >>> monday, tuesday = campaign.minimize(lambda trial: trial["x"] ** 2, n_jobs=2)
        """
        how = How(catch, progress, worker, lease, timeout, take_over)
        return optimize(self, "minimize", function, n_jobs, how, callbacks)

    def maximize(
        self,
        function: Objective,
        *,
        n_jobs: int = 1,
        catch: Catch = (),
        progress: bool | None = None,
        worker: str | None = None,
        lease: float = 60.0,
        callbacks: Iterable[Callback] = (),
        timeout: float | None = None,
        take_over: bool = False,
    ) -> list[Recommendation | None]:
        """As `minimize`, for a campaign whose goal is to maximize."""
        how = How(catch, progress, worker, lease, timeout, take_over)
        return optimize(self, "maximize", function, n_jobs, how, callbacks)

    # What was learned

    @property
    def knowledge(self) -> Knowledge | None:
        """What the finished tasks taught, if any."""
        text = self._desk.knowledge()
        return None if text is None else Knowledge(text)

    def shareable_knowledge(self) -> Knowledge | None:
        """The same as it may be given to others: no observed value can be read from it."""
        text = self._desk.shareable_knowledge()
        return None if text is None else Knowledge(text)

    def learn(self, knowledge: Knowledge) -> None:
        """Lets the next task start from what was learned elsewhere."""
        self._desk.set_knowledge(knowledge.text)

    def add_finished(
        self,
        name: str,
        points: Any,
        values: Any,
        fidelity: str | Iterable[str] | None = None,
        *,
        again: bool = False,
        describe: Description | None = None,
        constraints: Constraints | None = None,
    ) -> None:
        """Adds evaluations made elsewhere as a finished task to learn from.

        If a task has all of them already, they are refused unless `again=True`. `describe` is what is
        known of the task; `constraints` are as in `Task.add`.
        """
        last = json.loads(self._desk.problem(last=True))
        levels = tuple(Fidelity(**level) for level in last["fidelities"])
        problem = (Space._read(last["space"]), levels)
        rows = self._rows(points, values, fidelity, problem, constraints)
        said = None if describe is None else description(describe)
        self._in_turn(lambda: self._desk.add_finished(name, rows, self._asker(), again, said))

    # What is expected

    @overload
    def predict(self, describe: Description, *, over: None = None) -> Forecast | None: ...
    @overload
    def predict(
        self, describe: Description | None = None, *, over: str, points: int = 11
    ) -> list[Forecast]: ...
    def predict(
        self, describe: Description | None = None, *, over: str | None = None, points: int = 11
    ) -> Forecast | None | list[Forecast]:
        """The point to use for a task of this description before its first trial, and its value.

        With `over="reynolds"`, a list of them at up to `points` values of that descriptor, in their
        order. Nothing is evaluated. None, or no list, before a task was finished.

        >>> import baton
        >>> campaign = baton.Campaign(
        ...     {"x": (0.0, 1.0)}, goal="minimize", descriptors={"load": (0.0, 1.0)}, seed=7
        ... )
        >>> for name, load in [("light", 0.1), ("half", 0.5), ("heavy", 0.8)]:
        ...     task = campaign.task(name, budget=8, describe={"load": load})
        ...     best = task.minimize(lambda trial: (trial["x"] - trial.describe["load"]) ** 2)
        >>> foreseen = campaign.predict({"load": 0.45})
        >>> foreseen.nearest.task, abs(foreseen["x"] - 0.45) < 0.1
        ('half', True)
        >>> foreseen.nearest.expected.mean >= foreseen.mean
        True
        >>> [one.describe["load"] for one in campaign.predict(over="load", points=3)]
        [0.0, 0.5, 1.0]
        """
        said = description({} if describe is None else describe)
        if not self.descriptors:
            raise DescriptorError(
                f"predict: tasks of the campaign {self.name!r} are not described; declare what is "
                'known of them with descriptors={"reynolds": baton.log(1e5, 1e7)}'
            )
        given = {name: plain(value) for name, value in json.loads(said).items()}
        space = Space._read(json.loads(self._desk.problem())["space"])
        if over is None:
            text = self._desk.predict(said)
            return None if text is None else Forecast._read(json.loads(text), given, space)
        if isinstance(points, bool) or not isinstance(points, int) or not 2 <= points <= 1000:
            raise RangeError(f"predict over {over!r}: points is {points!r}; write 2 to 1000")
        curve = json.loads(self._desk.predict_over(said, over, points))
        return [Forecast._read(of, {**given, over: at}, space) for at, of in curve]

    def descriptor_shares(self) -> DescriptorShares:
        """Which descriptors matter: how much of how tasks differ is due to each, and a sentence.

        >>> campaign = Campaign(
        ...     {"x": (0.0, 1.0)}, goal="minimize", descriptors={"load": (0.0, 1.0)}
        ... )
        >>> campaign.descriptor_shares().in_words
        'Nothing is known yet of how descriptors tell tasks apart'
        """
        return DescriptorShares._read(json.loads(self._desk.descriptor_weights()))

    def insight(self, task: str | None = None) -> dict[str, Any]:
        """What the campaign taught so far: which parameters matter, how far intervals are to be
        trusted, what each fidelity tells of the highest. What `baton insight --json` prints.

        `importance` and `fidelities` are of one task: the last in which anything was told, or `task`.
        `trust` is of all tasks, or of that one. Numbers with a 90 % interval are
        `{"value": …, "interval": [low, high]}`. Nothing is evaluated.

        >>> campaign = Campaign({"x": (0.0, 1.0), "y": (0.0, 1.0)}, goal="minimize", seed=7)
        >>> best = campaign.task("first", budget=12).minimize(lambda t: (t["x"] - 0.3) ** 2)
        >>> found = campaign.insight()
        >>> found["task"], found["importance_in_words"][0][:14]
        ('first', 'x matters most')
        >>> [effect["matters"] for effect in found["importance"]["fidelities"][-1]["parameters"]]
        ['yes', 'no']
        """
        found: dict[str, Any] = json.loads(self._desk.insight(task))
        return found

    # The campaign as a whole, where it is in a store

    def rename(self, name: str) -> None:
        """Gives the campaign another name."""
        store = self._of_store("renamed")
        Desk.rename(store, self.name, name)
        self._desk, self.name = Desk.open(store, name), name

    def archive(self, aside: bool = True) -> None:
        """Puts the campaign aside: lists leave it out. `archive(False)` takes it up again."""
        Desk.archive(self._of_store("archived"), self.name, aside)

    def delete(self) -> None:
        """Deletes the campaign with all its records, for good."""
        Desk.delete(self._of_store("deleted"), self.name)

    def _of_store(self, what: str) -> str:
        if self.store is None:
            raise CampaignError(f"a campaign in memory cannot be {what}; drop it instead")
        return self.store

    # What happened

    @property
    def trials(self) -> Trials:
        """All trials of all tasks, in the order of the tasks."""
        return Trials(trial for task in self.tasks for trial in task.trials)

    @property
    def best_trial(self) -> Trial | None:
        """That of the last task with a value at the highest fidelity; each task has its own."""
        found = (task.best_trial for task in reversed(self.tasks))
        return next((best for best in found if best is not None), None)

    def frame(self) -> pandas.DataFrame:
        """All trials as a pandas frame: a column per parameter, descriptor and constraint, the value,
        its cost."""
        from .frames import trials_frame

        names = dict.fromkeys([*self.space.names, *(n for t in self.tasks for n in t.space.names)])
        limits = dict.fromkeys([*self.constraints, *(n for t in self.tasks for n in t.constraints)])
        return trials_frame(self.trials, names, self.descriptors, limits)

    def ledger(self) -> pandas.DataFrame:
        """All trials as a pandas frame: what each cost and was expected to buy, in nats."""
        from .frames import ledger_frame

        return ledger_frame(self.trials)

    def __repr__(self) -> str:
        place = self.store or "memory"
        return f"<Campaign {self.name!r} in {place}: {len(self.tasks)} tasks, to {self.goal}>"

    def _repr_html_(self) -> str:
        rows = []
        for task in self.tasks:
            best = task.best
            told = len([trial for trial in task.trials if trial.state == "told"])
            rows.append([task.name, task.state, task.spent, task.budget, told,
                         None if best is None else best.value])
        heading = ["task", "state", "spent", "budget", "told", "best seen"]
        return table(heading, rows, caption=f"{self.name}, to {self.goal}")


def _address(store: str | os.PathLike[str]) -> str:
    """The address of a store; a path is that of a file of SQLite."""
    return f"sqlite:{os.fspath(store)}" if isinstance(store, os.PathLike) else store


def _lines(forbid: Any) -> tuple[str, ...]:
    """What is forbidden, from a text or several."""
    lines = [forbid] if isinstance(forbid, str) else list(forbid)
    strange = [line for line in lines if not isinstance(line, str)]
    if strange:
        raise ParameterError(f'forbid has {strange[0]!r}, no text; write forbid=["x + y > 1.2"]')
    return tuple(lines)


def _name(task: Any) -> str:
    if isinstance(task, str):
        return task
    raise CampaignError(f"the name of a task is {task!r}; write a text, such as '{task}'")


def _changes(
    space: Mapping[str, Any] | None,
    fidelities: FidelitiesLike,
    forbid: Iterable[str] | None,
    constraints: Constraints | None,
    stop: StopLike = None,
    guess: GuessLike = None,
) -> str | None:
    """What is otherwise from a task on, as Rust reads it; nothing if nothing is."""
    given = (space, fidelities, forbid, constraints, stop, guess)
    if all(part is None for part in given):
        return None
    changed = None if space is None else [
        {"name": name, **_parameter(name, one).parts} for name, one in space.items()
    ]
    levels = None if fidelities is None else [vars(level) for level in fidelities_of(fidelities)]
    lines = None if forbid is None else list(_lines(forbid))
    limits = None if constraints is None else wanted_constraints(constraints)
    return json.dumps({
        "space": changed,
        "fidelities": levels,
        "forbid": lines,
        "constraints": limits,
        "stop": stop_of(stop),
        "guess": guesses_of(guess),
    })


def _plan(task: str, about: Any) -> tuple[str, float, str | None, str | None]:
    """A task with its budget and what is said of it; a number is the budget alone."""
    if not isinstance(about, Mapping):
        return task, _budget(task, about), None, None
    changing = ("space", "fidelities", "forbid", "constraints", "stop", "guess")
    strange = [key for key in about if key not in ("budget", "describe", *changing)]
    if strange or "budget" not in about:
        raise CampaignError(
            f"the task {task!r} is {dict(about)!r}; write a budget, or "
            '{"budget": 40, "describe": {"reynolds": 1e6}}'
        )
    said = description(about["describe"]) if "describe" in about else None
    changes = _changes(*(about.get(key) for key in changing))
    return task, _budget(task, about["budget"]), said, changes


def _budget(task: str, budget: Any) -> float:
    return one_number(f"the budget of the task {task!r}", budget)


def _is_lower(budget: float, task: dict[str, Any]) -> bool:
    """Whether a budget takes something away from a task that has begun, which the user is told."""
    if task["number"] is None or not budget < task["budget"]:
        return False
    warnings.warn(
        f"the budget {budget:g} of the task {task['name']!r} is ignored: it is {task['state']} with "
        f"a budget of {task['budget']:g}, of which {task['spent']:g} is spent, and the budget of a "
        "task that has begun is only raised",
        stacklevel=3,
    )
    return True


def _from_image(image: bytes, name: str) -> Campaign:
    return Campaign._around(Desk.from_image(image, name), None)
