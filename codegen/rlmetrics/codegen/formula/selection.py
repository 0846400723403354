"""Populations: what a reduction counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .domains import ELEMENT, LetScope
from .nodes import Extent, Node, walk
from .syntax import Binary, Call, Expression, FormulaName
from .vocabulary import Vocabulary

__all__ = ["population"]


def population(
    vocabulary: Vocabulary,
    check: Callable[[Expression, LetScope], Node],
    at: Call,
    extent: Extent,
    given: Mapping[str, Expression],
    scope: LetScope,
) -> Node | None:
    """Return what a reduction counts: ``over=``, else the mask for tokens; None for every element.

    Raises:
        FormulaError: It would count padding without saying so, or is no condition of this domain.
    """
    over: Node | None = None
    if "over" in given:
        over = _over(check, at, given["over"], extent, scope)
    elif extent == "token":
        over = vocabulary.mask()
        if over is None:
            message = f"`{at.function}` would count padding, because no mask is declared"
            raise scope.error(at, message, "declare the input mask, or say over=… (over=everything counts padding)")
    return vocabulary.both(vocabulary.groups(), over) if extent == "group" else over


def _over(
    check: Callable[[Expression, LetScope], Node], at: Call, syntax: Expression, extent: Extent, scope: LetScope
) -> Node | None:
    rest = _without_everything(syntax)
    if rest is None:
        return None
    over = check(rest, scope)
    if over.extent != extent or over.dtype != "bool":
        message = f"`over=` of `{at.function}` takes a boolean per {ELEMENT[extent]}, and {scope.describe(rest, over)}"
        raise scope.error(rest, message, f"write a condition over {extent} values")
    masks = (node for node in walk([over]) if node.op == "input" and node.dtype == "bool")
    if extent == "token" and rest is syntax and next(masks, None) is None:
        message = f"{scope.quote(syntax)} selects padding too, because no mask is in it"
        raise scope.error(syntax, message, "write over=mask & (…), or over=everything & (…) if padding shall count")
    return over


def _without_everything(at: Expression) -> Expression | None:
    """Return a population without its ``everything``; None if nothing else is in it."""
    if isinstance(at, FormulaName) and at.name == "everything":
        return None
    if isinstance(at, Binary) and at.operator == "&":
        left, right = _without_everything(at.left), _without_everything(at.right)
        if left is None or right is None:
            return right if left is None else left
        if left is not at.left or right is not at.right:
            return Binary(at.span, "&", left, right)
    return at
