"""What share of everything that releases log can be computed from tensors, counted under default settings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from rlmetrics.names.meanings.view import FrameworkView, open_view
from rlmetrics.names.tables.loading import load_tables

from .recipes import Recipe, recipe_of

if TYPE_CHECKING:
    from rlmetrics.names.tables.tables import Overlays

__all__ = ["ExactShare", "recipes_of", "share_of", "shares"]


class ExactShare(NamedTuple):
    """How many rows, or meanings, can be computed.

    Attributes:
        all: All of them: a key of a component in a release and a mode.
        computable: Those with a function or a constant; what is left is read off a clock, a counter or a text.
        exact: Those of these that are computed exactly.
        meanings: Different meanings among the computable ones.
        exact_meanings: Those that are computed exactly.
    """

    all: int
    computable: int
    exact: int
    meanings: int
    exact_meanings: int


def recipes_of(source: str, spec: Overlays = None) -> Iterator[Recipe]:
    """Yield the recipe of everything that a release logs, under its default settings."""
    view = open_view(source, spec=spec)
    assert isinstance(view, FrameworkView)
    for component in view.components.values():
        for entry in component.entries():
            yield recipe_of(entry, component, view.tables)


def share_of(recipes: list[Recipe]) -> ExactShare:
    """Count recipes, and the meanings among them."""
    computable = [one for one in recipes if is_computable(one)]
    meanings: dict[str, bool] = {}
    for recipe in computable:
        place = meaning_of(recipe)
        meanings[place] = meanings.get(place, True) and recipe.exact
    exact = sum(recipe.exact for recipe in computable)
    return ExactShare(len(recipes), len(computable), exact, len(meanings), sum(meanings.values()))


def is_computable(recipe: Recipe) -> bool:
    """Tell whether a function or a constant stands for the number."""
    return recipe.function is not None or recipe.constant is not None or bool(recipe.entry.constant_when)


def meaning_of(recipe: Recipe) -> str:
    """Return what two rows have in common that mean the same: all but component, key, mode and release."""
    entry = recipe.entry
    return repr((entry.metric, entry.kind, entry.signature, entry.constant_when))


def shares(framework: str, spec: Overlays = None) -> dict[str, ExactShare]:
    """Return the share of each release, oldest first, and that of all together under an empty text."""
    table = load_tables(spec).framework(framework)
    every: list[Recipe] = []
    found: dict[str, ExactShare] = {}
    for release in table.releases.names:
        recipes = list(recipes_of(f"{framework}=={release}", spec))
        found[release] = share_of(recipes)
        every += recipes
    return {**found, "": share_of(every)}
