"""Metrics that nobody has generated yet, and the existing ones that they resemble."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...formula import OPERATIONS, FormulaError
from ..lint_check import Check, Hit, check

if TYPE_CHECKING:
    from ...formula.nodes import Node
    from ..context import Context

__all__ = ["CHECKS", "FOLDER"]

FOLDER = "generated/rlmetrics/tables/metrics"
"""Where a checkout keeps the metrics as they were when they were generated last."""

_NEAR = 0.88
"""How alike two names must be, from 0 to 1."""

_SHOWN = 3
"""Existing metrics that are shown at most."""


@check(
    "similar-metric",
    "info",
    what="A new metric that resembles an existing one by its formula or its name.",
    fix="use the existing one if both are the same; if not, say why under `false_friends`",
    prose=True,
)
def similar_metric(context: Context) -> Iterator[Hit]:
    before = _generated(context)
    new = [name for name in context.spec.metrics if name not in before]
    if not before or not new:
        return
    formulas = {
        program.name: _shape(program.compiled.root, {})
        for program in context.definitions.programs
        if "@" not in program.name and not isinstance(program.compiled, FormulaError)
    }
    for name in new:
        told = {friend.metric for friend in context.spec.metrics[name].false_friends}
        alike = {
            other: why
            for other in context.spec.metrics
            if other != name and other not in told and (why := _resemblance(context, name, other, formulas)) is not None
        }
        if alike:
            first = next(iter(alike))
            related = tuple(
                (f"metrics/{context.spec.family_of[other]}", ("metrics", other), "an existing one")
                for other in list(alike)[:_SHOWN]
            )
            notes = (f"and {len(alike) - _SHOWN} more resemble it",) if len(alike) > _SHOWN else ()
            ref = f"metrics/{context.spec.family_of[name]}"
            message = f"`{name}` {alike[first]} `{first}`"
            yield Hit(ref, ("metrics", name), message, related=related, notes=notes)


def _generated(context: Context) -> frozenset[str]:
    """Return the metrics that were there when everything was generated last."""
    folder = context.spec.root.parent / FOLDER
    if not folder.is_dir():
        return frozenset()
    texts = [path.read_text(encoding="utf-8") for path in folder.glob("*.json")]
    return frozenset(name for text in texts for name in re.findall(r'"([a-z0-9_]+(?:/[a-z0-9_]+)+)":', text))


def _resemblance(context: Context, name: str, other: str, formulas: dict[str, str]) -> str | None:
    first, second = context.spec.metrics[name], context.spec.metrics[other]
    if name in formulas and formulas[name] == formulas.get(other) and first.kind == second.kind:
        return "has the same formula as"
    if difflib.SequenceMatcher(None, name, other).quick_ratio() < _NEAR or name.split("/")[0] == other.split("/")[0]:
        return None
    return "is named almost like" if difflib.SequenceMatcher(None, name, other).ratio() >= _NEAR else None


def _shape(node: Node, known: dict[int, str]) -> str:
    """Return a formula without names of steps and parameters, with operands of sums and products in a fixed order."""
    if id(node) not in known:
        args = [_shape(arg, known) for arg in node.args]
        if OPERATIONS[node.op].symmetric:
            args.sort()
        over = _shape(node.over, known) if node.over is not None else ""
        value = "" if node.op == "parameter" else repr(node.value)
        known[id(node)] = f"{node.op}[{value}]({','.join(args)};{over})"
    return known[id(node)]


CHECKS: tuple[Check, ...] = (similar_metric,)
