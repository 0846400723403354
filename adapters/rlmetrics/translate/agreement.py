"""Translation by several sources that explain the names equally well: what all of them make the same of is carried."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from rlmetrics.lazy_dataclasses import replace
from rlmetrics.names.inference import SourceAnswer
from rlmetrics.names.inference.candidate_words import candidate_words
from rlmetrics.names.inference.wording import source_line
from rlmetrics.names.tables.key_records import Difference
from rlmetrics.names.tables.user_errors import NamesError
from rlmetrics.wording.voice import later

from .report import Report
from .translation_plan import Translation
from .translator import UNTRANSLATED, TranslatedEntry, Translator

__all__ = ["AgreeingTranslator"]

FLAG = "--from"
"""What settles a source on the command line."""
_ONLY_IF = later("if {sources} logged it: {what}")
"""How a difference is said that not all candidates have."""
_RELATIONS = ("exact", "affine", "approximate", "unreviewed", "related", "none")


class AgreeingTranslator(Translator):
    """Translates by several sources at once, and sets aside the names of which they make different things.

    Names are set aside under the likeliest source; the report says why.

    Args:
        answer: The sources.
        target: As for ``Translator``, like all options.
        names: The names that there are.
        options: The same for every source.

    Raises:
        NamesError: If the sources agree on none of the names that they know, or target or configuration can't be
            resolved.
    """

    def __init__(self, answer: SourceAnswer, target: str, *, names: Collection[str], **options: Any) -> None:
        self._answer = answer
        self._others: list[Translator] = []
        first, *others = answer.meanings
        super().__init__(first, target, **options)
        self._others = [Translator(other, target, **options) for other in others]
        moves = {name: self.key(name) for name in sorted(names)}  # the first that is undecided is told
        known = [name for name, move in moves.items() if move.metric is not None]
        if known and all(name in self.report.undecided for name in known):
            why = next(iter(self.report.undecided.values()))
            what = f"of {len(known)} keys" if len(known) > 1 else f"of its keys, which is {known[0]} alone"
            msg = f"{source_line(answer, FLAG)}; they agree on none {what} ({why})"
            raise NamesError(msg)
        self._moves.clear()

    def new_report(self, kind: str, *, watched: bool = False, agreeing: bool = False) -> Report:
        """Start a new account, which states all sources."""
        self._moves.clear()
        # Which keys the sources differ on can show where two claim one name: all that went before is written anew.
        report = super().new_report(kind, watched=watched or agreeing)
        report.source = self._answer.span or report.source
        report.notes.append(source_line(self._answer, FLAG))
        return report

    def _moved(self, key: str) -> Translation:
        """Return what becomes of a key by all sources, with the worst of their relations."""
        own = worst = super()._moved(key)
        moves = [(str(self._plan.source), own)]
        for other in self._others:
            move = other.key(key)
            if self._made(own) != self._made(move):
                return self._undecided(own, other)
            worst = max(worst, move, key=_distance)
            moves.append((str(other.report.source), move))
        differs_by = _of_each(worst.differs_by, moves)
        return replace(own, relation=worst.relation, differs_by=differs_by, severity=worst.severity)

    def examples(self, surface: str) -> Iterator[tuple[str, dict[str, str]]]:
        """Yield every key of every source."""
        seen = set[str]()
        for examples in (super().examples(surface), *(other.examples(surface) for other in self._others)):
            for name, stand_ins in examples:
                if name not in seen:
                    seen.add(name)
                    yield name, stand_ins

    def _settle(self, output: str, entries: list[TranslatedEntry], row: Mapping[str, Any]) -> list[TranslatedEntry]:
        settled = super()._settle(output, entries, row)
        for other in self._others if len(entries) > 1 else ():
            theirs = other._settle(output, entries, row)
            if [entry.old for entry in theirs] != [entry.old for entry in settled]:
                moves = [self._undecided(self.key(entry.old), other) for entry in entries]
                return [TranslatedEntry(move.output, move.key, row[move.key]) for move in moves]
        return settled

    def _undecided(self, own: Translation, other: Translator) -> Translation:
        """Set a key aside of which another source makes something else."""
        differ = f"{self._plan.source} and {other.report.source} differ on {own.key}"
        self.report.undecided.setdefault(own.key, differ)
        return self._decide(replace(own, output=self.aside(own.key), translated=False))

    def _made(self, move: Translation) -> tuple[Any, ...]:
        """Return all of a translation that shows in what is written; a name set aside is so under any release."""
        aside = move.output.startswith(f"{UNTRANSLATED}/")
        is_known = None if self._unknown == "keep" else move.metric is not None
        return None if aside else move.output, move.translated, move.transform if move.translated else None, is_known


def _of_each(differences: Sequence[Difference], moves: Sequence[tuple[str, Translation]]) -> tuple[Difference, ...]:
    """Return differences; one that not all sources have is said of those that have it.

    Args:
        differences: The differences.
        moves: The sources, each with what becomes of the key by it.
    """
    sources = [source for source, _ in moves]
    told = []
    for one in differences:
        having = [source for source, move in moves if any(other.what == one.what for other in move.differs_by)]
        alone = _ONLY_IF.format(sources=candidate_words(having, sources), what=one.what)
        told.append(one if len(having) == len(moves) else replace(one, what=alone))
    return tuple(told)


def _distance(move: Translation) -> tuple[int, int]:
    return _RELATIONS.index(move.relation), len(move.differs_by)
