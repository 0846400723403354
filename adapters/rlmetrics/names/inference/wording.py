"""The answer in one line."""

from __future__ import annotations

from ..source import CANONICAL
from .answer import Candidate, SourceAnswer

__all__ = ["short_source", "source_line", "unknown_line"]

_MOST_OTHERS = 2


def source_line(answer: SourceAnswer, flag: str = "--at") -> str:
    """Return what a run is taken for, what else it may be, and how to settle that: by which flag."""
    if not answer.is_known:
        return unknown_line(answer, flag)
    first, *others = answer.candidates
    if answer.is_plain:
        said = f"a plain Hugging Face log: read as {_titled(first)}'s, which logs the same"
        return f"{said}; `{flag}` names another trainer"
    if first.framework == CANONICAL:
        return "names of the spec's own, as suites, adapters and translations of rlmetrics write them"
    said = f"taken for {_titled(first)}"
    if others:
        alike = all(one.alike for one in others)
        names = " or ".join(one.component or one.name for one in others[:_MOST_OTHERS])
        more = f" or {len(others) - _MOST_OTHERS} more" if len(others) > _MOST_OTHERS else ""
        reads = "read" if len(others) > 1 else "reads"
        said += f" (or {names}{more}, which {reads} the same here)" if alike else f" (or {names}{more})"
    return said if answer.is_single else f"{said}; `{flag} '{_short(answer)}'` settles it"


def unknown_line(answer: SourceAnswer, flag: str = "--at") -> str:
    """Return that nothing described logged a run."""
    if answer.undescribed:
        return f"this looks like {answer.undescribed}, which is not described"
    known = "no key is known" if not answer.known else f"{answer.known} of {answer.logged} keys is known"
    known = known.replace(" is ", " are ") if answer.known > 1 else known
    return f"{known}: no log of a described trainer; `{flag}` names what logged it, such as 'trl[grpo]==1.16.0'"


def short_source(source: str) -> str:
    """Return a source as people type it: ``trl[grpo]==1.16.0``."""
    head, bracket, rest = source.partition("[")
    component, _, tail = rest.partition("]")
    if not bracket or not component.endswith("Trainer") or "." in component:
        return source
    return f"{head}[{component.removesuffix('Trainer').lower()}]{tail}"


def _short(answer: SourceAnswer) -> str:
    return short_source(str(answer.source))


def _titled(one: Candidate) -> str:
    """Return a candidate with its releases."""
    name = one.component or one.framework
    first, last = one.releases[0], one.releases[-1]
    return f"{name} {first}" if first == last else f"{name} {first}–{last}"
