"""The release strip: releases from left to right, a row for each trainer, a colour and letter for each meaning."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from markupsafe import Markup

from rlmetrics.names.differences.severity import SEVERITIES
from rlmetrics.names.tables.framework_table import FrameworkTable
from rlmetrics.names.tables.tables import Tables
from rlmetrics.wording.metric_facts import sentence

from .html import render
from .lives import Life, LifePiece
from .meaning_letters import Letter, MeaningWords, PageMeanings
from .page import Asset
from .panel import taken, told, when
from .severity_marks import severity_mark, severity_name, severity_sign
from .strip_rows import TrainerRow, spans
from .texts import Texts

__all__ = ["RELEASES", "SCRIPT", "Strip", "release_data"]

RELEASES = "assets/generated/releases.js"
"""The releases of every framework, which the script of the strip reads."""

SCRIPT = "assets/strip.js"

_NARROW = 2.2
"""Per cent of the strip's width below which no letter fits."""
_TICKS = 7
_MOST_TOLD = 6
_MOST_KEYS = 2
"""So many keys a row names; the panel and the table name all."""
_LONG = 20
"""Above so many lines the table leaves out what legend and panel say."""
_MANY = 60
"""Above so many pieces the panel leaves small differences to the pages of the keys."""
_CROWDED = 100
"""Above so many pieces the panel tells differences in few words; the pages of the metrics tell them at length."""


class _Segment(NamedTuple):
    first: int
    last: int
    letter: Letter
    key: str
    piece: LifePiece
    life: Life


class Strip:
    """A strip with everything that belongs to it: the legend, the panel's data, the table.

    Args:
        table: The framework.
        tables: The spec.
        rows: The rows, at least one.
        meanings: The letters of the page.
        words: The words for them.
        texts: The language.
        keyed: Whether rows say under which keys it is logged; the page of a key says so above.
    """

    def __init__(
        self,
        table: FrameworkTable,
        tables: Tables,
        rows: Sequence[TrainerRow],
        meanings: PageMeanings,
        words: MeaningWords,
        texts: Texts,
        *,
        keyed: bool = False,
    ) -> None:
        self._keyed = keyed
        self._table = table
        self._tables = tables
        self._meanings = meanings
        self._words = words
        self._texts = texts
        self._rows = rows
        self._count = len(table.releases.names)
        self._say: dict[Markup, int] = {}
        self._keys: dict[str, int] = {}
        self._paths: dict[tuple[str, str | None], int] = {}
        count = sum(len(row.items) for row in rows)
        self._many, self._crowded = count > _MANY, count > _CROWDED
        self.segments = [self._segments(row) for row in rows]

    def _segments(self, row: TrainerRow) -> list[_Segment]:
        """Return what is drawn: pieces with one letter and one name are one."""
        found: list[_Segment] = []
        for life, piece in row.items:
            letter = self._meanings.letter(piece)
            if self._crowded:
                letter = letter._replace(special=False)
            last = found[-1] if found else None
            if last is not None and (last.letter, last.key, last.last + 1) == (letter, life.key, piece.first):
                found[-1] = last._replace(last=piece.last, piece=piece)
            else:
                found.append(_Segment(piece.first, piece.last, letter, life.key, piece, life))
        return found

    def html(self, page: str) -> Markup:
        """Return the strip.

        Args:
            page: The address of the page that it stands on.
        """
        names = self._table.releases.names
        rows = [
            {
                "names": row.names,
                "logged": self._named(segments) if self._keyed else [],
                "span": spans([(row.first, row.last)], self._table),
                "segments": [self._drawn(segment) for segment in segments],
            }
            for row, segments in zip(self._rows, self.segments, strict=True)
        ]
        legend = [
            (letter, self._legend(piece), self._special(letter, piece, others))
            for letter, piece, others in self._meanings.listed(piece for row in self._rows for _, piece in row.items)
        ]
        together = [*zip(self._rows, self.segments, strict=True)]
        listed = [line for row, segments in together for line in self._table_rows(row, segments)]
        if len(listed) > _LONG:
            listed = []
        values = {
            "rows": rows,
            "legend": legend,
            "listed": listed,
            "short": [] if listed else [(row.names, self._table_line(segments)) for row, segments in together],
            "ticks": [(f"{100 * (at + 0.5) / self._count:.2f}", names[at], wide) for at, wide in self._ticks()],
            "data": Markup(json.dumps(self._data(), ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")),
            "framework": self._table.name,
        }
        return render("strip.html.j2", page, self._texts, **values)

    def _named(self, segments: Sequence[_Segment]) -> list[tuple[str, str]]:
        """Return the keys of a row, the newest first, each with its last release where another one came after it."""
        names = self._table.releases.names
        last = {segment.key: segment.last for segment in segments}
        newest = max(last.values())
        keys = sorted(last, key=lambda key: -last[key])
        shown = [(key, "" if last[key] == newest else names[last[key]]) for key in keys[:_MOST_KEYS]]
        return [*shown, *([("…", "")] if len(keys) > _MOST_KEYS else [])]

    def _legend(self, piece: LifePiece) -> Markup:
        return self._words.of(piece, most=0, linked=False) if self._crowded else self._words.of(piece)

    def _drawn(self, segment: _Segment) -> dict[str, object]:
        width = 100 * (segment.last - segment.first + 1) / self._count
        return {
            "left": f"{100 * segment.first / self._count:.2f}",
            "width": f"{width:.2f}",
            "style": segment.letter.style,
            "label": segment.letter.label if width >= _NARROW * len(segment.letter.label) ** 0.5 else "",
            "narrow": width < 2 * _NARROW * len(segment.letter.label),
        }

    def _special(self, letter: Letter, base: LifePiece, others: Sequence[LifePiece]) -> Markup | None:
        """Return what special cases of a letter are, None without any."""
        if not others:
            return None
        told = list(dict.fromkeys(self._words.beyond(piece, base) for piece in others))
        text = Markup("; ").join(told[:2])
        if len(told) > 2:
            text += self._texts.t("; {count} more", count=len(told) - 2)
        if self._crowded:
            return None
        return text if letter.colour < 0 else self._texts.t("in some releases (*) also: {what}", what=text)

    def _table_rows(self, row: TrainerRow, segments: Sequence[_Segment]) -> Iterator[dict[str, object]]:
        for segment in segments:
            line = segment.life.line(segment.last)
            yield {
                "who": row.names,
                "releases": spans([(segment.first, segment.last)], self._table),
                "key": segment.key,
                "letter": segment.letter,
                "severity": severity_mark(segment.piece.severity, self._texts),
                "words": self._words.exactly(segment.piece, linked=False),
                "address": segment.life.address(segment.last),
                "line": None if line is None else f"{line.path.rpartition('/')[2]}:{line.line}",
            }

    def _table_line(self, segments: Sequence[_Segment]) -> list[tuple[str, str, str]]:
        """Return what a trainer logs in one line: releases, key, and the letter of the meaning."""
        keys = [None, *(segment.key for segment in segments)]
        return [
            (
                segment.letter.label,
                spans([(segment.first, segment.last)], self._table),
                segment.key if segment.key != before else "",
            )
            for segment, before in zip(segments, keys, strict=False)
        ]

    def _ticks(self) -> Iterator[tuple[int, bool]]:
        """Yield the places of releases that the axis names, and whether only wide screens have room for them."""
        names = self._table.releases.names
        count = min(_TICKS, self._count)
        wanted = [round(at * (self._count - 1) / max(1, count - 1)) for at in range(count)]
        for number, place in enumerate(wanted):
            near = range(max(0, place - 3), min(self._count, place + 4)) if 0 < number < count - 1 else (place,)
            first = min(near, key=lambda at: (not names[at].endswith(".0"), abs(at - place)))
            yield first, number % 2 == 1

    @property
    def changes(self) -> list[int]:
        """The places at which something changes."""
        found = {segment.first for segments in self.segments for segment in segments}
        found |= {segment.last + 1 for segments in self.segments for segment in segments}
        return sorted(place for place in found if place < self._count)

    def _start(self) -> int:
        """Return the release that is shown first: the newest in which the foremost trainer logs it."""
        return self.segments[0][-1].last

    def _data(self) -> dict[str, object]:
        """Return what the script shows about each release; sentences stand once."""
        rows = [self._row_data(row) for row in self._rows]
        return {
            "start": self._start(),
            "rows": rows,
            "say": list(self._say),
            "keys": list(self._keys),
            "paths": [list(path) for path in self._paths],
            "changes": self.changes,
        }

    def _row_data(self, row: TrainerRow) -> dict[str, object]:
        lines: list[int] = []
        before: tuple[int, int] | None = None
        at = at_line = 0
        for life, piece in row.items:
            for place in range(piece.first, piece.last + 1):
                line = life.line(place)
                found = (-1, 0)
                if line is not None:
                    note = None if line.note is None else f"{line.note.removeprefix('of ')} {line.release}"
                    found = (self._paths.setdefault((line.path, note), len(self._paths)), line.line)
                if found != before:
                    # Each against the one before: small numbers are short.
                    lines += [place - at, found[0], found[1] - at_line]
                    before, at, at_line = found, place, found[1]
        return {
            "n": " ".join(row.names) if len(row.names) == 1 else ", ".join(row.names),
            "e": [row.first, row.last],
            "p": self._pieces_data(row),
            "l": lines,
        }

    def _pieces_data(self, row: TrainerRow) -> list[list[object]]:
        """Return what the panel tells of each run of releases; neighbours of which it tells the same are one."""
        found: list[list[object]] = []
        for life, piece in row.items:
            data = self._piece_data(life, piece)
            if found and found[-1][2:] == data[2:] and found[-1][1] == piece.first - 1:
                found[-1][1] = piece.last
            else:
                found.append(data)
        return found

    def _piece_data(self, life: Life, piece: LifePiece) -> list[object]:
        letter = self._meanings.letter(piece)
        minor = (
            []
            if self._many
            else [reason for reason in piece.reasons if not reason.weighs and reason.applies is not False]
        )
        t, say = self._texts.t, self._texts.say
        more = () if self._crowded else taken(piece, self._tables, self._texts)
        constants = () if self._crowded else piece.entry.constant_when[:2]
        constant = [t("Constant: {what}.", what=say(text.rstrip("."))) for text in constants]
        return [
            piece.first,
            piece.last,
            letter.label,
            letter.style,
            self._keys.setdefault(life.key, len(self._keys)),
            SEVERITIES.index(piece.severity),
            self._sentence(
                self._words.exactly(piece, most=1 if self._crowded else _MOST_TOLD, linked=not self._crowded)
            ),
            [] if self._crowded else [self._sentence(text) for text in told(piece, self._texts)],
            [self._sentence(say(sentence(reason.brief))) for reason in minor],
            [self._sentence(text) for text in (*more, when(piece, self._texts), *constant)],
        ]

    def _sentence(self, text: Markup) -> int:
        return self._say.setdefault(text, len(self._say))


def release_data(tables: Tables, texts: Texts) -> Asset:
    """Return the releases of every framework for the script of the strip, and the words that it says on every page.

    Args:
        tables: The spec.
        texts: The language.
    """
    found = {}
    for name in tables.frameworks:
        table = tables.framework(name)
        url, tagged = table.code
        found[name] = {
            "title": tables.frameworks[name]["title"],
            "releases": [[release, table.releases.dates[release]] for release in table.releases.names],
            "url": url,
            "untagged": [
                at for at, release in enumerate(table.releases.names) if not table.releases.covers(tagged, release)
            ],
        }
    made = {"rlmReleases": found, "rlmStripWords": _script_words(texts)}
    lines = (
        f"window.{name} = {json.dumps(value, ensure_ascii=False, separators=(',', ':'))};"
        for name, value in made.items()
    )
    return Asset(RELEASES, "".join(f"{line}\n" for line in lines))


def _script_words(texts: Texts) -> dict[str, object]:
    """Return what the script says that is the same on every page."""
    plain = texts.plain
    return {
        "severities": [[name, severity_sign(name), severity_name(name, texts)] for name in SEVERITIES],
        "logs": plain("{who} logs {key}"),
        "not": plain("Not logged by {who}."),
        "nobody": plain("No trainer of this release logs it."),
        "smaller": plain("Smaller differences:"),
        "at": plain("{line} at {release}"),
        "changed": plain("changed"),
        "axis": plain("Release of {framework}"),
        "nothing": plain("not logged"),
        "how": plain("Point at a release, tap it, or use the arrow keys; Page Up and Page Down jump between changes."),
        "earlier": plain("earlier change"),
        "later": plain("later change"),
        "release": plain("Release"),
        "previous": plain("previous release"),
        "next": plain("next release"),
    }
