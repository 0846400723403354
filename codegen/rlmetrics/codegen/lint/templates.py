"""Templates: placeholders that match what they should, and keys that only one emission claims."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from .automata import Automaton, PatternError, common_text, literal, sequence
from .guardsets import can_both_hold
from .keys import TemplateError, classify, placeholders_in, segments
from .patterns import build
from .registry import Check, Hit, check

if TYPE_CHECKING:
    from ..loader import YamlPath
    from ..model import Placeholder
    from .context import Context, Entry

__all__ = ["CHECKS"]

_ENUMERABLE = re.compile(r"[^\[\](){}.*+?\\^$]+")


def _placeholders(context: Context) -> Iterator[tuple[str, YamlPath, str, Placeholder]]:
    for ref, node in context.spec.roots():
        if ref.startswith("frameworks/"):
            for name, placeholder in node.placeholders.items():
                yield ref, ("placeholders", name), name, placeholder


@check(
    "template-syntax",
    "error",
    what="A key with a brace that does not belong to a placeholder, or a constrained placeholder next to another.",
    fix="write placeholders as `{name}`, with some text between two of them",
)
def template_syntax(context: Context) -> Iterator[Hit]:
    for scope in context.files.values():
        keys = [(("emissions", index, "key"), emission.key) for index, emission in enumerate(scope.file.emissions)]
        keys += [(("unlogged", index, "key"), unlogged.key) for index, unlogged in enumerate(scope.file.unlogged)]
        for path, key in keys:
            try:
                parts = segments(key)
            except TemplateError as error:
                yield Hit(scope.ref, path, str(error), value=True)
                continue
            if any(first[1] and second[1] for first, second in pairwise(parts)):
                yield Hit(scope.ref, path, f"`{key}` has two placeholders with nothing between them", value=True)


@check(
    "placeholder-pattern",
    "error",
    what="A placeholder whose pattern is not a regular expression in the formal sense, or that matches the empty text.",
    fix="use characters, classes, groups `(?:…)`, `|` and repetition only",
)
def placeholder_pattern(context: Context) -> Iterator[Hit]:
    for ref, path, name, placeholder in _placeholders(context):
        try:
            re.compile(placeholder.pattern)
            automaton = build(placeholder.pattern)
        except re.error as error:
            yield Hit(
                ref, (*path, "pattern"), f"`{placeholder.pattern}` is not a regular expression: {error}", value=True
            )
        except PatternError as error:
            yield Hit(ref, (*path, "pattern"), str(error), value=True)
        else:
            if automaton.accept in automaton.closure({automaton.start}):
                yield Hit(ref, (*path, "pattern"), f"`{{{name}}}` may be empty", "require at least one character", True)


@check(
    "placeholder-example",
    "error",
    what="An example of a placeholder, or a bound value, that its pattern does not match.",
    fix="correct the pattern or the example",
)
def placeholder_example(context: Context) -> Iterator[Hit]:
    for ref, path, _, placeholder in _placeholders(context):
        pattern = _compiled(placeholder.pattern)
        for index, example in enumerate(placeholder.examples):
            if pattern is not None and not pattern.fullmatch(example):
                message = f"`{placeholder.pattern}` does not match the example `{example}`"
                yield Hit(ref, (*path, "examples", index), message)
    for entry in context.entries:
        for name, value in entry.emission.bind.items():
            bound = context.placeholder(entry.framework, entry.stem, name)
            pattern = None if bound is None else _compiled(bound.pattern)
            if bound is not None and pattern is not None and not pattern.fullmatch(value):
                message = f"`{bound.pattern}` does not match the bound value `{value}`"
                yield Hit(entry.ref, (*entry.path, "bind", name), message, value=True)


@check(
    "round-trip",
    "error",
    what="A constrained template that gives other values back than those it was filled with.",
    fix="keep the separator out of the pattern, or bound the pattern",
)
def round_trip(context: Context) -> Iterator[Hit]:
    for entry in context.entries:
        names = placeholders_in(entry.emission.key)
        found = {name: context.placeholder(entry.framework, entry.stem, name) for name in names}
        known = {name: item for name, item in found.items() if item is not None}
        if not names or len(known) < len(names) or classify(context, entry) == "open":
            continue
        pattern = _compiled(_regex(entry.emission.key, known))
        if pattern is None:
            continue
        for values in _fillings(known):
            key = entry.emission.key
            for name, value in values.items():
                key = key.replace(f"{{{name}}}", value)
            match = pattern.fullmatch(key)
            if match is None or match.groupdict() != values:
                got = "nothing" if match is None else ", ".join(f"{n}={v}" for n, v in match.groupdict().items())
                given = ", ".join(f"{n}={v}" for n, v in values.items())
                message = f"`{key}` was made from {given} and is read back as {got}"
                yield Hit(entry.ref, (*entry.path, "key"), message, value=True)
                break


def _fillings(placeholders: Mapping[str, Placeholder]) -> Iterator[dict[str, str]]:
    """The n-th example of each placeholder together, and every example with the first ones of the others."""
    first = {name: item.examples[0] for name, item in placeholders.items()}
    longest = max(len(item.examples) for item in placeholders.values())
    for index in range(longest):
        yield {name: item.examples[index % len(item.examples)] for name, item in placeholders.items()}
    for name, item in placeholders.items():
        for example in item.examples[1:]:
            yield {**first, name: example}


def _regex(key: str, placeholders: Mapping[str, Placeholder]) -> str:
    seen: set[str] = set()
    parts: list[str] = []
    try:
        pieces = segments(key)
    except TemplateError:
        return "(?!)"
    for text, is_placeholder in pieces:
        if not is_placeholder:
            parts.append(re.escape(text))
        elif text in seen:
            parts.append(f"(?P={text})")
        else:
            seen.add(text)
            parts.append(f"(?P<{text}>{placeholders[text].pattern})")
    return "".join(parts)


def _compiled(pattern: str) -> re.Pattern[str] | None:
    try:
        return re.compile(pattern)
    except re.error:
        return None


@check(
    "ambiguous-template",
    "error",
    what="Two templates of the same class in one component and release that can match the same key.",
    fix="narrow a pattern so that no key fits both",
)
def ambiguous_template(context: Context) -> Iterator[Hit]:
    reported: set[tuple[str, YamlPath, str, YamlPath]] = set()
    automata = _Automata(context)
    for scope in context.scopes:
        templates = [entry for entry in scope.entries if placeholders_in(entry.emission.key)]
        for first, second in combinations(templates, 2):
            pair = (first.ref, first.path, second.ref, second.path)
            if pair in reported or not first.releases & second.releases or not first.modes & second.modes:
                continue
            if first.emission.key == second.emission.key or classify(context, first) != classify(context, second):
                continue
            key = automata.common(first, second)
            if key is None or not can_both_hold(context, first, first.emission.when, second.emission.when):
                continue
            reported.add(pair)
            place = context.spec.locate(first.ref, (*first.path, "key"), value=True)
            message = f"`{second.emission.key}` and `{first.emission.key}` ({place}) both match `{key}`"
            yield Hit(second.ref, (*second.path, "key"), message, value=True)


class _Automata:
    """Automata of templates, each built once."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._built: dict[tuple[str, YamlPath, str], Automaton | None] = {}

    def common(self, first: Entry, second: Entry) -> str | None:
        if not _ends_fit(first.emission.key, second.emission.key):
            return None
        left, right = self._get(first), self._get(second)
        if left is None or right is None:
            return None
        try:
            return common_text(left, right)
        except PatternError:
            return None

    def _get(self, entry: Entry) -> Automaton | None:
        place = (entry.ref, entry.path, entry.emission.key)
        if place not in self._built:
            self._built[place] = self._build(entry)
        return self._built[place]

    def _build(self, entry: Entry) -> Automaton | None:
        parts = []
        try:
            for text, is_placeholder in segments(entry.emission.key):
                if not is_placeholder:
                    parts.append(literal(text))
                    continue
                placeholder = self._context.placeholder(entry.framework, entry.stem, text)
                if placeholder is None:
                    return None
                parts.append(build(placeholder.pattern))
        except (TemplateError, PatternError):
            return None  # other checks report these
        return sequence(parts)


def _ends_fit(first: str, second: str) -> bool:
    """A cheap necessary condition: the literal beginnings and endings of two templates agree."""
    head, other = first.partition("{")[0], second.partition("{")[0]
    tail, end = first.rpartition("}")[2], second.rpartition("}")[2]
    heads_fit = head.startswith(other) or other.startswith(head)
    return heads_fit and (tail.endswith(end) or end.endswith(tail))


@check(
    "open-template",
    "warning",
    what="An open placeholder whose pattern lists all its values, so that it should be a constrained one.",
    fix="remove `open: true`",
)
def open_template(context: Context) -> Iterator[Hit]:
    for ref, path, name, placeholder in _placeholders(context):
        if placeholder.open and _ENUMERABLE.fullmatch(placeholder.pattern):
            yield Hit(ref, (*path, "open"), f"the pattern of `{{{name}}}` lists all its values")


@check(
    "loose-placeholder",
    "warning",
    what="A constrained placeholder that matches anything, slashes included.",
    fix="bound the pattern, or say `open: true` where users choose the whole name",
)
def loose_placeholder(context: Context) -> Iterator[Hit]:
    for ref, path, name, placeholder in _placeholders(context):
        if not placeholder.open and placeholder.pattern in {".+", ".*", ".+?", ".*?"}:
            yield Hit(ref, (*path, "pattern"), f"`{{{name}}}` matches anything", value=True)


CHECKS: tuple[Check, ...] = (
    template_syntax,
    placeholder_pattern,
    placeholder_example,
    round_trip,
    ambiguous_template,
    open_template,
    loose_placeholder,
)
