"""Two sources side by side: how one key changed from the one to the other, and in which release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rlmetrics.lazy_typing import Any, NamedTuple

from ..differences.entry_contrast import Cause, causes_of, contrast
from ..differences.relations import Relation, relate
from ..differences.severity import severity_of
from ..differences.verdict import Sides
from ..meanings.key_course import ComponentCourse
from ..meanings.protocol import View
from ..meanings.view import FrameworkView
from ..settings.configuration import UNKNOWN, Config, holds
from ..settings.guards import names_in
from ..settings.implied_settings import proven
from ..tables.framework_table import FrameworkTable
from ..tables.key_records import Entry
from ..tables.versions import Releases
from .causes import Causes, SharedCause, in_words, shown
from .changed_defaults import ChangedDefault, changed_defaults
from .changes import Change, Net, net_change
from .settings_only import OtherSetting, joined, only_with, other_settings

__all__ = ["KeyChange", "SourceComparison"]

_SIDES = ("the old release", "the new one")


class KeyChange(NamedTuple):
    """How one key changed.

    Attributes:
        said: What is not the same, in words; nothing if all is.
        relation: From the old number to the new one.
        since: The first release from which on something differs; None between different frameworks.
        severity: How much weighs what differs.
        applies: Whether any of it shows; None where nothing can tell.
        causes: What changed, each in words after its release.
        net: The lasting changes, and what was taken back.
    """

    said: tuple[str, ...]
    relation: Relation
    since: str | None
    severity: str
    applies: bool | None
    causes: tuple[str, ...]
    net: Net


class SourceComparison:
    """Two sources, and the releases between them if they are of one framework.

    Args:
        old: The old one.
        new: The new one.
        config: Values of configuration keys that differ from the releases' defaults.
    """

    def __init__(self, old: View, new: View, config: Config) -> None:
        self._old, self._new = old, new
        self._tables = old.tables
        self._config = config
        same = isinstance(old, FrameworkView) and isinstance(new, FrameworkView)
        self._same = same and old.source.framework == new.source.framework
        self._table = self._tables.framework(new.source.framework) if self._same else None
        self._courses: dict[tuple[str, str, OtherSetting | None], ComponentCourse] = {}

    @property
    def releases(self) -> Releases | None:
        """The releases of the framework; None between two frameworks."""
        return None if self._table is None else self._table.releases

    def change(self, old: Entry, new: Entry) -> KeyChange:
        """Return how the meaning of a key changed."""
        sides = self.sides(old, new)
        setting = self._needed(old, new)
        old, new = (old, new) if setting is None else self._with(setting, old, new)
        relation = relate(old, new, self._tables, _SIDES, sides, over_time=True)
        said = _said(old, new, relation)
        net = self.net(old, new, setting)
        defaults = self._decisive_defaults(old, new) if said else []
        causes = [f"{item.release}: {self._words(cause)}" for item in net.changes for cause in item.causes]
        since = net.changes[0].release if net.changes and self._same else None
        severity = "none" if old.logged and not new.logged else severity_of(relation)
        applies = _any_applies(relation, old.logged != new.logged)
        return KeyChange((*said, *defaults), relation, since, severity, applies, tuple(causes), net)

    def _words(self, cause: Cause) -> str:
        return in_words(cause, self._tables, given=bool(self._config))

    def sides(self, old: Entry, new: Entry) -> Sides:
        """Return what decides in both sources whether differences show."""
        return self._old.circumstances(old.component), self._new.circumstances(new.component)

    def _needed(self, old: Entry, new: Entry) -> OtherSetting | None:
        """Return the setting without which the old source does not log a key that the new one measures otherwise.

        Nobody has seen what the old number is under the settings at hand, so it is compared under that one, if the new
        source still measures the same there.
        """
        if not self._same or old.logged is not False or old.metric == new.metric:
            return None
        settings = [OtherSetting(name, value, "") for name, value in proven(old).items() if value is not UNKNOWN]
        if len(settings) != 1:
            return None
        before, after = self._with(settings[0], old, new)
        return settings[0] if before.metric == after.metric else None

    def _with(self, setting: OtherSetting, old: Entry, new: Entry) -> tuple[Entry, Entry]:
        """Return a key of both sources under a further setting."""
        course = self._course(old.component, new.component, setting)
        ends = self._old.source.release, self._new.source.release
        before, after = course.entry(old.key, old.mode, ends[0]), course.entry(new.key, new.mode, ends[1])
        return before or old, after or new

    def net(self, old: Entry, new: Entry, setting: OtherSetting | None = None) -> Net:
        """Return the lasting changes of a key, also under a further setting; between two frameworks all at once."""
        if self._same:
            keys = [new.key] if new.key == old.key else [new.key, old.key]
            return net_change(self._course(old.component, new.component, setting), keys, new.mode)
        pairs = contrast(old, new, self._tables)
        release = str(self._new.source)
        return Net(
            (Change(release, "changed", new.key, tuple(causes_of(pairs, self._tables)), old, new),) if pairs else (), ()
        )

    def _course(self, former: str, component: str, setting: OtherSetting | None = None) -> ComponentCourse:
        asked = (former, component, setting)
        if asked not in self._courses:
            assert self._table is not None
            names = self._table.releases.names
            first, last = (names.index(view.source.release) for view in (self._old, self._new))
            between = names[first : last + 1] if first <= last else names[last : first + 1][::-1]
            config = dict(self._given(component))
            if setting is not None:
                config[setting.name] = setting.value
            self._courses[asked] = ComponentCourse(self._tables, self._table, component, between, config, former)
        return self._courses[asked]

    def _given(self, component: str) -> Mapping[str, Any]:
        """Return the settings that were given, and those that a program makes itself."""
        views = [view.components for view in (self._new, self._old) if isinstance(view, FrameworkView)]
        given = next((components[component].given for components in views if component in components), None)
        return self._config or {} if given is None else given

    def first(self, entry: Entry) -> str | None:
        """Return since when the new source has a key that the old one lacks."""
        return self._edge(entry, came=True)

    def last(self, entry: Entry) -> str | None:
        """Return the first release without a key that only the old source has."""
        return self._edge(entry, came=False)

    def _edge(self, entry: Entry, *, came: bool) -> str | None:
        if not self._same:
            return None
        course = self._course(entry.component, entry.component)
        edge = None
        for release in reversed(course.releases) if came else course.releases:
            if not course.rows(entry.key, entry.mode, release):
                return edge if came else release
            edge = release
        return edge if came else None

    def is_bookkeeping(self, entry: Entry) -> bool:
        """Tell whether a key is a timer or the like, which says how a run goes along and not what it learns."""
        identity: Mapping[str, str] = self._tables.metrics.get(entry.metric or "", {}).get("identity", {})
        return identity.get("quantity") in self._tables.signatures["BOOKKEEPING"]

    def same_file(self, former: str, component: str) -> bool:
        """Tell whether a component of the old source is described where one of the new source is: a class renamed."""
        if not isinstance(self._old, FrameworkView) or not isinstance(self._new, FrameworkView):
            return True
        return self._same and self._old.components[former].stem == self._new.components[component].stem

    def renamed_classes(self) -> Iterator[tuple[str, str, str | None]]:
        """Yield components whose file described another name in the old release: former name, name, since when."""
        if not isinstance(self._old, FrameworkView) or not isinstance(self._new, FrameworkView) or self._table is None:
            return
        table, old, new = self._table, self._old.source.release, self._new.source.release
        for label, view in self._new.components.items():
            before = {
                name for name, stem, ranges, _ in table.components if stem == view.stem and _in(table, ranges, old)
            }
            after = {
                name for name, stem, ranges, _ in table.components if stem == view.stem and _in(table, ranges, new)
            }
            if before and view.component in after - before:
                names = next(
                    (
                        ranges
                        for name, stem, ranges, _ in table.components
                        if (name, stem) == (view.component, view.stem)
                    ),
                    (),
                )
                yield min(before), label, next(iter(table.releases.expand(names)), None)

    def defaults(self, causes: Sequence[SharedCause]) -> Iterator[ChangedDefault]:
        """Yield the settings with another default, those that decide or move something first."""
        if not isinstance(self._old, FrameworkView) or not isinstance(self._new, FrameworkView) or not self._same:
            return
        changed: dict[tuple[object, ...], list[ChangedDefault]] = {}
        assert self._table is not None
        for label, view in self._new.components.items():
            old = self._old.components.get(label)
            if old is None and len(self._old.components) == len(self._new.components) == 1:
                old = next(iter(self._old.components.values()))
            if old is None:
                continue
            decides = {item.name: item.keys for item in causes if item.kind == "setting" and label in item.components}
            course = self._course(old.label, label)
            for item in changed_defaults(self._table, (old, view), course, view.entries(), decides):
                told = item.name, repr(item.before), repr(item.after), item.since, item.formerly
                changed.setdefault(told, []).append(item)
        joined = [_joined(items) for items in changed.values()]
        yield from sorted(joined, key=lambda item: (not item.decides, not item.moves))

    def otherwise(self, pairs: Sequence[tuple[Entry, Entry]]) -> list[SharedCause]:
        """Return what changed about keys that only shows with another value of a single setting.

        Args:
            pairs: What each key is in the old source and in the new one.
        """
        if self._table is None:
            return []
        by_setting: dict[OtherSetting, Causes] = {}
        for old, new in pairs:
            keys = [new.key] if new.key == old.key else [new.key, old.key]
            usual = self.net(old, new)
            for setting in other_settings(self._course(old.component, new.component), keys, new.mode):
                course = self._course(old.component, new.component, setting)
                more = only_with(net_change(course, keys, new.mode), usual)
                sides = course.circumstances(course.releases[0]), course.circumstances(course.releases[-1])
                causes = by_setting.setdefault(setting, Causes(self._tables, self._table.releases, given=True))
                causes.add(new, more, sides)
        told = [(cause, setting.guard) for setting, causes in by_setting.items() for cause in causes.shared()]
        return joined([(cause, guard) for cause, guard in told if cause.applies is not False])

    def _decisive_defaults(self, old: Entry, new: Entry) -> list[str]:
        """Return which defaults changed that decide about a key."""
        if not isinstance(self._old, FrameworkView) or not isinstance(self._new, FrameworkView):
            return []
        first, second = self._old.components[old.component], self._new.components[new.component]
        guards = [*first.guards(old.key, old.mode), *second.guards(new.key, new.mode)]
        said: list[str] = []
        for name in sorted(frozenset[str]().union(*map(names_in, guards))):
            if name not in first.config.values or name not in second.config.values:
                continue
            before, after = first.config.values[name], second.config.values[name]
            if before == after and type(before) is type(after):
                continue
            undone = {**second.config.values, name: before}
            if any(holds(guard, second.config.values) != holds(guard, undone) for guard in guards):
                said.append(f"the default of {name} was {shown(before)}, is {shown(after)}")
        return said


def _in(table: FrameworkTable, ranges: Sequence[str], release: str) -> bool:
    return table.releases.covers(ranges, release)


def _joined(items: Sequence[ChangedDefault]) -> ChangedDefault:
    first = items[0]
    if len(items) == 1:
        return first
    return ChangedDefault(
        first.name,
        first.before,
        first.after,
        first.since,
        tuple(dict.fromkeys(name for item in items for name in item.components)),
        first.symbol,
        tuple(dict.fromkeys(key for item in items for key in item.decides)),
        tuple(dict.fromkeys(key for item in items for key in item.moves)),
        next((item.says for item in items if item.says), None),
        first.formerly,
        first.settled,
        tuple(dict.fromkeys(key for item in items for key in item.paces)),
    )


def _any_applies(relation: Relation, moved: bool) -> bool | None:
    """Tell whether anything shows that sets two numbers apart, or moved a key into or out of the log."""
    answers = {item.applies for item in relation.differs_by}
    if moved or True in answers or relation.kind in ("related", "none", "affine"):
        return True
    return None if None in answers or not answers else False


def _said(old: Entry, new: Entry, relation: Relation) -> list[str]:
    """Return what is not the same about two entries of one name."""
    said: list[str] = []
    if old.metric != new.metric:
        said.append(f"measures {new.metric or 'what the configuration says'} in place of {old.metric or 'that'}")
        said += [relation.why] if relation.why is not None else []
    else:
        said += [difference.what for difference in relation.differs_by]
        if relation.transform is not None:
            said.append(f"new = {relation.transform.scale:g} * old + {relation.transform.offset:g}")
    if old.kind != new.kind:
        said.append(f"is a {new.kind} in place of a {old.kind}")
    if old.logged != new.logged:
        said.append(f"was {_when(old)}, is {_when(new)}")
    return said


def _when(entry: Entry) -> str:
    by_default = {True: "logged", False: "not logged", None: "not always logged"}[entry.logged]
    return by_default if entry.condition is None else f"{by_default} by default (condition: {entry.condition})"
