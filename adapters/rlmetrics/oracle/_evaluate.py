"""Evaluates parsed formulas on nested lists."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from typing import Any, Literal

from . import _lists as lists
from ._parse import Apply, FormulaSyntaxError, Invoke, Number, Term, Word, parse
from ._scalars import BINARY, UNARY, clamp

__all__ = ["Metrics", "evaluate"]

Metrics = Callable[[str], tuple[str | None, Mapping[str, str]]]
"""Returns the formula and the ``let`` of a metric."""

Nested = Any
"""A number, or lists of numbers: depth 3 over a vocabulary, 2 over tokens, 1 over sequences, groups or batches."""

_SEQUENCE = ("seq_sum", "seq_mean", "seq_min", "seq_max", "seq_count", "seq_any", "seq_all", "seq_first", "seq_last")
_VOCAB = ("entropy", "logsumexp", "sum_vocab", "softmax", "log_softmax")


def _unknown(metric: str) -> tuple[str | None, Mapping[str, str]]:
    raise KeyError(metric)


def evaluate(
    formula: str,
    let: Mapping[str, str],
    inputs: Mapping[str, Nested],
    parameters: Mapping[str, float],
    empty: Literal["nan", "omit", 0] | None = None,
    metrics: Metrics = _unknown,
    nan: Literal["propagate", "skip"] = "propagate",
) -> float | dict[str, Any]:
    """Evaluate a formula by definition.

    Args:
        formula: The expression.
        let: Named sub-expressions, in order.
        inputs: Numbers as nested lists: token ``[B][T]``, vocab ``[B][T][V]``, sequence ``[B]``, scalar a number.
        parameters: The value of every parameter.
        empty: The value over an empty population (``omit`` gives NaN); None leaves sums at zero, the rest at NaN.
        metrics: Looks up what ``metric('id')`` inserts.
        nan: ``skip`` leaves NaN out of every reduction to a number.

    Returns:
        The number; for a histogram a dict of ``counts`` (below, bins, above), ``min`` and ``max``.

    Raises:
        FormulaSyntaxError: The formula is none.
    """
    evaluator = _Evaluator(inputs, parameters, metrics, skip_nan=nan == "skip")
    result = evaluator.formula(formula, let)
    if isinstance(result, dict):
        return result
    if empty is not None and evaluator.saw_nothing:
        return 0.0 if empty == 0 else math.nan
    return float(result)


class _Evaluator:
    def __init__(
        self, inputs: Mapping[str, Nested], parameters: Mapping[str, float], metrics: Metrics, *, skip_nan: bool
    ):
        self.inputs = inputs
        self.parameters = parameters
        self.metrics = metrics
        self.skip_nan = skip_nan
        self.saw_nothing = False

    def formula(self, text: str, let: Mapping[str, str]) -> Nested:
        names: dict[str, Nested] = {**self.parameters, **self.inputs, "everything": True}
        used = _words(text, let)
        for name, body in let.items():
            if name in used:
                names[name] = self.term(parse(body), names)
        return self.term(parse(text), names)

    def term(self, term: Term, names: Mapping[str, Nested]) -> Nested:
        if isinstance(term, Number):
            return term.value
        if isinstance(term, Word):
            return names[term.name]
        if isinstance(term, Apply):
            return _apply(term.operator, [self.term(operand, names) for operand in term.operands])
        return self.invoke(term, names)

    def invoke(self, call: Invoke, names: Mapping[str, Nested]) -> Nested:
        function = call.function
        if function == "metric":
            (word,) = call.arguments
            formula, let = self.metrics(word.name if isinstance(word, Word) else "")
            if formula is None:
                msg = "this metric has no formula"
                raise FormulaSyntaxError(msg)
            return self.formula(formula, let)
        arguments = [self.term(argument, names) for argument in call.arguments]
        keywords = {name: self.term(value, names) for name, value in call.keywords}
        if function in UNARY or function in BINARY:
            return _apply(function, arguments)
        if function == "clamp":
            return _map(clamp, arguments)
        if function == "where":
            return _map(lambda condition, x, y: x if condition else y, arguments)
        if function.startswith("per_"):
            return self.broadcast(function, arguments[0])
        if function in _VOCAB:
            return [[_over_vocab(function, entries) for entries in row] for row in arguments[0]]
        if function in ("log_prob", "argmax_equals"):
            return _map_tokens(function, arguments[0], arguments[1])
        if function in _SEQUENCE:
            population = self.tokens(keywords, len(arguments[0]))
            return [
                _of_sequence(function, row, selected) for row, selected in zip(arguments[0], population, strict=True)
            ]
        if function.startswith("group_"):
            return self.groups(function, arguments, keywords)
        return self.reduce(function, arguments, keywords)

    def broadcast(self, function: str, x: Nested) -> Nested:
        if function == "per_sequence":
            ids = self.inputs.get("group_ids", [])
            if not isinstance(x, list):
                return [x for _ in next(value for value in self.inputs.values() if _depth(value) == 1)]
            return [x[sorted(set(ids)).index(one)] for one in ids]
        depth = 2 if function == "per_token" else 3
        model = self.inputs.get("mask") if depth == 2 else None
        if model is None:
            # Without rows, no input shows how deep it is, and there is nothing to spread over.
            model = next((value for value in self.inputs.values() if _depth(value) == depth), [])
        if depth == 2:
            return [[x[row] if isinstance(x, list) else x for _ in tokens] for row, tokens in enumerate(model)]
        return [[[x[row][t] for _ in entries] for t, entries in enumerate(tokens)] for row, tokens in enumerate(model)]

    def tokens(self, keywords: Mapping[str, Nested], rows: int) -> Nested:
        """Return the population of tokens: ``over=``, else the mask."""
        over = keywords.get("over", self.inputs.get("mask"))
        return [None] * rows if over is True else over

    def groups(self, function: str, arguments: Sequence[Nested], keywords: Mapping[str, Nested]) -> Nested:
        ids = self.inputs["group_ids"]
        over = keywords.get("over", True)
        ddof = int(keywords.get("ddof", 1))
        results = []
        for group in sorted(set(ids)):
            members = [i for i, one in enumerate(ids) if one == group and (over is True or over[i])]
            if function == "group_count":
                results.append(float(len(members)))
            else:
                results.append(_statistic(function[len("group_") :], [[float(arguments[0][i]) for i in members]], ddof))
        return results

    def reduce(self, function: str, arguments: Sequence[Nested], keywords: Mapping[str, Nested]) -> Nested:
        over = keywords.get("over", self.inputs.get("mask") if _depth(arguments[0]) == 2 else True)
        columns: list[list[float]] = [_flat(argument) for argument in arguments]
        size = max(len(column) for column in columns)
        columns = [column * size if len(column) < size else column for column in columns]
        selected = [True] * size if over is True else _flat(over)
        rows = [row for row, keep in zip(zip(*columns, strict=True), selected, strict=True) if keep]
        if self.skip_nan and function != "count":
            rows = [row for row in rows if not any(math.isnan(x) for x in row)]
        if not rows:
            self.saw_nothing = True
        values = [[float(row[i]) for row in rows] for i in range(len(columns))]
        if function == "quantile":
            return lists.quantile(values[0], keywords["level"])
        if function == "histogram":
            return lists.histogram(values[0], keywords["low"], keywords["high"], int(keywords["bins"]))
        return _statistic(function, values, int(keywords.get("ddof", 1)))


def _statistic(name: str, columns: list[list[float]], ddof: int) -> float:
    xs = columns[0]
    if name in ("sum", "count"):
        return lists.total(xs)
    if name == "mean":
        return lists.mean(xs)
    if name == "min":
        return lists.smallest(xs)
    if name == "max":
        return lists.greatest(xs)
    if name == "var":
        return lists.variance(xs, ddof)
    if name == "std":
        return float(UNARY["sqrt"](lists.variance(xs, ddof)))
    if name == "cov":
        return lists.covariance(xs, columns[1], ddof)
    if name == "corr":
        return lists.correlation(xs, columns[1])
    if name == "at_max":
        return lists.at_greatest(xs, columns[1])
    if name == "last":
        return xs[-1] if xs else math.nan
    msg = f"unknown function {name!r}"
    raise FormulaSyntaxError(msg)


def _of_sequence(function: str, row: Sequence[float], selected: Sequence[bool] | None) -> float | bool:
    values = [float(x) for t, x in enumerate(row) if selected is None or selected[t]]
    name = function[len("seq_") :]
    if name == "any":
        return any(values)
    if name == "all":
        return all(values)
    if name in ("first", "last"):
        return (values[0] if name == "first" else values[-1]) if values else math.nan
    return _statistic(name, [values], 1)


def _over_vocab(function: str, entries: Sequence[float]) -> Nested:
    if function == "entropy":
        return lists.entropy(entries)
    if function == "logsumexp":
        return lists.logsumexp(entries)
    if function == "sum_vocab":
        return lists.total(entries)
    logs = lists.log_softmax(entries)
    return logs if function == "log_softmax" else [math.exp(x) for x in logs]


def _map_tokens(function: str, logits: Nested, tokens: Nested) -> Nested:
    def one(entries: Sequence[float], token: int) -> float | bool:
        if function == "argmax_equals":
            return max(range(len(entries)), key=entries.__getitem__) == token
        # Only padding may hold ids outside the vocabulary.
        return lists.log_softmax(entries)[token] if 0 <= token < len(entries) else math.nan

    return [
        [one(entries, token) for entries, token in zip(row, ids, strict=True)]
        for row, ids in zip(logits, tokens, strict=True)
    ]


def _apply(operator: str, operands: Sequence[Nested]) -> Nested:
    return _map(UNARY[operator] if len(operands) == 1 else BINARY[operator], operands)


def _map(function: Callable[..., Nested], operands: Sequence[Nested]) -> Nested:
    """Apply a function element by element; a number goes with every element."""
    nested = [operand for operand in operands if isinstance(operand, list)]
    if not nested:
        return function(*operands)
    length = len(nested[0])
    columns = [operand if isinstance(operand, list) else repeat(operand, length) for operand in operands]
    if length and any(isinstance(operand[0], list) for operand in nested):
        return [_map(function, parts) for parts in zip(*columns, strict=True)]
    return list(map(function, *columns))


def _flat(x: Nested) -> list[Any]:
    if not isinstance(x, list):
        return [x]
    return [leaf for part in x for leaf in _flat(part)]


def _depth(x: Nested) -> int:
    depth = 0
    while isinstance(x, list):
        depth += 1
        x = x[0] if x else None
    return depth


def _words(text: str, let: Mapping[str, str]) -> set[str]:
    """Return the names that a formula uses, through ``let`` too."""
    words: set[str] = set()
    todo: list[Term] = [parse(text)]
    while todo:
        term = todo.pop()
        if isinstance(term, Word) and term.name not in words:
            words.add(term.name)
            if term.name in let:
                todo.append(parse(let[term.name]))
        elif isinstance(term, Apply):
            todo.extend(term.operands)
        elif isinstance(term, Invoke):
            todo.extend([*term.arguments, *(value for _, value in term.keywords)])
    return words
