"""Judges sentences of a spec, each kind by what it claims."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rlmetrics.names.tables.tables import Tables

from ..tables import build_meanings
from .carriers import Carriers
from .constant_verdicts import constant_verdict, varies_verdict
from .shown_numbers import StepNumbers
from .trait_verdicts import effect_verdict, vanishes_verdict
from .value_verdicts import answer_verdict, band_verdict, range_verdict, reading_verdict
from .verdicts import Judging, Sight, StepVerdict

if TYPE_CHECKING:
    from ..lint.carried import Carried
    from ..lint.context import Context
    from ..lint.sentences import Sentence

__all__ = ["SentenceJudge"]

_JUDGES: Mapping[str, Judging] = {
    "answer": answer_verdict,
    "band": band_verdict,
    "constant": constant_verdict,
    "effect": effect_verdict,
    "range": range_verdict,
    "reading": reading_verdict,
    "vanishes": vanishes_verdict,
    "varies": varies_verdict,
}


class SentenceJudge:
    """Judges sentences of a spec.

    Args:
        context: The spec, without errors.
        carried: What is said of which keys.
    """

    def __init__(self, context: Context, carried: Carried) -> None:
        data = build_meanings(context.spec)
        tables = Tables(lambda name: data[name].data)
        self._sight = Sight(tables, Carriers(context, carried, tables), StepNumbers(tables))

    def verdict(self, sentence: Sentence) -> StepVerdict:
        """Return what steps say of a sentence."""
        return _JUDGES[sentence.kind](sentence, self._sight)
