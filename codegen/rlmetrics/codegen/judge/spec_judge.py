"""Judges sentences of a spec, each kind by what it claims, and keeps the verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from rlmetrics.names.tables.tables import Tables

from .. import judged_lock
from ..judged_lock import Judged
from ..lint.carried import Carried
from ..lint.sentences import sentences
from ..output.store import replace
from ..tables import build_meanings
from .carriers import Carriers
from .constant_verdicts import constant_verdict, varies_verdict
from .shown_numbers import StepNumbers
from .stated_verdicts import stated_verdict
from .trait_verdicts import effect_verdict, vanishes_verdict
from .value_verdicts import answer_verdict, band_verdict, best_verdict, range_verdict, reading_verdict
from .verdicts import Judging, Sight, StepVerdict

if TYPE_CHECKING:
    from ..findings import SpecFinding
    from ..lint.context import Context
    from ..lint.sentences import Sentence

__all__ = ["JudgedCount", "SentenceJudge", "judge_spec", "refuted"]

_JUDGES: Mapping[str, Judging] = {
    "answer": answer_verdict,
    "band": band_verdict,
    "best": best_verdict,
    "constant": constant_verdict,
    "effect": effect_verdict,
    "range": range_verdict,
    "reading": reading_verdict,
    "stated": stated_verdict,
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


class JudgedCount(NamedTuple):
    """What was done.

    Attributes:
        judged: Sentences that had no verdict and have one now.
        kept: Verdicts by what they say: how many of them there are.
    """

    judged: int
    kept: dict[str, int]


def judge_spec(context: Context, *, again: bool = False) -> JudgedCount:
    """Judge every sentence of a spec that has no verdict, and write ``spec/judged.lock``.

    Of a spec with overlays, judge what has no verdict there, and write ``judged.lock`` of the last overlay.

    Args:
        context: The spec, without errors.
        again: Judge those that have one, too.
    """
    spec = context.spec
    *below, folder = (spec.root, *spec.overlays)
    settled = judged_lock.verdicts(below)
    kept = judged_lock.read(folder)
    code = judged_lock.code_digest()
    before = {} if kept is None or kept[0] != code or again else kept[1]
    carried = Carried(context)
    told = [sentence for sentence in sentences(context, carried) if sentence.digest not in settled]
    new = [sentence for sentence in told if sentence.digest not in before]
    found = dict(before)
    if new:
        judge = SentenceJudge(context, carried)
        for sentence in new:
            verdict = judge.verdict(sentence)
            found[sentence.digest] = Judged(verdict.answer, sentence.place, verdict.why)
    now = {sentence.digest: found[sentence.digest]._replace(place=sentence.place) for sentence in told}
    text = judged_lock.text_of(code, now)
    if now or not spec.overlays:
        replace(folder / judged_lock.FILE, text.encode())
    counts: dict[str, int] = {}
    for item in now.values():
        counts[item.answer] = counts.get(item.answer, 0) + 1
    return JudgedCount(len(new), counts)


def refuted(context: Context) -> list[SpecFinding]:
    """Return the sentences that are refuted, as lint tells them."""
    from ..lint import runner
    from ..lint.checks import judged_checks

    (wanted, _) = judged_checks.CHECKS
    return [item for item in runner.run(context.spec, [wanted], context) if item.id == wanted.id]
