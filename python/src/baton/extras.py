"""Packages that only some of the functions need, and that come without Baton."""

from __future__ import annotations

import importlib
from typing import Any


def extra(package: str, what: str) -> Any:
    """The package; if it is not there, an error that says how to get it."""
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise ImportError(f"{what} need {package}: pip install {package} ({error})") from None
