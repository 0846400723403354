"""What checks found, kept for as long as what they look at stays: most edits of texts concern few of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..cache import kept

if TYPE_CHECKING:
    from .context import Context
    from .lint_check import Check, Hit

__all__ = ["hits_of"]

_PLACE = re.compile(r"\.yaml:\d")


class _MovableError(Exception):
    """What was found names a line, which an edit above it moves: it is not kept."""


def hits_of(check: Check, context: Context) -> Sequence[Hit]:
    """Return what a check finds; one that looks at no prose, or at no metrics, is not run again while the rest stays.

    Such a check gets a spec without them, so that what it finds cannot depend on any.
    """
    run = check.run
    if run is None:
        return ()
    if check.prose:
        return list(run(context))
    seen = context.definitions if check.metrics else context.logging
    hits: list[Hit] = []

    def found() -> list[Hit]:
        hits.extend(run(seen))
        if any(map(_is_movable, hits)):
            raise _MovableError
        return hits

    # Errors alone are looked for when something is generated: apart, so that neither forgets what the other kept.
    kind = "hits_of_errors" if check.level == "error" and check.stops else "hits_of_others"
    try:
        return kept(kind, (check.id, seen.digest), found)
    except _MovableError:
        return hits


def _is_movable(hit: Hit) -> bool:
    texts = (hit.message, hit.fix or "", *hit.notes)
    return hit.location is not None or any(map(_PLACE.search, texts))
