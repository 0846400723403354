"""Judges what has no verdict yet, and keeps the verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .. import judged_lock
from ..judged_lock import Judged
from ..lint.carried import Carried
from ..lint.sentences import sentences
from ..output.store import replace
from .sentence_judge import SentenceJudge

if TYPE_CHECKING:
    from ..findings import SpecFinding
    from ..lint.context import Context

__all__ = ["JudgedCount", "judge_spec", "refuted"]


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

    Args:
        context: The spec, without errors.
        again: Judge those that have one, too.
    """
    spec = context.spec
    kept = judged_lock.read(spec.root)
    code = judged_lock.code_digest()
    before = {} if kept is None or kept[0] != code or again else kept[1]
    carried = Carried(context)
    told = sentences(context, carried)
    new = [sentence for sentence in told if sentence.digest not in before]
    found = dict(before)
    if new:
        judge = SentenceJudge(context, carried)
        for sentence in new:
            verdict = judge.verdict(sentence)
            found[sentence.digest] = Judged(verdict.answer, sentence.place, verdict.why)
    now = {sentence.digest: found[sentence.digest]._replace(place=sentence.place) for sentence in told}
    text = judged_lock.text_of(code, now)
    replace(spec.root / judged_lock.FILE, text.encode())
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
