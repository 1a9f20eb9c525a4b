"""Tables for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any


def short(value: Any) -> str:
    """A number with the digits that people read; anything else as it is."""
    if value is None:
        return "-"
    return f"{value:.5g}" if isinstance(value, float) else str(value)


def table(heading: Sequence[str], rows: Sequence[Sequence[Any]], caption: str = "") -> str:
    """A table with everything in it escaped."""
    head = "".join(f"<th style='text-align:left'>{escape(cell)}</th>" for cell in heading)
    body = "".join(
        "<tr>" + "".join(f"<td style='text-align:left'>{escape(short(cell))}</td>" for cell in row)
        + "</tr>"
        for row in rows
    )
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
