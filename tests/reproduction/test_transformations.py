"""Everything that is done to a number beside its formula is held by a number that the framework itself gave.

Each kind of action, fold and factor of a framework's recipes is left out of the recipes of recorded numbers in turn: at
least one of them must then be missed. A kind that no recorded number holds is named below, with the reason.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

import pytest
from parity.harness import Case, outcome
from parity.trl_sections import RUNS as TRL_RUNS
from parity.verl_updates import RUNS as VERL_RUNS
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.reproduction import AsLogged
from rlmetrics.reproduction.recipes import Recipe
from rlmetrics.reproduction.shares import recipes_of

from .test_recorded_numbers import is_close, recorded
from .test_recorded_ranks import NUMBERS
from .transformations import kinds_of, without

FRAMEWORKS = ("trl", "verl")

NOT_HELD: Mapping[tuple[str, str], str] = {
    ("verl", "fold: pool of mini_batch"): "the engine that counts the tokens of experts needs an accelerator",
}
"""Kinds that no recorded number holds, by framework, with the reason; whoever records one takes its line away."""

Change = Callable[[Recipe], Recipe]


class Comparison(NamedTuple):
    """A recorded number and what gives it.

    Attributes:
        name: Source and key.
        recipes: What is done.
        agrees: Tells whether recipes that are changed in some way still give the number.
    """

    name: str
    recipes: tuple[Recipe, ...]
    agrees: Callable[[Change], bool]


def _changed(meaning: AsLogged, change: Change) -> AsLogged:
    return AsLogged(meaning._asked, change(meaning.recipe), meaning._placeholders, meaning._tables)


def _recorded(framework: str) -> Iterator[Comparison]:
    for one in recorded(framework):
        yield Comparison(
            f"{one.at} {one.key}",
            (one.meaning.recipe,),
            lambda change, one=one: is_close(
                one.computed_by(lambda number: _changed(number.meaning, change)), one.value
            ),
        )
    for ranked in NUMBERS:
        if ranked.at.startswith(f"{framework}["):
            meaning = ranked.meaning
            yield Comparison(
                f"{ranked.at} {ranked.key}",
                (meaning.recipe,),
                lambda change, one=ranked, meaning=meaning: one.is_given(one.computed_by(_changed(meaning, change))),
            )
    for run in TRL_RUNS if framework == "trl" else VERL_RUNS:
        for case in run.cases:
            recipes = tuple(term.quantity.recipe for term in case.terms)
            yield Comparison(
                f"{run.title} {case.key}", recipes, lambda change, case=case: outcome(_with(case, change)).agrees
            )


def _with(case: Case, change: Change) -> Case:
    """Return a case of the parity page with other recipes."""
    terms = []
    for term in case.terms:
        quantity = dataclasses.replace(term.quantity, recipe=change(term.quantity.recipe))
        terms.append(dataclasses.replace(term, quantity=quantity))
    return dataclasses.replace(case, terms=terms)


@cache
def _held_by(framework: str) -> Mapping[str, list[Comparison]]:
    """Return the recorded numbers by the kinds of their recipes, one of each source and key first."""
    found: dict[str, dict[str, list[Comparison]]] = {}
    for one in _recorded(framework):
        for kind in {kind for recipe in one.recipes for kind in kinds_of(recipe)}:
            found.setdefault(kind, {}).setdefault(one.name, []).append(one)
    return {kind: list(_in_turn(by_name)) for kind, by_name in found.items()}


def _in_turn(by_name: Mapping[str, list[Comparison]]) -> Iterator[Comparison]:
    """Yield the first of each list, then the second of each, and so on."""
    for turn in itertools.zip_longest(*by_name.values()):
        yield from (one for one in turn if one is not None)


@cache
def _kinds(framework: str) -> frozenset[str]:
    """Return the kinds of the recipes that are called exact, over all releases."""
    releases = load_tables(None).framework(framework).releases.names
    exact = (one for release in releases for one in recipes_of(f"{framework}=={release}") if one.exact)
    return frozenset(kind for recipe in exact for kind in kinds_of(recipe))


def _is_missed(one: Comparison, kind: str) -> bool:
    return not one.agrees(lambda recipe: without(recipe, kind))


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_recorded_number_misses_each_kind_that_is_left_out(framework: str) -> None:
    """Whatever is left out of the recipes, a number that the framework gave is another one then."""
    held = {
        kind for kind in _kinds(framework) if any(_is_missed(one, kind) for one in _held_by(framework).get(kind, ()))
    }
    assert sorted(_kinds(framework) - held) == sorted(kind for of, kind in NOT_HELD if of == framework)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_nothing_is_missed_where_nothing_is_left_out(framework: str) -> None:
    """The same comparisons agree as long as the recipes stand as they are."""
    first = [ones[0] for ones in _held_by(framework).values()]
    assert [one.name for one in first if not one.agrees(lambda recipe: recipe)] == []
