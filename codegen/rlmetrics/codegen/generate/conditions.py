"""Conditions over configuration for readers: as short as they can be said."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from .markdown import markdown

__all__ = ["Conditions", "either"]

LONG = 60
"""Characters from which on a condition is listed at the end of its page."""

_MOST = 64
"""Alternatives up to which a condition is simplified."""


class _TooManyError(Exception):
    """A condition has too many alternatives to be simplified."""


Claim = tuple[str, bool]
"""What is claimed, and whether it is so."""
Term = frozenset[Claim]
"""Claims that hold together."""


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
    try:
        terms = [term for guard in given for term in _terms(ast.parse(guard, mode="eval").body, guard, wanted=True)]
    except _TooManyError:
        terms = []
    if not 0 < len(terms) <= _MOST:
        return " or ".join(f"({guard})" if len(given) > 1 and " or " in guard else guard for guard in given)
    written = " ".join(given)

    def place(claim: Claim) -> tuple[int, str]:
        return written.find(_asked(claim)[0].partition(" in [")[0]), claim[0]

    def claims(term: Iterable[Claim]) -> str:
        return " and ".join(_grouped(sorted(term, key=place)))

    def text(found: Sequence[Term]) -> str:
        often = Counter(claim for term in found for claim in term)
        most = max(often.items(), key=lambda item: (item[1], item[0]), default=None)
        if most is None or most[1] < 2:
            return " or ".join(claims(term) for term in found)
        like = [term for term in found if most[0] in term]
        common = frozenset.intersection(*like)
        left = [term for term in found if most[0] not in term]
        told = f"{claims(common)} and ({text([term - common for term in like])})"
        return f"{told} or {text(left)}" if left else told

    found = _together(_simplified(terms))
    shortest = text(found)
    return given[0] if len(given) == 1 and len(given[0]) <= len(shortest) else shortest


def _terms(node: ast.expr, source: str, *, wanted: bool) -> list[Term]:
    """Return the alternatives under which an expression is true, or with ``wanted`` false is false."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _terms(node.operand, source, wanted=not wanted)
    if isinstance(node, ast.BoolOp):
        parts = [_terms(value, source, wanted=wanted) for value in node.values]
        if isinstance(node.op, ast.Or) == wanted:
            return [term for part in parts for term in part]
        return _products(parts)
    # Guards stand on one line, whose offsets are in bytes.
    text = source.encode()[node.col_offset : node.end_col_offset].decode()
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _compared(node, text, wanted=wanted)
    return [frozenset([(text, wanted)])]


def _compared(node: ast.Compare, text: str, *, wanted: bool) -> list[Term]:
    """Return the alternatives of a comparison: that with a list is one of equality with each of its values."""
    operator, right = node.ops[0], node.comparators[0]
    if isinstance(operator, ast.NotEq):
        return [frozenset([(text.replace("!=", "==", 1), not wanted)])]
    if not isinstance(operator, ast.In | ast.NotIn) or not isinstance(right, ast.List):
        return [frozenset([(text, wanted)])]
    name = ast.unparse(node.left)
    equal = [f"{name} == {ast.unparse(value)}" for value in right.elts]
    if isinstance(operator, ast.In) == wanted:
        return [frozenset([(claim, True)]) for claim in equal]
    return [frozenset((claim, False) for claim in equal)]


def _products(parts: Sequence[Sequence[Term]]) -> list[Term]:
    found = [Term()]
    for part in parts:
        joined = (_possible(term | more) for term in found for more in part)
        found = _without_longer(term for term in joined if term is not None)
        if len(found) > 4 * _MOST:
            raise _TooManyError
    return found


def _without_longer(terms: Iterable[Term]) -> list[Term]:
    """Drop terms that hold only where another does."""
    kept = list(dict.fromkeys(terms))
    return [term for term in kept if not any(other != term and _implies(term, other) for other in kept)]


def _implies(term: Term, other: Term) -> bool:
    """Whether a term holds only where another does."""
    values = {name: value for name, value in map(_asked, (claim for claim in term if claim[1])) if value}
    return all(
        claim in term or (not claim[1] and values.get(_asked(claim)[0], _asked(claim)[1]) != _asked(claim)[1])
        for claim in other
    )


def _possible(term: Term) -> Term | None:
    """Return claims without those that others imply; None if they contradict each other."""
    if any((text, not holds) in term for text, holds in term):
        return None
    values: dict[str, str] = {}
    for text, holds in term:
        name, value = _asked((text, holds))
        if holds and value and values.setdefault(name, value) != value:
            return None
    return frozenset(claim for claim in term if claim[1] or _asked(claim)[0] not in values or not _asked(claim)[1])


def _asked(claim: Claim) -> tuple[str, str]:
    """Return which setting a claim compares with which value; without a value for other claims."""
    name, _, value = claim[0].partition(" == ")
    return (name, value) if name.replace(".", "").isidentifier() else (claim[0], "")


def _together(terms: Sequence[Term]) -> list[Term]:
    """Join terms that differ in the value of one setting: ``a == 1 or a == 2`` becomes ``a in [1, 2]``."""
    left = list(terms)
    found: list[Term] = []
    while left:
        term = left.pop(0)
        values = {claim: _others(term, claim, left) for claim in sorted(term) if claim[1] and _asked(claim)[1]}
        claim = max(values, key=lambda claim: len(values[claim]), default=None)
        if claim is not None and values[claim]:
            rest, (name, value) = term - {claim}, _asked(claim)
            like = values[claim]
            term = rest | {(f"{name} in [{', '.join([value, *like])}]", True)}
            left = [other for other in left if other not in like.values()]
        found.append(term)
    return found


def _others(term: Term, claim: Claim, terms: Sequence[Term]) -> dict[str, Term]:
    """Return those terms that claim another value of the same setting and nothing else than a term, by the value."""
    rest, name = term - {claim}, _asked(claim)[0]
    found = {}
    for other in terms:
        more = list(other - rest)
        if rest <= other and len(more) == 1 and more[0][1] and _asked(more[0])[0] == name and _asked(more[0])[1]:
            found[_asked(more[0])[1]] = other
    return found


def _grouped(claims: Sequence[Claim]) -> Iterator[str]:
    """Yield claims as text, with one ``not in`` for all values that a setting does not have."""
    denied: dict[str, list[str]] = {}
    for claim in claims:
        name, value = _asked(claim)
        if value and not claim[1]:
            denied.setdefault(name, []).append(value)
    for claim in claims:
        name, value = _asked(claim)
        if not value or claim[1]:
            yield _claim(*claim)
        elif name in denied:
            values = denied.pop(name)
            yield f"{name} != {values[0]}" if len(values) == 1 else f"{name} not in [{', '.join(values)}]"


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
        found = _without_longer(found)
    return found


def _claim(text: str, holds: bool) -> str:
    if holds:
        return text
    return f"not ({text})" if " " in text else f"not {text}"
