"""JSON laid out to be read and compared: what fits on a line stands on one, all else has a line for each entry."""

from __future__ import annotations

import json
from typing import Any

from .layout import WIDTH

__all__ = ["laid_out"]

_encode = json.JSONEncoder(ensure_ascii=False).encode


def laid_out(value: Any, indent: int = 0, used: int = 0) -> str:
    """Return a value as JSON.

    Args:
        value: The value.
        indent: How far its line is indented.
        used: How many further characters of the line stand around it.
    """
    flat = _encode(value)
    if not value or not isinstance(value, dict | list) or indent + used + len(flat) <= WIDTH:
        return flat
    inner = indent + 1
    if isinstance(value, dict):
        names = [_encode(name) for name in value]
        rows = [
            f"{name}: {laid_out(item, inner, len(name) + 3)}" for name, item in zip(names, value.values(), strict=True)
        ]
    else:
        rows = [laid_out(item, inner, 1) for item in value]
    opened, closed = "{}" if isinstance(value, dict) else "[]"
    lines = ",\n".join(f"{' ' * inner}{row}" for row in rows)
    return f"{opened}\n{lines}\n{' ' * indent}{closed}"
