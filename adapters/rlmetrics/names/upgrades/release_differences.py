"""What changed between two releases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..mapping.fate import Fate, fate
from ..mapping.mapping import NameMap
from ..mapping.programs import EVERY, other_programs, paired
from ..meanings.constancy import same_constant
from ..meanings.protocol import View
from ..meanings.view import open_views
from ..settings.configuration import Config
from ..tables.key_records import Entry, Evidence, MapRow
from ..tables.tables import Overlays, Tables
from ..tables.versions import Releases
from . import narrowing
from .causes import Causes, SharedCause
from .diff_records import ChangedKey, DiffResult, ListedKey, RenamedClass, RenamedKey, UnreviewedKey
from .key_comparison import SourceComparison

__all__ = ["diff"]


def diff(
    from_: str,
    to: str,
    *,
    config: Config = None,
    spec: Overlays | Tables = None,
    keys: Sequence[str] | None = None,
    since: str | None = None,
    all_configs: bool = False,
    evidence: bool = True,
    program: str | None = EVERY,
) -> DiffResult:
    """Return what changed between two sources, usually two releases of one component.

    Args:
        from_: The old one, such as ``trl[GRPOTrainer]==0.18.2``.
        to: The new one.
        config: Values of configuration keys that differ from the releases' defaults.
        spec: Folders with further YAML.
        keys: The only keys of interest.
        since: Only what changed in this release or later.
        all_configs: Whether to tell, too, what only shows with other settings.
        evidence: Whether to look up where each key stands in its release.
        program: The program that is meant, of either or both sources; None for what a framework's default is.

    Raises:
        NamesError: A source, a configuration key, a key of interest or the release is unknown.
    """
    old, new = open_views([from_, to], config=config, spec=spec)
    if program != EVERY:
        old, new = paired(old, new, program, config)
    wanted = None if keys is None else narrowing.asked_for(keys, old, new)
    comparison = _Diff(old, new, config, evidence=evidence)
    result = comparison.result(all_configs=all_configs)
    if since is not None:
        result = narrowing.since(result, since, comparison.releases)
    return result if wanted is None else narrowing.of_keys(result, wanted)


_Place = tuple[str, str, str]


class _Diff:
    """Two sources, key by key."""

    def __init__(self, old: View, new: View, config: Config, *, evidence: bool) -> None:
        self._old, self._new = old, new
        self._proves = evidence
        self._names = NameMap(old, new)
        self._before = {_place(entry): entry for entry in old.entries()}
        self._after = {_place(entry): entry for entry in new.entries()}
        self._alone = all(len({place[0] for place in places}) < 2 for places in (self._before, self._after))
        self._alone |= old.source.framework != new.source.framework
        self._comparison = SourceComparison(old, new, config)
        self._given = tuple(map(str, config or ()))
        self._causes = Causes(old.tables, self._comparison.releases, given=bool(config))

    @property
    def releases(self) -> Releases | None:
        """The releases of the framework; None between two frameworks."""
        return self._comparison.releases

    def result(self, *, all_configs: bool) -> DiffResult:
        """Return what changed."""
        pairs = self._same_name()
        kept = set(pairs.values())
        fresh = {place: entry for place, entry in self._after.items() if place not in kept}
        renamed: list[RenamedKey] = []
        removed: list[ListedKey] = []
        changed: list[ChangedKey] = []
        unreviewed: list[UnreviewedKey] = []
        taken: set[_Place] = set()
        for place, entry in self._before.items():
            if place in pairs:
                changed += self._changed(entry, self._after[pairs[place]])
                unreviewed += _unreviewed(entry, self._after[pairs[place]])
                continue
            became = fate(self._names, entry)
            if (
                became.kind == "renamed"
                and became.target is not None
                and self._goes_on(entry.component, became.target.component)
            ):
                taken.add(_place(became.target))
                renamed.append(self._renamed(entry, became.row, became.target))
                unreviewed += _unreviewed(entry, became.target)
            else:
                removed.append(self._listed(entry, self._old, became))
        added = [self._listed(entry, self._new) for place, entry in fresh.items() if place not in taken]
        causes = self._causes.shared()
        return DiffResult(
            tuple(added),
            tuple(removed),
            tuple(renamed),
            tuple(changed),
            (*self._old.source.fallbacks, *self._new.source.fallbacks),
            causes,
            self._causes.taken_back(),
            tuple(self._comparison.defaults(causes)),
            sum(place[2] == "train" for place in pairs),
            tuple(self._otherwise(pairs)) if all_configs else (),
            tuple(RenamedClass(*item) for item in self._comparison.renamed_classes()),
            tuple((other_programs(self._new) or ("", []))[1]),
            *self._components(pairs, taken),
            len({self._new.program(place[0]) for place in self._after}) > 1,
            str(self._old.source),
            str(self._new.source),
            tuple(view.source.choice for view in (self._old, self._new) if view.source.choice),
            tuple(unreviewed),
            self._given,
        )

    def _components(
        self, pairs: Mapping[_Place, _Place], taken: set[_Place]
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the components that only one source has and of which no key goes on in another one."""
        old, new = ({place[0]: None for place in places} for places in (self._before, self._after))
        former = {place[0] for place, other in pairs.items() if place[0] != other[0]}
        later = {other[0] for place, other in pairs.items() if place[0] != other[0]} | {place[0] for place in taken}
        if len(old) == len(new) == 1:
            return (), ()
        return (
            tuple(name for name in old if name not in new and name not in former),
            tuple(name for name in new if name not in old and name not in later),
        )

    def _otherwise(self, pairs: Mapping[_Place, _Place]) -> list[SharedCause]:
        training = [(self._before[old], self._after[new]) for old, new in pairs.items() if new[2] == "train"]
        return self._comparison.otherwise(training)

    def _same_name(self) -> dict[_Place, _Place]:
        """Return which old key has a namesake.

        It is in the same component, or in the only new one that has it, if what the old one logs may go on there.
        """
        by_key: dict[tuple[str, str], list[_Place]] = {}
        for place in self._after:
            by_key.setdefault(place[1:], []).append(place)
        pairs: dict[_Place, _Place] = {}
        for place in self._before:
            places = by_key.get(place[1:], ())
            if place in self._after:
                pairs[place] = place
            elif len(places) == 1 and places[0] not in self._before and self._goes_on(place[0], places[0][0]):
                pairs[place] = places[0]
        return pairs

    def _goes_on(self, component: str, other: str) -> bool:
        """Tell whether what a component of the old source logs may go on in another one of the new source."""
        if component == other or self._alone:
            return True
        if self._old.program(component) == self._new.program(other):
            return True
        return self._comparison.same_file(component, other)

    def _changed(self, entry: Entry, other: Entry) -> Iterator[ChangedKey]:
        change = self._comparison.change(entry, other)
        sides = self._comparison.sides(entry, other)
        shows = not same_constant((entry, other), sides)
        self._causes.add(other, change.net, sides, shows=shows)
        if not change.said:
            return
        yield ChangedKey(
            other.key,
            other.component,
            "; ".join(change.said),
            change.since,
            self._evidence(self._new, other),
            change.relation.kind,
            change.relation.differs_by,
            change.severity,
            change.applies if shows else False,
            change.causes,
            other.mode,
            self._comparison.is_bookkeeping(other),
            other.metric,
        )

    def _renamed(self, entry: Entry, row: MapRow, target: Entry) -> RenamedKey:
        sides = self._comparison.sides(entry, target)
        shows = not same_constant((entry, target), sides)
        self._causes.add(target, self._comparison.net(entry, target), sides, shows=shows)
        return RenamedKey(
            entry.key,
            str(row.to),
            row.relation,
            entry.component,
            target.component,
            row.differs_by,
            row.transform,
            entry.metric,
            self._evidence(self._new, target),
            entry.mode,
            self._comparison.first(target),
            row.severity,
            self._comparison.is_bookkeeping(target),
        )

    def _evidence(self, view: View, entry: Entry) -> tuple[Evidence, ...]:
        return view.evidence(entry) if self._proves else ()

    def _listed(self, entry: Entry, view: View, became: Fate | None = None) -> ListedKey:
        came = view is self._new
        return ListedKey(
            entry.key,
            entry.component,
            entry.metric,
            entry.condition,
            entry.logged_by_default,
            self._evidence(view, entry),
            None if became is None else became.to,
            entry.mode,
            self._comparison.first(entry) if came else self._comparison.last(entry),
            self._comparison.is_bookkeeping(entry),
            () if became is None else became.related,
        )


def _unreviewed(entry: Entry, other: Entry) -> Iterator[UnreviewedKey]:
    """Yield a key if either source leaves open how it is computed."""
    if entry.signature.unstated or other.signature.unstated:
        unstated = tuple(dict.fromkeys((*entry.signature.unstated, *other.signature.unstated)))
        yield UnreviewedKey(other.key, other.component, unstated, other.mode)


def _place(entry: Entry) -> _Place:
    return entry.component, entry.key, entry.mode
