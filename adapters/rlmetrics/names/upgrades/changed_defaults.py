"""Defaults that changed from one release to another, those of base classes included."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.lazy_typing import Any

from ..meanings.component import ComponentView
from ..meanings.key_course import ComponentCourse
from ..settings.renamed_settings import later_name
from ..tables.framework_table import FrameworkTable
from ..tables.key_records import Entry

__all__ = ["ChangedDefault", "changed_defaults", "default_of"]


@dataclass(frozen=True, slots=True)
class ChangedDefault:
    """A setting with another default.

    Attributes:
        name: The setting.
        before: Its default in the old release, as the framework writes it.
        after: The same in the new release.
        since: The first release that has the new default up to the new release.
        components: The components that have the setting.
        symbol: The class or function in which the new default stands.
        decides: The keys whose meaning it decides.
        moves: The keys whose values it moves without changing what they mean.
        says: What one sees of it.
        formerly: What it was called in the old release, if that was another name.
        settled: What a default of None becomes, where the constructor settles it; in words.
        paces: The keys of which it only sets how often a value is logged, as each is the last of its steps.
    """

    name: str
    before: Any
    after: Any
    since: str | None
    components: tuple[str, ...]
    symbol: str | None
    decides: tuple[str, ...] = ()
    moves: tuple[str, ...] = ()
    says: str | None = None
    formerly: str | None = None
    settled: str | None = None
    paces: tuple[str, ...] = ()


_Rows = Sequence[tuple[Sequence[str], str, str | None]]


def changed_defaults(
    table: FrameworkTable,
    views: tuple[ComponentView, ComponentView],
    course: ComponentCourse | None,
    entries: Sequence[Entry],
    decides: Mapping[str, Sequence[str]],
) -> Iterator[ChangedDefault]:
    """Yield the settings of a component whose defaults differ between two releases.

    Args:
        table: The framework of both.
        views: The component in the old release and in the new one.
        course: The releases from the one to the other; None if there are none.
        entries: What the new release logs.
        decides: For settings, the keys whose meaning a new default changes.
    """
    old, new = views
    after, before = table.defaults(new.stem), table.defaults(old.stem)
    shaping: Mapping[str, Mapping[str, Any]] = after.get("shaping", {})
    for name in _names(old, new, after, before):
        rows, base = _rows(name, new, after), shaping.get(name, {}).get("base", ())
        then = _value((*_rows(name, old, before), *base), table, old.release)
        now = _value((*rows, *base), table, new.release)
        if then is None or (now is not None and _same(then[0], now[0])):
            continue
        is_open = now is None or _literal(now[0]) is None
        renamed = _renamed(name, views, (before, after), table) if is_open else None
        if renamed is not None:
            successor, value, symbol = renamed
            if not _same(then[0], value):
                then_is, now_is = _literal(then[0]), _literal(value)
                yield ChangedDefault(successor, then_is, now_is, None, (new.label,), symbol, formerly=name)
        if renamed is not None or now is None:
            continue
        since = None if course is None else _since(name, course, now[0])
        moves = tuple(_moved(shaping.get(name, {}), entries))
        yield ChangedDefault(
            name,
            _literal(then[0]),
            _literal(now[0]),
            since,
            (new.label,),
            now[1],
            tuple(decides.get(name, ())),
            moves,
            _said(shaping.get(name, {}), _literal(then[0]), _literal(now[0])) if moves else None,
            settled=shaping.get(name, {}).get("settled") if _literal(now[0]) is None else None,
            paces=tuple(_paced(shaping.get(name, {}), entries)),
        )


def _renamed(
    name: str,
    views: tuple[ComponentView, ComponentView],
    defaults: tuple[Mapping[str, Any], Mapping[str, Any]],
    table: FrameworkTable,
) -> tuple[str, str, str | None] | None:
    """Return which setting came with the new release in place of one that has no default any more, and its default."""
    old, new = views
    before, after = defaults
    called = later_name(name, new.config.keys)
    is_gone = _value(_rows(name, new, after), table, new.release) is None
    alike = () if is_gone else new.table.component(new.stem).named_alike(name, new.release)
    for successor in alike if called is None else [called]:
        value = _value(_rows(successor, new, after), table, new.release)
        was = _value(_rows(successor, old, before), table, old.release)
        if was is None and value is not None and _literal(value[0]) is not None:
            return successor, *value
    return None


def _names(old: ComponentView, new: ComponentView, defaults: Mapping[str, Any], before: Mapping[str, Any]) -> list[str]:
    """Return the settings that both releases may have, those that decide about keys first."""
    mine = (*new.config.keys, *defaults.get("shaping", {}), *defaults.get("settings", {}))
    theirs = {*old.config.keys, *before.get("shaping", {}), *before.get("settings", {})}
    return [name for name in dict.fromkeys(mine) if name in theirs]


def _rows(name: str, view: ComponentView, defaults: Mapping[str, Any]) -> _Rows:
    """Return the defaults of a setting: those of the framework's classes, then those that the spec states."""
    stated = view.config.keys.get(name, {}).get("defaults", ())
    return (
        *((ranges, value, symbol) for ranges, value, symbol in defaults.get("settings", {}).get(name, ())),
        *((ranges, repr(value), symbol) for ranges, value, symbol in stated),
    )


def _value(rows: _Rows, table: FrameworkTable, release: str) -> tuple[str, str | None] | None:
    for ranges, text, symbol in rows:
        if not ranges or table.releases.covers(ranges, release):
            return text, symbol
    return None


def default_of(view: ComponentView, name: str) -> Any:
    """Return the default of a setting in the release of a component; None if that is not known."""
    for stem in (view.stem, *view.table.component(view.stem).extends):
        value = _value(_rows(name, view, view.table.defaults(stem)), view.table, view.release)
        if value is not None:
            return _literal(value[0])
    return None


def _literal(text: str) -> Any:
    """Return a value that stands in a framework's source; what is more than a literal stays as it is written."""
    import ast

    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _same(first: str, second: str) -> bool:
    """Tell whether two values are the same, however they are written."""
    if first == second:
        return True
    values = _literal(first), _literal(second)
    return bool(values[0] == values[1]) and isinstance(values[0], bool) == isinstance(values[1], bool)


def _since(name: str, course: ComponentCourse, now: str) -> str | None:
    """Return the first release from which on a setting has its last default."""
    since = None
    table = course.table
    for release in reversed(course.releases):
        part = course.part(release)
        if part is None:
            continue
        data = table.defaults(part.stem)
        stated = part.component.config.get(name, {}).get("defaults", ())
        rows = (
            *data.get("settings", {}).get(name, ()),
            *((ranges, repr(value), symbol) for ranges, value, symbol in stated),
            *data.get("shaping", {}).get(name, {}).get("base", ()),
        )
        value = _value(rows, table, release)
        if value is None or not _same(value[0], now):
            return since
        since = release
    return since


def _paced(shaping: Mapping[str, Any], entries: Sequence[Entry]) -> Iterator[str]:
    """Yield the training keys that show the last of what a setting puts together."""
    level = shaping.get("level")
    for entry in entries:
        if level is not None and entry.mode == "train" and entry.signature.reduction.get(level) == "last":
            yield entry.key


def _moved(shaping: Mapping[str, Any], entries: Sequence[Entry]) -> Iterator[str]:
    """Yield the training keys whose values a setting moves."""
    level = shaping.get("level")
    for entry in entries:
        if entry.mode != "train":
            continue
        if entry.key in shaping.get("keys", ()) or (
            level is not None and entry.signature.reduction.get(level) in ("mean", "pool", "sum", "max", "min", "std")
        ):
            yield entry.key


def _said(shaping: Mapping[str, Any], before: Any, after: Any) -> str | None:
    says = shaping.get("says")
    if not after and "switched_off" in shaping:
        says = shaping["switched_off"]
    return None if says is None else str(says).format(before=before, after=after)
