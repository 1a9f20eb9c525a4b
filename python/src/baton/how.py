"""How a campaign is driven: what `minimize` and its kind take besides the function."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Union

from .errors import RangeError, ShapeError
from .trial import Trial

if TYPE_CHECKING:
    from .task import Task

Objective = Callable[[Trial], Any]
Callback = Callable[["Task", Trial], Any]
Catch = Union[tuple[type[Exception], ...], type[Exception]]


@dataclass(frozen=True)
class How:
    """`Task.minimize` says what each is for."""

    catch: Catch = ()
    progress: bool | None = None
    worker: str | None = None
    lease: float = 60.0
    callbacks: Iterable[Callback] = ()
    timeout: float | None = None
    take_over: bool = False

    def __post_init__(self) -> None:
        for name, seconds in (("lease", self.lease), ("timeout", self.timeout)):
            if not isinstance(seconds, (int, float, type(None))):
                raise ShapeError(f"{name} is {seconds!r}; write seconds, such as {name}=600")
        if not self.lease > 0:
            raise RangeError(f"lease is {self.lease}; it must be more than 0 seconds")
        if self.timeout is not None and not self.timeout >= 0:
            raise RangeError(f"timeout is {self.timeout}; it must be at least 0 seconds, or None")
        if callable(self.callbacks):
            raise ShapeError(f"callbacks is {self.callbacks!r}; write a list: callbacks=[function]")
