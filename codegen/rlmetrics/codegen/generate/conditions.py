"""Conditions over configuration for readers: as short as they can be said."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product

from .markdown import markdown

__all__ = ["Conditions", "either"]

LONG = 100
"""Characters from which on a condition is listed at the end of its page."""

_MOST = 64
"""Alternatives up to which a condition is simplified."""

Term = frozenset[tuple[str, bool]]
"""Claims that hold together: what is claimed, and whether it is so."""


class Conditions:
    """The long conditions of one page: each is listed once, and its number stands in its place.

    Attributes:
        listed: The conditions as Markdown, in the order of their numbers, which start at 1.
    """

    def __init__(self) -> None:
        self.listed: dict[str, int] = {}

    def __call__(self, condition: str) -> str:
        """Return as Markdown a condition, whose ``code`` stands in backticks, or the link to where it is listed."""
        text = markdown(condition)
        if len(text) <= LONG:
            return text
        number = self.listed.setdefault(text, len(self.listed) + 1)
        return f"[condition {number}](#c{number})"


@lru_cache(maxsize=4096)
def either(guards: tuple[str, ...]) -> str:
    """Return in one condition that one of several holds, without what does not matter.

    Args:
        guards: Expressions over configuration keys.

    Returns:
        An expression that holds exactly where one of them does: ``a and b`` and ``a and not b`` give ``a``. It is empty
        where one of them always holds. Expressions with too many alternatives come back as they are.
    """
    given = list(dict.fromkeys(" ".join(guard.split()) for guard in guards))
    if len(given) == 1:
        return given[0]
    terms: list[Term] = []
    for guard in given:
        terms += _terms(ast.parse(guard, mode="eval").body, guard, wanted=True)
        if len(terms) > _MOST:
            break
    if not 0 < len(terms) <= _MOST:
        return " or ".join(f"({guard})" if " or " in guard else guard for guard in given)
    written = " ".join(given)

    def place(claim: tuple[str, bool]) -> tuple[int, str, bool]:
        return written.find(claim[0].split(" == ")[0]), *claim

    return " or ".join(" and ".join(_claim(*claim) for claim in sorted(term, key=place)) for term in _simplified(terms))


def _terms(node: ast.expr, source: str, *, wanted: bool) -> list[Term]:
    """Return the alternatives under which an expression is true, or with ``wanted`` false is false."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _terms(node.operand, source, wanted=not wanted)
    if isinstance(node, ast.BoolOp):
        parts = [_terms(value, source, wanted=wanted) for value in node.values]
        if isinstance(node.op, ast.Or) == wanted:
            return [term for part in parts for term in part]
        return list(_products(parts))
    # Guards stand on one line, whose offsets are in bytes.
    text = source.encode()[node.col_offset : node.end_col_offset].decode()
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.NotEq):
        return [frozenset([(text.replace("!=", "==", 1), not wanted)])]
    return [frozenset([(text, wanted)])]


def _products(parts: Sequence[Sequence[Term]]) -> Iterator[Term]:
    for chosen in product(*parts):
        term = frozenset[tuple[str, bool]]().union(*chosen)
        if not any((text, not holds) in term for text, holds in term):
            yield term


def _simplified(terms: Sequence[Term]) -> list[Term]:
    """Drop claims that do not matter beside the other terms, then terms that others contain."""
    found = list(dict.fromkeys(terms))
    changed = True
    while changed:
        changed = False
        for place, term in enumerate(found):
            for claim in sorted(term):
                rest = term - {claim}
                opposite = (claim[0], not claim[1])
                if any(opposite in other and other - {opposite} <= rest for other in found):
                    found[place] = term = rest
                    changed = True
        kept = list(dict.fromkeys(found))
        found = [term for term in kept if not any(other < term for other in kept)]
    return found


def _claim(text: str, holds: bool) -> str:
    if holds:
        return text
    return text.replace("==", "!=", 1) if text.count("==") == 1 and " " in text else f"not {text}"
