"""What a translation did, on one screen: what was written, how much the names differ, what to check."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from rlmetrics.lazy_typing import TYPE_CHECKING, Any
from rlmetrics.logs.reading.steps import STEP_NAMES
from rlmetrics.names.tables.key_records import Transform
from rlmetrics.wording.footnotes import Notes, notes_of
from rlmetrics.wording.keylists import fitting
from rlmetrics.wording.metric_facts import converted
from rlmetrics.wording.signature_words import chosen_lines
from rlmetrics.wording.terminal import columns, extent, width, wrapped
from rlmetrics.wording.voice import begun, later, phrase, spoken

from .severities import Severities

if TYPE_CHECKING:
    from rlmetrics.names.tables.tables import Overlays, Tables
    from rlmetrics.translate import Report

__all__ = ["translation_lines"]

MOST = 25
"""Lines of an answer."""
_LEAST = 2
"""How many footnotes there are, however many keys."""
_ASIDE = 7
"""Lines for what was set aside, left out and remarked."""
_SLACK = 24
"""Columns that a list may lose at the end of a line."""
_COLLISIONS, _KINDS = 3, 6
_UNREADABLE = "the run's configuration: "


def translation_lines(report: Report, *, dropped: bool = False, spec: Overlays | Tables = None) -> list[str]:
    """Return the answer, in at most 25 lines.

    Args:
        report: The account.
        dropped: Whether keys that the source does not define were left out.
        spec: Folders with further YAML.
    """
    notes = notes_of(report, spec)
    counts = Severities(report, notes)
    told = (_lines(report, notes, counts, dropped=dropped, kinds=kinds) for kinds in range(_KINDS, 0, -1))
    answer: list[str] = []
    for answer in told:
        if len(answer) <= MOST:
            break
    return answer


def _lines(report: Report, notes: Notes, counts: Severities, *, dropped: bool, kinds: int) -> list[str]:
    """Return the answer with so many kinds of files."""
    first = [*_loss(report), *_head(report), *chosen_lines(report.chosen)]
    head = [*first, *_kinds(report, kinds), *_collisions(report)]
    foot = _foot(counts)
    said = [] if notes.configuration is None else wrapped(notes.configuration)
    others = len(head) + len(counts.same) + len(counts.left) + len(counts.apart) + len(said) + len(foot)
    # Two keys that are biased and a footnote, and the blank lines around them.
    left = MOST - others - (7 if notes.shown else 3)
    aside = _first([_two_lines(text) for text in _aside(report, dropped=dropped)], min(_ASIDE, max(1, left)))
    texts = [note.lines() for note in notes.shown]
    fixed = others + len(aside) + bool(notes.all)
    needed = sum(map(len, texts[:_LEAST]))
    whole = len(counts.biased(MOST))
    # Blank lines go before anything else does.
    tight = fixed + whole + sum(map(len, texts)) + 2 + bool(aside) + bool(notes.all) > MOST
    room = MOST - fixed - 1 - (bool(notes.all) if tight else 1 + bool(aside) + bool(notes.all))
    rows = counts.biased(max(2, min(whole, room - needed)))
    below = [*said, *_differing(notes, texts, room - len(rows))]
    lines = [*head, "", *counts.same, *rows, *counts.left, *counts.apart]
    for part, is_apart in ((aside, not tight), (below, True), (foot, not tight)):
        lines += [*([""] if is_apart else []), *part] if part else []
    return lines


def _first(parts: list[list[str]], most: int) -> list[str]:
    """Return as many parts as there is room for, and how many more there are."""
    lines: list[str] = []
    for at, part in enumerate(parts):
        left = len(parts) - at - 1
        if len(lines) + len(part) + bool(left) > most:
            return [*lines, phrase("and {count} more remarks: --full", count=left + 1)]
        lines += part
    return lines


def _loss(report: Report) -> list[str]:
    return wrapped(f"{begun('LOST:')}{text}", hanging=2) if (text := report.loss()) else []


def _head(report: Report) -> list[str]:
    """Return what was written and how much of it has a counterpart."""
    known = len(report.translated) + len(report.kept) + len(report.duplicates)
    count = len(report.translated)
    biased = sum(how["severity"] == "biased" for how in report.translated.values())
    found = later("{count} of {total} keys have a counterpart")
    found = later("{count} of {total} keys has a counterpart") if count == 1 else found
    said = phrase(found, count=count, total=known)
    if biased:
        of_them = phrase("{count} of them biased", count=biased) if count > 1 else phrase("which is biased")
        said += f"{phrase(', ')}{of_them}"
    place = os.path.commonpath(report.outputs) if report.outputs else phrase("nothing")
    files = f"{phrase('{count} files', count=len(report.outputs))}{phrase('; ')}" if len(report.outputs) > 1 else ""
    wrote = later("Would write {place}: {what}.") if report.dry_run else later("Wrote {place}: {what}.")
    return wrapped(phrase(wrote, place=place, what=f"{files}{said}"))


def _kinds(report: Report, most: int) -> list[str]:
    """Return a line for each kind of file in a folder, so many in all."""
    if len(report.files) < 2:
        return []
    reports: dict[tuple[str, str], list[Report]] = {}
    for file in report.files:
        reports.setdefault((file.kind, file.source), []).append(file)
    rows = [
        (kind, _files(len(files)), _records(sum(file.records for file in files)), source)
        for (kind, source), files in reports.items()
    ]
    shown = len(rows) if len(rows) <= most else most - 1
    more = [f"  {phrase('and {count} more kinds and sources', count=len(rows) - shown)}"] if len(rows) > shown else []
    return ["", *columns(rows[:shown]), *more]


def _files(number: int) -> str:
    return phrase("1 file") if number == 1 else phrase("{count} files", count=number)


def _records(number: int) -> str:
    return phrase("1 record") if number == 1 else phrase("{count} records", count=number)


def _collisions(report: Report) -> list[str]:
    """Return which values differ where, for names that several keys claim."""
    lines: list[str] = []
    for new, olds in list(report.collisions.items())[:_COLLISIONS]:
        where = report.differing.get(new)
        if where is None:
            said = later("{name} is claimed by {keys}, whose values differ or never stand together")
            text = phrase(said, name=new, keys=", ".join(olds))
        else:
            values = ", ".join(f"{key} {_shown(value)}" for key, value in where["values"].items())
            step = where.get("step")
            at = phrase("row {row}", row=where["row"])
            at += "" if step is None else f" ({phrase('step {step}', step=f'{step:g}')})"
            said = later("{name} is claimed by keys with different values, first in {place}: {values}")
            text = phrase(said, name=new, place=at, values=values)
        lines += _two_lines(f"{begun('COLLISION:')}{text}{phrase('; ')}{phrase('set aside')}")
    more = len(report.collisions) - _COLLISIONS
    return [*lines, *([phrase("and {count} more collisions: --full", count=more)] if more > 0 else [])]


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)


_UNDECIDED = (
    later("Set aside under {place}, as its counterpart depends on the release or trainer:"),
    later("Set aside under {place}, as their counterparts depend on the release or trainer:"),
)
_OTHERWISE_MEANT = (
    later("Set aside under {place}, where the target means something else by the name:"),
    later("Set aside under {place}, where the target means something else by these names:"),
)
"""Why one name, and why several are set aside."""


def _aside(report: Report, *, dropped: bool) -> Iterable[str]:
    """Yield what was set aside and why, and what was left alone."""
    if report.duplicates:
        said = []
        for old, new in report.duplicates.items():
            same = report.equal.get(old)
            rows = "" if same is None else phrase(" in {count} of {total} rows", count=same["rows"], total=same["of"])
            said.append(f"{old} (= {new if same is None else same['key']}{rows})")
        yield _listing(begun("Not written twice:"), said)
    collided = {old for olds in report.collisions.values() for old in olds}
    aside = [old for old in report.set_aside if old not in collided]
    for names, whys in (
        ([old for old in aside if old in report.undecided], _UNDECIDED),
        ([old for old in aside if old not in report.undecided], _OTHERWISE_MEANT),
    ):
        if names:
            place = report.set_aside[names[0]].removesuffix(names[0])
            yield _listing(begun(whys[len(names) > 1], place=place), names)
    changed = [
        f"{old} ({converted('value', Transform(how['transform']['scale'], how['transform']['offset']))})"
        for old, how in report.translated.items()
        if how["transform"]
    ]
    if changed:
        yield _listing(begun("Values are converted:"), changed)
    # What says where a row stands is no metric that somebody would miss.
    unknown = [name for name in report.unknown if name not in STEP_NAMES]
    if unknown:
        done = later("Left out, unknown to the source:") if dropped else later("Kept, unknown to the source:")
        yield _listing(begun(done), unknown, lines=1)
    if report.failed:
        first = spoken(next(iter(report.failed.values())))
        yield phrase("Refused, left out: {files}, first {what}", files=_files(len(report.failed)), what=first)
    if report.left_alone:
        path, why = next(iter(report.left_alone.items()))
        other = later("Of another source, left alone: {files}, first {path}: {what}")
        yield phrase(other, files=_files(len(report.left_alone)), path=path, what=spoken(why))
    parts = [
        (later("{files} without names copied as they are"), report.copied),
        (later("{files} left out"), report.skipped),
    ]
    told = [phrase(text, files=_files(len(files))) for text, files in parts if files]
    if told:
        yield f"{phrase(', ').join(told)}."
    yield from sorted(report.notes, key=lambda note: _UNREADABLE not in note)


def _listing(told: str, names: Sequence[str], *, lines: int = 2) -> str:
    """Return a sentence with a list that fits into some lines, and how many more there are."""
    return f"{told}{fitting(names, lines * width() - extent(told) - (lines - 1) * _SLACK - 1)}."


def _differing(notes: Notes, texts: list[list[str]], room: int) -> list[str]:
    """Return the footnotes that fit, and how many more there are."""
    lines: list[str] = []
    count = 0
    for text in texts:
        if count and len(lines) + len(text) > room:
            break
        lines += text
        count += 1
    left = [*([phrase("{count} more biased", count=len(texts) - count)] if count < len(texts) else []), *notes.left]
    title = phrase("What differs")
    title += f" ({phrase(', ').join(left)}: --full)" if left else ""
    return [title, *lines] if texts or left else []


def _foot(counts: Severities) -> list[str]:
    """Return what to check, and where the whole report is."""
    check = (
        [_listing(begun("Check before plotting (same name, biased):"), counts.unsure, lines=1)] if counts.unsure else []
    )
    return [*check, phrase("Report: --full, --html FILE, --json")]


def _two_lines(text: str) -> list[str]:
    """Return a text in at most two lines; what is left out is in the whole report."""
    lines = wrapped(text, hanging=2)
    return lines if len(lines) <= 2 else [lines[0], f"{lines[1][: width() - 2].rstrip()} …"]
