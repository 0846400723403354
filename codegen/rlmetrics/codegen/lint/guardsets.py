"""Decides which guards can hold together, by trying every configuration that they can tell apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import combinations, pairwise
from math import prod
from typing import TYPE_CHECKING, Any

from rlmetrics.names.settings.guards import (
    And,
    Arithmetic,
    Compare,
    Expression,
    GuardError,
    GuardLiteral,
    Negative,
    Not,
    Or,
    parse,
)

from .context import SearchResult
from .reach import ReadGuard, excludes, reach

if TYPE_CHECKING:
    from ..model import ConfigKey
    from .context import Context

__all__ = ["compared", "impossible", "names_in", "parsed", "witness"]

_OTHER = "(anything else)"
_MAX_STEPS = 50_000
_SMALL = 200
"""Up to so many configurations are tried as they are."""


@lru_cache(maxsize=1 << 14)
def parsed(text: str | None) -> Expression | None:
    """Return a guard or scale, or None if there is none or `guard-syntax` reports it."""
    if text is None:
        return None
    try:
        return parse(text)
    except GuardError:
        return None


@lru_cache(maxsize=1 << 14)
def names_in(text: str | None) -> tuple[str, ...]:
    """Return the configuration keys of a guard or scale."""
    expression = parsed(text)
    return () if expression is None else tuple(sorted(expression.names()))


def witness(context: Context, framework: str, stem: str, *guards: str | None) -> dict[str, Any] | None:
    """Return a configuration in which all guards hold, or None if none is found.

    The values tried are those that the guards mention, and between and beyond them; of booleans and choices all.

    Args:
        context: The spec.
        framework: Where configuration keys are looked up.
        stem: The file in which they are looked up first.
        guards: Guards written out; None and unreadable ones are left out.
    """
    return _answer(context, framework, stem, guards).config


def impossible(context: Context, framework: str, stem: str, *guards: str | None) -> bool:
    """Tell whether it is certain that no configuration satisfies all guards."""
    answer = _answer(context, framework, stem, guards)
    return answer.config is None and answer.is_certain


_IMPOSSIBLE = SearchResult(None, True)


def _answer(context: Context, framework: str, stem: str, guards: tuple[str | None, ...]) -> SearchResult:
    read = {
        guard: read_guard for guard in guards if guard is not None and (read_guard := _read(context, guard)) is not None
    }
    config = context.config(framework, stem)
    # Equal keys give equal answers, whichever component asks.
    keys = frozenset((name, id(config.get(name))) for read_guard in read.values() for name in read_guard.names)
    asked = (tuple(read), keys)
    if asked not in context.answers:
        reaches = [read_guard.reach for read_guard in read.values()]
        if any(excludes(first, second) for first, second in combinations(reaches, 2)):
            context.answers[asked] = _IMPOSSIBLE
        else:
            context.answers[asked] = _search(config, [read_guard.expression for read_guard in read.values()])
    return context.answers[asked]


def _read(context: Context, guard: str) -> ReadGuard | None:
    if guard not in context.guards:
        expression = parsed(guard)
        context.guards[guard] = (
            None if expression is None else ReadGuard(expression, expression.names(), reach(expression))
        )
    return context.guards[guard]


def _search(config: Mapping[str, ConfigKey], expressions: list[Expression]) -> SearchResult:
    conditions = sorted(_conjuncts(expressions), key=lambda condition: len(condition.names()))
    names = list(dict.fromkeys(name for condition in conditions for name in sorted(condition.names())))
    mentioned: dict[str, list[Any]] = {}
    for condition in conditions:
        for name, value in compared(condition):
            mentioned.setdefault(name, []).append(value)
    domains = [_values(config.get(name), mentioned.get(name, [])) for name in names]
    if prod(map(len, domains)) > _SMALL:
        domains = _told_apart(names, domains, conditions)
    # A condition is checked as soon as the last of its names has a value.
    due: list[list[Expression]] = [[] for _ in range(len(names) + 1)]
    for condition in conditions:
        due[max((names.index(name) + 1 for name in condition.names()), default=0)].append(condition)
    # Sums and products reach values that the guards do not mention.
    computes = any(isinstance(node, Arithmetic) and node.names() for c in conditions for node in c.walk())
    return _Search(names, domains, due).run(is_exact=not computes)


def _conjuncts(expressions: list[Expression]) -> Iterator[Expression]:
    for expression in expressions:
        if isinstance(expression, And):
            yield from _conjuncts(list(expression.operands))
        else:
            yield expression


def _atoms(expression: Expression) -> Iterator[Expression]:
    """Yield what `and`, `or` and `not` join."""
    if isinstance(expression, And | Or | Not):
        for part in expression.parts():
            yield from _atoms(part)
    else:
        yield expression


def _told_apart(names: list[str], domains: list[list[Any]], conditions: list[Expression]) -> list[list[Any]]:
    """Return, of the values of a name between which no condition makes a difference, only the first."""
    atoms: dict[str, list[tuple[Expression, bool]]] = {name: [] for name in names}
    for atom in (atom for condition in conditions for atom in _atoms(condition)):
        own = atom.names()
        for name in own:
            atoms[name].append((atom, len(own) == 1))
    classes = []
    for name, values in zip(names, domains, strict=True):
        first: dict[object, Any] = {}
        for value in values:
            # An atom with a further name may tell any two values apart.
            seen = [_outcome(atom, {name: value}) if is_alone else value for atom, is_alone in atoms[name]]
            first.setdefault(tuple(seen), value)
        classes.append(list(first.values()))
    return classes


def _outcome(atom: Expression, config: dict[str, Any]) -> bool | type[GuardError]:
    try:
        return atom.holds(config)
    except GuardError as error:
        return type(error)


class _Search:
    """Depth-first search for values that satisfy all conditions."""

    def __init__(self, names: list[str], domains: list[list[Any]], due: list[list[Expression]]) -> None:
        self._names = names
        self._domains = domains
        self._due = due
        self._config: dict[str, Any] = {}
        self._steps = 0

    def run(self, *, is_exact: bool) -> SearchResult:
        if self._extend(0):
            return SearchResult(dict(self._config), True)
        return SearchResult(None, is_exact and self._steps <= _MAX_STEPS)

    def _extend(self, depth: int) -> bool:
        self._steps += 1
        if self._steps > _MAX_STEPS:
            return False
        if not all(_holds(condition, self._config) for condition in self._due[depth]):
            return False
        if depth == len(self._names):
            return True
        for value in self._domains[depth]:
            self._config[self._names[depth]] = value
            if self._extend(depth + 1):
                return True
        del self._config[self._names[depth]]
        return False


def _holds(expression: Expression, config: dict[str, Any]) -> bool:
    try:
        return expression.holds(config)
    except GuardError:
        return False


def compared(expression: Expression) -> Iterator[tuple[str, Any]]:
    """Yield the configuration keys that stand in comparisons, each with every literal of the same comparison."""
    for node in expression.walk():
        if isinstance(node, Compare):
            below = list(node.walk())
            negated = {id(part.operand) for part in below if isinstance(part, Negative)}
            for name in sorted(node.names()):
                for part in below:
                    if isinstance(part, GuardLiteral):
                        is_negative = id(part) in negated and isinstance(part.value, (int, float))
                        yield name, -part.value if is_negative else part.value  # type: ignore[operator]


def _values(key: ConfigKey | None, mentioned: list[Any]) -> list[Any]:
    """Return values of a configuration key, its defaults first, that represent all that the guards can tell apart."""
    defaults = [] if key is None else [default.value for default in key.defaults]
    kind = "str" if key is None or key.type is None else key.type
    values = [*defaults, *mentioned]
    numbers = {value for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)}
    if kind == "bool":
        values += [True, False]
    elif kind == "choice" and key is not None:
        values = [*defaults, *key.choices]
    elif kind in {"int", "float"}:
        values += _around(numbers | {0}, whole=kind == "int")
    else:
        values += ["", _OTHER]
    if None in mentioned:
        values.append(None)
    return [value for _, value in {(type(value), value): (None, value) for value in values}.values()]


def _around(numbers: set[int | float], *, whole: bool) -> Iterator[int | float]:
    """Yield the numbers, and one value in every gap between and beyond them."""
    ordered = sorted(numbers)
    yield from ordered
    if whole:
        yield from (number + step for number in ordered for step in (-1, 1) if number + step not in numbers)
        return
    yield ordered[0] - 1
    yield ordered[-1] + 1
    yield from ((low + high) / 2 for low, high in pairwise(ordered))
