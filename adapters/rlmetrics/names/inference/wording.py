"""The answer in one line."""

from __future__ import annotations

from ..sources.source import CANONICAL
from ..tables.undescribed import Recognised
from .answer import Candidate, SourceAnswer

__all__ = [
    "prefix_lines",
    "second_lines",
    "short_source",
    "source_line",
    "spelling_lines",
    "undescribed_line",
    "unknown_line",
    "wrapper_lines",
]

_MOST_OTHERS = 2
_MOST_NEAREST = 3
_MOST_NAMED = 3
_MOST_RESPELLED = 2


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
    if answer.alike:
        said += f"; {' and '.join(answer.alike)} {'log' if len(answer.alike) > 1 else 'logs'} these keys, too"
    return (
        said
        if answer.is_single and not answer.alike
        else f"{said}; `{flag} '{_short(answer)}'` with your release settles it"
    )


def unknown_line(answer: SourceAnswer, flag: str = "--at") -> str:
    """Return that nothing described logged a run."""
    if answer.recognised is not None:
        return undescribed_line(answer.recognised)
    known = "no key is known" if not answer.known else f"{answer.known} of {answer.logged} keys is known"
    known = known.replace(" is ", " are ") if answer.known > 1 else known
    return f"{known}: no log of a described trainer; `{flag}` names what logged it, such as 'trl[grpo]==1.16.0'"


def undescribed_line(found: Recognised) -> str:
    """Return which undescribed framework a run looks like, and what is nearest to a few of its keys."""
    name = found.name if found.trainer is None else f"{found.trainer} of {found.name}"
    said = f"this looks like {name}, which is not described"
    near = ", ".join(f"{item.key} is nearest to {item.metric}" for item in found.nearest[:_MOST_NEAREST])
    return f"{said}; by meaning {near}" if near else said


def wrapper_lines(answer: SourceAnswer) -> list[str]:
    """Return what ran the trainer of a source, and in which keys of the run it differs from that trainer alone."""
    found = answer.wrapper
    if found is None or found.built_on is None:
        return []
    whose = "a plain Hugging Face log of it" if answer.is_plain else f"whose trainers are {_title(found.built_on)}'s"
    lines = [f"run by {found.name}, {whose}"]
    return [*lines, *(f"{item.key} of {found.name}: {item.note}" for item in found.nearest if item.note)]


def prefix_lines(prefix: str) -> list[str]:
    """Return that every key of a run stands below something that is no part of its name; nothing where none does."""
    return [f"all keys stand below '{prefix}'"] if prefix else []


def spelling_lines(answer: SourceAnswer) -> list[str]:
    """Return as which keys names are read whose slashes a store replaced; nothing where names are keys."""
    if not answer.respelled:
        return []
    shown = ", ".join(f"{name} as {key}" for name, key in answer.respelled[:_MOST_RESPELLED])
    more = len(answer.respelled) - _MOST_RESPELLED
    return [f"names have no slashes, as a store replaced them: {shown}{f' and {more} more' if more > 0 else ''}"]


def second_lines(answer: SourceAnswer) -> list[str]:
    """Return that another framework logged keys of a run, which are not its source's."""
    second = answer.second
    if second is None:
        return []
    named = ", ".join(second.keys[:_MOST_NAMED])
    more = f" and {len(second.keys) - _MOST_NAMED} more" if len(second.keys) > _MOST_NAMED else ""
    return [
        f"two frameworks' keys stand in this log: {short_source(second.name)} logs {named}{more}, which "
        f"{_short(answer).partition('==')[0]} does not; judged is the latter, and they are not"
    ]


def short_source(source: str) -> str:
    """Return a source as people type it: ``trl[grpo]==1.16.0``."""
    head, bracket, rest = source.partition("[")
    component, _, tail = rest.partition("]")
    if not bracket or not component.endswith("Trainer") or "." in component:
        return source
    return f"{head}[{component.removesuffix('Trainer').lower()}]{tail}"


def _short(answer: SourceAnswer) -> str:
    return short_source(str(answer.source))


def _title(framework: str) -> str:
    from ..tables.loading import load_tables

    return load_tables().title(framework)


def _titled(one: Candidate) -> str:
    """Return a candidate with its releases."""
    name = one.component or one.framework
    first, last = one.releases[0], one.releases[-1]
    return f"{name} {first}" if first == last else f"{name} {first}–{last}"
