"""A comparison as a person reads it in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from rlmetrics.names.tables.tables import Tables
from rlmetrics.wording.signature_words import enumerated
from rlmetrics.wording.terminal import columns, extent, labelled, padded, symbol, visible, width, wrapped
from rlmetrics.wording.voice import later, phrase

from .comparison_words import joined, lead_of, number, outcome_words, place_of, reason_of, run_words
from .metric_order import MACHINE, OTHER
from .run_comparison import Comparison, Pair
from .standings import EQUAL

__all__ = ["comparison_lines"]

_MOST, _MOST_BESIDE, _MOST_ALONE = 12, 4, 6
_INDENT = _GAP = 2
_DISPUTED = later(
    "Not compared, for releases that may have logged them give them other meanings; --at settles it: {keys}"
)


def comparison_lines(
    comparison: Comparison, tables: Tables, names: tuple[str, str], *, full: bool = False
) -> list[str]:
    """Return a comparison: a screen, unless all of it is asked for.

    Args:
        comparison: Two runs.
        tables: The spec.
        names: What the runs are called, such as ``a`` and ``b``.
        full: Whether to leave nothing out.
    """
    lines = [*wrapped(lead_of(comparison, names)), ""]
    runs = zip(names, (comparison.a, comparison.b), strict=True)
    lines += columns([[name, run.run, run_words(run, tables)] for name, run in runs], indent=0)
    comparable = [pair for pair in comparison.pairs if pair.comparable]
    plain = [pair for pair in comparable if full or pair.rank != MACHINE]
    shown = plain if full else _shown(plain)
    if shown:
        lines += ["", *_table(shown, comparison, names)]
        lines += _rest(plain, shown, comparable, full=full)
    lines += _same_names(comparison, full=full)
    beside = [pair for pair in comparison.pairs if not pair.comparable and pair.a != pair.b]
    if beside:
        lines += ["", phrase("Side by side only")]
        for pair in beside if full else beside[:_MOST_BESIDE]:
            lines += wrapped(
                f"{symbol('look-alike')} {pair.a}  {pair.b}  {reason_of(pair.alike.differs_by, names)}", hanging=4
            )
        if len(beside) > _MOST_BESIDE and not full:
            lines.append(f"  {phrase('and {count} more', count=len(beside) - _MOST_BESIDE)}: --full")
    if comparison.disputed:
        said = phrase(_DISPUTED, keys=enumerated(comparison.disputed))
        lines += ["", *wrapped(said)]
    if comparison.unnamed:
        lines += ["", *wrapped(phrase("Not described, compared by name"))]
        rows = comparison.unnamed if full else comparison.unnamed[:_MOST_BESIDE]
        lines += _rows(rows, names, comparison)
        if len(rows) < len(comparison.unnamed):
            lines.append(f"  {phrase('and {count} more', count=len(comparison.unnamed) - len(rows))}: --full")
    lines += _alone(comparison, names, full=full)
    return lines


def _shown(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the pairs that an answer has room for: those that part come before others of their rank."""
    ordered = sorted(pairs, key=lambda pair: (pair.rank == OTHER, not pair.parts))
    chosen = {id(pair) for pair in ordered[:_MOST]}
    return [pair for pair in pairs if id(pair) in chosen]


def _table(pairs: Sequence[Pair], comparison: Comparison, names: tuple[str, str]) -> list[str]:
    last = comparison.last_step
    title = phrase("At {place}, the last of both", place=place_of(last, comparison)) if last is not None else ""
    return _rows(pairs, names, comparison, title)


def _rows(pairs: Sequence[Pair], names: tuple[str, str], comparison: Comparison, title: str = "") -> list[str]:
    """Return a row for each pair: its name, or one for each run below the other, both values, and how they stand."""
    rows = [(title, "", *names, "")] if title else list[tuple[str, str, str, str, str]]()
    for pair in pairs:
        told = pair.standing
        one, two = map(number, (course.last for course in told.courses)) if told.courses else ("", "")
        said = [outcome_words(pair, names, by_row=comparison.a.by_row)]
        if told.step is not None and told.step != comparison.last_step:
            said.append(phrase("at {place}", place=place_of(told.step, comparison)))
        other = "" if pair.a == pair.b else f"  {visible(pair.b)}"
        rows.append((f"{_mark(pair)} {visible(pair.a)}", other, one, two, phrase("; ").join(said)))
    first = min(max(extent(name) for row in rows for name in row[:2]), width() * 2 // 5)
    second, third = (max(extent(row[at]) for row in rows) for at in (2, 3))
    start = first + second + third + 3 * _GAP
    lines: list[str] = []
    for name, other, value, others, words in rows:
        left = [name] if extent(name) <= first else [name, ""]
        left[-1] = f"{padded(left[-1], first + _GAP)}{padded(value, second + _GAP)}{others}"
        left += [other] if other else []
        right = [""] * (len(left) - 1 - bool(other)) + (wrapped(words, columns=width() - start) if words else [""])
        lines += [f"{padded(text, start)}{beside}".rstrip() for text, beside in zip_longest(left, right, fillvalue="")]
    return lines


def _mark(pair: Pair) -> str:
    return symbol(
        "unreviewed" if pair.severity == "unreviewed" else "same" if pair.severity == "none" else pair.severity
    )


def _rest(plain: Sequence[Pair], shown: Sequence[Pair], comparable: Sequence[Pair], *, full: bool) -> list[str]:
    if full:
        return []
    others, machine = len(plain) - len(shown), len(comparable) - len(plain)
    texts = [phrase("{count} more", count=others)] if others else []
    if others and all(pair.standing.outcome == EQUAL for pair in plain if pair not in shown):
        texts = [phrase("{count} more, equal", count=others)]
    counted = later("one counter or timer") if machine == 1 else later("{count} counters and timers")
    texts += [phrase(counted, count=machine)] if machine else []
    return [f"  {phrase(', ').join(texts)}: --full"] if texts else []


def _same_names(comparison: Comparison, *, full: bool) -> list[str]:
    if not comparison.same_names:
        return []
    lines = ["", phrase("Same name, other number")]
    # Evaluation has the same number under a name of its own, which tells nothing new.
    training = {item.texts for item in comparison.same_names if comparison.a.meanings[item.key].mode == "train"}
    twins = [
        item
        for item in comparison.same_names
        if item.texts in training and comparison.a.meanings[item.key].mode != "train"
    ]
    others = [item for item in comparison.same_names if item not in twins]
    told = comparison.same_names if full else others[: 2 * _MOST_BESIDE]
    room = min(max(extent(item.key) for item in told), width() // 3) + 2 * _INDENT
    for item in told:
        texts = [*item.texts] if full else [*item.texts[:2]]
        more = len(item.texts) - len(texts)
        said = phrase("; ").join([*texts, phrase("{count} more", count=more)] if more else texts)
        lines += labelled(
            f"{symbol(item.severity)} {item.key}", said or phrase("another number of the same name"), room
        )
    if len(told) < len(comparison.same_names):
        lines.append(f"  {phrase('and {count} more', count=len(comparison.same_names) - len(told))}: --full")
    return lines


def _alone(comparison: Comparison, names: tuple[str, str], *, full: bool) -> list[str]:
    alone = [(name, keys) for name, keys in zip(names, (comparison.only_a, comparison.only_b), strict=True) if keys]
    lines = [""] if alone else []
    for name, keys in alone:
        most = len(keys) if full else _MOST_ALONE
        lines += wrapped(phrase("Only in {run}: {keys}", run=name, keys=joined(keys, most)), hanging=_INDENT)
    return lines
