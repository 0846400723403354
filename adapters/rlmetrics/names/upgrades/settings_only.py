"""What changed that only shows with other settings than the given or default ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rlmetrics.lazy_dataclasses import replace
from rlmetrics.lazy_typing import Any, NamedTuple

from ..differences.entry_contrast import Cause
from ..meanings.key_course import ComponentCourse
from ..settings.guard_expressions import Compare, GuardLiteral, ListOf, SettingName
from ..settings.guards import parse
from ..tables.component_rows import expressions_of
from .causes import SharedCause
from .changes import Net

__all__ = ["OtherSetting", "joined", "only_with", "other_settings"]


class OtherSetting(NamedTuple):
    """A setting with a value that it does not have by default.

    Attributes:
        name: The setting.
        value: A value.
        guard: The condition that it stands for.
    """

    name: str
    value: Any
    guard: str


def other_settings(course: ComponentCourse, keys: Sequence[str], mode: str) -> list[OtherSetting]:
    """Return the values of single settings, other than those in force, on which the meaning of a key depends.

    Only what both the first and the last release know: nobody ran the first one with what came later.

    Args:
        course: A component in some releases.
        keys: The names of the key.
        mode: ``train`` or ``eval``.
    """
    ends = [_at_end(course, release, keys, mode) for release in (course.releases[0], course.releases[-1])]
    names = [{setting.name for setting in settings} for settings in ends]
    return [setting for setting in dict.fromkeys((*ends[0], *ends[1])) if _in_both(setting, ends, names, course)]


def _in_both(
    setting: OtherSetting, ends: Sequence[list[OtherSetting]], names: Sequence[set[str]], course: ComponentCourse
) -> bool:
    if setting in ends[0] and setting in ends[1]:
        return True
    parts = [course.part(release) for release in (course.releases[0], course.releases[-1])]
    known = all(part is not None and setting.name in part.configuration().values for part in parts)
    # A new value of a setting that the other end asks for other values is new itself.
    return known and not (setting.name in names[0] and setting.name in names[1])


def _at_end(course: ComponentCourse, release: str, keys: Sequence[str], mode: str) -> list[OtherSetting]:
    part = course.part(release)
    if part is None:
        return []
    values = part.configuration().values
    expressions = {text for key in keys for row in course.rows(key, mode, release) for text in expressions_of(row)}
    settings = dict.fromkeys(_tried(sorted(expressions), part.component.config))
    return [setting for setting in settings if setting.name in values and values[setting.name] != setting.value]


def _tried(expressions: Sequence[str], config: Mapping[str, Mapping[str, Any]]) -> Iterator[OtherSetting]:
    """Yield the values that expressions ask for, and both positions of a switch."""
    for text in expressions:
        for node in parse(text).walk():
            if isinstance(node, SettingName) and config.get(node.name, {}).get("type") == "bool":
                yield OtherSetting(node.name, value=True, guard=node.name)
                yield OtherSetting(node.name, value=False, guard=f"not {node.name}")
            elif isinstance(node, Compare):
                yield from _compared(node)


def _compared(node: Compare) -> Iterator[OtherSetting]:
    name, other = node.parts()
    values = other.parts() if isinstance(other, ListOf) else (other,)
    for item in values:
        if not isinstance(name, SettingName) or not isinstance(item, GuardLiteral):
            continue
        value = item.value
        if node.operator in ("==", "in"):
            written = "null" if value is None else repr(value)
            yield OtherSetting(name.name, value, f"{name.name} == {written}")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            other_value = value - 1 if node.operator == "<" else value + 1
            yield OtherSetting(name.name, other_value, f"{name.name} {node.operator} {value}")


def only_with(net: Net, usual: Net) -> Net:
    """Return the changes that a setting adds to those without it."""
    known = {_place(cause) for change in usual.changes for cause in change.causes}
    changes = []
    for change in net.changes:
        causes = tuple(
            cause for cause in change.causes if cause.kind not in ("setting", "logged") and _place(cause) not in known
        )
        if causes:
            changes.append(replace(change, causes=causes))
    return Net(tuple(changes), ())


def _place(cause: Cause) -> tuple[object, ...]:
    # A default may have brought about what a setting brings about by itself.
    return cause.kind, cause.name, repr(cause.before), repr(cause.after)


def joined(causes: Sequence[tuple[SharedCause, str]]) -> list[SharedCause]:
    """Return causes that show under some condition, those that are the same but for it as one."""
    alike: dict[tuple[object, ...], list[tuple[SharedCause, str]]] = {}
    for cause, guard in causes:
        identity = (
            cause.release,
            cause.kind,
            cause.name,
            repr(cause.before),
            repr(cause.after),
            cause.keys,
            cause.folded,
        )
        alike.setdefault(identity, []).append((cause, guard))
    return [
        replace(items[0][0], applies=False, only_if=" or ".join(dict.fromkeys(guard for _, guard in items)))
        for items in alike.values()
    ]
