"""Configuration keys: their defaults in a release, given values, and what guards say about them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import Enum
from functools import cache

from rlmetrics.lazy_typing import TYPE_CHECKING, Any

from ..sources.source import nearest
from ..tables.framework_table import AROUND, FrameworkTable
from ..tables.user_errors import NamesError
from .renamed_settings import later_name, named_in

if TYPE_CHECKING:
    from ..tables.component_rows import ComponentTable
    from .guards import Value

__all__ = [
    "UNKNOWN",
    "Config",
    "Configuration",
    "DeducedName",
    "RecordedName",
    "check_config",
    "configuration_of",
    "find_key",
    "fitting",
    "is_plain",
    "parse_pairs",
    "recorded_key",
    "single",
]


class _Unknown(Enum):
    UNKNOWN = "unknown"


UNKNOWN = _Unknown.UNKNOWN
"""The value of a setting that was chosen, nobody can tell how: not even the default answers for it."""

_SEVERAL = "several"
"""What a choice is called of which a list of more than one may be given."""


_NO, _ALL = "no", "all"
"""What a choice calls the positions of the switch that it was in earlier releases, and off where YAML reads ``no``."""


_SWITCH = {"true": True, "false": False, "yes": True, "no": False, "on": True, "off": False}
"""How people write the positions of a switch, those of YAML among them."""


class RecordedName(str):
    """The name of a setting that a whole configuration holds: a source that lacks it, or its value, leaves it alone."""

    __slots__ = ()


class DeducedName(str):
    """The name of a setting that nobody gave: what was logged shows what it must have been."""

    __slots__ = ()


Config = Mapping[str, Any] | None
"""Values of configuration keys, as text or as what they are."""


def configuration_of(
    table: FrameworkTable, component: ComponentTable, release: str, config: Config = None
) -> Configuration:
    """Return the settings of a component in a release; what its defaults say is found out once."""
    if config:
        return Configuration(table, component, release, config)
    place = Configuration, release
    if place not in component.kept:
        component.kept[place] = Configuration(table, component, release)
    kept: Configuration = component.kept[place]
    return kept


def _defaults(keys: Mapping[str, Any], table: FrameworkTable, release: str) -> dict[str, Value]:
    covered = table.releases.covered
    stated = [(name, *default[:2]) for name, row in keys.items() for default in reversed(row.get("defaults", ()))]
    return {name: value for name, ranges, value in stated if not ranges or release in covered(ranges)}


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
        given: The keys that somebody gave in ``config``.
        known: These and the keys in ``config`` that were deduced.
    """

    def __init__(self, table: FrameworkTable, component: ComponentTable, release: str, config: Config = None) -> None:
        keys = {**table.config, **component.config}
        self.keys: Mapping[str, Any] = keys
        self._table = table
        self._release = release
        self._usual = configuration_of(table, component, release) if config else self
        self.defaults: dict[str, Value] = self._usual.defaults if config else _defaults(keys, table, release)
        self.values: dict[str, Value] = dict(self.defaults) if config else self.defaults
        self._holds: dict[str, bool | None] = {}
        self.given: set[str] = set()
        self.known: set[str] = set()
        for given, value in (config or {}).items():
            full_name = self.find(given)
            if full_name is None:
                continue
            self._take(full_name, given, value)
        for given, value in (config or {}).items():
            full_name = self.find(given)
            other = None if full_name is None else self._renamed(full_name)
            # What is given under the release's own name counts; a former one that is null there sets nothing.
            is_open = full_name in self.defaults and value in (None, "null", "None")
            if other is not None and other not in self.known and not is_open:
                self._take(other, given, value)
        answered = self._usual._holds if config else {}
        if answered:
            # What asks nothing of the given values holds as it does by default.
            names_in, known = _guards().names_in, self.known
            self._holds = {guard: holds for guard, holds in answered.items() if known.isdisjoint(names_in(guard))}

    def _take(self, full_name: str, given: str, value: Any) -> None:
        """Set a key to a value that is given under some name."""
        row = self.keys[full_name]
        self.known.add(full_name)
        if not isinstance(given, DeducedName):
            self.given.add(full_name)
        if value is UNKNOWN or (isinstance(given, RecordedName) and not fitting(full_name, value, row)):
            self.values.pop(full_name, None)
        else:
            self.values[full_name] = _convert(full_name, value, row)

    def _renamed(self, name: str) -> str | None:
        """Return what the release calls a key that is given by another release's name; None if nothing else."""
        takes, covers = self._table.settings.has, self._table.releases.covers
        release = self._release
        return named_in(
            name,
            self.keys,
            self.defaults,
            lambda other: takes(other, release),
            lambda ranges: bool(ranges) and covers(ranges, release),
        )

    def find(self, given: str) -> str | None:
        """Return the key that is meant; see `find_key`."""
        return find_key(given, self.keys, self._table.around)

    def holds(self, guard: str) -> bool | None:
        """Return whether a guard holds; None if that depends on a key whose value is not known."""
        if guard not in self._holds:
            self._holds[guard] = holds(guard, self.values)
        return self._holds[guard]

    def holds_by_default(self, guard: str) -> bool | None:
        """Return whether a guard holds without the given values."""
        return self._usual.holds(guard)

    def has(self, name: str) -> bool:
        """Return whether the release has a key, as far as that is known."""
        stated = self.keys[name].get("defaults")
        return name in self.defaults or not stated or self._table.settings.has(name, self._release)

    def knows(self, name: str) -> bool:
        """Return whether the spec says anything of a key in this release, or the release has it without more to say.

        Of a key with defaults in other releases alone, another trainer of this one may have one of the same name.
        """
        if name not in self.keys or not self.keys[name].get("defaults"):
            return True
        return name in self.defaults or self._table.settings.inherits(name)

    def symbol(self, name: str) -> str | None:
        """Return the class or function in which the default of a key stands."""
        for ranges, _, symbol in self.keys[name].get("defaults", ()):
            if not ranges or self._table.releases.covers(ranges, self._release):
                path: str | None = symbol
                return path
        return None


def find_key(given: str, keys: Mapping[str, Any], around: Collection[str] = AROUND) -> str | None:
    """Return the key that is meant: itself, or the only one that ends with it after a dot.

    Hydra's ``+`` and ``++`` are no part of a name. In a whole configuration names are whole, too.

    Args:
        given: A name.
        keys: The known keys.
        around: Names under which a whole configuration stands.
    """
    if given in keys:
        return str(given)
    if isinstance(given, RecordedName):
        return recorded_key(given, keys, around)
    name = given.lstrip("+")
    ends = [name] if name in keys else [key for key in keys if key.endswith(f".{name}")]
    return ends[0] if len(ends) == 1 else None


def recorded_key(given: str, keys: Mapping[str, Any], around: Collection[str] = AROUND) -> str | None:
    """Return the key that a whole configuration means: what surrounds all of it is no part of its names."""
    for name in (given, given.replace("/", ".")):
        if name in keys:
            return str(name)
        outer, _, rest = name.partition(".")
        if outer in around and rest in keys:
            return rest
    return None


def check_config(
    config: Config, known: Iterable[Mapping[str, Any]], releases: Iterable[tuple[FrameworkTable, str]] = ()
) -> None:
    """Refuse values for keys that neither a component nor its release has.

    A setting that a release has and of which nothing is said makes no difference to any key.

    Args:
        config: The given values.
        known: The keys of each component that takes part.
        releases: The releases that take part.

    Raises:
        NamesError: A key is unknown everywhere, or its name is the end of several keys.
    """
    tables = list(known)
    for given in config or {}:
        if isinstance(given, RecordedName) or any(find_key(given, keys) for keys in tables):
            continue
        name = given.lstrip("+")
        ends = dict.fromkeys(key for keys in tables for key in keys if key.endswith(f".{name}"))
        if ends:
            msg = f"{given!r} can be {' or '.join(ends)}; write the whole name"
            raise NamesError(msg)
        places = list(dict.fromkeys(releases))
        if any(table.settings.has(given, release) for table, release in places):
            continue
        names = dict.fromkeys(name for keys in tables for name, row in keys.items() if _offered(name, row, places))
        names.update(dict.fromkeys(name for table, release in places for name in table.settings.of(release)))
        where = " or ".join(f"{table.name} {release}" for table, release in places[:2])
        if not 0 < len(places) <= 2:
            has = f"unknown configuration key {given!r}"
        elif all(table.settings.lists(release) for table, release in places):
            has = f"{where} has no setting {given!r}"
        else:  # Its settings were not listed, so that it may have it.
            has = f"no setting {given!r} of {where} is known"
        later = next((found for keys in tables if (found := later_name(name, keys)) is not None), None)
        msg = f"{has}; {nearest(name, names, 'keys') if later is None else f'there it is called {later}'}"
        raise NamesError(msg)


def _offered(name: str, row: Mapping[str, Any], places: Sequence[tuple[FrameworkTable, str]]) -> bool:
    """Tell whether one of some releases may have a setting; where none is named, every one of them may."""
    stated = [ranges for ranges, *_ in row.get("defaults", ())]
    for table, release in places:
        has, listed = table.settings.has(name, release), table.settings.lists(release)
        if has or any(not ranges or table.releases.covers(ranges, release) for ranges in stated):
            return True
        if not stated and not (listed and table.settings.had(name)):
            return True
    return not places


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
    if isinstance(value, bool):
        named = _ALL if value else _NO
        return named if row["type"] == "choice" and named in row.get("choices", ()) else value
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
    if kind == "choice" and str(value).lower() in _SWITCH and value not in row.get("choices", ()):
        value = single(_SWITCH[str(value).lower()], row)
    if not isinstance(value, str):
        if value is None or isinstance(value, bool | int | float):
            return value
        msg = f"{name} must be a {kind}, not {value!r}"
        raise NamesError(msg)
    if value.lower() in ("null", "none") and value not in row.get("choices", ()):
        return None
    if kind == "bool":
        if value.lower() in _SWITCH:
            return _SWITCH[value.lower()]
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
