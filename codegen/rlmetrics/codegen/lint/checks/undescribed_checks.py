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
    from ...model import Convention
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
    for name, convention in context.spec.conventions.items():
        for place, key in _telling(convention):
            spelled = _spelled(bare(key))
            who = described.get(spelled) or next((one for pattern, one in patterns if pattern.fullmatch(spelled)), None)
            who = who or told.setdefault(spelled, name)
            if who != name:
                yield Hit(f"conventions/{name}", place, f"`{key}` tells `{who}` as well")


def _telling(convention: Convention) -> Iterator[tuple[YamlPath, str]]:
    """Yield each key that tells a framework, with its place."""
    if convention.known_by is not None:
        for field in ("keys", "own_log"):
            for index, key in enumerate(getattr(convention.known_by, field)):
                yield ("known_by", field, index), key


def _described(context: Context) -> Iterator[tuple[str, str]]:
    """Yield each key that a described framework logs by itself, with the framework."""
    for scope in context.files.values():
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
