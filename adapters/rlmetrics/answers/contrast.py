"""Two keys side by side: what sets them apart in one line, then both, field by field."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from rlmetrics.lazy_typing import TYPE_CHECKING, Any
from rlmetrics.names.differences.relations import unstated_words
from rlmetrics.names.meanings.view import FrameworkView
from rlmetrics.names.tables.sentence_case import lowered
from rlmetrics.wording.condition_words import condition_words
from rlmetrics.wording.metric_facts import formula_texts, measured_text, metric_brief, range_of
from rlmetrics.wording.setting_words import settings_that_change
from rlmetrics.wording.signature_words import (
    averaged_words,
    listed,
    population_words,
    quantity_words,
    snapshot_words,
    source_words,
)
from rlmetrics.wording.terminal import extent, labelled, padded, symbol, width, wrapped
from rlmetrics.wording.voice import phrase, spoken

from .judged import judge, showing
from .pasted import Given
from .trust import misses_rows

if TYPE_CHECKING:
    from rlmetrics.names import Resolution
    from rlmetrics.names.meanings.protocol import View
    from rlmetrics.names.tables.tables import Tables

__all__ = ["Side", "contrast_lines", "usual_pair"]

Side = tuple["View", "Resolution"]
"""A key with the source that it is of."""

_LABEL, _GAP = 10, 2
_BRIEF, _LOGGED = "is", "logged"
_MOST_SETTINGS = 1
_LONG = 60
_MOST_TRAITS = 1
_ESTIMATE = "estimator"
_PATH = re.compile(r"(?<![\w.])\w+\.\w+\.(?=\w)")
_SENTENCES = re.compile(r"(?<=[.!?])\s+")
_SENTENCE = re.compile(r"(.*?[.!?:])(?:\s|$)", re.DOTALL)
_FACETS = ("of", "predicate", "policy", "estimator", "extent", "statistic")
_PHRASES = {"policy": "moments", "estimator": "estimators", "extent": "extents", "statistic": "statistics"}
"""Facets that a few words of the spec tell; where others differ, the briefs tell it."""
_VERBS = {"policy": "taken", "estimator": "estimated", "extent": "", "statistic": ""}
_OWN = frozenset({"a", "an", "the", "one", "half", "how", "minus", "whether", "what", "where", "1"})
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
    sides = (first, second)
    rows = [(label, tuple(tell(side) for side in sides)) for label, tell in _ROWS]
    differing = [(label, cells) for label, cells in rows if cells[0] != cells[1]]
    alike = [(label, cells[0]) for label, cells in rows if cells[0] == cells[1] and cells[0] is not None]
    headline = _headline(sides, [label for label, _ in differing if label not in _TOLD])
    settings, folded = _settings(sides, full=full)
    prefix = _prefix([*settings, *(text or "" for label, cells in differing if label == _LOGGED for text in cells)])
    lines = [*wrapped(headline), "", *_beside("", *_names(first[1], second[1]))]
    for label, cells in differing:
        if label != _BRIEF or not all(lowered(text or "") in headline for text in cells):
            lines += _beside(label, *((text or "-").replace(prefix, "") if prefix else text or "-" for text in cells))
    if alike:
        lines += ["", *wrapped(f"Both: {'; '.join(f'{label} {text}' for label, text in alike)}.")]
    lines += ["", phrase("Settings that change them")] if settings else []
    for when, texts in settings.items():
        lines += wrapped(when.replace(prefix, "") if prefix else when, indent=2, hanging=4)
        lines += [line for text in texts for line in wrapped(text, indent=6)]
    lines += [f"  {phrase('and {count} more: --full', count=folded)}"] if folded else []
    lines += ["", *wrapped(f"Settings without a path stand under {prefix[:-1]}.")] if prefix else []
    places = [f"{item[1].evidence[0].path}:{item[1].evidence[0].line}" for item in sides if item[1].evidence]
    return [*lines, *([] if prefix else [""]), *labelled("source", list(dict.fromkeys(places)))] if places else lines


def _settings(sides: tuple[Side, Side], *, full: bool) -> tuple[dict[str, list[str]], int]:
    """Return what settings change about either key, and how many are folded."""
    rows: dict[str, list[str]] = {}
    folded = 0
    for name, side in zip(_names(sides[0][1], sides[1][1]), sides, strict=True):
        settings = _changing(side)
        shown = settings if full else settings[:_MOST_SETTINGS]
        folded += len(settings) - len(shown)
        for when, text in shown:
            rows.setdefault(when, []).append(f"{name}: {text}")
    return rows, folded


def _prefix(texts: Iterable[str]) -> str:
    """Return the two first parts, with their dots, that most settings share; nothing if their names are short."""
    paths = [path for text in texts for path in _PATH.findall(text)]
    return max(dict.fromkeys(paths), key=paths.count, default="")


def _headline(sides: tuple[Side, Side], differing: Sequence[str]) -> str:
    """Return what sets two keys apart."""
    (view, first), (_, second) = sides
    tables = view.tables
    names = _names(first, second)
    one, other = (_metric(side) for side in sides)
    briefs = [_definite(str(row["brief"]).rstrip(".")) for row in (one, other)]
    noted = _noted(first, second)
    if first.metric == second.metric:
        alike = "and computed alike"
        if any(item.signature is not None and item.signature.unstated for item in (first, second)):
            alike = "and computed alike as far as it is stated"
        how = f"computed differently: see {listed(differing)}" if differing else alike
        return f"{noted}The same quantity, {how}. Both are {briefs[0]}."
    pairs = [_compared(row["identity"], tables) for row in (one, other)]
    if one["identity"]["quantity"] != other["identity"]["quantity"] or noted:
        return f"{noted}Different quantities: {names[0]} is {briefs[0]}; {names[1]} is {briefs[1]}."
    if all(pairs) and pairs[0] != pairs[1]:
        return f"Different pairs of policies: {names[0]} compares {pairs[0]}, {names[1]} compares {pairs[1]}."
    counted = [_counted(side) for side in sides]
    facets = [facet for facet in _FACETS if one["identity"].get(facet) != other["identity"].get(facet)]
    short = {*facets} <= {*_PHRASES}
    told = []
    for name, row, brief, over in zip(names, (one, other), briefs, counted, strict=True):
        parts = [_facet(row["identity"], facet, tables) for facet in facets if facet in row["identity"] and short]
        if not parts:
            said = over is None or f"over {over.removeprefix('all ').partition(',')[0]}" in brief
            parts = [brief, *([] if said or counted[0] == counted[1] else [f"over {over}"])]
        told.append(f"{name} is {', '.join(parts)}")
    return f"Not the same: {'; '.join(told)}."


def _noted(first: Resolution, second: Resolution) -> str:
    """Return what a note on one key says of the other."""
    for item, other in ((first, second), (second, first)):
        prefix = other.key.rpartition("/")[0]
        for text in _SENTENCES.split(item.note or ""):
            if any("/" in name and name in text for name in (other.key, prefix)):
                return f"{item.key}: {text} "
    return ""


def _facet(identity: Mapping[str, Any], facet: str, tables: Tables) -> str:
    """Return one facet of a metric as it stands behind "is"."""
    value = str(identity[facet]).replace("_", " ")
    words = tables.signatures["WORDS"]
    known: Mapping[str, str] = words[_PHRASES[facet]]
    phrase = known.get(str(identity[facet]), f"by {value}" if facet == _ESTIMATE else value)
    return f"{_VERBS[facet]} {phrase}".strip()


def _compared(identity: Mapping[str, Any], tables: Tables) -> str | None:
    """Return the two sides of a divergence."""
    words = tables.signatures["WORDS"]
    known: Mapping[str, str] = {name: f"the {text}" for name, text in words["policies"].items()} | words["snapshots"]
    sides = identity.get("distributions")
    return None if sides is None else " with ".join(known.get(side, side) for side in sides)


def _names(first: Resolution, second: Resolution) -> tuple[str, str]:
    """Return what the keys are called here: their last parts where they stand beside each other."""
    (path, _, one), (other_path, _, other) = (item.key.rpartition("/") for item in (first, second))
    if first.key == second.key:
        return f"{first.key} ({first.source})", f"{second.key} ({second.source})"
    return (one, other) if path == other_path else (first.key, second.key)


def _beside(label: str, *texts: str) -> list[str]:
    """Return a label and two texts beside it, each wrapped in its own column."""
    room = (width() - _LABEL - 2 * _GAP) // 2
    cells = [wrapped(text, columns=room) for text in texts]
    starts = [_LABEL + _GAP, _LABEL + _GAP + max(room, *map(extent, cells[0])) + _GAP]
    lines = []
    for at in range(max(map(len, cells))):
        line = f"  {spoken(label)}" if at == 0 else ""
        for start, cell in zip(starts, cells, strict=True):
            line = padded(line, start) + (cell[at] if at < len(cell) else "")
        lines.append(line.rstrip())
    return lines


def _metric(side: Side) -> Mapping[str, Any]:
    row: Mapping[str, Any] = side[0].tables.metrics[str(side[1].metric)]
    return row


def _is(side: Side) -> str | None:
    tables, metric, signature = side[0].tables, str(side[1].metric), side[1].signature
    if _metric(side)["identity"].get("distributions") is not None:
        return quantity_words(metric, tables)
    return metric_brief(metric, None if signature is None else signature.reproduced_by, tables).rstrip(".")


def _sign(side: Side) -> str | None:
    signature = side[1].signature
    variant = None if signature is None else signature.reproduced_by
    span = range_of(str(side[1].metric), variant, side[0].tables)
    low, high = span or (None, None)
    if low is None and high is None:
        return "may be negative"
    if low is not None and high is not None:
        return f"{low:g} to {high:g}"
    if low is not None:
        return "never negative" if low == 0 else f"{low:g} or more"
    return "never positive" if high == 0 else f"{high:g} or less"


def _counted(side: Side) -> str | None:
    signature = side[1].signature
    if signature is None or "population" in signature.unstated:
        return None
    return population_words(signature.population, side[0].tables)


def _averaged(side: Side) -> str | None:
    signature = side[1].signature
    if signature is None or "reduction" in signature.unstated:
        return None
    words = averaged_words(signature, side[1].metric, side[0].tables, side[1].mode)
    return None if words is None else words.removeprefix(f"{_counted(side)}; ")


def _trust(side: Side) -> str | None:
    """Return what nobody has stated of a number, so that it may be another one than its formula says."""
    signature = side[1].signature
    if signature is None or not signature.unstated:
        return None
    said = phrase("unreviewed: {what}", what=spoken(unstated_words(signature.unstated)))
    return f"{symbol('unreviewed')} {said}"


def _policy(side: Side) -> str | None:
    signature = side[1].signature
    return None if signature is None else snapshot_words(signature.snapshot, side[0].tables)


def _source(side: Side) -> str:
    view, resolution = side
    framework, _, release = str(resolution.source).partition("==")
    return source_words(f"{framework.partition('[')[0]}[{resolution.component}]=={release}", view.tables)


def _logged(side: Side) -> str:
    view, resolution = side
    if resolution.condition is None:
        return "in every run, though not in every row" if misses_rows(resolution) else "always"
    default = _ALWAYS[resolution.logged_by_default]
    if not isinstance(view, FrameworkView):
        return f"{default}; only if {resolution.condition}"
    words = condition_words(resolution.condition, view.components[str(resolution.component)].config)
    asked = "; ".join(words.only)
    return default if resolution.logged and len(asked) > _LONG else f"{default}; {asked}"


def _formula(side: Side) -> str | None:
    view, resolution = side
    variant = None if resolution.signature is None else resolution.signature.reproduced_by
    texts = formula_texts(str(resolution.metric), variant, view.tables)
    return "; ".join(texts) if texts else measured_text(str(resolution.metric), view.tables)


def _zero(side: Side) -> str | None:
    """Return what 0 means."""
    view, resolution = side
    head = judge(view, resolution, Given("0", 0.0))[0]
    if head.origin in ("nothing", "range"):
        return None
    first = _SENTENCE.match(head.says)
    return head.says if first is None else first[1].rstrip(":")


def _besides(side: Side) -> str | None:
    """Return in which ways the number departs from its plain definition, those of the estimate first."""
    view, resolution = side
    traits = [view.tables.traits[name] for name in showing(view, resolution)]
    telling = [trait for trait in traits if trait["grade"] != "minor" or trait["facet"] == _ESTIMATE]
    telling.sort(key=lambda trait: trait["facet"] != _ESTIMATE)
    return "; ".join(str(trait["what"]) for trait in telling[:_MOST_TRAITS]) or None


def _changing(side: Side) -> list[tuple[str, str]]:
    """Return what other values of single settings change, what weighs most first."""
    view, resolution = side
    if not isinstance(view, FrameworkView) or resolution.template is None or resolution.mode is None:
        return []
    changes = settings_that_change(view.components[str(resolution.component)], resolution.template, resolution.mode)
    return [("; ".join(item.labels), item.effects[0].text) for item in changes]


def _definite(text: str) -> str:
    """Return a brief as it stands behind "is": with an article unless it brings its own or is a clause."""
    return lowered(text) if text.partition(" ")[0].lower() in _OWN else f"the {lowered(text)}"


_ROWS: tuple[tuple[str, Callable[[Side], str | None]], ...] = (
    (_BRIEF, _is),
    ("formula", _formula),
    ("sign", _sign),
    ("in", lambda side: side[1].unit),
    ("counted", _counted),
    ("policy", _policy),
    ("averaged", _averaged),
    ("trust", _trust),
    (_LOGGED, _logged),
    ("by", _source),
    ("reads 0", _zero),
    ("besides", _besides),
)
_TOLD = frozenset({_BRIEF, "by", "reads 0", "sign"})
"""Rows that a first line about what differs need not name."""
