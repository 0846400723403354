"""Thresholds and directions beside the name of a metric in configuration: they follow its values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal, InvalidOperation

from rlmetrics.lazy_dataclasses import replace
from rlmetrics.logs.decimals import convert_decimal
from rlmetrics.logs.yamlspans import Scalar
from rlmetrics.names.tables.key_records import Transform

__all__ = ["following"]

_LIMIT = re.compile(r"(?:\w+_)?(?:target|threshold)(?:_value)?")
"""Keys of a value that the metric is compared with."""
_DIFFERENCES = {"min_delta", "early_stopping_threshold"}
"""Keys of a difference between two of its values."""
_OF_SOMETHING_ELSE = {"threshold_mode", "change_dir", "change_type"}
"""Where one of these stands, a threshold may be a share of the value, or a number of standard deviations."""
_DIRECTIONS = {
    *("goal", "mode", "direction", "greater_is_better"),
    *("op", "operator", "cmp", "cmp_op", "agg", "agg_op", "change_dir"),
}
_WRITTEN_OUT = 100
"""Up to which power of ten numbers are written without an exponent."""
_NUMBER = re.compile(r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_PAIRS = [
    ("maximize", "minimize"),
    ("maximise", "minimise"),
    ("max", "min"),
    ("true", "false"),
    ("gt", "lt"),
    ("gte", "lte"),
    ("ge", "le"),
    (">", "<"),
    (">=", "<="),
    ("increase", "decrease"),
]
_TURNED = {first: second for pair in _PAIRS for first, second in (pair, pair[::-1])}


def following(name: Scalar, transform: Transform, scalars: Iterable[Scalar]) -> Iterator[tuple[Scalar, str]]:
    """Yield what stands beside a name and changes with its values, and what it becomes.

    Numbers are converted in decimal digits, so that converting back gives the same.

    Args:
        name: The name.
        transform: How its values change.
        scalars: All of the file.
    """
    beside = {
        scalar.path[-1]: scalar
        for scalar in scalars
        if not scalar.is_key and scalar.path and scalar.path[:-1] == name.path[:-1] and scalar != name
    }
    difference = replace(transform, scale=abs(transform.scale), offset=0.0)
    for key, scalar in beside.items():
        if not isinstance(key, str):
            continue
        if key in _DIFFERENCES:
            new = _converted(scalar.text, difference)
        elif _LIMIT.fullmatch(key) and beside.keys().isdisjoint(_OF_SOMETHING_ELSE):
            new = _converted(scalar.text, transform)
        else:
            new = _turned(scalar.text) if key in _DIRECTIONS and transform.scale < 0 else scalar.text
        if new != scalar.text:
            yield scalar, new


def _converted(text: str, transform: Transform) -> str:
    if not _NUMBER.fullmatch(text):
        return text
    try:
        new = convert_decimal(Decimal(text), transform.scale, transform.offset)
    except (InvalidOperation, TypeError):
        return text
    return f"{new:f}" if abs(new.adjusted()) < _WRITTEN_OUT else str(new)


def _turned(text: str) -> str:
    """Return the opposite direction, in the same case; what is none stays."""
    sign = "$" if text.startswith("$") else ""
    word = text[len(sign) :]
    new = _TURNED.get(word.lower(), word.lower())
    if new == word.lower():
        return text
    return sign + (new.upper() if word.isupper() else new.capitalize() if word.istitle() else new)
