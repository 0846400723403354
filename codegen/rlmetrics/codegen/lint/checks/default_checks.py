"""Defaults of configuration keys: of the right type, one in each release, and one wherever a guard needs it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rlmetrics.names.settings.guards import GuardError, UnknownValueError, parse

from ..guardsets import names_in
from ..lint_check import Check, Hit, check
from ..logged import as_yaml, logged_guards

if TYPE_CHECKING:
    from ...loader import YamlPath
    from ...model import ConfigKey
    from ..context import ComponentScope, Context, FileScope

__all__ = ["CHECKS", "described"]

_Place = tuple[str, "YamlPath"]


def described(key: ConfigKey) -> str:
    """Return what a configuration key can be, in words."""
    words = {"bool": "true or false", "int": "a whole number", "float": "a number", "str": "text"}
    return f"one of {', '.join(key.choices)}" if key.type == "choice" else words[key.type or "str"]


@check(
    "missing-default",
    "error",
    what="Guards that leave open whether a key is logged with the defaults of some described release, or a fact whose "
    "guard the defaults of no release answer.",
    fix="add the default of that release to the configuration key",
    metrics=False,
)
def missing_default(context: Context) -> Iterator[Hit]:
    reported: set[_Place] = set()
    facts: dict[_Place, Hit | None] = {}
    for component in context.components:
        defaults = _Defaults(context, component.scope)
        for place, open_keys in _open_keys(component, defaults):
            if place not in reported:
                reported.add(place)
                yield _open(context, component, place, open_keys, "this key is logged")
        for place, guard, releases in _guarded(component):
            if place not in facts or facts[place] is not None:
                open_keys = defaults.unanswered(guard, releases)
                is_open = len(open_keys) == releases.bit_count()
                facts[place] = _open(context, component, place, open_keys, "this fact holds") if is_open else None
    yield from (hit for hit in facts.values() if hit is not None)


def _open(context: Context, component: ComponentScope, place: _Place, open_keys: dict[str, str], what: str) -> Hit:
    keys = ", ".join(f"`{name}`" for name in dict.fromkeys(open_keys.values()))
    span = context.releases(component.scope.framework).text(set(open_keys))
    where = component.elsewhere(place[0].rpartition("/")[2])
    message = f"{keys} has no default in {span}, so whether {what} is unknown there{where}"
    return Hit(*place, message, value=True)


def _open_keys(component: ComponentScope, defaults: _Defaults) -> Iterator[tuple[_Place, dict[str, str]]]:
    """Yield what leaves open whether a key is logged: a guard that is to blame, and by release what it lacks."""
    for item in component.resolved:
        pieces = [piece for piece in (item.record, *item.facts) if "logged_when" in piece.says]
        # One guard that does not hold decides.
        together = " and ".join(f"({guard})" for guard in logged_guards(item))
        open_keys = defaults.unanswered(together, item.releases) if pieces else {}
        for piece in pieces if open_keys else ():
            if any(name in names_in(guard) for guard in piece.says["logged_when"] for name in open_keys.values()):
                yield (component.ref(piece), (*piece.path, "logged_when")), open_keys
                break


def _guarded(component: ComponentScope) -> Iterator[tuple[_Place, str, int]]:
    """Yield the guard of each fact of a component with the releases in which it counts."""
    guards: dict[tuple[_Place, str], int] = {}
    for item in component.resolved:
        for piece in item.facts:
            if piece.when is not None:
                fact = (component.ref(piece), (*piece.path, "when")), piece.when
                guards[fact] = guards.get(fact, 0) | item.releases
    for (place, guard), releases in guards.items():
        yield place, guard, releases


class _Defaults:
    """The defaults of one component's configuration keys."""

    def __init__(self, context: Context, scope: FileScope) -> None:
        self._config = context.config(scope.framework, scope.stem)
        self._framework = context.frameworks[scope.framework]
        self._known: dict[str, int] = {}

    def unanswered(self, guard: str, releases: int) -> dict[str, str]:
        """Return the releases in which the defaults do not answer a guard, each with the key that is to blame."""
        names = names_in(guard)
        if any(name not in self._config for name in names):
            return {}  # `broken-reference` reports it
        missing = 0
        for name in names:
            missing |= releases & ~self._covered(name)
        order = self._framework.releases
        unanswered: dict[str, str] = {}
        for release in order.sort(order.of_bits(missing)):
            blamed = self._undecided(guard, 1 << order.index(release), names)
            if blamed is not None:
                unanswered[release] = blamed
        return unanswered

    def _covered(self, name: str) -> int:
        """Return the releases in which a key has a default."""
        if name not in self._known:
            self._known[name] = 0
            for default in self._config[name].defaults:
                self._known[name] |= self._releases(default.releases)
        return self._known[name]

    def _releases(self, ranges: Any) -> int:
        return self._framework.everything if ranges is None else self._framework.bits(ranges)

    def _undecided(self, guard: str, release: int, names: tuple[str, ...]) -> str | None:
        config = {
            name: default.value
            for name in names
            for default in self._config[name].defaults
            if self._releases(default.releases) & release
        }
        try:
            parse(guard).evaluate(config)
        except UnknownValueError as error:
            return error.name if error.name not in config else None
        except GuardError:
            return None
        return None


def _config_keys(context: Context) -> Iterator[tuple[str, str, YamlPath, ConfigKey]]:
    for ref, node in context.spec.roots():
        if ref.startswith("frameworks/"):
            for name, key in node.config.items():
                yield ref.split("/")[1], ref, ("config", name), key


@check(
    "default-value",
    "error",
    what="A default that does not fit its configuration key's type or choices, or choices that do not fit the type.",
    fix="correct the default, or the type and choices",
    metrics=False,
)
def default_value(context: Context) -> Iterator[Hit]:
    for _, ref, path, key in _config_keys(context):
        if (key.type == "choice") != bool(key.choices):
            message = (
                "a key of type `choice` needs choices" if key.type == "choice" else "only type `choice` has choices"
            )
            yield Hit(ref, (*path, "type"), f"`{path[1]}`: {message}", value=True)
            continue
        if key.type is None:
            if context.spec.is_unread("config", str(path[1])):
                continue  # what it is like stands in a file that cannot be read
            message = f"neither choices nor defaults show what `{path[1]}` can be"
            yield Hit(ref, path, message, "say its `type`: bool, int, float or str")
        for index, default in enumerate(key.defaults):
            if default.value is not None and not key.fits(default.value):
                message = f"`{path[1]}` is {described(key)}, but its default is {as_yaml(default.value)}"
                yield Hit(ref, (*path, "defaults", index, "value"), message, value=True)


@check(
    "default-overlap",
    "error",
    what="Two defaults of one configuration key for the same release.",
    fix="give each release one default",
    metrics=False,
)
def default_overlap(context: Context) -> Iterator[Hit]:
    for framework, ref, path, key in _config_keys(context):
        scope = context.frameworks[framework]
        seen = 0
        for index, default in enumerate(key.defaults):
            covered = scope.everything if default.releases is None else scope.bits(default.releases)
            twice = scope.releases.sort(scope.releases.of_bits(covered & seen))
            if twice:
                message = f"`{path[1]}` has two defaults in {twice[0]}"
                yield Hit(ref, (*path, "defaults", index), message)
            seen |= covered


CHECKS: tuple[Check, ...] = (missing_default, default_value, default_overlap)
