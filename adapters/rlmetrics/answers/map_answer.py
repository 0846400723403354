"""A translation table at a glance: by severity, differences as shared footnotes, twins and timers folded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rlmetrics.lazy_typing import TYPE_CHECKING
from rlmetrics.names.differences.severity import SEVERITIES
from rlmetrics.names.mapping.lookalikes import INSTEAD
from rlmetrics.names.mapping.programs import other_programs
from rlmetrics.wording.map_notes import MapNotes
from rlmetrics.wording.metric_facts import converted, is_timer
from rlmetrics.wording.signature_words import chosen_lines
from rlmetrics.wording.terminal import HARD_BLANK, columns, symbol, wrapped
from rlmetrics.wording.voice import later, phrase, spoken

if TYPE_CHECKING:
    from rlmetrics.names import MapRow
    from rlmetrics.names.mapping.mapping import NameMap

__all__ = ["key_lines", "map_lines"]

_STATISTIC = re.compile(r"(?<![a-z])(mean|min|max|std)(?![a-z])")
_TITLES = {
    "same": later("same: may be renamed"),
    "close": later("close: may share a plot"),
    "unreviewed": later("unreviewed: compare the code before use"),
    "biased": later("biased: own plot"),
    "look-alike": later("look-alikes: do not rename"),
}
_FIRST = {
    "same": (later("is the same in {there}"), later("are the same in {there}")),
    "close": (later("has a close counterpart in {there}"), later("have a close counterpart in {there}")),
    "unreviewed": (later("has an unreviewed one in {there}"), later("have an unreviewed one in {there}")),
    "biased": (later("has a biased one in {there}"), later("have a biased one in {there}")),
    "look-alike": (later("has only look-alikes in {there}"), later("have only look-alikes in {there}")),
    "none": (later("has nothing in {there}"), later("have nothing in {there}")),
}
"""What becomes of one key and of several, in the beginning of a sentence."""
_THEN = {
    "close": later("{count} a close counterpart"),
    "unreviewed": later("{count} an unreviewed one"),
    "biased": later("{count} a biased one"),
    "look-alike": later("{count} only look-alikes"),
    "none": later("{count} nothing"),
}
_HAVE = {
    "close": (later("{count} has a close counterpart"), later("{count} have a close counterpart")),
    "unreviewed": (later("{count} has an unreviewed one"), later("{count} have an unreviewed one")),
    "biased": (later("{count} has a biased one"), later("{count} have a biased one")),
    "look-alike": (later("{count} has only look-alikes"), later("{count} have only look-alikes")),
    "none": (later("{count} has nothing"), later("{count} have nothing")),
}
"""The same further on, and right behind keys that are the same."""
_IS = {
    "same": later("{key} ({here}) is the same as {to} ({there})."),
    "close": later("{key} ({here}) is close to {to} ({there})."),
    "unreviewed": later("{key} ({here}) may be {to} ({there}): that is unreviewed."),
    "biased": later("{key} ({here}) is a biased counterpart of {to} ({there})."),
}
_WHEN = "logged only: "
_MEASURES = " measures it when "
_LOOK_ALIKES, _NOTHING, _NOTES, _EACH = 6, 6, 7, 14
"""How many of a kind are shown unless everything is."""


def map_lines(names: NameMap, *, full: bool = False) -> list[str]:
    """Return a translation table.

    Args:
        names: The table.
        full: Whether every row is shown, with everything that differs.
    """
    return _Table(names, full=full).lines()


class _Table:
    def __init__(self, names: NameMap, *, full: bool) -> None:
        self._names = names
        self._full = full
        self._rows = [row for row in names.rows if full or row.mode == "train"]
        # What only evaluation logs is not folded away.
        if not self._rows:
            self._rows = list(names.rows)
        self._notes = MapNotes(names, [row for row in self._rows if row.to is not None])

    def lines(self) -> list[str]:
        """Return the answer."""
        lines = wrapped(self._first())
        for severity in SEVERITIES[:4]:
            lines += self._group(severity)
        lines += self._look_alikes()
        lines += self._nothing()
        lines += self._folded()
        lines += self._programs()
        return [*lines, *self._footnotes()]

    def _of(self, severity: str) -> list[MapRow]:
        rows = [row for row in self._rows if row.severity == severity]
        return sorted(rows, key=lambda row: (self._is_timer(row), not self._crucial(row)))

    def _is_timer(self, row: MapRow) -> bool:
        return is_timer(row.metric, self._names.from_view.tables)

    def _crucial(self, row: MapRow) -> bool:
        return bool(self._names.from_view.tables.metrics.get(row.metric or "", {}).get("crucial"))

    def _first(self) -> str:
        counts = {severity: sum(row.severity == severity for row in self._rows) for severity in SEVERITIES}
        is_training = not self._full and all(row.mode == "train" for row in self._rows)
        kind = later("{count} of {total} training keys") if is_training else later("{count} of {total} keys")
        parts: list[str] = []
        for severity, count in counts.items():
            if not parts and count:
                head, does = phrase(kind, count=count, total=len(self._rows)), _FIRST[severity][count > 1]
                parts.append(f"{head} {phrase(does, there=self._notes.sides[1])}")
            elif count:
                follows = len(parts) == 1 and counts["same"]
                parts.append(phrase(_HAVE[severity][count > 1] if follows else _THEN[severity], count=count))
        first = phrase("{source} logs nothing.", source=self._names.from_view.source)
        text = f"{phrase(', ').join(parts)}{phrase('.')}" if parts else first
        return " ".join(part for part in (text, self._notes.common_words()) if part)

    def _group(self, severity: str) -> list[str]:
        rows = self._of(severity)
        if not rows:
            return []
        kept = rows
        if severity == "same" and not self._full and len(rows) > _EACH:
            # That a key means what it meant is no news.
            kept = [row for row in rows if row.from_ != row.to]
        groups = list(self._grouped(kept))
        if not self._full and len(groups) > _EACH:
            kept = [row for first, others in groups[:_EACH] for row in (first, *others)]
        cells = list(self._cells(kept))
        if len(kept) < len(rows):
            rest = len(rows) - len(kept)
            told = {id(row) for row in kept}
            keep = sum(row.from_ == row.to for row in rows if id(row) not in told)
            named = f"{'all' if keep == rest else keep} keep their name: " if keep and rest > 1 else ""
            cells.append((f"{rest} more", f"{named}--full"))
        return ["", f"{symbol(severity)} {phrase(_TITLES[severity])}", *columns(cells)]

    def _cells(self, rows: Sequence[MapRow]) -> Iterator[tuple[str, ...]]:
        """Yield the rows, those that differ by a statistic only in one, timers together."""
        timers = [] if self._full else [row for row in rows if self._is_timer(row)]
        apart = {id(row) for row in timers} if len(timers) > 2 else set()
        for first, others in self._grouped([row for row in rows if id(row) not in apart]):
            marks = [f"[{number}]" for number in self._notes.of(first)]
            condition = self._notes.condition(first, self._names.target_of(first))
            alike = [statistic[0] for row in others if (statistic := _STATISTIC.findall(row.from_))]
            told = [
                _transform(first),
                condition,
                phrase("{names} alike", names=", ".join(alike)) if alike else None,
                *marks,
            ]
            to = phrase("same name") if first.to == first.from_ else str(first.to)
            yield (first.from_, to, " ".join(text for text in told if text))
            if self._full:
                yield from (("", f"- {spoken(self._notes.words(item, first))}") for item in first.differs_by)
        if len(timers) > 2:
            numbers = dict.fromkeys(number for row in timers for number in self._notes.of(row))
            moved = dict.fromkeys(str(row.to) for row in timers if row.to != row.from_)
            named = ", ".join(moved) or phrase("same names")
            marks = [f"[{number}]" for number in numbers]
            yield (phrase("{count} timers", count=len(timers)), " ".join((named, *marks)))

    def _grouped(self, rows: Sequence[MapRow]) -> Iterator[tuple[MapRow, list[MapRow]]]:
        """Yield rows with those that differ from them by a statistic only."""
        groups: dict[tuple[object, ...], list[MapRow]] = {}
        for row in rows:
            differs = tuple(item.what for item in row.differs_by if item.applies is not False)
            look_alike = (_STATISTIC.sub("*", row.related[0].to), row.related[0].short) if row.related else None
            place = _STATISTIC.sub("*", row.from_), _STATISTIC.sub("*", str(row.to)), differs, row.transform, look_alike
            groups.setdefault((row.from_,) if self._full else place, []).append(row)
        yield from ((first, others) for first, *others in groups.values())

    def _look_alikes(self) -> list[str]:
        rows = self._of("look-alike")
        if not rows:
            return []
        groups = list(self._grouped(rows))
        shown = groups if self._full else groups[:_LOOK_ALIKES]
        cells = []
        for row, twins in shown:
            if not row.related:
                cells.append((row.from_, spoken(row.note) if row.note else phrase("the same metric, but incomparable")))
                continue
            first, *others = row.related[: 3 if self._full else 1]
            alike = ", ".join(statistic[0] for twin in twins if (statistic := _STATISTIC.findall(twin.from_)))
            end = f" ({phrase('{names} alike', names=alike)})" if alike else ""
            cells.append((row.from_, f"{first.to}: {spoken(first.short or first.why)}{end}"))
            cells += [("", f"{item.to}: {spoken(item.short or item.why)}") for item in others]
        rows = [row for first, others in groups[len(shown) :] for row in (first, *others)]
        lines = ["", f"{symbol('look-alike')} {phrase(_TITLES['look-alike'])}", *columns(cells)]
        return [*lines, f"  {phrase('{count} more: --full', count=len(rows))}"] if rows else lines

    def _nothing(self) -> list[str]:
        rows = self._of("none")
        if not rows:
            return []
        shown = rows if self._full else rows[:_NOTHING]
        names = ", ".join(row.from_.replace(" ", HARD_BLANK) for row in shown)
        more = f" {phrase('and {count} more', count=len(rows) - len(shown))}" if len(shown) < len(rows) else ""
        text = f"{symbol('none')} {phrase('nothing: {keys}', keys=names)}{more}"
        return wrapped(text, hanging=2)

    def _folded(self) -> list[str]:
        """Return how many keys of evaluation there are, and how they fare."""
        rows = [row for row in self._names.rows if row.mode != "train"] if self._rows else []
        if self._full or not rows or rows == self._rows:
            return []
        counts = {name: sum(row.severity == name for row in rows) for name in SEVERITIES}
        said = ", ".join(f"{count} {symbol(name)}" for name, count in counts.items() if count)
        folded = "Folded: {count} keys of evaluation ({what}): --full"
        return wrapped(phrase(folded, count=len(rows), what=said))

    def _programs(self) -> list[str]:
        """Return which program of a whole release is meant, and what the others are called."""
        lines, texts = _chosen(self._names), dict[str, None]()
        for view in dict.fromkeys((self._names.from_view, self._names.to_view)):
            others = other_programs(view)
            if others is not None:
                title, (meant, names) = str(view.source), others
                others_are = phrase("others: --program {names}", names=", ".join(names))
                texts[f"{title}: {spoken(meant)}; {others_are}"] = None
        return [*lines, *(line for text in texts for line in wrapped(text, hanging=2))]

    def _footnotes(self) -> list[str]:
        lines = self._notes.lines(None if self._full else _NOTES)
        if self._notes.minor and not self._full:
            left = "Left out: {count} minor differences that may show: --full, or KEY"
            lines.append(phrase(left, count=self._notes.minor))
        return ["", *lines] if lines else []


def _transform(row: MapRow) -> str | None:
    axis = row.transform
    if axis is None:
        return None
    return converted("x", axis) if axis.offset or axis.scale == -1 else f"x {axis.scale:g}"


def _chosen(names: NameMap) -> list[str]:
    """Return which releases were picked for sources that name none."""
    choices = [view.source.choice for view in (names.from_view, names.to_view)]
    return chosen_lines([text for text in choices if text is not None])


def key_lines(names: NameMap, row: MapRow) -> list[str]:
    """Return what becomes of one key.

    Args:
        names: The table.
        row: Its row.
    """
    notes = MapNotes(names, [row])
    here, there = names.from_view.source, names.to_view.source
    if row.to is None:
        meant = other_programs(names.to_view)
        place = str(there) if meant is None else phrase("{part} of {whole}", part=spoken(meant[0]), whole=there)
        first = phrase("{key} ({here}) has no counterpart in {there}.", key=row.from_, here=here, there=place)
        lines = wrapped(f"{symbol(row.severity)} {first}", hanging=2)
        for near in row.related[:3]:
            text = f"{symbol('look-alike')} {near.to}: {spoken(near.short or near.why)}"
            lines += wrapped(text, indent=2, hanging=6)
        # When another key would be the counterpart is told beside that key.
        told = "; ".join(part for part in (row.note or "").split("; ") if _MEASURES not in part)
        return [*lines, *(wrapped(told, indent=2) if told else []), *_chosen(names)]
    is_what = phrase(_IS[row.severity], key=row.from_, here=here, to=row.to, there=there)
    lines = wrapped(f"{symbol(row.severity)} {is_what}", hanging=2)
    if row.transform is not None:
        lines.append(f"  {row.to} = {converted(row.from_, row.transform)}")
    order = sorted(row.differs_by, key=lambda item: (item.applies is False, item.grade == "minor"))
    for item in order:
        mark = symbol("same") if item.applies is False else symbol("close" if item.grade == "minor" else "biased")
        so = f" {phrase('(so here)')}" if item.applies is False else ""
        lines += wrapped(f"{mark} {spoken(notes.words(item, row))}{so}", indent=2, hanging=4)
    condition = notes.condition(row, names.target_of(row))
    others = [part for part in (row.note or "").split("; ") if not part.startswith((_WHEN, INSTEAD))]
    if condition is not None:
        words_of = [text.partition(": ")[2] for text in notes.texts()] if condition.startswith("[") else [condition]
        others = [*words_of, *others]
    lines += [line for part in others if part for line in wrapped(part, indent=2, hanging=4)]
    return [*lines, *_chosen(names)]
