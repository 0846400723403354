"""Which source a trainer is: its class, the installed release, its arguments."""

from __future__ import annotations

import dataclasses
import sys
import warnings
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from rlmetrics.names.sources.source import parse_source
from rlmetrics.names.tables.tables import Tables
from rlmetrics.names.tables.user_errors import FallbackWarning, NamesError
from rlmetrics.trackers.live_settings import plain_settings

__all__ = ["settings_of", "source_of"]


def source_of(trainer: object, tables: Tables) -> str | None:
    """Return the source of a trainer: the nearest class of TRL that it is, in the installed release.

    A class that the spec does not know is passed over for what it inherits from.

    Returns:
        Such as ``trl[GRPOTrainer]==1.16.0``; None if the spec knows none of its classes.
    """
    release = _release()
    if release is None:
        return None
    for cls in type(trainer).__mro__:
        if not cls.__module__.startswith("trl."):
            continue
        package = cls.__module__.rpartition(".")[0].rpartition(".")[2]
        named = [f"trl[{name}]=={release}" for name in (cls.__name__, f"{package}.{cls.__name__}")]
        known = {source: modules for source in named if (modules := _modules(source, tables))}
        # Classes share a name; where the file has moved since, the name decides.
        exact = [source for source, modules in known.items() if cls.__module__ in modules]
        if known:
            return next(iter(exact or known))
    return None


def _modules(source: str, tables: Tables) -> set[str]:
    """Return the modules of the components that a source names; none if it names none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FallbackWarning)
            return {item.module for item in parse_source(source, tables).components}
    except NamesError:
        return set()


def _release() -> str | None:
    """Return the release of TRL that is imported, or installed."""
    loaded = getattr(sys.modules.get("trl"), "__version__", None)
    if isinstance(loaded, str):
        return loaded
    try:
        return version("trl")
    except PackageNotFoundError:
        return None


def settings_of(trainer: object) -> dict[str, Any]:
    """Return the settings of a trainer: its ``args``, or the ``config`` that older ones have."""
    for name in ("args", "config"):
        held = getattr(trainer, name, None)
        if dataclasses.is_dataclass(held) and not isinstance(held, type):
            settings = {field.name: getattr(held, field.name, None) for field in dataclasses.fields(held)}
            return plain_settings(settings)
        if isinstance(held, Mapping):
            return plain_settings(held)
    return {}
