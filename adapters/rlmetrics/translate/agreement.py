"""Translation by several sources that explain the names equally well, while it makes no difference which is true."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rlmetrics.names import AmbiguousError, Candidate

from .plan import Translation
from .report import Report
from .translator import TranslatedEntry, Translator

__all__ = ["AgreeingTranslator"]

_RELATIONS = ("exact", "affine", "approximate", "related", "none")
_MOST_KEYS = 3


class AgreeingTranslator(Translator):
    """Translates by several sources at once, and stops at the first name of which they make different things.

    A name under ``untranslated/`` holds the release. So releases differ wherever they set a name aside, and what is
    written is what the true one among them would have written.

    Args:
        candidates: The sources, of which one is the true one.
        target: As for ``Translator``, like all options.
        why: Says that there are several.
        options: The same for every source.

    Raises:
        AmbiguousError: If the sources make different things of a name that they explain.
        NamesError: If the target or the configuration can't be resolved.
    """

    def __init__(self, candidates: Sequence[Candidate], target: str, *, why: str, **options: Any) -> None:
        self._candidates = tuple(candidates)
        self._why = why
        self._others: list[Translator] = []
        first, *others = _outermost_first(self._candidates)
        super().__init__(str(first), target, **options)
        names = sorted(first.explained.union(*(other.explained for other in others)))
        own = {name: self.key(name) for name in names}
        for candidate in others:
            other = Translator(str(candidate), target, **options)
            differing = [name for name in names if not _alike(own[name], other.key(name))]
            if differing:
                raise self._differing(other, differing)
            self._others.append(other)
        self._moves.clear()

    def new_report(self, kind: str, *, watched: bool = False) -> Report:
        """Start a new account, which states all sources."""
        report = super().new_report(kind, watched=watched)
        report.source = _in_words(self._candidates)
        report.notes.append(
            f"which of {report.source} logged the names is not certain; it makes no difference to what is written"
        )
        return report

    def key(self, key: str) -> Translation:
        """Return what becomes of one key by all sources, with the worst of their relations.

        Raises:
            AmbiguousError: If they make different things of it.
        """
        if key not in self._moves:
            own = worst = super().key(key)
            for other in self._others:
                move = other.key(key)
                if not _alike(own, move):
                    del self._moves[key]
                    raise self._differing(other, [key])
                worst = max(worst, move, key=_distance)
            self._moves[key] = replace(
                own, relation=worst.relation, differs_by=worst.differs_by, severity=worst.severity
            )
        return self._moves[key]

    def set_aside(self, keys: Iterable[str]) -> None:
        """Set keys aside, if all sources call that alike.

        Raises:
            AmbiguousError: If they do not.
        """
        aside = sorted(keys)
        for other in self._others if aside else ():
            if other.aside(aside[0]) != self.aside(aside[0]):
                raise self._differing(other, aside)
        super().set_aside(aside)

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
            if other._settle(output, entries, row) != settled:
                raise self._differing(other, [entry.old for entry in entries])
        return settled

    def _differing(self, other: Translator, keys: Sequence[str]) -> AmbiguousError:
        """Return the error that names keys on which another source differs from the first."""
        more = f" and {len(keys) - _MOST_KEYS} more" if len(keys) > _MOST_KEYS else ""
        differ = f"{self._plan.source} and {other.report.source} differ on {', '.join(keys[:_MOST_KEYS])}{more}"
        return AmbiguousError(f"{self._why} ({differ})", self._candidates)


def _alike(move: Translation, other: Translation) -> bool:
    return _written(move) == _written(other)


def _written(move: Translation) -> tuple[Any, ...]:
    """Return all of a translation that shows in what is written."""
    return move.output, move.translated, move.transform if move.translated else None, move.metric is None


def _distance(move: Translation) -> tuple[int, int]:
    return _RELATIONS.index(move.relation), len(move.differs_by)


def _outermost_first(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the newest, then the oldest, which is the likeliest to differ, then the others."""
    first, *between = candidates
    return [first, *between[-1:], *between[:-1]]


def _in_words(candidates: Sequence[Candidate]) -> str:
    """Return the sources as ranges of releases, newest first as the candidates are."""
    groups: dict[tuple[str, str | None], list[Candidate]] = {}
    for candidate in candidates:
        groups.setdefault((candidate.framework, candidate.component), []).append(candidate)
    return " or ".join(
        f"{group[-1]} to {group[0].release}" if len(group) > 1 else str(group[0]) for group in groups.values()
    )
