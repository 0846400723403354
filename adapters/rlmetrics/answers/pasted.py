"""Values that people paste: `key=value`, a row as transformers or verl prints it, JSON, or a table of two columns."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rlmetrics.lazy_typing import Any, NamedTuple
from rlmetrics.names.tables.printed_numbers import half_unit, shared_decimals

__all__ = ["Given", "apart", "no_number", "parse_row", "parse_rows", "parse_value"]

_PLAIN = r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_LOST = {"nan", "inf", "+inf", "-inf", "infinity", "+infinity", "-infinity"}
_NULL = {"none", "null", "<na>", "n/a"}
_NUMBER = re.compile(_PLAIN)
_CALL = re.compile(rf"(?:[A-Za-z_][\w.]*\()?\s*({_PLAIN}|[-+]?\w+)\s*(?:,[^()]*)?\)?")
"""A number, also as `tensor(0.5, device='cuda:0')` or `np.float64(0.5)`."""
_QUOTED = re.compile(
    r"""(?P<quote>['"])(?P<key>(?:\\.|(?!(?P=quote)).)+)(?P=quote)\s*:\s*
    (?P<value>'[^']*'|"[^"]*"|[A-Za-z_][\w.]*\([^()]*\)|[^\s,{}\[\]]+)""",
    re.VERBOSE,
)
_ASSIGNED = re.compile(r"([^\s=,;]+)\s*=\s*((?:[A-Za-z_][\w.]*\([^()]*\))|[^\s,;]+)")
_JOINT = re.compile(r"\s-\s")
_STEP = re.compile(r"(?:^|\s)step:")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_LINE = re.compile(r"\s*\|?\s*(?P<key>[^\s|:=][^|\t=]*?)\s*(?:\||\t|=|:\s)\s*(?P<value>[^\s|][^|\t]*?)\s*\|?\s*")


class Given(NamedTuple):
    """A value as somebody gave it.

    Attributes:
        text: As it was written, without quotes or the call around it.
        number: What it is; None for null.
        half: How far it can be from that: half a unit of the last decimal where decimals were counted, else 0.
    """

    text: str
    number: float | None
    half: float = 0.0


def parse_value(text: str) -> Given | None:
    """Return a number, NaN, an infinity or null, in any way that loggers write them; None for anything else."""
    bare = text.strip()
    if len(bare) > 1 and bare[0] == bare[-1] and bare[0] in "'\"":
        bare = bare[1:-1].strip()
    call = _CALL.fullmatch(bare)
    if call is None:
        return None
    if "(" in bare:
        bare = call[1]
    word = bare.lower()
    if word in _NULL:
        return Given(bare, None)
    if word in _LOST:
        return Given(bare, math.nan if word == "nan" else -math.inf if word.startswith("-") else math.inf)
    return Given(bare, float(bare), half_unit(bare)) if _NUMBER.fullmatch(bare) else None


def parse_row(text: str) -> dict[str, Given]:
    """Return the values of a pasted row by key, in its order; nothing if the text holds none.

    Understood are `key=value`, one or several; a JSON object; a Python dictionary as it is printed, cut off or within
    a line of a log; a line of verl's console; and lines of two columns. What is no number is left out.
    """
    plain = _COLOUR.sub("", text).strip()
    for read in (_json, _printed, _console, _assigned, _lines):
        values = {key: given for key, given in read(plain) if given is not None}
        if values:
            decimals = shared_decimals(given.text for given in values.values())
            return {key: given._replace(half=half_unit(given.text, decimals)) for key, given in values.items()}
    return {}


def parse_rows(texts: Sequence[str]) -> dict[str, Given]:
    """Return the values of several pasted lines: each a row of its own, or all together one that has many lines."""
    rows = [parse_row(text) for text in texts]
    if len(texts) > 1 and all(len(row) <= 1 for row in rows) and (whole := parse_row("\n".join(texts))):
        return whole
    return {key: given for row in rows for key, given in row.items()}


def apart(texts: Sequence[str]) -> list[list[str]]:
    """Return pasted lines parted into rows: one that has a key of the row before it once more begins another row."""
    rows: list[list[str]] = []
    known: dict[str, Given] = {}
    for text in texts:
        values = parse_row(text)
        again = any(key in known and known[key].text != given.text for key, given in values.items())
        if again or not rows:
            rows.append([])
            known = {}
        rows[-1].append(text)
        known.update(values)
    return rows


def no_number(text: str) -> tuple[str, str] | None:
    """Return the key and the value of `key=value` where the value is no number; None where the text is no such pair."""
    key, sign, value = (part.strip() for part in text.partition("="))
    return (key, value) if sign and key and value and " " not in key and parse_value(value) is None else None


def _json(text: str) -> Iterator[tuple[str, Given | None]]:
    if not text.startswith("{"):
        return
    try:
        data = json.loads(text, parse_float=_Written, parse_int=_Written)
    except (ValueError, RecursionError):
        return
    yield from _members(data)


class _Written(str):
    """A number as it was written."""

    __slots__ = ()


def _members(data: Mapping[str, Any]) -> Iterator[tuple[str, Given | None]]:
    for key, value in data.items():
        if isinstance(value, dict):
            # verl writes {"step": 1, "data": {…}}.
            if key == "data":
                yield from _members(value)
        elif key == "step" and isinstance(data.get("data"), dict):
            continue
        elif value is None:
            yield key, Given("null", None)
        elif isinstance(value, float):
            yield key, Given(str(value), value)  # NaN and infinities
        elif isinstance(value, str):
            yield key, parse_value(value)


def _printed(text: str) -> Iterator[tuple[str, Given | None]]:
    for match in _QUOTED.finditer(text):
        yield re.sub(r"\\(.)", r"\1", match["key"]), parse_value(match["value"])


def _console(text: str) -> Iterator[tuple[str, Given | None]]:
    begin = _STEP.search(text)
    if begin is None and _JOINT.search(text) is None:
        return
    for part in _JOINT.split(text[begin.start() if begin else 0 :]):
        key, colon, value = part.strip().rpartition(":")
        if colon and key != "step" and key and not re.search(r"\s", key):
            yield key, parse_value(value)


def _assigned(text: str) -> Iterator[tuple[str, Given | None]]:
    whole = text.splitlines() if "\n" in text else [text]
    pairs = [match for line in whole for match in _ASSIGNED.finditer(line)]
    if len(whole) == 1 and len(pairs) == 1 and pairs[0].span() != (0, len(text)):
        # One key that holds blanks, such as `profiling/Time taken: vLLM.generate=0.1`.
        key, _, value = text.rpartition("=")
        yield from _texts([(key, value)] if "=" not in key and "/" in key.split()[0] else [])
        return
    yield from _texts((match[1], match[2]) for match in pairs)


def _lines(text: str) -> Iterator[tuple[str, Given | None]]:
    matches = (_LINE.fullmatch(line) for line in text.splitlines())
    yield from _texts((item["key"], item["value"]) for item in matches if item is not None)


def _texts(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, Given | None]]:
    for key, value in pairs:
        yield key.strip().strip("'\""), parse_value(value)
