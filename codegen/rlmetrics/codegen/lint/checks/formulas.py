"""Formulas: what the compiler refuses, and what they declare without need."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ...formula import FormulaError
from ..lint_check import Check, Hit, check

if TYPE_CHECKING:
    from ...loader import YamlPath
    from ..context import Context

__all__ = ["CHECKS"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@check(
    "formula",
    "error",
    what="A formula that the compiler refuses: a domain error, an unknown name or function, a reduction without a "
    "population, syntax that the language does not have.",
    fix="see the formula language in the documentation",
)
def formula(context: Context) -> Iterator[Hit]:
    for program in context.programs:
        error = program.compiled
        if not isinstance(error, FormulaError):
            continue
        path = program.source_path(error.source_name)
        if path is None:
            yield Hit(program.ref, program.path, error.message, error.fix)
            continue
        lines = program.text(error.source_name).split("\n")
        offset = sum(len(line) + 1 for line in lines[: error.offset_line]) + error.offset_col
        location = context.spec.locate_in_text(program.ref, path, offset)
        yield Hit(program.ref, path, error.message, error.fix, location=location)


@check(
    "unused-input",
    "error",
    what="An input or parameter of a metric that its formula does not use.",
    fix="remove it, or use it in the formula",
)
def unused_input(context: Context) -> Iterator[Hit]:
    for program in context.programs:
        if isinstance(program.compiled, FormulaError):
            continue
        if program.inputs_path is not None:
            for index, name in enumerate(program.inputs):
                if name not in program.compiled.inputs:
                    message = f"the formula does not use the input `{name}`"
                    yield Hit(program.ref, (*program.inputs_path, index), message)
        if program.parameters_path is not None:
            for name in program.parameters:
                if name not in program.compiled.parameters:
                    message = f"the formula does not use the parameter `{name}`"
                    yield Hit(program.ref, (*program.parameters_path, name), message)


@check(
    "unused-let",
    "error",
    what="A named sub-expression that the formula does not use.",
    fix="remove it",
)
def unused_let(context: Context) -> Iterator[Hit]:
    for program in context.programs:
        if program.own_let:
            for name in _unused(program.let, program.formula):
                path: YamlPath = (*program.let_path, name)
                yield Hit(program.ref, path, f"the formula does not use `{name}`")


def _unused(let: Mapping[str, str], formula: str) -> list[str]:
    used = set(_NAME.findall(formula))
    for name, text in reversed(list(let.items())):
        if name in used:
            used.update(_NAME.findall(text))
    return [name for name in let if name not in used]


@check(
    "atom",
    "error",
    what="A computed metric whose `atom` is missing, or is not the one that its formula needs.",
    fix="write the atom that the formula needs: what must not be cut when data is split",
)
def atom(context: Context) -> Iterator[Hit]:
    for name, metric in context.spec.metrics.items():
        if metric.impl is not None and metric.atom is None:
            ref = f"metrics/{context.spec.family_of[name]}"
            yield Hit(ref, ("metrics", name), f"`{name}` has no atom", "say what must not be cut when data is split")
    wrong: set[str] = set()
    for program in context.programs:
        if isinstance(program.compiled, FormulaError):
            continue
        needed = program.compiled.atom
        if program.atom == needed or (program.atom_is_inherited and program.base in wrong):
            continue
        wrong.add(program.name)
        if program.atom is not None and program.atom_is_inherited:
            message = f"`{program.name}` takes the atom `{program.atom}` from its metric, but needs `{needed}`"
            yield Hit(program.ref, program.path, message, f"add `atom: {needed}`")
        elif program.atom is None:
            yield Hit(program.ref, program.path, f"`{program.name}` has no atom", f"add `atom: {needed}`")
        else:
            message = f"the formula needs the atom `{needed}`, not `{program.atom}`"
            yield Hit(program.ref, (*program.path, "atom"), message, f"write `atom: {needed}`", value=True)


@check(
    "formula-kind",
    "error",
    what="A histogram whose metric is not of kind `distribution`, or the reverse.",
    fix="make `kind` and formula agree",
)
def formula_kind(context: Context) -> Iterator[Hit]:
    for program in context.programs:
        if isinstance(program.compiled, FormulaError):
            continue
        is_distribution = program.kind == "distribution"
        if is_distribution != (program.compiled.kind == "distribution"):
            message = f"the formula gives a {program.compiled.kind}, but `{program.name}` is a {program.kind}"
            path = program.source_path("formula")
            yield Hit(program.ref, path or program.path, message)


CHECKS: tuple[Check, ...] = (formula, unused_input, unused_let, atom, formula_kind)
