"""Suites: metrics that can be fused, with parameters and names that say one thing."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...formula import Compiled
from ..lint_check import Check, Hit, check

if TYPE_CHECKING:
    from ...model import Parameter, SuiteFile
    from ..compiled_formulas import FormulaProgram
    from ..context import Context

__all__ = ["CHECKS"]


def _members(context: Context, suite: SuiteFile) -> Iterator[tuple[int, str, FormulaProgram | None]]:
    """Yield each metric of a suite that exists, with its compiled formula if it has one."""
    programs = {program.name: program for program in context.programs}
    for index, key in enumerate(suite.metrics):
        name, _, variant = key.partition("@")
        metric = context.spec.metrics.get(name)
        if metric is not None and (not variant or variant in metric.variants):
            yield index, key, programs.get(key)


@check(
    "suite-metric",
    "error",
    what="A suite with a metric that has no formula or keeps every value, that stands in it twice, or whose result has "
    "the name of another; or with a name for a result that it does not have.",
    fix="leave it out, or choose another metric, variant or name",
)
def suite_metric(context: Context) -> Iterator[Hit]:
    for stem, suite in context.spec.suites.items():
        ref = f"suites/{stem}"
        taken: dict[str, str] = {}
        for index, key, program in _members(context, suite):
            place = ("metrics", index)
            if program is None:
                yield Hit(ref, place, f"`{key}` has no formula, so it cannot be fused", value=True)
            elif isinstance(program.compiled, Compiled) and program.compiled.slots[-1].kind == "values":
                yield Hit(ref, place, f"`{key}` keeps every value, so its state has no fixed size", value=True)
            name = suite.names.get(key, key)
            other = taken.setdefault(name, key)
            if other != key:
                yield Hit(ref, place, f"`{key}` and `{other}` would both be called `{name}`", value=True)
            elif suite.metrics.index(key) != index:
                yield Hit(ref, place, f"`{key}` stands in the suite already", value=True)
        for key, name in suite.names.items():
            if key not in suite.metrics:
                yield Hit(ref, ("names", key), f"the suite has no metric `{key}`")
            elif name not in context.spec.metrics and not context.spec.is_unread("metrics", name):
                yield Hit(ref, ("names", key), f"there is no metric `{name}`", value=True)


@check(
    "suite-parameter",
    "error",
    what="A suite whose metrics disagree about the default of a parameter, or that sets a parameter that "
    "none of its metrics has.",
    fix="set it under `parameters`, or correct the name",
    whole=True,
)
def suite_parameter(context: Context) -> Iterator[Hit]:
    for stem, suite in context.spec.suites.items():
        ref = f"suites/{stem}"
        declared: dict[str, tuple[str, Parameter]] = {}
        complete = True
        for index, key, program in _members(context, suite):
            if program is None or not isinstance(program.compiled, Compiled):
                complete = False
                continue
            for name in program.compiled.parameters:
                parameter = program.parameters[name]
                other, first = declared.setdefault(name, (key, parameter))
                if first.default != parameter.default and name not in suite.parameters:
                    message = f"`{name}` is {parameter.default} in `{key}` and {first.default} in `{other}`"
                    yield Hit(ref, ("metrics", index), message, f"set `{name}` under `parameters`", value=True)
        if not complete:
            continue
        for name in suite.parameters:
            if name not in declared:
                near = difflib.get_close_matches(name, declared, n=1)
                fix = f"did you mean `{near[0]}`?" if near else None
                yield Hit(ref, ("parameters", name), f"no metric of the suite has a parameter `{name}`", fix)


CHECKS: tuple[Check, ...] = (suite_metric, suite_parameter)
