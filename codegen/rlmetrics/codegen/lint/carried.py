"""Which keys each metric, trait, record and fact is said of: meanings, each once, under its digest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from ..cache import kept
from .digests import digest, dumped, values_of

if TYPE_CHECKING:
    from ..meaning import Resolved, SpecPiece
    from .context import ComponentScope, Context

__all__ = ["Carried", "CarriedRow"]

_TEXTS = frozenset({"at", "notes", "documented", "foreign", "name", "logged_by", "reads"})
"""What pieces say that changes no number."""
_NAME = re.compile(r"[A-Za-z_][\w.]*")


class CarriedRow(NamedTuple):
    """A key of a component in releases in which it means the same.

    Attributes:
        component: The component's file.
        item: The key.
    """

    component: ComponentScope
    item: Resolved


class Carried:
    """What is said of which keys.

    Args:
        context: The spec.
    """

    def __init__(self, context: Context) -> None:
        self._context = context.logging
        self._parameters = {name: sorted(metric.parameters) for name, metric in context.spec.metrics.items()}
        self._pieces: dict[int, tuple[str, frozenset[str]]] = {}
        self._traits: dict[str, str] = {}

    def digests(self, subject: str) -> list[str]:
        """Return the digests of the meanings of a subject: ``metric …``, ``trait …``, or the place of what is said."""
        return self._digests.get(subject, [])

    def rows(self, subject: str) -> Iterable[CarriedRow]:
        """Return a key for each meaning of a subject, of several the newest."""
        return self._by_subject.get(subject, {}).values()

    @cached_property
    def _digests(self) -> Mapping[str, list[str]]:
        def found() -> dict[str, list[str]]:
            return {subject: sorted(rows) for subject, rows in self._by_subject.items()}

        # All keys of all components are resolved for them.
        return kept("carried", (self._context.digest, repr(self._parameters)), found)

    @cached_property
    def _by_subject(self) -> Mapping[str, dict[str, CarriedRow]]:
        found: dict[str, dict[str, CarriedRow]] = {}
        for component in self._context.components:
            surroundings = _Surroundings(self._context, component)
            for item in component.resolved:
                pieces = (item.record, *item.facts)
                parts = [self._piece(piece, surroundings) for piece in pieces]
                asked = surroundings.counted.union(*(known for _, known in parts))
                settings = surroundings.values(asked, item.releases)
                meaning = digest(item.mode, surroundings.digest, settings, [text for text, _ in parts])
                row = CarriedRow(component, item)
                for subject in self._subjects(pieces, component.scope.framework):
                    known = found.setdefault(subject, {})
                    kept = known.get(meaning)
                    if kept is None or kept.item.releases < item.releases:
                        known[meaning] = row
        return found

    def _subjects(self, pieces: Iterable[SpecPiece], framework: str) -> Iterator[str]:
        for piece in pieces:
            yield f"frameworks/{framework}/{piece.stem} {piece.path}"
            if piece.says.get("metric"):
                yield f"metric {piece.says['metric']}"
            for trait in self._traits_of(piece):
                yield f"trait {trait}"

    def _traits_of(self, piece: SpecPiece) -> Iterator[str]:
        """Yield the traits that a piece states, and those of the population that it names."""
        signatures = self._context.spec.signatures
        yield from piece.says.get("traits", ())
        population = signatures.populations.get(str(piece.says.get("population")))
        if population is not None:
            yield from population.traits
            yield from (signatures.without[name].trait for name in population.without if name in signatures.without)

    def _piece(self, piece: SpecPiece, surroundings: _Surroundings) -> tuple[str, frozenset[str]]:
        """Return the digest of what a piece says of numbers, and the settings that it names."""
        if id(piece) not in self._pieces:
            says = {name: dumped(value) for name, value in piece.says.items() if name not in _TEXTS}
            traits = [self._trait(name) for name in self._traits_of(piece)]
            text = digest(piece.when, says, values_of(piece.says.get("reads", ())), [name for name, _ in traits])
            bound = surroundings.bound(self._parameters.get(str(piece.says.get("metric")), ()))
            words = _words(piece.when, says, *bound, *(more for _, more in traits))
            self._pieces[id(piece)] = text, frozenset(words & surroundings.settings.keys())
        return self._pieces[id(piece)]

    def _trait(self, name: str) -> tuple[str, str]:
        """Return the digest of what a trait does to a number and which values it explains, and its guards."""
        trait = self._context.spec.signatures.traits.get(name)
        if trait is None:
            return "", ""
        if name not in self._traits:
            does = dumped(trait.does)
            self._traits[name] = digest(does, trait.grade, dumped(trait.vanishes_if), values_of(trait.reads))
        return self._traits[name], f"{trait.does} {trait.vanishes_if}"


class _Surroundings:
    """What a file, those that it extends and its framework say for all keys of a component."""

    def __init__(self, context: Context, component: ComponentScope) -> None:
        framework, stem = component.scope.framework, component.scope.stem
        spec = context.spec.frameworks[framework]
        files = [spec.known[part] for part in context.chain(framework, stem)]
        single = [dumped(stated) for stated in (*(file.single for file in files), spec.framework.single)]
        self._bind = [file.bind for file in files]
        self.settings = context.config(framework, stem)
        self.digest = digest(single, *(dumped(bind) for bind in self._bind))
        self.counted = frozenset(_words(*single) & self.settings.keys())
        """Settings that say how many parts there are."""
        self._defaults = {
            name: [(context.bits(framework, row.releases or ".."), str(row.value)) for row in setting.defaults]
            for name, setting in self.settings.items()
        }

    def values(self, names: Iterable[str], releases: int) -> list[tuple[str, list[str]]]:
        """Return the defaults that settings have in any of some releases, which are given as bits."""
        return [(name, [value for bits, value in self._defaults[name] if bits & releases]) for name in sorted(names)]

    def bound(self, parameters: Iterable[str]) -> list[Any]:
        """Return from what parameters of a metric are taken."""
        return [bind[name] for bind in self._bind for name in parameters if name in bind]


def _words(*said: Any) -> set[str]:
    return {word for one in said if one is not None for word in _NAME.findall(str(one))}
