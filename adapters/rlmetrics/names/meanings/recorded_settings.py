"""The configuration that a run recorded, as a source takes it."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping

from rlmetrics.lazy_dataclasses import dataclass, replace
from rlmetrics.lazy_typing import Any

from ..settings.configuration import UNKNOWN, check_config, find_key, fitting, recorded_key, single
from ..tables.framework_table import AROUND
from ..tables.loading import load_tables
from ..tables.tables import Overlays, Tables
from .protocol import View
from .view import FrameworkView, open_view

__all__ = ["Understood", "around_of", "is_setting", "keys_of", "merged", "understood"]


@dataclass(frozen=True)
class Understood:
    """A configuration as a source takes it.

    Attributes:
        values: Values of settings that the source has; `UNKNOWN` for values that are none of the setting's.
        unknown: Names of the latter.
    """

    values: dict[str, Any]
    unknown: tuple[str, ...] = ()


def understood(settings: Mapping[str, Any], keys: Mapping[str, Any], around: Collection[str] = AROUND) -> Understood:
    """Return what a source takes of a configuration.

    Args:
        settings: By the names under which a run recorded them.
        keys: What the spec says about the source's settings.
        around: Names under which a whole configuration stands.
    """
    values: dict[str, Any] = {}
    for given, value in settings.items():
        name = recorded_key(given, keys, around)
        if name is None or (name != given and (name in settings or name in values)):
            continue
        known = value is not UNKNOWN and fitting(name, value, keys[name])
        values[name] = single(value, keys[name]) if known else UNKNOWN
    return Understood(values, tuple(name for name, value in values.items() if value is UNKNOWN))


def is_setting(given: str, tables: Tables) -> bool:
    """Tell whether any release of any framework has a setting of a whole configuration."""
    plain = given.replace("/", ".")
    outer, _, rest = plain.partition(".")
    for table in map(tables.framework, tables.frameworks):
        forms = {plain, rest} if outer in table.around else {plain}
        if not forms.isdisjoint(table.settings.every) or any(form in table.config for form in forms):
            return True
    return False


def keys_of(view: View) -> dict[str, Any]:
    """Return what the spec says about the settings of a source."""
    components = view.components.values() if isinstance(view, FrameworkView) else ()
    return {name: row for component in components for name, row in component.config.keys.items()}


def around_of(view: View) -> Collection[str]:
    """Return the names under which runs of a source record a whole configuration."""
    return view.tables.framework(view.source.framework).around if isinstance(view, FrameworkView) else AROUND


def merged(
    settings: Mapping[str, Any], given: Mapping[str, Any], at: str, spec: Overlays | Tables = None
) -> Understood:
    """Return the settings of a run as a source takes them, and the others as they are; what is given wins.

    Args:
        settings: By the names under which the run recorded them.
        given: What a person says.
        at: The source.
        spec: Folders with further YAML.

    Raises:
        NamesError: The source is unknown, or neither its release nor another framework has a setting that is given.
    """
    tables = load_tables(spec)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        view = open_view(at, spec=tables)
    keys = keys_of(view)
    if given and isinstance(view, FrameworkView):
        # A folder may hold runs of several frameworks, and each takes what it has.
        others = [tables.framework(name) for name in tables.frameworks if name != view.source.framework]
        own = {name: value for name, value in given.items() if not any(one.settings.had(name) for one in others)}
        check_config(own, [keys], [(tables.framework(view.source.framework), view.source.release)])
    around = around_of(view)
    known = understood(settings, keys, around)
    # A short name that a run uses for something else must not be taken for the end of a setting's.
    rest = {
        name: value for name, value in settings.items() if value is not UNKNOWN and not find_key(name, keys, around)
    }
    return replace(known, values={**rest, **known.values, **given})
