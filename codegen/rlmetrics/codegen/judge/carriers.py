"""Which keys a sentence is told of: each different way to compute a number, with one key that is computed so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from rlmetrics.names.meanings.view import FrameworkView
from rlmetrics.names.sources.source import parse_source
from rlmetrics.reproduction.recipes import Recipe, recipe_of

if TYPE_CHECKING:
    from rlmetrics.names.meanings.component import ComponentView
    from rlmetrics.names.tables.key_records import Entry
    from rlmetrics.names.tables.tables import Tables

__all__ = ["Carrier", "Carriers"]


class Carrier(NamedTuple):
    """A way in which a number is computed, with a key that is computed so.

    Attributes:
        at: Component, release and key, for messages.
        entry: The key.
        recipe: What is done; without regard to what is said to be constant.
        constant: Value that the key is said to have under these settings; None where nothing says so.
        is_judged: Whether all that moves the number by more than a little is done by the recipe.
        one_update: Whether each batch is used for one optimizer step, or for none: no policy moves between.
    """

    at: str
    entry: Entry
    recipe: Recipe
    constant: float | None
    is_judged: bool
    one_update: bool

    @property
    def identity(self) -> str:
        """What two carriers have in common that compute the same."""
        return f"{_identity(self.recipe)} {self.entry.signature.traits}"


class Carriers:
    """All carriers of a spec.

    Args:
        tables: The spec.
    """

    def __init__(self, tables: Tables) -> None:
        self.tables = tables

    @cached_property
    def all(self) -> list[Carrier]:
        """Every different one, under the default settings of its release; of several alike the newest."""
        found: dict[str, Carrier] = {}
        for framework in self.tables.frameworks:
            table = self.tables.framework(framework)
            described = [ranges for _, _, ranges, _ in table.components]
            for release in table.releases.names:
                if not any(table.releases.covers(ranges, release) for ranges in described):
                    continue
                for carrier, key in self._of(f"{framework}=={release}"):
                    found[key] = carrier
        return list(found.values())

    def _of(self, at: str) -> Iterator[tuple[Carrier, str]]:
        view = FrameworkView(self.tables, parse_source(at, self.tables))
        for label, component in view.components.items():
            for entry in component.entries():
                told = repr((entry.metric, entry.mode, entry.signature.traits, entry.constant_when))
                reads = " ".join(str(id(reading)) for reading in entry.reads)
                carrier = self._carrier(f"{view.source.framework}[{label}]=={view.source.release}", entry, component)
                yield carrier, f"{told} {reads} {carrier.identity} {carrier.constant} {carrier.one_update}"

    def _carrier(self, at: str, entry: Entry, component: ComponentView) -> Carrier:
        constant = recipe_of(entry, component, self.tables).constant if entry.constant_when else None
        recipe = recipe_of(entry._replace(constant_when=()), component, self.tables)
        judged = (recipe.function is not None or recipe.constant is not None) and not any(
            item.changes and self._moves(item.trait, recipe) for item in recipe.left_out
        )
        single = component.circumstances.part("update", entry.mode)
        one_update = entry.mode == "eval" or component.config.holds(single) is True
        return Carrier(f"{at} {entry.key}", entry, recipe, constant, judged, one_update)

    def _moves(self, trait: str, recipe: Recipe) -> bool:
        """Tell whether what a recipe leaves out moves the number by more than a little.

        A parameter that nobody knows has its usual value in what is computed here.
        """
        if not trait:
            parameters = self.tables.reproduction["FUNCTIONS"][str(recipe.function)].get("parameters", {})
            return isinstance(recipe.scale, str) or isinstance(recipe.offset, str) or None in parameters.values()
        return bool(self.tables.traits[trait]["grade"] != "minor")

    @cached_property
    def by_metric(self) -> Mapping[str, list[Carrier]]:
        """Carriers by the metric that they measure."""
        found: dict[str, list[Carrier]] = {}
        for carrier in self.all:
            found.setdefault(carrier.entry.metric or "", []).append(carrier)
        return found

    @cached_property
    def by_trait(self) -> Mapping[str, list[Carrier]]:
        """Carriers by each trait that they have."""
        found: dict[str, list[Carrier]] = {}
        for carrier in self.all:
            for trait in carrier.entry.signature.traits:
                found.setdefault(trait, []).append(carrier)
        return found

    @cached_property
    def by_reading(self) -> Mapping[str, list[Carrier]]:
        """Carriers by the text of each reading that their records state."""
        found: dict[str, list[Carrier]] = {}
        for carrier in self.all:
            for reading in carrier.entry.reads:
                found.setdefault(reading.says, []).append(carrier)
        return found

    @cached_property
    def by_constant(self) -> Mapping[str, list[Carrier]]:
        """Carriers by each text that calls them constant."""
        found: dict[str, list[Carrier]] = {}
        for carrier in self.all:
            for text in carrier.entry.constant_when:
                found.setdefault(text, []).append(carrier)
        return found


def _identity(recipe: Recipe) -> str:
    actions = [(action.word, sorted(action.said.items(), key=str)) for action in recipe.actions]
    called = recipe.function, sorted(recipe.parameters.items()), recipe.given, recipe.rows
    return repr((called, recipe.folds, recipe.scale, recipe.offset, recipe.constant, actions))
