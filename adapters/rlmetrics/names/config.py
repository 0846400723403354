"""Configuration keys: their defaults in a release, given values, and what guards say about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any

from .errors import NamesError
from .source import nearest
from .tables import FrameworkTable

if TYPE_CHECKING:
    from .guards import Value
    from .rows import ComponentTable

__all__ = ["UNKNOWN", "Config", "Configuration", "check_config", "fitting", "is_plain", "parse_pairs", "single"]


class _Unknown(Enum):
    UNKNOWN = "unknown"


UNKNOWN = _Unknown.UNKNOWN
"""The value of a setting that was chosen, nobody can tell how: not even the default answers for it."""

_SEVERAL = "several"
"""What a choice is called of which a list of more than one may be given."""

Config = Mapping[str, Any] | None
"""Values of configuration keys, as text or as what they are."""


class Configuration:
    """The configuration keys of one component in one release.

    Args:
        table: The framework.
        component: The component.
        release: A known release.
        config: Values that differ from the defaults. Keys that this component lacks are left alone.

    Attributes:
        keys: Type, brief, choices and defaults of every key.
        defaults: Values without ``config``; a key without a default in the release is missing.
        values: Values with ``config``.
    """

    def __init__(self, table: FrameworkTable, component: ComponentTable, release: str, config: Config = None) -> None:
        keys = {**table.config, **component.config}
        self.keys: Mapping[str, Any] = keys
        self._table = table
        self._release = release
        self.defaults: dict[str, Value] = {}
        for name, row in keys.items():
            for ranges, value, _ in row.get("defaults", ()):
                if not ranges or table.releases.covers(ranges, release):
                    self.defaults[name] = value
                    break
        self.values: dict[str, Value] = dict(self.defaults) if config else self.defaults
        self._holds: dict[str, bool | None] = {}
        for given, value in (config or {}).items():
            full_name = find_key(given, keys)
            if full_name is not None and value is UNKNOWN:
                self.values.pop(full_name, None)
            elif full_name is not None:
                self.values[full_name] = _convert(full_name, value, keys[full_name])

    def holds(self, guard: str) -> bool | None:
        """Return whether a guard holds; None if that depends on a key whose value is not known."""
        if guard not in self._holds:
            self._holds[guard] = holds(guard, self.values)
        return self._holds[guard]

    def holds_by_default(self, guard: str) -> bool | None:
        """Return whether a guard holds without the given values."""
        return holds(guard, self.defaults)

    def symbol(self, name: str) -> str | None:
        """Return the class or function in which the default of a key stands."""
        for ranges, _, symbol in self.keys[name].get("defaults", ()):
            if not ranges or self._table.releases.covers(ranges, self._release):
                path: str | None = symbol
                return path
        return None


def find_key(given: str, keys: Mapping[str, Any]) -> str | None:
    """Return the key that is meant: itself, or the only one that ends with it after a dot."""
    if given in keys:
        return given
    ends = [name for name in keys if name.endswith(f".{given}")]
    return ends[0] if len(ends) == 1 else None


def check_config(config: Config, known: Iterable[Mapping[str, Any]]) -> None:
    """Refuse values for keys that no component has.

    Args:
        config: The given values.
        known: The keys of each component that takes part.

    Raises:
        NamesError: A key is unknown everywhere.
    """
    tables = list(known)
    for given in config or {}:
        if not any(find_key(given, keys) for keys in tables):
            names = dict.fromkeys(name for keys in tables for name in keys)
            msg = f"unknown configuration key {given!r}; {nearest(given, names, 'keys')}"
            raise NamesError(msg)


def parse_pairs(pairs: Iterable[str], option: str) -> dict[str, str]:
    """Read ``KEY=VALUE`` texts.

    Raises:
        NamesError: One has no ``=``, or a key has two values.
    """
    settings: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            msg = f"{option} {pair!r}: write NAME=VALUE"
            raise NamesError(msg)
        if settings.setdefault(key.strip(), value.strip()) != value.strip():
            msg = f"{option} {key.strip()} is given twice with different values; give it once"
            raise NamesError(msg)
    return settings


def fitting(name: str, value: Any, row: Mapping[str, Any]) -> bool:
    """Tell whether a value that a run recorded is one of a setting's.

    Args:
        name: The setting.
        value: As recorded.
        row: What the spec says about the setting.
    """
    value = single(value, row)
    if value is None:
        return True
    if not isinstance(value, str):
        kinds: dict[str, tuple[type, ...]] = {"bool": (bool,), "int": (int,), "float": (int, float)}
        return isinstance(value, kinds.get(row["type"], ())) and isinstance(value, bool) == (row["type"] == "bool")
    try:
        _convert(name, value, row)
    except NamesError:
        return False
    return True


def holds(guard: str, values: Mapping[str, Value]) -> bool | None:
    """Return whether a guard holds; None if that depends on a key whose value is not known."""
    guards = _guards()
    try:
        return bool(guards.parse(guard).holds(values))
    except guards.UnknownValueError:
        return None
    except guards.GuardError as error:
        msg = f"the guard {guard!r} cannot be evaluated: {error}"
        raise NamesError(msg) from None


def number(text: float | str, values: Mapping[str, Value]) -> float | str:
    """Return the value of an arithmetic expression; the text itself if that depends on an unknown value."""
    if not isinstance(text, str):
        return float(text)
    guards = _guards()
    try:
        value = guards.parse(text).evaluate(values)
    except guards.UnknownValueError:
        return text
    except guards.GuardError as error:
        msg = f"the expression {text!r} cannot be evaluated: {error}"
        raise NamesError(msg) from None
    return float(value) if isinstance(value, int | float) else text


@cache
def _guards() -> Any:
    """Return the module of guards, which many questions need not import."""
    from . import guards

    return guards


def is_plain(value: Any) -> bool:
    """Tell whether a setting is a number, a text, a switch, None, or a list of them."""
    items = value if isinstance(value, list) else [value]
    return all(isinstance(item, str | int | float | bool | None) for item in items)


def single(value: Any, row: Mapping[str, Any]) -> Any:
    """Return what a list says about a choice: its only element, or that there are several; about a text, its own.

    Trainers that can add up several losses hold the name of a single one in a list, too.
    """
    if not isinstance(value, list | tuple):
        return value
    items = list(value)
    if row["type"] == "str":
        return str(items)
    if len(items) > 1:
        return _SEVERAL if _SEVERAL in row.get("choices", ()) else value
    return items[0] if items and row["type"] == "choice" else value


def _convert(name: str, value: Any, row: Mapping[str, Any]) -> Value:
    kind, value = row["type"], single(value, row)
    if not isinstance(value, str):
        if value is None or isinstance(value, bool | int | float):
            return value
        msg = f"{name} must be a {kind}, not {value!r}"
        raise NamesError(msg)
    if value.lower() in ("null", "none") and value not in row.get("choices", ()):
        return None
    if kind == "bool":
        if value.lower() in ("true", "false"):
            return value.lower() == "true"
        msg = f"{name} must be true or false, not {value!r}"
        raise NamesError(msg)
    if kind in ("int", "float"):
        try:
            return int(value) if kind == "int" else float(value)
        except ValueError:
            msg = f"{name} must be {'a whole number' if kind == 'int' else 'a number'}, not {value!r}"
            raise NamesError(msg) from None
    if kind == "choice" and value not in row.get("choices", ()):
        msg = f"{name} cannot be {value!r}; {nearest(value, row.get('choices', ()), 'values')}"
        raise NamesError(msg)
    return value
