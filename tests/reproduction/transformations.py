"""Each kind of thing that ``as_logged`` does beside a formula, and the same recipe without it."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rlmetrics.reproduction.recipes import Recipe
from rlmetrics.reproduction.words import Action

__all__ = ["kinds_of", "without"]

_OTHERWISE = {"mean": "first", "pool": "mean"}
"""What a level does without its operation: parts count alike; without that, only the first one counts."""


def kinds_of(recipe: Recipe) -> Iterator[str]:
    """Yield what a recipe does, in words: one for each kind of action, fold, factor and constant."""
    if recipe.constant is not None:
        yield "constant"
        return
    # What an action folds stands among the folds and the rows.
    yield from (_of_action(action) for action in recipe.actions if action.word != "fold")
    yield from (_of_fold(*fold) for fold in recipe.folds)
    if recipe.gathered is not None:
        yield "gathered"
    if recipe.rows is not None:
        yield _of_rows(recipe.rows)
    yield from (f"{name}: {_of_factor(value)}" for name, value in _factors(recipe))


def without(recipe: Recipe, kind: str) -> Recipe:
    """Return a recipe that does not do what is of a kind."""
    if kind == "constant":
        return recipe._replace(constant=math.nan)
    word = kind.partition(": ")[0]
    if word in ("gathered", "rows"):
        return recipe._replace(**{word: None})
    if word == "fold":
        folds = tuple(
            (level, _OTHERWISE.get(by, "mean") if _of_fold(level, by) == kind else by) for level, by in recipe.folds
        )
        # What is pooled is the innermost, or nothing below it counts.
        return recipe._replace(folds=tuple(sorted(folds, key=lambda fold: fold[1] == "pool")))
    plain = {"scale": 1.0, "offset": 0.0}
    if any(f"{name}: {_of_factor(value)}" == kind for name, value in _factors(recipe)):
        return recipe._replace(**{word: plain[word]})
    return recipe._replace(actions=tuple(action for action in recipe.actions if _of_action(action) != kind))


def _of_action(action: Action) -> str:
    said = [f"{name} {action.said[name]}" for name in ("as", "level", "by", "ddof", "digits") if name in action.said]
    return ": ".join(filter(None, (action.word, ", ".join(said))))


def _of_fold(level: str, operation: str) -> str:
    return f"fold: {operation} of {level}"


def _of_rows(rows: tuple[str, str]) -> str:
    token, sequence = rows
    return f"rows: {sequence} of responses, {token} of tokens"


def _factors(recipe: Recipe) -> Iterator[tuple[str, float | str]]:
    if recipe.scale != 1.0:
        yield "scale", recipe.scale
    if recipe.offset != 0.0:
        yield "offset", recipe.offset


def _of_factor(value: float | str) -> str:
    return "expression" if isinstance(value, str) else "number"
