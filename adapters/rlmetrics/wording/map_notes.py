"""What sets the keys of two sources apart, in words that name both sides, and as footnotes that rows share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rlmetrics.lazy_typing import TYPE_CHECKING
from rlmetrics.names.differences.relations import ONE_STEP
from rlmetrics.names.differences.severity import unmet
from rlmetrics.names.mapping.lookalikes import INSTEAD
from rlmetrics.names.upgrades.causes import shown

from .condition_words import condition_texts
from .sides import sided, sides_of
from .size_words import spanned_words
from .terminal import first_fitting, footnote, if_fitting
from .voice import later, phrase, spoken

if TYPE_CHECKING:
    from rlmetrics.names import MapRow
    from rlmetrics.names.differences.severity import Settings
    from rlmetrics.names.mapping.mapping import NameMap
    from rlmetrics.names.tables.key_records import Difference, Entry, Typical
    from rlmetrics.names.tables.tables import Tables

__all__ = ["MapNotes", "gone_when", "level_words"]

_NAME = re.compile(r"(?<![\w.'\"])[A-Za-z_][\w.]*\.?[\w]*(?![\w'\"])")
_LONGEST_GUARD = 60
_LONGEST_NEED = 30
_SPAN = "what is measured: "
_WINDOW, _BATCHES = "window", "batches of the evaluation"
_ONE_BATCH = later("an evaluation is one batch")
_OTHER_WORK = "they cover different work: rlmetrics map KEY says which"
_SECTION = re.compile(r"\b(?:[a-z_0-9]+\.)+(?=[a-z_]+)")
_PREFIX = re.compile(r"^(actor_rollout_ref|trainer|data|algorithm)\.")


class MapNotes:
    """Footnotes, numbered as they come up: what is biased, and what is minor and shows for sure.

    What most rows have in common is no footnote but told once.

    Args:
        names: The translation table.
        rows: The rows that have a counterpart.
    """

    def __init__(self, names: NameMap, rows: Sequence[MapRow]) -> None:
        self.sides = sides_of(str(names.from_view.source), str(names.to_view.source), names.from_view.tables)
        self._names = names
        self._views = names.from_view, names.to_view
        self._rows = rows
        self._texts: dict[str, tuple[int, str]] = {}
        counts: dict[str, int] = {}
        self._sizes: dict[str, list[Typical | None]] = {}
        for row in rows:
            for item in row.differs_by:
                self._sizes.setdefault(item.what, []).append(item.typical)
                if _is_told(item) and item.grade == "minor":
                    counts[item.what] = counts.get(item.what, 0) + 1
        most = max(counts, key=lambda what: counts[what], default=None)
        self._common = most if most is not None and counts[most] >= max(4, len(rows) // 2) else None
        told = {item.what for row in rows for item in row.differs_by if _is_told(item)}
        self.minor = len({item.what for row in rows for item in row.differs_by if item.applies is None} - told)

    def of(self, row: MapRow) -> list[int]:
        """Return the numbers of the footnotes of a row."""
        differences = [item for item in row.differs_by if _is_told(item) and item.what != self._common]
        # What counts for most stands first.
        differences.sort(key=lambda item: item.grade == "minor")
        numbers = []
        for item in differences:
            if item.what.startswith(_SPAN):
                numbers.append(self.number(_SPAN, _OTHER_WORK))
            else:
                numbers.append(self.number(item.what, self.words(item, row)))
        return numbers

    def number(self, what: str, text: str) -> int:
        """Return the number of a footnote."""
        return self._texts.setdefault(what, (len(self._texts) + 1, text))[0]

    def common_words(self) -> str | None:
        """Return what most rows have in common, as a sentence; None if there is nothing."""
        differing = [(item, row) for row in self._rows for item in row.differs_by if item.what == self._common]
        if not differing:
            return None
        alike = spoken(self.words(*differing[0]))
        return phrase("Of these, {count} differ alike: {what}.", count=len(differing), what=alike)

    def texts(self) -> list[str]:
        """Return the footnotes so far, without their numbers."""
        return [text for _, text in self._texts.values()]

    def lines(self, most: int | None = None) -> list[str]:
        """Return the footnotes; the first ones if there are too many, or nearly twice as many lines."""
        notes = [footnote(number, text) for number, text in self._texts.values()]
        every = [line for note in notes for line in note]
        if most is None or not notes:
            return every
        # The last line of a part, which names the other notes, takes no room from these.
        room = 2 * most - 1
        parts = [_part(notes, count) for count in range(min(most, len(notes) - 1), 0, -1)]
        part = first_fitting(parts, room + 1) if parts else every
        return part if len(notes) > most else if_fitting(every, room, every, part)

    def condition(self, row: MapRow, found: Entry | None) -> str | None:
        """Return what the target of a row needs that it does not have by default; what is long is a footnote."""
        if found is None or found.logged is True or found.condition is None:
            return None
        side = self._views[1].circumstances(found.component)
        parts = found.condition.split("; ")
        guards = [part for part in parts if _is_guard(part)]
        words = "; ".join(clause for part in parts if part not in guards for clause in condition_texts(part))
        needed = [] if side is None else [part for guard in guards for part in unmet(guard, side.settings)]
        text = " and ".join(_SECTION.sub("", part) for part in needed)
        text = "; ".join(part for part in (f"needs {text}" if text else "", words) if part) or "not always logged"
        instead = next((part for part in (row.note or "").split("; ") if part.startswith(INSTEAD)), None)
        text = text if instead is None else f"{text}; {instead}"
        if len(text) <= _LONGEST_NEED:
            return text
        return f"[{self.number(text, f'{self.sides[1]}: {text}')}]"

    def words(self, difference: Difference, row: MapRow) -> str:
        """Return a difference as a person reads it: who differs how, and when it is gone."""
        tables = self._views[0].tables
        said = sided(level_words(difference, tables, row.mode) or difference.what, self.sides)
        same = gone_when(self._same_if(difference, row), tables, row.mode)
        shows = difference.applies is not False
        size = spanned_words(self._sizes.get(difference.what, ())) if shows else None
        said = said if same is None else f"{said}: same if {same}"
        return said if size is None else f"{said} ({size})"

    def _entries(self, row: MapRow) -> Iterator[Entry]:
        """Yield what a row is about, on both sides."""
        target = self._names.target_of(row)
        yield from () if target is None else (target,)
        place = row.from_component, row.from_, row.mode
        yield from (entry for entry in self._views[0].entries() if (entry.component, entry.key, entry.mode) == place)

    def _same_if(self, difference: Difference, row: MapRow) -> str | None:
        """Return when a difference is gone: settings that decide it, with their values, else the spec's words."""
        guards = difference.vanishes_if or (None, None)
        settings = self._settings(row)
        parts = []
        for guard, side in zip(guards, settings, strict=True):
            if guard is None or (side is not None and side.holds(guard)):
                continue
            if side is None or "unknown" in guard or len(guard) > _LONGEST_GUARD or "(" in guard:
                return difference.vanishes_when
            parts.append(_with_values(guard, side))
        return " and ".join(parts) or difference.vanishes_when

    def _settings(self, row: MapRow) -> tuple[Settings | None, Settings | None]:
        first = self._views[0].circumstances(row.from_component)
        second = None if row.to_component is None else self._views[1].circumstances(row.to_component)
        return tuple(None if side is None else side.settings for side in (first, second))  # type: ignore[return-value]


def _part(notes: Sequence[list[str]], count: int) -> list[str]:
    """Return the first notes, and the numbers of the others."""
    others = " ".join(f"[{number + 1}]" for number in range(count, len(notes)))
    return [*(line for note in notes[:count] for line in note), f"{others} --full"]


def level_words(difference: Difference, tables: Tables, mode: str | None = None) -> str | None:
    """Return how either side puts the parts of a level together, in words; None for another difference.

    Args:
        difference: What differs.
        tables: The spec.
        mode: Of an evaluation, whose batches are what lies between two logs, ``eval``.
    """
    brief, colon, rest = difference.what.partition(": ")
    level = next((found for found in tables.levels.values() if found.brief == brief), None)
    halves = re.fullmatch(r"(.+) in the source, (.+) in the target", rest)
    if level is None or not colon or halves is None:
        return None
    words, texts = tables.signatures["WORDS"], tables.signatures["OPERATIONS"]
    operations = {text: name for name, text in texts.items()}
    of_batches = mode == "eval" and level is tables.levels[_WINDOW]
    parts, is_apart = (_BATCHES, False) if of_batches else (level.parts, level.lies == "apart")
    said = []
    for text in halves.groups():
        operation = operations.get(text, "")
        if text == ONE_STEP:
            said.append("all at once" if of_batches else text)
        elif operation == "none":
            said.append("one value")
        else:
            how = words["operations"].get(operation, "all at once")
            of_steps = is_apart and operation != "pool"
            the = "" if how.startswith("only") else "the "
            said.append(f"{the}{how} of the {parts}" if of_steps else how)
    left, right = said
    start = "a value is" if is_apart else f"{parts}:"
    return f"{start} {left} in the source, {right} in the target"


def gone_when(text: str | None, tables: Tables, mode: str | None) -> str | None:
    """Return when a difference is gone: an evaluation logs once, so what would be steps there is its batches."""
    return _ONE_BATCH if mode == "eval" and text == tables.levels[_WINDOW].vanishes_when else text


def _is_guard(text: str) -> bool:
    """Tell whether a condition is a guard over settings, and not said in words."""
    from rlmetrics.names.settings.guards import GuardError, parse

    try:
        parse(text)
    except GuardError:
        return False
    return True


def _is_told(item: Difference) -> bool:
    return item.applies is not False and (item.grade != "minor" or item.applies is True)


def _with_values(guard: str, settings: Settings) -> str:
    """Return a guard with the value that each of its settings has now, where that is known."""
    values = getattr(settings, "values", {})
    names = [name for name in dict.fromkeys(_NAME.findall(guard)) if name in values]
    said = [shown(values[name]) for name in names]
    short = _PREFIX.sub("", guard) if len(guard) > _LONGEST_GUARD // 2 else guard
    return f"{short} ({', '.join(said)})" if said else short
