"""For mkdocstrings: examples in docstrings are shown as sessions of Python."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

#: A line with a prompt and all that follows it up to a blank line.
SESSION = re.compile(r"^>>> .*?(?=\n\s*\n|\Z)", re.MULTILINE | re.DOTALL)


class Sessions(Extension):
    """Puts sessions into blocks of code."""

    def on_package(self, *, pkg: Object, **_: Any) -> None:
        self.on_object(obj=pkg)

    def on_object(self, *, obj: Object, **_: Any) -> None:
        if obj.docstring is not None and "```" not in obj.docstring.value:
            obj.docstring.value = SESSION.sub(r"```pycon\n\g<0>\n```", obj.docstring.value)
