"""The keys of a translation by severity: those that stand together in one line, and those that need one each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rlmetrics.lazy_typing import TYPE_CHECKING, Any
from rlmetrics.names.differences.severity import SEVERITIES
from rlmetrics.wording.footnotes import Notes
from rlmetrics.wording.keylists import fitting
from rlmetrics.wording.terminal import extent, padded, symbol, width, wrapped
from rlmetrics.wording.voice import begun, later, phrase

if TYPE_CHECKING:
    from rlmetrics.translate import Report

__all__ = ["Severities"]

_WORDS = {
    "same": later("same"),
    "close": later("close"),
    "unreviewed": later("unreviewed"),
    "biased": later("biased"),
    "look-alike": later("look-alike"),
    "none": later("nothing"),
}
_LABEL = len("! look-alike ")
_KEPT = later("kept:")


class Severities:
    """The lines that say how much the names of a translation differ.

    Args:
        report: The account.
        notes: What differs, numbered.

    Attributes:
        same: Keys that mean the same, or nearly so.
        left: Keys that have a counterpart and did not get its name: that needs a value, only what is exact was to be
            carried over, or what may have logged them decides on the counterpart.
        apart: Keys without a counterpart.
        unsure: Keys that keep their name and are biased.
    """

    def __init__(self, report: Report, notes: Notes) -> None:
        self._report = report
        self._notes = notes
        self._numbers: dict[str, int] = dict.fromkeys(SEVERITIES, 0)
        self._collided = {old for olds in report.collisions.values() for old in olds}
        for key, how in [*report.translated.items(), *report.kept.items()]:
            self._numbers[how["severity"]] += key not in self._collided
        self._digits = max(2, *(len(str(number)) for number in self._numbers.values()))
        self.same = [line for name in ("same", "close", "unreviewed") for line in self._together(name)]
        self.left = [line for name in SEVERITIES[:4] for line in self._left(name)]
        self.apart = [line for name in ("look-alike", "none") for line in self._apart(name)]
        self.unsure = [key for key, how in self._of("biased") if how["to"] == key]

    def biased(self, most: int) -> list[str]:
        """Return the keys that are biased with the numbers of what differs, in so many lines."""
        label = self._label("biased", len(self._of("biased")))
        left = self._parts(extent(label))
        lines: list[str] = []
        whole = sum(len(part) for _, part in left) <= most
        while left and (whole or len(lines) + len(left[0][1]) < max(2, most)):
            lines += left.pop(0)[1]
        if left:
            lines.append(phrase("and {count} more: --full", count=sum(count for count, _ in left)))
        return [f"{label if at == 0 else ' ' * extent(label)}{text}" for at, text in enumerate(lines)]

    def _parts(self, start: int) -> list[tuple[int, list[str]]]:
        """Return lines for each key, or for several that keep their name, and how many keys these are."""
        pairs: list[tuple[str, str, str]] = []
        kept: dict[str, list[str]] = {}
        timers = {key for key, how in self._of("biased") if self._notes.is_timer(how)}
        for key, how in self._of("biased"):
            marks = " ".join(f"[{mark}]" for mark in self._notes.marks(how["differs_by"]))
            if how["to"] == key and not self._notes.is_timer(how):
                kept.setdefault(marks, []).append(key)
            else:
                pairs.append((key, f"-> {how['to']}", marks))
        room = width() - start
        fits = [row for row in pairs if len(" ".join(row)) < room]
        widths = [max((len(row[at]) for row in fits), default=0) for at in range(3)]
        if sum(widths) + 3 > room:
            widths = [0, 0, 0]
        parts: list[tuple[int, list[str]]] = []
        slow: list[tuple[int, list[str]]] = []
        for key, to, marks in pairs:
            aligned = f"{key:<{widths[0]}} {to:<{widths[1]}}  {marks}".rstrip()
            wide = [key, *(line.rstrip() for line in wrapped(f"{to}  {marks}", indent=2, columns=room))]
            (slow if key in timers else parts).append((1, [aligned] if len(aligned) <= room else wide))
        for marks, keys in kept.items():
            end = f": {phrase('same name')}  {marks}".rstrip()
            parts.append((len(keys), [f"{fitting(keys, room - extent(end))}{end}"]))
        return [*parts, *slow]

    def _of(self, severity: str) -> list[tuple[str, dict[str, Any]]]:
        keys = [(key, how) for key, how in self._report.translated.items() if how["severity"] == severity]
        return sorted(keys, key=lambda item: (self._notes.is_timer(item[1]), item[0] == item[1]["to"]))

    def _label(self, severity: str, count: int | None = None) -> str:
        text = f"{symbol(severity)} {phrase(_WORDS[severity])}"
        number = self._numbers[severity] if count is None else count
        return f"{padded(text, _LABEL)}{number:>{self._digits}}  "

    def _together(self, severity: str) -> list[str]:
        names = []
        for key, how in self._of(severity):
            # What is open about an unreviewed key is a footnote; minor differences of the others are none.
            marks = self._notes.marks(how["differs_by"]) if severity == "unreviewed" else ()
            name = key if key == how["to"] else f"{key} -> {how['to']}"
            names.append(" ".join([name, *(f"[{mark}]" for mark in marks)]))
        return self._line(severity, "", names, len(names)) if names else []

    def _left(self, severity: str) -> Iterator[str]:
        by_reason: dict[str, list[str]] = {}
        for key, how in self._report.kept.items():
            if how["severity"] != severity or key in self._collided:
                continue
            options = " ".join(f"--bind {name}=…" for name in how.get("needs", ()))
            if key in self._report.undecided:
                why = begun("set aside, as the source is not certain:")
            else:
                why = begun("kept without {options}:", options=options) if options else begun("kept (--strict):")
            by_reason.setdefault(why, []).append(key)
        for why, keys in by_reason.items():
            yield from self._line(severity, why, keys, len(keys))

    def _apart(self, severity: str) -> list[str]:
        kept = [key for key in self._report.unchanged if self._report.kept.get(key, {}).get("severity") == severity]
        kept.sort(key=lambda key: self._notes.is_timer(self._report.kept[key]))
        aside = self._numbers[severity] - len(kept)
        told = begun("{count} set aside; kept:", count=aside) if aside else begun(_KEPT)
        if not self._numbers[severity]:
            return []
        return self._line(severity, told, kept) if kept else [f"{self._label(severity)}{phrase('set aside')}"]

    def _line(self, severity: str, told: str, names: Sequence[str], count: int | None = None) -> list[str]:
        label = self._label(severity, count)
        return [f"{label}{told}{fitting(names, width() - extent(label) - extent(told))}"]
