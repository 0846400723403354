"""What a trait does to a number: the same recipe with it and without it, in the same steps."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from rlmetrics.lazy_dataclasses import replace
from rlmetrics.names.settings.configuration import holds
from rlmetrics.names.tables.user_errors import NamesError
from rlmetrics.reproduction.recipes import Recipe
from rlmetrics.reproduction.words import GIVEN, HELD, PARTED, UNSEEN, actions_of

from .carriers import identity_of
from .reference_steps import StepCut
from .shown_numbers import ROUNDING, USUAL
from .verdicts import HELD as BORNE_OUT
from .verdicts import Sight, StepVerdict, refused, unseen

if TYPE_CHECKING:
    from ..lint.sentences import Sentence
    from .carriers import Carrier

__all__ = ["effect_verdict", "vanishes_verdict"]

_LEVELS = ("micro_batch", "mini_batch", "epoch", "rank", "window", "update")
_SIGNS = {"higher": 1, "lower": -1}
_SPREADS = {"noisier": 1, "smoother": -1}


class _Pair(NamedTuple):
    """A number with a trait, and the same without it.

    Attributes:
        carrier: The key.
        without: What is done without it.
        with_it: What is done with it, whether or not it shows.
    """

    carrier: Carrier
    without: Recipe
    with_it: Recipe


def effect_verdict(sentence: Sentence, sight: Sight) -> StepVerdict:
    """Judge on which side a trait leaves a number, or whether it makes a curve noisier, in usual steps."""
    if sentence.says == "unit":
        return unseen("of another unit nothing is compared")
    seen = False
    for pair in _pairs(sentence.subject, sight):
        found = list(_numbers(pair, sight))
        gaps = [changed - plain for _, plain, changed in found]
        if all(abs(gap) <= ROUNDING for gap in gaps):
            continue
        seen = True
        if sentence.says in _SIGNS:
            for (cut, plain, changed), gap in zip(found, gaps, strict=True):
                if gap * _SIGNS[sentence.says] < -ROUNDING * max(1.0, abs(plain)):
                    return refused(f"{pair.carrier.at} is {changed:.6g} with it, {plain:.6g} without ({cut})")
        else:
            plain, changed = _spread([row[1] for row in found]), _spread([row[2] for row in found])
            if (changed - plain) * _SPREADS[sentence.says] < -ROUNDING:
                return refused(f"{pair.carrier.at} spreads by {changed:.6g} with it, by {plain:.6g} without")
    return BORNE_OUT if seen else _why_not(sentence, sight)


def vanishes_verdict(sentence: Sentence, sight: Sight) -> StepVerdict:
    """Judge under which settings a trait leaves a number alone: there both are the same."""
    row = sight.tables.traits[sentence.subject]
    seen = False
    for pair in _pairs(sentence.subject, sight):
        component, mode = pair.carrier.component, pair.carrier.entry.mode
        guard = component.circumstances.trait({**row, "vanishes_if": _parts_named(row["vanishes_if"])}, mode)
        if guard is None:
            continue
        for cut, plain, changed in _numbers(pair, sight):
            known = {**component.config.values, **{f"{_PART}{level}": cut.holds(level) for level in _LEVELS}}
            if not _is_so(guard, known):
                continue
            seen = True
            if abs(changed - plain) > ROUNDING * max(1.0, abs(plain)):
                return refused(f"{pair.carrier.at} is {changed:.6g} with it, {plain:.6g} without ({cut})")
    return BORNE_OUT if seen else _why_not(sentence, sight)


_PART = "parts."


def _parts_named(guard: Any) -> Any:
    """Return a guard whose names of parts stand for how a step is cut, not for what a component says of it."""
    if isinstance(guard, Mapping):
        return {name: _parts_named(text) for name, text in guard.items()}
    return str(guard).replace("single.", _PART)


def _is_so(guard: str, known: Mapping[str, Any]) -> bool:
    try:
        return holds(guard, known) is True
    except NamesError:
        return False


def _pairs(trait: str, sight: Sight) -> Iterator[_Pair]:
    """Yield the numbers that have a trait, each with what it is without it, where both can be computed."""
    seen: set[tuple[str, str]] = set()
    for carrier in sight.carriers.of(f"trait {trait}"):
        pair = _pair(trait, carrier, sight)
        if pair is None:
            continue
        identity = identity_of(pair.without), identity_of(pair.with_it)
        if identity not in seen:
            seen.add(identity)
            yield pair


def _pair(trait: str, carrier: Carrier, sight: Sight) -> _Pair | None:
    entry, component = carrier.entry, carrier.component
    does = sight.tables.reproduction["DOES"].get(trait, UNSEEN)
    others = tuple(name for name in entry.signature.traits if name != trait)
    signature = replace(entry.signature, traits=others)
    if does in (HELD, PARTED):
        return _of_variants(trait, carrier, sight)
    if isinstance(does, str):
        return None
    actions = actions_of(trait, does, component.config.holds)
    if not actions:
        return None
    plain = sight.carriers.made(carrier.at, entry._replace(signature=signature), carrier.view)
    if not sight.numbers.is_usable(plain):
        return None
    reduction = {**signature.reduction, **{one.said["level"]: one.said["as"] for one in actions if one.word == "fold"}}
    folded = entry._replace(signature=replace(signature, reduction=reduction))
    changed = sight.carriers.made(carrier.at, folded, carrier.view).recipe
    changed = changed._replace(actions=(*changed.actions, *(one for one in actions if one.word != "fold")))
    return _Pair(carrier, plain.recipe, changed)


def _of_variants(trait: str, carrier: Carrier, sight: Sight) -> _Pair | None:
    """Return a number whose function holds a trait beside that of the function which lacks this one alone."""
    functions: Mapping[str, Any] = sight.tables.reproduction["FUNCTIONS"]
    recipe = carrier.recipe
    if recipe.function is None or not sight.numbers.is_usable(carrier):
        return None
    own = {*functions[recipe.function].get("holds", ())}
    metric = recipe.function.partition("@")[0]
    for name, row in functions.items():
        if trait in own and name.partition("@")[0] == metric and {*row.get("holds", ())} == own - {trait}:
            known = {key: value for key, value in recipe.parameters.items() if key in row.get("parameters", {})}
            return _Pair(carrier, recipe._replace(function=name, parameters=known), recipe)
    return None


def _numbers(pair: _Pair, sight: Sight) -> Iterator[tuple[StepCut, float, float]]:
    """Yield both numbers of each usual step that has both."""
    both = sight.numbers.of(pair.without, USUAL), sight.numbers.of(pair.with_it, USUAL)
    for (step, plain), (_, changed) in zip(both[0] or (), both[1] or (), strict=False):
        if math.isfinite(plain) and math.isfinite(changed):
            yield step.cut, plain, changed


def _spread(values: list[float]) -> float:
    mean = sum(values) / len(values)
    return math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))


def _why_not(sentence: Sentence, sight: Sight) -> StepVerdict:
    does = sight.tables.reproduction["DOES"].get(sentence.subject, UNSEEN)
    if does == GIVEN:
        return unseen("it says what the tensors hold: what they were without it, no step has")
    if does == UNSEEN:
        return unseen("no tensor shows what it does")
    if does in (HELD, PARTED):
        return unseen("a function, a population or a reduction does it, and none is as much without it")
    return unseen("no step has its settings, or shows a difference")
