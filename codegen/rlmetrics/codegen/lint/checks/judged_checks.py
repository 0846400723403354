"""Sentences that steps of a run refute, and those that were not held against any."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ... import judged_lock
from ..lint_check import Check, Hit, check
from ..sentences import sentences

if TYPE_CHECKING:
    from ..context import Context

__all__ = ["CHECKS"]

_MOST = 60


@check(
    "refuted-sentence",
    "error",
    what="A reading, a range or a constant that the numbers of a reference step contradict.",
    fix="say what the step shows, or name in `shown_by` the steps that it is about, and run `rlmetrics judge`",
    whole=True,
    prose=True,
)
def refuted_sentence(context: Context) -> Iterator[Hit]:
    kept = judged_lock.verdicts((context.spec.root, *context.spec.overlays))
    for sentence in context.once("sentences", sentences) if kept else ():
        judged = kept.get(sentence.digest)
        if judged is not None and judged.answer == judged_lock.REFUSED:
            message = f"`{_brief(sentence.says)}` is not so: {judged.why}"
            yield Hit(sentence.ref, sentence.path, message, value=True)


@check(
    "unjudged-sentence",
    "info",
    what="A reading, a range or a constant that was not held against reference steps since it, or what it is about, "
    "changed.",
    fix="run `rlmetrics judge`",
    whole=True,
    prose=True,
)
def unjudged_sentence(context: Context) -> Iterator[Hit]:
    kept = judged_lock.read(context.spec.root)
    if kept is None:
        return
    if kept[0] != judged_lock.code_digest():
        yield Hit("spec", (), f"spec/{judged_lock.FILE} was judged by other code than that of now")
        return
    known = judged_lock.verdicts((context.spec.root, *context.spec.overlays))
    for sentence in context.once("sentences", sentences):
        if sentence.digest not in known:
            yield Hit(sentence.ref, sentence.path, f"`{_brief(sentence.says)}` was not judged", value=True)


def _brief(says: Any) -> str:
    """Return the beginning of a reading, a range, a stated value, or a text."""
    text = str(getattr(says, "says", None) or getattr(says, "text", None) or says)
    return text if len(text) <= _MOST else f"{text[:_MOST].rsplit(' ', 1)[0]} …"


CHECKS: tuple[Check, ...] = (refuted_sentence, unjudged_sentence)
