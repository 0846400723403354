"""Settings that move curves: the keys that they name, and the sentences that tell it."""

from __future__ import annotations

import string
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..lint_check import Check, Hit, check

if TYPE_CHECKING:
    from ..context import Context

__all__ = ["CHECKS"]

_VALUES = frozenset({"before", "after"})


@check(
    "shaping-key",
    "error",
    what="A setting under `shaping` that moves a key which nothing logs.",
    fix="name a key as its file spells it, without the prefix of a mode",
    whole=True,
)
def shaping_key(context: Context) -> Iterator[Hit]:
    known: dict[str, set[str]] = {}
    for component in context.components:
        for stem in context.chain(component.scope.framework, component.scope.stem):
            ref = f"frameworks/{component.scope.framework}/{stem}"
            known.setdefault(ref, set()).update(item.key for item in component.resolved)
    for ref, node in context.spec.roots():
        for name, item in getattr(node, "shaping", {}).items():
            for index, key in enumerate(item.keys):
                if key not in known.get(ref, set()):
                    yield Hit(ref, ("shaping", name, "keys", index), f"`{name}` moves `{key}`, which nothing logs")


@check(
    "shaping-words",
    "error",
    what="A sentence under `shaping` with something in braces that is neither value of the setting.",
    fix="write {before} and {after} for the two values",
)
def shaping_words(context: Context) -> Iterator[Hit]:
    for ref, node in context.spec.roots():
        for name, item in getattr(node, "shaping", {}).items():
            for field in ("says", "switched_off"):
                for unknown in _unknown(getattr(item, field) or ""):
                    message = f"the words of `{name}` have {unknown} in braces"
                    yield Hit(ref, ("shaping", name, field), message, value=True)


def _unknown(text: str) -> list[str]:
    try:
        names = [name for _, name, _, _ in string.Formatter().parse(text) if name is not None]
    except ValueError:
        return ["an open brace"]
    return [f"`{name}`" for name in names if name not in _VALUES]


CHECKS: tuple[Check, ...] = (shaping_key, shaping_words)
"""Settings that move curves."""
