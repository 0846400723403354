"""Traits: on numbers that can have them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import partial
from typing import TYPE_CHECKING

from ...cache import kept
from ..lint_check import Check, Hit, check
from ..logged import metrics_with

if TYPE_CHECKING:
    from ...loader import YamlPath
    from ...meaning import Resolved, SpecPiece
    from ...model import Metric
    from ...model.signature import Trait
    from ..context import ComponentScope, Context

__all__ = ["CHECKS"]

_NAMED = re.compile(r"\(in ([A-Z][A-Za-z]+)\b")


@check(
    "trait-without-input",
    "error",
    what="A trait on a number that cannot have it: the formula has none of the inputs that the trait touches.",
    fix="name the keys, or the settings, with which the number has such an input",
    whole=True,
)
def trait_without_input(context: Context) -> Iterator[Hit]:
    touched = {name: trait.touches for name, trait in context.spec.signatures.traits.items() if trait.touches}
    for component, item, piece, trait in _told(context, touched):
        brought = {other for part in (item.record, *item.facts) for other in part.says.get("traits", ())}
        words = touched[trait]
        if brought.isdisjoint(words):
            lacks = partial(_lacks, context, words)
            for name in metrics_with(context, component.scope, item, piece, lacks):
                yield _hit(component, piece, trait, f"`{trait}`, but `{name}` has no such input: {', '.join(words)}")
                break


@check(
    "trait-compared-away",
    "error",
    what="A trait that makes a number NaN, on one that only compares: a comparison with NaN is false and counts as 0.",
    fix="say that such a part counts as 0",
)
def trait_compared_away(context: Context) -> Iterator[Hit]:
    traits = context.spec.signatures.traits
    for component, item, piece, trait in _told(context, {name for name, row in traits.items() if _makes_nan(row)}):
        for name in metrics_with(context, component.scope, item, piece, lambda metric: _only_compares(context, metric)):
            yield _hit(component, piece, trait, f"`{trait}`, but `{name}` only compares, and NaN compares as false")
            break


@check(
    "trait-of-another",
    "error",
    what="A trait whose text names one trainer, in brackets, on numbers of another one.",
    fix="say it without the trainer's name, or by a setting",
)
def trait_of_another(context: Context) -> Iterator[Hit]:
    named = {
        name: found[1]
        for name, trait in context.spec.signatures.traits.items()
        if (found := _NAMED.search(f"{trait.what} {trait.brief or ''}")) is not None
    }
    for component, _, piece, trait in _told(context, {*named}):
        if not component.scope.stem.replace("_", "").upper().startswith(named[trait].upper()):
            yield _hit(component, piece, trait, f"`{trait}` speaks of {named[trait]}, and this is another trainer")


@check(
    "text-excluded",
    "error",
    what="A text of a metric that a trait excludes, although codes with the trait compute the metric: one answer would "
    "say both.",
    fix="say of the metric what holds of all that compute it, and the rest in notes",
    prose=True,
)
def text_excluded(context: Context) -> Iterator[Hit]:
    traits = context.spec.signatures.traits
    excluding = {name: [re.compile(one) for one in row.excludes] for name, row in traits.items() if row.excludes}
    defined = context.definitions
    # No text says what carries a trait, and to find out, all keys are resolved.
    for name, trait in kept("excluding_traits", (defined.digest,), lambda: _carrying(defined, {*excluding})):
        metric = context.spec.metrics.get(name)
        for field in ("brief", "description") if metric is not None else ():
            for pattern in excluding.get(trait, ()):
                found = pattern.search(" ".join(getattr(metric, field).split()))
                if found is not None:
                    ref = f"metrics/{context.spec.family_of[name]}"
                    message = f"`{found[0]}`, and with `{trait}` it is not so"
                    yield Hit(ref, ("metrics", name, field), message, value=True)


def _carrying(context: Context, traits: set[str]) -> list[tuple[str, str]]:
    """Return each metric with each of some traits that a code, or a variant of it, computes it with."""
    carried = {(name, trait) for name, metric in context.spec.metrics.items() for trait in _held(metric)}
    for component, item, piece, trait in _told(context, traits):
        carried |= {(name, trait) for name in metrics_with(context, component.scope, item, piece, lambda _: True)}
    return sorted(carried)


def _held(metric: Metric) -> Iterator[str]:
    """Yield the traits of the variants of a metric."""
    for variant in metric.variants.values():
        yield from variant.holds


def _makes_nan(trait: Trait) -> bool:
    """Tell whether a part of a number becomes NaN, and the number with it."""
    empty = None if trait.does is None or isinstance(trait.does, str) else trait.does.empty
    return empty is not None and empty.level is not None and empty.as_ == "nan"


_Told = tuple["ComponentScope", "Resolved", "SpecPiece", str]


def _told(context: Context, names: dict[str, list[str]] | set[str]) -> Iterator[_Told]:
    """Yield where records and facts state some traits, each place once for each key."""
    seen: set[tuple[str, YamlPath, str, str]] = set()
    for component in context.components:
        for item in component.resolved:
            for piece in (item.record, *item.facts):
                for trait in piece.says.get("traits", ()):
                    place = component.ref(piece), piece.path, item.key, trait
                    if trait in names and place not in seen:
                        seen.add(place)
                        yield component, item, piece, trait


def _hit(component: ComponentScope, piece: SpecPiece, trait: str, message: str) -> Hit:
    return Hit(component.ref(piece), (*piece.path, "traits", piece.says["traits"].index(trait)), message, value=True)


def _lacks(context: Context, words: list[str], name: str) -> bool:
    """Tell whether none of a formula's inputs is meant; what is put together before is not looked into."""
    metric = context.spec.metrics.get(name)
    if metric is None or metric.formula is None or not metric.inputs:
        return False
    domains = {context.spec.inputs[word].domain for word in metric.inputs if word in context.spec.inputs}
    if domains & {"batch", "scalar"}:
        return False
    return not any(fnmatchcase(one, word) for one in metric.inputs for word in words)


def _only_compares(context: Context, name: str) -> bool:
    metric = context.spec.metrics.get(name)
    return metric is not None and metric.formula is not None and not _seen(metric)


def _seen(metric: Metric) -> set[str]:
    """Return the inputs of a formula that are seen otherwise than by comparisons and masks."""
    lets = {name: ast.parse(text.strip(), mode="eval").body for name, text in metric.let.items()}
    seen: set[str] = set()

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.Compare) or (isinstance(node, ast.keyword) and node.arg == "over"):
            return
        if isinstance(node, ast.Name):
            if node.id in lets:
                visit(lets[node.id])
            elif node.id in metric.inputs:
                seen.add(node.id)
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(ast.parse(str(metric.formula).strip(), mode="eval").body)
    return seen


CHECKS: tuple[Check, ...] = (trait_without_input, trait_compared_away, trait_of_another, text_excluded)
"""The checks of this topic."""
