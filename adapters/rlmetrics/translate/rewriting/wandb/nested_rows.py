"""Rows of W&B as dicts, in which metrics may lie in dicts of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rlmetrics.logs.kinds.wandb.nested_names import NestedNames, nested, put

from ...translator import Translator

__all__ = ["nested_row"]


def nested_row(
    row: Mapping[str, Any], names: NestedNames, translator: Translator, *, summary: bool = False
) -> dict[str, Any]:
    """Return a row under new names, which lie in dicts where the old ones did and end alike.

    Raises:
        InputError: As ``Translator.entries``.
    """
    values, paths = names.flat(row, summary=summary)
    if not paths:
        return translator.row(values)
    renamed: dict[str, Any] = {}
    for entry in translator.entries(values):
        put(renamed, nested(entry.name, paths.get(entry.old, (entry.old,))), entry.value)
    return renamed
