"""The number that a recipe gives for a reference step, computed without PyTorch.

What is done is what `rlmetrics.reproduction` says; only the call of a function is another one, of the evaluator in
plain Python, and numbers of parts are put together as plain numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rlmetrics.names.settings.configuration import number
from rlmetrics.names.settings.guards import names_in
from rlmetrics.oracle import evaluate
from rlmetrics.reproduction.recipes import COUNTS, EMPTY_BY

from .carriers import LONGEST
from .reference_steps import LIMIT, Batch, Place, ReferenceStep

if TYPE_CHECKING:
    from rlmetrics.names.tables.tables import Tables
    from rlmetrics.reproduction.recipes import Recipe

__all__ = ["Kept", "NotComputableError", "logged_number"]

LEVELS = ("window", "rank", "epoch", "mini_batch", "micro_batch")
_KNOWN = {"limit": float(LIMIT), "lower": 0.5, "upper": 2.0, "end_token": 3.0, "n": 2.0, "k": 2.0, "unfilled": 0.0}
"""Parameters that no setting of the spec says; a release takes them from the run."""
_WORDS = frozenset({"clamp", "constant", "empty", "fold", "nan", "nonfinite", "plus", "round", "scale", "single"})
_NAME = re.compile(r"[A-Za-z_]\w*")


Kept = dict[tuple[Any, ...], float]
_Compute = Callable[[Mapping[Place, Batch]], float]


class NotComputableError(ValueError):
    """Nothing in plain Python gives the number of a recipe, or a setting that it needs is unknown."""


def logged_number(recipe: Recipe, step: ReferenceStep, tables: Tables, kept: Kept) -> float:
    """Return the number that is logged of a step.

    Args:
        recipe: What is done.
        step: The step.
        tables: The spec.
        kept: Numbers of parts that were computed before; recipes often differ only in how these become one.

    Raises:
        NotComputableError: It has no formula, depends on a setting that nobody knows, or is no single number.
    """
    if recipe.constant is not None:
        return recipe.constant
    levels = [level for level, _ in recipe.folds]
    unknown = [action.word for action in recipe.actions if action.word not in _WORDS]
    if unknown or any(operation not in ("pool", *_OPERATIONS) for _, operation in recipe.folds):
        msg = f"nothing here does {unknown or recipe.folds}"
        raise NotComputableError(msg)
    if any(level not in LEVELS for level in levels):
        msg = "steps are not cut at that level"
        raise NotComputableError(msg)
    call, called = _call(recipe, tables), _called(recipe)

    def compute(parts: Mapping[Place, Batch]) -> float:
        asked = called, step.situations, step.seed, tuple(parts)
        if asked not in kept:
            kept[asked] = call(list(parts.values()))
        return kept[asked]

    # What is not put together over epochs, or windows, is taken once.
    chosen = {
        place: batch
        for place, batch in step.parts.items()
        if all(place[LEVELS.index(level)] == 0 for level in ("window", "epoch") if level not in levels)
    }
    values = _values(chosen, recipe.folds, compute, recipe.skips_nan)
    value = values[0] if not recipe.folds or recipe.folds[0][1] != "mean" else _mean(values)
    if any(action.said["as"] == "mean_so_far" for action in recipe.named("nonfinite")) and not math.isfinite(value):
        msg = "what replaces a number that is not finite depends on the steps before"
        raise NotComputableError(msg)
    counts = {level: getattr(step.cut, level) for level in LEVELS}
    scale, offset = _expression(recipe.scale, counts), _expression(recipe.offset, counts)
    for action in recipe.named("scale"):
        scale *= _expression(action.said["by"], counts)
    return _shown(scale * value + offset, recipe)


def _values(
    parts: Mapping[Place, Batch], folds: Sequence[tuple[str, str]], compute: _Compute, skip: bool
) -> list[float]:
    """Return what is averaged together at the outermost level, or the one number where that is no mean."""
    if not folds or folds[0][1] == "pool":
        return [compute(parts)]
    (level, operation), rest = folds[0], folds[1:]
    at = LEVELS.index(level)
    groups: dict[int, dict[Place, Batch]] = {}
    for place, batch in parts.items():
        groups.setdefault(place[at], {})[place] = batch
    if operation in ("first", "last"):
        only = groups[min(groups) if operation == "first" else max(groups)]
        groups = {0: only}
    inner = [_values(group, rest, compute, skip) for _, group in sorted(groups.items())]
    if operation == "mean":
        values = [value for group in inner for value in group]
        return [value for value in values if value == value] if skip else values
    folded = [_mean(group) if rest and rest[0][1] == "mean" else group[0] for group in inner]
    folded = [value for value in folded if value == value] if skip else folded
    if not folded:
        return [math.nan]
    if any(value != value for value in folded):
        return [math.nan]
    return [_OPERATIONS[operation](folded)]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan


def _spread(values: Sequence[float]) -> float:
    mean = _mean(values)
    return math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1)) if len(values) > 1 else math.nan


_OPERATIONS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "first": _mean,  # of the only part that is left
    "last": _mean,
    "max": max,
    "mean": _mean,
    "min": min,
    "std": _spread,
    "sum": sum,
}


def _expression(text: float | str, counts: Mapping[str, int]) -> float:
    if not isinstance(text, str):
        return text
    known = {
        name: math.prod(counts[level] for level in COUNTS[name.rpartition(".")[2]])
        for name in names_in(text)
        if name.rpartition(".")[2] in COUNTS
    }
    found = number(text, known)
    if isinstance(found, str):
        msg = f"nobody knows {text}"
        raise NotComputableError(msg)
    return found


def _shown(value: float, recipe: Recipe) -> float:
    for action in recipe.named("round"):
        power = 10.0 ** int(action.said["digits"])
        if math.isfinite(value):
            cut = math.trunc if action.said.get("towards") == "zero" else round
            value = cut(value * power) / power
    for action in recipe.named("nan"):
        value = float(action.said["as"]) if value != value else value
    return value


def _called(recipe: Recipe) -> str:
    """Return what two recipes have in common whose functions are called in the same way."""
    within = [(action.word, action.said) for action in recipe.actions if action.word in ("clamp", "empty", "single")]
    longest = LONGEST in recipe.entry.signature.traits
    return repr((recipe.function, sorted(recipe.parameters.items()), recipe.rows, within, longest))


def _call(recipe: Recipe, tables: Tables) -> Callable[[list[Batch]], float]:
    """Return what gives the number of batches that are pooled."""
    metric, _, variant = (recipe.function or "").partition("@")
    texts: Mapping[str, Any] = tables.texts.get(metric, {})
    own = texts.get("variants", {}).get(variant, {})
    formula = own.get("formula") or (None if own.get("impl") else texts.get("formula"))
    if formula is None:
        msg = "it has no formula"
        raise NotComputableError(msg)
    let = _in_order({**texts.get("let", {}), **own.get("let", {})})
    about = tables.reproduction["FUNCTIONS"][str(recipe.function)]
    parameters = _parameters(about, recipe)
    rows_as = next((action.said["as"] for action in recipe.named("empty") if _of_rows(action.said)), None)
    empty = texts.get("empty")
    longest = "limit" in parameters and LONGEST in recipe.entry.signature.traits

    def others(name: str) -> tuple[str | None, Mapping[str, str]]:
        other = tables.texts[name]
        return other.get("formula"), other.get("let", {})

    def one(inputs: Batch) -> float:
        given = {name: inputs[name] for name in about["inputs"]}
        found = evaluate(formula, let, given, parameters, empty, others, texts.get("nan", "propagate"))
        if isinstance(found, dict):
            msg = "it is a distribution"
            raise NotComputableError(msg)
        return found

    def call(batches: list[Batch]) -> float:
        if longest:
            lengths = next(name for name in about["inputs"] if name.endswith("lengths"))
            parameters["limit"] = float(max(length for batch in batches for length in batch[lengths]))
        names = [*about["inputs"], *(name for name in recipe.beside if name not in about["inputs"])]
        inputs = _prepared(_pooled(batches, names), recipe, rows_as)
        value = one(inputs) if recipe.rows is None else _by_rows(inputs, recipe.rows, rows_as, one)
        for action in recipe.named("single"):
            if _units(inputs) == 1:
                value = float(action.said["as"])
        for action in recipe.named("empty"):
            if not _of_rows(action.said) and action.said["as"] != "skip" and value != value:
                value = float(action.said["as"])
        return value

    return call


def _in_order(let: Mapping[str, str]) -> dict[str, str]:
    """Return the terms of a formula, each behind those that it uses: a variant replaces some and adds others."""
    ordered: dict[str, str] = {}

    def put(name: str) -> None:
        for word in _NAME.findall(let[name]):
            if word in let and word != name and word not in ordered:
                put(word)
        ordered.setdefault(name, let[name])

    for name in let:
        put(name)
    return ordered


def _parameters(about: Mapping[str, Any], recipe: Recipe) -> dict[str, float]:
    found = {**about.get("parameters", {}), **recipe.parameters}
    known: dict[str, float] = {}
    for name, value in found.items():
        usual = _KNOWN.get(name) if value is None or name == "limit" else value
        if usual is None:
            msg = f"nobody knows {name}"
            raise NotComputableError(msg)
        known[name] = usual
    return known


def _pooled(batches: Sequence[Batch], names: Sequence[str]) -> dict[str, Any]:
    """Return batches as one: their responses one after the other."""
    first = batches[0]
    pooled: dict[str, Any] = {}
    for name in names:
        if name not in first:
            msg = f"no step has {name}"
            raise NotComputableError(msg)
        pooled[name] = (
            [row for batch in batches for row in batch[name]] if isinstance(first[name], list) else first[name]
        )
    return pooled


def _prepared(inputs: dict[str, Any], recipe: Recipe, rows_as: Any) -> dict[str, Any]:
    for action in recipe.named("clamp"):
        bound = float(action.said["to"])
        for first, second in action.said["difference"]:
            if first in inputs and second in inputs:
                inputs[first] = [
                    [base + min(max(x - base, -bound), bound) for x, base in zip(*rows, strict=True)]
                    for rows in zip(inputs[first], inputs[second], strict=True)
                ]
    if rows_as == "skip":
        kept = [tokens > 0 for tokens in inputs[EMPTY_BY]]
        for name, value in inputs.items():
            if isinstance(value, list) and len(value) == len(kept):
                inputs[name] = [row for row, keep in zip(value, kept, strict=True) if keep]
    return inputs


def _by_rows(inputs: Batch, how: tuple[str, str], rows_as: Any, one: Callable[[Batch], float]) -> float:
    token, sequence = how
    count = _units(inputs)
    values: list[float] = []
    for row in range(count):
        own = {
            name: [value[row]] if isinstance(value, list) and len(value) == count else value
            for name, value in inputs.items()
        }
        value = one(own)
        counted = sum(own["mask"][0]) if "mask" in own else 1
        if value != value and not counted:
            if rows_as in ("nan", 0, 1):
                values.append(float(rows_as))
            continue
        values.append(value * counted if token == "sum" else value)
    if not values:
        return math.nan if sequence == "mean" else 0.0
    return _mean(values) if sequence == "mean" else sum(values)


def _of_rows(said: Mapping[str, Any]) -> bool:
    return said.get("level") == "sequence"


def _units(inputs: Batch) -> int:
    return max((len(value) for value in inputs.values() if isinstance(value, list)), default=1)
