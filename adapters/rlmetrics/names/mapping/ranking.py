"""Which entry of the target is the best counterpart of one of the source."""

from __future__ import annotations

from ..differences.relations import Relation, relate
from ..differences.severity import UNREVIEWED
from ..meanings.protocol import View
from ..settings.configuration import Configuration
from ..settings.implied_settings import holds_with, proven
from ..tables.key_records import Difference, Entry
from ..tables.templates import placeholders_in
from .affinity import Affinity

__all__ = ["Ranking"]


class Ranking:
    """Compares what a target logs with what a source logs.

    Args:
        from_: The source.
        to: The target.
    """

    def __init__(self, from_: View, to: View) -> None:
        self._from = from_
        self._to = to
        self._tables = from_.tables
        self._affinity = Affinity(from_, to)

    def nearest(self, entry: Entry, candidates: list[Entry]) -> list[tuple[Relation, Entry]]:
        """Return the translations in the nearest place that has one, the best first."""
        # Most keys are where they were; how far all others are need not be known then.
        here = entry.component, entry.key
        same = [target for target in candidates if (target.component, target.key) == here and not target.never]
        good = self._good(entry, same)
        if good:
            return good
        others = [target for target in candidates if target not in same]
        if len(others) == 1:
            return self._good(entry, others)
        places: dict[tuple[object, ...], list[Entry]] = {}
        apart = len({target.component for target in others}) > 1
        for target in others:
            places.setdefault(self._place(entry, target, apart=apart), []).append(target)
        for _, targets in sorted(places.items(), key=lambda item: item[0]):
            good = self._good(entry, targets)
            if good:
                return good
        return []

    def _good(self, entry: Entry, targets: list[Entry]) -> list[tuple[Relation, Entry]]:
        """Return the translations among some candidates, the best first."""
        related = ((self.relate(entry, target), target) for target in targets)
        good = [(relation, target) for relation, target in related if relation.translates]
        return sorted(good, key=lambda item: self.score(entry, *item)) if len(good) > 1 else good

    def _place(self, entry: Entry, target: Entry, *, apart: bool) -> tuple[object, ...]:
        """Return how far a candidate is from an entry, whatever their relation.

        The same component and there the same name come first: whatever configuration logged the key will log it again,
        unless no configuration does.
        Then come the components of the program that has most in common with the source's: a policy's gradient norm
        belongs to the reinforcement learning of the target, not to its supervised trainer.

        Args:
            entry: The entry.
            target: The candidate.
            apart: Whether candidates are of several components; what only one has in common need not be counted.
        """
        elsewhere = target.component != entry.component
        shared, is_all = self._affinity(entry.component, target.component) if elsewhere and apart else (0.0, True)
        return elsewhere, elsewhere or target.key != entry.key, -shared, not is_all, self._doubt(entry, target)

    def _doubt(self, entry: Entry, target: Entry) -> int:
        """Return how doubtful it is that a run that logged an entry would log a candidate, which has another name.

        The key itself proves the settings without which it would not be there.
        """
        if target.never:
            return 2
        if target.logged is True:
            return 0
        sides = self._from.circumstances(entry.component), self._to.circumstances(target.component)
        settings = proven(entry) if None not in sides else {}
        config = sides[1].settings if sides[1] is not None else None
        logged = holds_with(target, settings, config) if settings and isinstance(config, Configuration) else None
        return 0 if logged else 1

    def score(self, entry: Entry, relation: Relation, target: Entry) -> tuple[object, ...]:
        """Return how good a candidate is among those in one place, the smallest is best."""
        carried = placeholders_in(entry.key)
        unbound = [name for name in placeholders_in(target.key) if name not in carried]
        return relation.rank, len(unbound), target.key != entry.key, not target.preferred

    def spelling_is_taken(self, entry: Entry, candidates: list[Entry], best: Entry) -> bool:
        """Tell whether the target logs the same key incomparably, and the best counterpart is one that it does not log.

        The reader will look at the key that is there, so the answer is what is wrong with that one.
        """
        program = self._to.program(best.component)
        return best.logged is not True and any(
            target.key == entry.key
            and target.logged is not False
            and self._to.program(target.component) == program
            and not self.relate(entry, target).translates
            for target in candidates
        )

    def relate(self, entry: Entry, target: Entry) -> Relation:
        """Return their relation; a placeholder that the target lacks makes it approximate.

        The target may have another in its place, which users fill with names of their own: then both have one value
        for each name, and only the names have to be paired by hand.
        """
        circumstances = self._from.circumstances(entry.component), self._to.circumstances(target.component)
        relation = relate(entry, target, self._tables, circumstances=circumstances)
        here, there = placeholders_in(entry.key), placeholders_in(target.key)
        lost = [name for name in here if name not in there]
        if not lost or not relation.translates:
            return relation
        gained = [name for name in there if name not in here and name not in target.bind]
        whole = f"one for each {_braces(gained)}" if gained else "only one"
        what = f"the source has one value for each {_braces(lost)}, the target {whole}"
        if len(gained) < len(lost):
            difference = Difference(what, "biased", applies=True, about="placeholder")
        else:
            vanishes = "the name that is bound stands for the same thing as the source's"
            difference = Difference(what, "minor", vanishes, about="placeholder")
        kind = relation.kind if relation.kind == UNREVIEWED else "approximate"
        return relation._replace(kind=kind, differs_by=(*relation.differs_by, difference))


def _braces(names: list[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in names)
