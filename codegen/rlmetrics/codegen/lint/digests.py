"""Digests of what verdicts rest on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel

from ..model import SpecReading

__all__ = ["digest", "dumped", "values_of"]


def digest(*values: Any) -> str:
    """Return the digest of values that JSON has; those that it lacks count as their texts."""
    text = json.dumps(values, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def dumped(value: Any) -> Any:
    """Return a value as JSON has it; models without the fields that have their defaults."""
    if isinstance(value, BaseModel):
        shown = {"shown_by": list(value.shown_by)} if isinstance(value, SpecReading) else {}
        return {**value.model_dump(mode="json", exclude_defaults=True), **shown}
    if isinstance(value, dict):
        return {str(name): dumped(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [dumped(item) for item in value]
    return value


def values_of(readings: Iterable[SpecReading]) -> list[Any]:
    """Return of which values readings are, and how much there is to say of them."""
    return [[reading.value, reading.level] for reading in readings]
