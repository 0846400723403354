"""Metrics: defined once, completely, and with sources for every number."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ..lint_check import Check, Hit, check

if TYPE_CHECKING:
    from ...loader import YamlPath
    from ...model import FormulaVariant, Metric
    from ..context import Context

__all__ = ["CHECKS"]

_ABBREVIATED = 3
"""Units of so many letters have no plural."""
_UNITS = {
    **dict.fromkeys(("sec", "second"), "s"),
    **dict.fromkeys(("msec", "millisecond"), "ms"),
    **dict.fromkeys(("none", "dimensionless", "number", "fraction", "ratio"), "1"),
}
"""Units written out, and how they are abbreviated."""
_REDUCED_DOMAINS = frozenset({"token", "vocab", "sequence", "group"})


def _metrics(context: Context) -> Iterator[tuple[str, YamlPath, Metric]]:
    for name, metric in context.spec.metrics.items():
        yield f"metrics/{context.spec.family_of[name]}", ("metrics", name), metric


def _name(path: YamlPath) -> str:
    return str(path[1])


@check(
    "equal-identity",
    "error",
    what="Two metrics whose identity facets and kind are equal, so that they are the same quantity.",
    fix="merge them, or state the facet in which they differ",
)
def equal_identity(context: Context) -> Iterator[Hit]:
    first: dict[str, str] = {}
    for ref, path, metric in _metrics(context):
        facets = f"{metric.kind} {metric.identity.model_dump_json()}"
        other = first.setdefault(facets, _name(path))
        if other != _name(path):
            place = context.spec.locate_metric(other)
            yield Hit(ref, (*path, "identity"), f"`{_name(path)}` has the same identity as `{other}` ({place})")


@check(
    "definition",
    "error",
    what="A metric that has not exactly one of `formula`, `impl` and `measured`.",
    fix="give a formula, name a hand-written function, or say what is measured",
)
def definition(context: Context) -> Iterator[Hit]:
    for ref, path, metric in _metrics(context):
        given = [field for field in ("formula", "impl", "measured") if getattr(metric, field) is not None]
        if not given:
            yield Hit(ref, path, f"nothing says how `{_name(path)}` is computed or measured")
        elif len(given) > 1:
            message = f"`{_name(path)}` has both {' and '.join(f'`{field}`' for field in given)}"
            yield Hit(ref, (*path, given[1]), message, "keep one of them")
        for name, variant in metric.variants.items():
            if variant.formula is not None and variant.impl is not None:
                message = f"the variant `{name}` has both `formula` and `impl`"
                yield Hit(ref, (*path, "variants", name, "impl"), message, "keep one of them")


@check(
    "impl",
    "error",
    what="A hand-written function that does not exist or has no reference to be tested against.",
    fix="write `module:function` for `impl` and for `reference`",
)
def impl(context: Context) -> Iterator[Hit]:
    for ref, path, metric in _metrics(context):
        for place, owner in _owners(path, metric):
            if owner.impl is not None and owner.reference is None:
                yield Hit(ref, (*place, "impl"), f"`{owner.impl}` has no reference", "add `reference: module:function`")
            for field in ("impl", "reference"):
                target = getattr(owner, field)
                if target is not None and not _exists(target, context.spec.root):
                    yield Hit(ref, (*place, field), f"there is no function `{target}`", value=True)


@check(
    "impl-atom",
    "error",
    what="A hand-written function over tokens or sequences: states of such functions are means over groups or batches.",
    fix="write a formula, or `atom: group` or `atom: batch`",
)
def impl_atom(context: Context) -> Iterator[Hit]:
    for ref, path, metric in _metrics(context):
        for place, owner in _owners(path, metric):
            atom = owner.atom or metric.atom
            if owner.impl is not None and atom in ("token", "sequence"):
                message = f"`{owner.impl}` is written by hand, so no state of it can be cut at every {atom}"
                yield Hit(ref, (*place, "impl"), message)


def _owners(path: YamlPath, metric: Metric) -> Iterator[tuple[YamlPath, Metric | FormulaVariant]]:
    """Yield a metric and its variants, each with its place."""
    yield path, metric
    yield from (((*path, "variants", name), variant) for name, variant in metric.variants.items())


def _exists(target: str, root: Path) -> bool:
    """Tell whether a module's source defines a function; nothing is imported."""
    module, colon, function = target.partition(":")
    if not colon or not all(part.isidentifier() for part in (*module.split("."), function)):
        return False
    folders = [root.parent / name for name in ("adapters", "generated", "codegen")]
    # This file is codegen/rlmetrics/codegen/lint/metrics.py, which finds the other two roots in a checkout.
    folders += [Path(__file__).parents[4] / name for name in ("adapters", "generated", "codegen")]
    folders += [Path(entry) for entry in sys.path]
    base = module.replace(".", "/")
    for folder in folders:
        for file in (folder / f"{base}.py", folder / base / "__init__.py"):
            if file.is_file():
                return function in _functions(file)
    return False


@cache
def _functions(file: Path) -> frozenset[str]:
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):
        return frozenset()
    return frozenset(node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef)))


@check(
    "missing-population",
    "error",
    what="A metric over tokens, sequences or groups that does not say over which.",
    fix="add `population:` with a word of signatures.yaml",
)
def missing_population(context: Context) -> Iterator[Hit]:
    for ref, path, metric in _metrics(context):
        if metric.population is not None or (metric.formula is None and metric.impl is None):
            continue
        domains = {context.spec.inputs[name].domain for name in metric.inputs if name in context.spec.inputs}
        if domains & _REDUCED_DOMAINS:
            yield Hit(ref, path, f"`{_name(path)}` reduces its inputs but has no population")


@check(
    "missing-empty",
    "error",
    what="A computed metric that does not say what it is over an empty population.",
    fix="add `empty: nan`, `empty: 0` or `empty: omit`",
)
def missing_empty(context: Context) -> Iterator[Hit]:
    for ref, path, metric in _metrics(context):
        if metric.empty is None and (metric.formula is not None or metric.impl is not None):
            yield Hit(ref, path, f"`{_name(path)}` has no value for an empty population")


@check(
    "value-range",
    "error",
    what="A value range that no value can lie in.",
    fix="give the smaller number first",
)
def value_range(context: Context) -> Iterator[Hit]:
    for ref, path, metric in _metrics(context):
        low, high = metric.range
        if low is not None and high is not None and low >= high:
            yield Hit(ref, (*path, "range"), f"the range of `{_name(path)}` is empty", value=True)


@check(
    "default-source",
    "warning",
    what="A parameter's default that no source backs, here or for the same parameter elsewhere in the family.",
    fix="add `source:`, or leave the default out so that callers must choose",
)
def default_source(context: Context) -> Iterator[Hit]:
    backed: set[tuple[str, str, object]] = set()
    numbers: list[tuple[str, YamlPath, str, object]] = []
    for ref, path, metric in _metrics(context):
        for place, owner in _owners(path, metric):
            for name, parameter in (owner.parameters or {}).items():
                if parameter.default is None or isinstance(parameter.default, bool):
                    continue
                if parameter.source is not None:
                    backed.add((ref, name, parameter.default))
                else:
                    numbers.append((ref, (*place, "parameters", name, "default"), name, parameter.default))
    for ref, path, name, default in numbers:
        if (ref, name, default) not in backed:
            yield Hit(ref, path, f"nothing backs the default {default} of `{name}`")


@check(
    "unit-spelling",
    "error",
    what="A unit that is another spelling of one that is in use: rules select metrics by their unit, and would pass "
    "this one over.",
    fix="write the unit as the others do",
)
def unit_spelling(context: Context) -> Iterator[Hit]:
    spec = context.spec
    uses = Counter(metric.unit for metric in spec.metrics.values())
    uses.update(word.unit for word in spec.inputs.values() if word.unit is not None)
    usual: dict[str, str] = {}
    for unit in sorted(uses, key=lambda unit: (unit != _spelt_out(unit), -uses[unit])):
        usual.setdefault(_spelt_out(unit), unit)
    units = [
        *((ref, (*path, "unit"), metric.unit) for ref, path, metric in _metrics(context)),
        *(("inputs", ("inputs", name, "unit"), word.unit) for name, word in spec.inputs.items() if word.unit),
    ]
    for ref, path, unit in units:
        known = usual[_spelt_out(unit)]
        if unit != known:
            yield Hit(ref, path, f"the unit `{unit}` is written `{known}` elsewhere", f"write `{known}`", value=True)


def _spelt_out(unit: str) -> str:
    """Return a unit in a form that all its spellings share."""
    parts = [part.strip().casefold() for part in unit.replace(" per ", "/").split("/")]
    singular = [part.removesuffix("s") if len(part) > _ABBREVIATED else part for part in parts]
    return "/".join(_UNITS.get(part, part) for part in singular)


CHECKS: tuple[Check, ...] = (
    equal_identity,
    definition,
    impl,
    impl_atom,
    missing_population,
    missing_empty,
    value_range,
    default_source,
    unit_spelling,
)
