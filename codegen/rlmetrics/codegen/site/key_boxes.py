"""The first screen of a key's page: which number somebody has, what may share a plot, what it is elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from .answer_boxes import Box
from .key_facts import KeyFacts
from .lives import LifePiece
from .meaning_letters import Letter
from .severity_marks import severity_mark
from .texts import Texts

__all__ = ["MOST_TOLD", "absent_boxes", "other_box", "plot_box", "which_box"]

MOST_TOLD = 4
"""So many meanings are told in the first box."""
_MOST_BOUNDARIES = 3


def which_box(facts: KeyFacts) -> Box:
    """Return which trainers and releases mean what by the key."""
    t = facts.texts.t
    lines = []
    # Most logs are of recent releases.
    recent = sorted(facts.grouped, key=lambda item: -max(facts.last(row, item[0]) for row in item[2]))
    for letter, piece, rows in recent[:MOST_TOLD]:
        who = [f"{', '.join(row.names[:2])} {facts.spans_of(row, letter)}" for row in rows[:2]]
        if len(rows) > 2:
            who.append(facts.texts.plain("{count} more", count=len(rows) - 2))
        chip = _chip(letter) if len(facts.grouped) > 1 else Markup("")
        what = facts.words.of(piece, linked=False, most=1)
        lines.append(t("{chip} {who}: {what}", chip=chip, who="; ".join(who), what=what))
    if len(facts.grouped) > MOST_TOLD:
        lines.append(t("And {count} more: see the strip.", count=len(facts.grouped) - MOST_TOLD))
    return {"title": t("Which one do I have?"), "big": None, "lines": lines}


def plot_box(facts: KeyFacts) -> Box:
    """Return which of its numbers may share a plot."""
    t = facts.texts.t
    title = t("In one plot?")
    if len(facts.grouped) == 1:
        piece = facts.grouped[0][1]
        lines = [t("It means the same in all trainers and releases that log it.")]
        lines.append(Markup("{} {}").format(severity_mark(piece.severity, facts.texts), _how(facts, piece)))
        return {"title": title, "big": t("yes"), "lines": lines}
    lines = []
    steps = [(", ".join(row.names), facts.steps(row)) for row in facts.rows]
    changed = [(who, at) for who, at in steps if at]
    big = t("only what has the same letter")
    for who, at in changed[:_MOST_BOUNDARIES]:
        lines.append(t("{who}: not across {releases}.", who=who, releases=_or(at[-_MOST_BOUNDARIES:], facts.texts)))
    if len(changed) > _MOST_BOUNDARIES:
        lines.append(t("{count} more trainers changed it.", count=len(changed) - _MOST_BOUNDARIES))
    if not changed:
        lines.append(t("Each trainer means one thing in all its releases; the trainers differ."))
    elif len(facts.rows) > 1:
        lines.append(t("Trainers differ, too: compare their letters below."))
    return {"title": title, "big": big, "lines": lines}


def _or(items: Sequence[str], texts: Texts) -> str:
    t = texts.plain
    return items[0] if len(items) == 1 else t("{first} or {last}", first=", ".join(items[:-1]), last=items[-1])


def _how(facts: KeyFacts, piece: LifePiece) -> Markup:
    t = facts.texts.t
    parts = facts.words.parts(piece)
    if parts:
        return Markup("; ").join(parts[:2])
    if piece.severity == "same":
        return t("It is what the definition says.")
    return t("It is what the definition says, but for small differences.")


def other_box(box: Box, texts: Texts) -> Box:
    """Return in short what a key is in another framework.

    Args:
        box: What is told of it in full.
        texts: The language.
    """
    t = texts.t
    mark = box["severity"]
    title = t("In {framework}", framework=box["title"])
    lines, related = box["lines"], box["related"]
    assert isinstance(lines, list)
    assert isinstance(related, list)
    if box["to"] is not None:
        first = lines[0] if lines else t("The same number.")
        return {"title": title, "big": box["to"], "lines": [Markup("{} {}").format(mark, first)]}
    told = [Markup("{} {}").format(mark, line) for line in related[:1]]
    return {
        "title": title,
        "big": t("not logged"),
        "lines": told or [box["note"] or t("Nothing of this kind is logged there.")],
    }


def absent_boxes(names: Sequence[Markup], texts: Texts) -> list[Box]:
    """Return one box for all frameworks that log nothing of the kind; none where each has something."""
    if not names:
        return []
    line = texts.t("Nothing of this kind is logged there.")
    title = texts.t("In {framework}", framework=texts.listed(names))
    return [{"title": title, "big": texts.t("not logged"), "lines": [line]}]


def _chip(letter: Letter) -> Markup:
    return Markup('<span class="rlm-chip rlm-{}">{}</span>').format(letter.style, letter.name)
