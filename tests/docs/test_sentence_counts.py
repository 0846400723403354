"""The page on judged sentences counts what the judge's lock holds."""

from __future__ import annotations

import re
from collections import Counter

from folders import ROOT
from rlmetrics.codegen import judged_lock
from rlmetrics.codegen.lint.context import Context
from rlmetrics.codegen.lint.sentences import sentences
from rlmetrics.codegen.loader import load

PAGE = ROOT / "docs" / "results" / "sentences.md"
KINDS = {
    "what a value means": "reading",
    "a range": "range",
    "bounds of healthy values": "band",
    "a constant": "constant",
    "that a number is no constant": "varies",
    "that no two sentences": "answer",
    "a value that a description gives it": "stated",
    "that a number near its best": "best",
    "that a trait raises": "effect",
    "under which settings a trait": "vanishes",
}
"""How rows of its table begin, by kind."""


def test_the_page_counts_sentences_as_they_were_judged():
    """Those that steps bear out, and those that none shows; none is refuted, and none was left out."""
    context = Context(load(ROOT / "spec"))
    kept = judged_lock.verdicts((context.spec.root,))
    judged = Counter((sentence.kind, kept[sentence.digest].answer) for sentence in sentences(context))
    told = {}
    for text, held, unseen in re.findall(r"^\| (.+) \| (\d+) \| (\d+) \|$", PAGE.read_text("utf-8"), re.MULTILINE):
        kind = next((kind for begin, kind in KINDS.items() if text.startswith(begin)), None)
        if kind is not None:
            told |= {(kind, judged_lock.HOLDS): int(held), (kind, judged_lock.UNSEEN): int(unseen)}

    assert {kind for kind, _ in told} == {*KINDS.values()}
    assert {place: count for place, count in told.items() if count} == dict(judged)
