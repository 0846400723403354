"""Keys and templates: literal parts, placeholders, and the languages they match."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from .context import Context

__all__ = ["KeyClass", "TemplateError", "classify", "placeholders_in", "segments"]

KeyClass = Literal["literal", "constrained", "open"]

_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


class TemplateError(ValueError):
    """Braces that do not form a placeholder."""


def segments(key: str) -> list[tuple[str, bool]]:
    """Return the parts of a key in order: literal text (False) and names of placeholders (True).

    Raises:
        TemplateError: For a brace that does not belong to a placeholder.
    """
    parts: list[tuple[str, bool]] = []
    position = 0
    for match in _PLACEHOLDER.finditer(key):
        parts += _literal(key[position : match.start()])
        parts.append((match.group(1), True))
        position = match.end()
    return parts + _literal(key[position:])


def _literal(text: str) -> list[tuple[str, bool]]:
    if "{" in text or "}" in text:
        msg = f"a brace in `{text}` does not belong to a placeholder"
        raise TemplateError(msg)
    return [(text, False)] if text else []


def placeholders_in(key: str) -> list[str]:
    """Return the names of the placeholders of a key, in order, each once."""
    return list(dict.fromkeys(_PLACEHOLDER.findall(key)))


def classify(context: Context, framework: str, stem: str, key: str) -> KeyClass:
    """Return how specific a key of a file is: literal beats constrained beats open."""
    names = placeholders_in(key)
    if not names:
        return "literal"
    definitions = [context.placeholder(framework, stem, name) for name in names]
    return "open" if any(item is not None and item.open for item in definitions) else "constrained"
