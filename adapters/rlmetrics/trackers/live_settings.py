"""Settings of a run, as far as a source knows them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from rlmetrics.names.meanings.view import open_view
from rlmetrics.names.settings.configuration import is_plain
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.tables.tables import Overlays, Tables
from rlmetrics.names.tables.user_errors import NamesError

__all__ = ["known_settings", "plain_settings", "settings_beside"]


def plain_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings that are numbers, texts, switches, None, or lists of them; members of enumerations by value."""
    found = {name: _plain(value) for name, value in settings.items()}
    return {name: value for name, value in found.items() if is_plain(value)}


def known_settings(at: str, settings: Mapping[str, Any], spec: Overlays | Tables = None) -> dict[str, Any]:
    """Return the settings that a source knows and understands.

    Raises:
        NamesError: The source is unknown.
    """
    tables = load_tables(spec)
    configs = [component.config for component in getattr(open_view(at, spec=tables), "components", {}).values()]
    named = {
        name: value
        for name, value in plain_settings(settings).items()
        if any(config.find(name) is not None for config in configs)
    }
    if _understood(at, named, tables):
        return named
    return {name: value for name, value in named.items() if _understood(at, {name: value}, tables)}


def settings_beside(to: str, settings: Mapping[str, Any], at: str, spec: Overlays | Tables = None) -> dict[str, Any]:
    """Return those settings of one source that say nothing wrong about another.

    A setting of the same name in another framework is another setting, and a release may lack a value of the next.

    Raises:
        NamesError: A source is unknown.
    """
    tables = load_tables(spec)
    here, there = open_view(at, spec=tables), open_view(to, spec=tables)
    configs = [component.config for component in getattr(there, "components", {}).values()]
    shared = {name for name in settings if any(config.find(name) is not None for config in configs)}
    related = here.source.framework == there.source.framework
    kept = {name for name in shared if related and _understood(to, {name: settings[name]}, tables)}
    return {name: value for name, value in settings.items() if name not in shared or name in kept}


def _plain(value: Any) -> Any:
    """Return the values of members of enumerations."""
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value.value if isinstance(value, Enum) else value


def _understood(at: str, settings: Mapping[str, Any], tables: Tables) -> bool:
    try:
        open_view(at, config=settings, spec=tables)
    except NamesError:
        return False
    return True
