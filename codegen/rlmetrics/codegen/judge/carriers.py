"""Which keys a sentence is told of: each different way to compute a number, with one key that is computed so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rlmetrics.names.meanings.view import FrameworkView
from rlmetrics.names.sources.source import Source, parse_source
from rlmetrics.names.tables.user_errors import NamesError
from rlmetrics.reproduction.recipes import Recipe, recipe_of

from .asked_rows import AskedRow, asked_rows

if TYPE_CHECKING:
    from rlmetrics.names.meanings.component import ComponentView
    from rlmetrics.names.tables.key_records import Entry
    from rlmetrics.names.tables.tables import Tables

    from ..lint.carried import Carried
    from ..lint.context import Context

__all__ = ["LONGEST", "Carrier", "Carriers", "identity_of"]


LONGEST = "width_is_longest_of_batch"
"""The trait of what takes the longest response for the limit."""
_OF_ENGINE = "ratio_against_rollout"
"""The trait of what takes the engine's numbers for those before the update: they differ, however few updates."""


class Carrier(NamedTuple):
    """A way in which a number is computed, with a key that is computed so.

    Attributes:
        at: Component, release and key, for messages.
        entry: The key.
        view: What logs it, under its settings.
        recipe: What is done; without regard to what is said to be constant.
        constant: Value that the key is said to have under these settings; None where nothing says so.
        is_judged: Whether all that moves the number by more than a little is done by the recipe.
        one_update: Whether each batch is used for one optimizer step, or for none: the policy is the one before.
    """

    at: str
    entry: Entry
    view: FrameworkView
    recipe: Recipe
    constant: float | None
    is_judged: bool
    one_update: bool

    @property
    def component(self) -> ComponentView:
        """The component that logs it."""
        return self.view.components[self.entry.component]

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings that differ from the defaults."""
        return self.component.given or {}

    @property
    def identity(self) -> str:
        """What two carriers have in common that compute the same."""
        return f"{identity_of(self.recipe)} {self.entry.signature.traits}"


class Carriers:
    """All carriers of a spec.

    Args:
        context: The spec.
        carried: What is said of which keys.
        tables: The tables of the spec.
    """

    def __init__(self, context: Context, carried: Carried, tables: Tables) -> None:
        self._context = context
        self._carried = carried
        self._tables = tables
        self._made: dict[AskedRow, Carrier | None] = {}
        self._of: dict[str, list[Carrier]] = {}
        self._sources: dict[str, Source] = {}
        self._views: dict[tuple[object, ...], FrameworkView | None] = {}

    def of(self, told: str) -> Sequence[Carrier]:
        """Return the carriers of which a sentence is told, each different one once, under various settings.

        Args:
            told: What the sentence is told of, as `Carried` names it.
        """
        if told not in self._of:
            found: dict[str, Carrier] = {}
            for carrier in self._looked_at(told):
                entry = carrier.entry
                said = repr((entry.metric, entry.mode, entry.constant_when, entry.reads))
                found.setdefault(f"{said} {carrier.identity} {carrier.constant} {carrier.one_update}", carrier)
            self._of[told] = list(found.values())
        return self._of[told]

    def _looked_at(self, told: str) -> Iterator[Carrier]:
        word, _, name = told.partition(" ")
        for asked in asked_rows(self._context, self._carried.rows(told)):
            if asked not in self._made:
                self._made[asked] = self._carrier(asked)
            carrier = self._made[asked]
            # Under some settings a key measures something else, or nothing departs.
            if carrier is None or (word == "metric" and carrier.entry.metric != name):
                continue
            if word != "trait" or name in carrier.entry.signature.traits:
                yield carrier

    def _carrier(self, asked: AskedRow) -> Carrier | None:
        view = self._view(asked)
        if view is None:
            return None
        (component,) = view.components.values()
        try:
            entry = component.entry(asked.key, asked.mode)
        except NamesError:
            return None  # guards allow settings, such as 0 parts, by which another divides
        at = f"{asked.framework}[{component.label}]=={asked.release} {entry.key}"
        if asked.config:
            at += f" with {', '.join(f'{name}={value}' for name, value in asked.config)}"
        return self.made(at, entry, view)

    def made(self, at: str, entry: Entry, view: FrameworkView) -> Carrier:
        """Return the carrier of an entry.

        Args:
            at: What messages call it.
            entry: The key.
            view: What logs it.
        """
        component = view.components[entry.component]
        constant = recipe_of(entry, component, self._tables).constant if entry.constant_when else None
        recipe = recipe_of(entry._replace(constant_when=()), component, self._tables)
        judged = (recipe.function is not None or recipe.constant is not None) and not any(
            item.changes and self._moves(item.trait, recipe) for item in recipe.left_out
        )
        single = component.circumstances.part("update", entry.mode)
        one_update = entry.mode == "eval" or component.config.holds(single) is True
        one_update = one_update and _OF_ENGINE not in entry.signature.traits
        return Carrier(at, entry, view, recipe, constant, judged, one_update)

    def _view(self, asked: AskedRow) -> FrameworkView | None:
        """Return the one component that logs a key, under its settings; None if the release has no such component."""
        place = (asked.framework, asked.stem, asked.release, asked.config)
        if place not in self._views:
            text = f"{asked.framework}=={asked.release}"
            if text not in self._sources:
                self._sources[text] = parse_source(text, self._tables)
            source = self._sources[text]
            own = [item for item in source.components if item.stem == asked.stem][:1]
            only = source._replace(components=tuple(own))
            self._views[place] = FrameworkView(self._tables, only, dict(asked.config)) if own else None
        return self._views[place]

    def _moves(self, trait: str, recipe: Recipe) -> bool:
        """Tell whether what a recipe leaves out moves the number by more than a little.

        A parameter that nobody knows has its usual value in what is computed here.
        """
        if not trait:
            parameters = self._tables.reproduction["FUNCTIONS"][str(recipe.function)].get("parameters", {})
            return isinstance(recipe.scale, str) or isinstance(recipe.offset, str) or None in parameters.values()
        return bool(self._tables.traits[trait]["grade"] != "minor")


def identity_of(recipe: Recipe) -> str:
    """Return what two recipes have in common that give the same number for the same step."""
    actions = [(action.word, sorted(action.said.items(), key=str)) for action in recipe.actions]
    called = recipe.function, sorted(recipe.parameters.items()), recipe.given, recipe.rows
    longest = LONGEST in recipe.entry.signature.traits
    return repr((called, longest, recipe.folds, recipe.scale, recipe.offset, recipe.constant, actions))
