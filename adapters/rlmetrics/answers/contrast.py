"""Two keys side by side: what sets them apart in one line, then both, field by field."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .judged import judge
from .pasted import Given
from .terminal import columns, labelled, width, wrapped
from .values import formula_of, guards_of
from .words import averaged_words, listed, population_words, quantity_words, snapshot_words

if TYPE_CHECKING:
    from rlmetrics.names import Resolution
    from rlmetrics.names.protocol import View
    from rlmetrics.names.tables import Tables

__all__ = ["Side", "contrast_lines", "usual_pair"]

Side = tuple["View", "Resolution"]
"""A key with the source that it is of."""

_LABEL, _GAP = 10, 2
_MOST_SETTINGS = 4
_SENTENCE = re.compile(r"(.*?[.!?:])(?:\s|$)", re.DOTALL)
_FACETS = ("of", "predicate", "estimator", "policy", "extent", "statistic")
_ALWAYS = {True: "yes, by default", False: "not by default", None: "depends on your settings"}


def usual_pair(first: Sequence[Side], second: Sequence[Side]) -> tuple[Side, Side] | None:
    """Return the two meanings to compare: of one component if one logs both, else the first that is logged of each."""
    known = [[side for side in sides if side[1].metric is not None] for sides in (first, second)]
    if not all(known):
        return None
    pairs = [(a, b) for a in known[0] for b in known[1]]
    return min(
        pairs,
        key=lambda pair: (
            sum(side[1].logged_by_default is False for side in pair),
            (pair[0][1].source, pair[0][1].component) != (pair[1][1].source, pair[1][1].component),
        ),
    )


def contrast_lines(first: Side, second: Side, *, full: bool = False) -> list[str]:
    """Return how two keys differ.

    Args:
        first: One key, whose metric is known.
        second: The other.
        full: Whether nothing is folded.
    """
    tables = first[0].tables
    sides = (first, second)
    rows = [(label, tuple(tell(side) for side in sides)) for label, tell in _ROWS]
    rows = [(label, cells) for label, cells in rows if any(cells)]
    differing = [label for label, cells in rows if cells[0] != cells[1] and label not in _TOLD]
    lines = [*wrapped(_headline(first[1], second[1], differing, tables)), ""]
    lines += _beside("", *_names(first[1], second[1]))
    alike: list[tuple[str, str]] = []
    for label, cells in rows:
        if cells[0] == cells[1] and cells[0]:
            alike.append((label, cells[0]))
        else:
            lines += _beside(label, *(text or "-" for text in cells))
    if alike:
        lines += ["", "The same in both"]
        lines += columns(alike)
    settings = [
        (when, f"{name}: {text}")
        for name, (view, found) in zip(_names(first[1], second[1]), sides, strict=True)
        for when, text in _settings(view, found)
    ]
    if settings:
        shown = settings if full else settings[:_MOST_SETTINGS]
        lines += ["", "Settings that change them", *columns(shown)]
        lines += [f"  and {len(settings) - len(shown)} more: --full"] if len(shown) < len(settings) else []
    places = [f"{item[1].evidence[0].path}:{item[1].evidence[0].line}" for item in sides if item[1].evidence]
    return [*lines, "", *labelled("source", list(dict.fromkeys(places)))] if places else lines


def _headline(first: Resolution, second: Resolution, differing: Sequence[str], tables: Tables) -> str:
    """Return what sets two keys apart."""
    names = _names(first, second)
    one, other = (tables.metrics[str(item.metric)] for item in (first, second))
    briefs = [_lowered(str(row["brief"]).rstrip(".")) for row in (one, other)]
    if first.metric == second.metric:
        how = f"computed differently: see {listed(differing)}" if differing else "and computed alike"
        return f"The same quantity, {how}. Both are {briefs[0]}."
    mine, theirs = one["identity"], other["identity"]
    if mine["quantity"] != theirs["quantity"]:
        return f"Different quantities: {names[0]} is {briefs[0]}; {names[1]} is {briefs[1]}."
    pairs = [_compared(row["identity"], tables) for row in (one, other)]
    if all(pairs) and pairs[0] != pairs[1]:
        return f"Different pairs of policies: {names[0]} compares {pairs[0]}, {names[1]} compares {pairs[1]}."
    parts = [
        f"{facet.replace('of', 'object') if facet == 'of' else facet} {_facet(mine, facet, tables)} against "
        f"{_facet(theirs, facet, tables)}"
        for facet in _FACETS
        if mine.get(facet) != theirs.get(facet)
    ]
    return f"The same kind of number, but not the same one: {'; '.join(parts)} ({names[0]} against {names[1]})."


def _facet(identity: Mapping[str, Any], facet: str, tables: Tables) -> str:
    value = identity.get(facet)
    if value is None:
        return "none"
    words = tables.signatures["WORDS"]
    known: Mapping[str, str] = {"policy": words["policies"], "extent": words["extents"]}.get(facet, {})
    return known.get(str(value), str(value).replace("_", " "))


def _compared(identity: Mapping[str, Any], tables: Tables) -> str | None:
    """Return the two sides of a divergence."""
    words: Mapping[str, str] = tables.signatures["WORDS"]["policies"]
    sides = identity.get("distributions")
    return None if sides is None else " with ".join(words.get(side, side) for side in sides)


def _names(first: Resolution, second: Resolution) -> tuple[str, str]:
    """Return what the keys are called here: their last parts where these differ."""
    one, other = (item.key.rpartition("/")[2] for item in (first, second))
    if one != other:
        return one, other
    if first.key != second.key:
        return first.key, second.key
    return f"{first.key} ({first.source})", f"{second.key} ({second.source})"


def _beside(label: str, *texts: str) -> list[str]:
    """Return a label and two texts beside it, each wrapped in its own column."""
    room = (width() - _LABEL - 2 * _GAP) // 2
    cells = [wrapped(text, columns=room) for text in texts]
    starts = [_LABEL + _GAP, _LABEL + _GAP + max(room, *(len(line) for line in cells[0])) + _GAP]
    lines = []
    for at in range(max(map(len, cells))):
        line = f"  {label}" if at == 0 else ""
        for start, cell in zip(starts, cells, strict=True):
            line = line.ljust(start) + (cell[at] if at < len(cell) else "")
        lines.append(line.rstrip())
    return lines


def _metric(side: Side) -> Mapping[str, Any]:
    row: Mapping[str, Any] = side[0].tables.metrics[str(side[1].metric)]
    return row


def _is(side: Side) -> str | None:
    tables = side[0].tables
    if _metric(side)["identity"].get("distributions") is not None:
        return quantity_words(str(side[1].metric), tables)
    return str(_metric(side)["brief"]).rstrip(".")


def _sign(side: Side) -> str | None:
    span = _metric(side).get("range")
    if span is None:
        return "may be negative"
    low, high = span
    if low is not None and high is not None:
        return f"{low:g} to {high:g}"
    if low is not None:
        return "never negative" if low == 0 else f"{low:g} or more"
    return "never positive" if high == 0 else f"{high:g} or less"


def _counted(side: Side) -> str | None:
    signature = side[1].signature
    return None if signature is None else population_words(signature.population, side[0].tables)


def _averaged(side: Side) -> str | None:
    signature = side[1].signature
    return None if signature is None else averaged_words(signature, side[1].metric, side[0].tables)


def _policy(side: Side) -> str | None:
    signature = side[1].signature
    return None if signature is None else snapshot_words(signature.snapshot, side[0].tables)


def _logged(side: Side) -> str:
    found = side[1]
    if found.condition is None:
        return "always"
    return f"{_ALWAYS[found.logged_by_default]}; only if {found.condition}"


def _zero(side: Side) -> str | None:
    """Return what 0 means."""
    view, found = side
    head = judge(found, Given("0", 0.0), view.tables, guards_of(view, found))[0]
    if head.origin in ("nothing", "range"):
        return None
    first = _SENTENCE.match(head.says)
    return head.says if first is None else first[1].rstrip(":")


def _besides(side: Side) -> str | None:
    """Return in which ways the number departs from its plain definition."""
    signature = side[1].signature
    names: Iterable[str] = () if signature is None else signature.traits
    traits = (side[0].tables.traits[name] for name in names)
    said = [str(trait["what"]) for trait in traits if trait["grade"] != "minor" or trait["facet"] == "estimator"]
    return "; ".join(said[:2]) or None


def _settings(view: View, found: Resolution) -> list[tuple[str, str]]:
    """Return what other settings change: another metric first."""
    changes = [item for item in found.alternatives if item.when is not None]
    changes.sort(key=lambda item: item.metric == found.metric)
    told = []
    for item in changes:
        if item.metric is not None and item.metric != found.metric:
            told.append((str(item.when), quantity_words(item.metric, view.tables)))
        elif item.what:
            told.append((str(item.when), item.what.replace("_", " ")))
    return told


def _lowered(text: str) -> str:
    return text if text[:2].isupper() else text[:1].lower() + text[1:]


_ROWS: tuple[tuple[str, Callable[[Side], str | None]], ...] = (
    ("is", _is),
    ("formula", lambda side: formula_of(*side)),
    ("sign", _sign),
    ("unit", lambda side: side[1].unit),
    ("counted", _counted),
    ("policy", _policy),
    ("averaged", _averaged),
    ("logged", _logged),
    ("by", lambda side: f"{side[1].component} of {side[1].source}"),
    ("reads 0", _zero),
    ("besides", _besides),
)
_TOLD = frozenset({"is", "by", "reads 0", "sign"})
"""Rows that a first line about what differs need not name."""
