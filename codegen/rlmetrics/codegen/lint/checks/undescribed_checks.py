"""By what logs of frameworks are known that the spec does not describe."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rlmetrics.names.tables.undescribed import bare

from ..key_languages import placeholders_in
from ..lint_check import Check, Hit, check
from ..said import keys_of, records

if TYPE_CHECKING:
    from ...loader import YamlPath
    from ...model.convention import LogMarks
    from ..context import Context

__all__ = ["CHECKS"]

_STAND_IN = "anything"


@check(
    "telling-key",
    "error",
    what="A key that is to tell an undescribed framework, and that a described or another one logs too.",
    fix="move it to `also`, or name a longer key",
)
def telling_key(context: Context) -> Iterator[Hit]:
    described = dict(_described(context))
    patterns = [(_pattern(key), framework) for key, framework in described.items() if _is_narrow(key)]
    told: dict[str, str] = {}
    conventions = context.spec.conventions
    tellers = [
        # A convention keeps its folder in its name: it may be called as a framework that has been described since.
        *((f"conventions/{name}", f"conventions/{name}", each.known_by) for name, each in conventions.items()),
        *(
            (name, f"frameworks/{name}/framework", item.framework.known_by)
            for name, item in context.spec.frameworks.items()
        ),
    ]
    for name, ref, known_by in tellers:
        for place, key in _telling(known_by):
            spelled = _spelled(bare(key))
            who = described.get(spelled) or next((one for pattern, one in patterns if pattern.fullmatch(spelled)), None)
            who = who or told.setdefault(spelled, name)
            if who != name:
                yield Hit(ref, place, f"`{key}` tells `{who.removeprefix('conventions/')}` as well")


def _telling(known_by: LogMarks | None) -> Iterator[tuple[YamlPath, str]]:
    """Yield each key that tells a framework, with its place."""
    if known_by is not None:
        for field in ("keys", "own_log"):
            for index, key in enumerate(getattr(known_by, field)):
                yield ("known_by", field, index), key


def _described(context: Context) -> Iterator[tuple[str, str]]:
    """Yield each key that a described framework logs by itself, with the framework."""
    for scope in context.files.values():
        if context.spec.frameworks[scope.framework].base is not None:
            continue  # what tells a derived framework is a key of its own
        for name, path, record in records(scope):
            for key, _ in keys_of(name, path, record):
                if re.search(r"\w", _spelled(key, "")):
                    yield bare(key), scope.framework


def _spelled(key: str, stand_in: str = _STAND_IN) -> str:
    """Return a key with something in the place of each placeholder."""
    for name in placeholders_in(key):
        key = key.replace(f"{{{name}}}", stand_in)
    return key


def _is_narrow(key: str) -> bool:
    """Tell whether a template has parts of its own; of one that is a word with an ending users choose the whole."""
    return "{" in key and "/" in key


def _pattern(key: str) -> re.Pattern[str]:
    """Return what a template matches, each placeholder one part of a key."""
    return re.compile(re.escape(_spelled(key, "\0")).replace("\\\0", "[^/]+").replace("\0", "[^/]+"))


CHECKS: tuple[Check, ...] = (telling_key,)
