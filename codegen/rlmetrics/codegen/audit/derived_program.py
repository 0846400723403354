"""Sources of a framework that is made of another one's trainers: read together with those of its base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..model.audit_settings import AuditSettings
from .extract import Extraction

__all__ = ["joined", "own_part"]


def joined(base: AuditSettings, own: AuditSettings) -> AuditSettings:
    """Return settings by which the sources of both are read: what either declares; single values are the own ones."""
    made: dict[str, Any] = {}
    for name in AuditSettings.model_fields:
        first, second = getattr(base, name), getattr(own, name)
        if isinstance(first, tuple):
            made[name] = (*first, *second)
        elif isinstance(first, Mapping):
            both = {key: (*first[key], *second[key]) for key in first.keys() & second if isinstance(first[key], tuple)}
            made[name] = {**first, **second, **both}
        else:
            made[name] = second
    return own.model_copy(update=made)


def own_part(extraction: Extraction, paths: Mapping[str, str]) -> Extraction:
    """Leave out what the base's own methods write, which the base's records describe."""
    return replace(
        extraction,
        keys=tuple(key for key in extraction.keys if key.path in paths),
        unclear=tuple(item for item in extraction.unclear if item.path in paths),
    )
