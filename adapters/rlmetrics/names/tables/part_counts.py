"""Numbers of parts that expressions of the spec name and that no framework has as a setting, in words."""

from __future__ import annotations

import re

from rlmetrics.lazy_typing import NamedTuple

__all__ = ["said_plainly", "vanish_if"]


class _Count(NamedTuple):
    """A number of parts.

    Attributes:
        words: What it is.
        single: The guard of a component that there is only one.
    """

    words: str
    single: str


_COUNTS = {
    "micro_batches_per_mini_batch": _Count("the number of micro-batches per mini-batch", "single.micro_batch"),
    "micro_batches_per_step": _Count("the number of micro-batches per optimizer step", "single.micro_batch"),
    "updates_per_batch": _Count("the number of updates per batch", "single.update"),
}
_NAME = re.compile(r"[A-Za-z_][\w.]*")


def said_plainly(expression: str) -> str:
    """Return an expression with words for numbers of parts; names of settings stay."""

    def words(name: re.Match[str]) -> str:
        count = _COUNTS.get(name[0].rpartition(".")[2])
        return name[0] if count is None else count.words

    return _NAME.sub(words, expression)


def vanish_if(expression: str) -> frozenset[str] | None:
    """Return the guards under which a factor of nothing but numbers of parts is 1; None for any other factor."""
    names = [name.rpartition(".")[2] for name in _NAME.findall(expression)]
    if not names or any(name not in _COUNTS for name in names):
        return None
    return frozenset(_COUNTS[name].single for name in names)
