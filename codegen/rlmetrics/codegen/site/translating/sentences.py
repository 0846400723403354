"""The sentences in the data that a language may have words for: parts of what differs, and why metrics are confused."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["pieces"]

_ONLY = re.compile(r"only in the (?:source|target): (.+)", re.DOTALL)
_BOTH = re.compile(r"(?:(.+?): )?(.+) in the source, (.+) in the target", re.DOTALL)


def pieces(text: str) -> Iterator[str]:
    """Yield what the scripts look up of a text of the data; they part it alike."""
    found = _ONLY.fullmatch(text) or _BOTH.fullmatch(text)
    yield from (text,) if found is None else filter(None, found.groups())
