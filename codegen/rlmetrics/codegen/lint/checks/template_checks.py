"""Templates: placeholders that match what they should, and keys that only one record claims."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import combinations, pairwise, product
from typing import TYPE_CHECKING

from ..automata import Automaton, PatternError, common_text, literal, sequence
from ..guardsets import witness
from ..key_languages import KeyClass, TemplateError, classify, placeholders_in, segments
from ..lint_check import Check, Hit, check
from ..logged import logged_guards
from ..patterns import build
from ..said import keys_of, records, said_anywhere

if TYPE_CHECKING:
    from ...loader import YamlPath
    from ...meaning import Resolved
    from ...model import Placeholder
    from ..context import ComponentScope, Context, FileScope

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
    metrics=False,
)
def template_syntax(context: Context) -> Iterator[Hit]:
    for scope in context.files.values():
        keys = [(place, key, False) for key, place in _keys(scope)]
        for index, item in enumerate(scope.file.unlogged):
            keys += [(("unlogged", index, "keys", key), key, False) for key in item.keys]
        for path, key, value in keys:
            try:
                parts = segments(key)
            except TemplateError as error:
                yield Hit(scope.ref, path, str(error), value=value)
                continue
            if any(first[1] and second[1] for first, second in pairwise(parts)):
                yield Hit(scope.ref, path, f"`{key}` has two placeholders with nothing between them", value=value)


def _keys(scope: FileScope) -> Iterator[tuple[str, YamlPath]]:
    """Yield every key of a file with its place."""
    for name, path, record in records(scope):
        yield from keys_of(name, path, record)


@check(
    "placeholder-pattern",
    "error",
    what="A placeholder whose pattern is not a regular expression in the formal sense, or that matches the empty text.",
    fix="use characters, classes, groups `(?:…)`, `|` and repetition only",
    metrics=False,
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
    metrics=False,
)
def placeholder_example(context: Context) -> Iterator[Hit]:
    for ref, path, _, placeholder in _placeholders(context):
        pattern = _compiled(placeholder.pattern)
        for index, example in enumerate(placeholder.examples):
            if pattern is not None and not pattern.fullmatch(example):
                message = f"`{placeholder.pattern}` does not match the example `{example}`"
                yield Hit(ref, (*path, "examples", index), message)
    for said in said_anywhere(context):
        for name, value in said.fields.bind.items():
            bound = context.placeholder(said.scope.framework, said.scope.stem, name)
            pattern = None if bound is None else _compiled(bound.pattern)
            if bound is None or pattern is None or not isinstance(value, str):
                continue
            if not pattern.fullmatch(value):
                message = f"`{bound.pattern}` does not match the bound value `{value}`"
                yield Hit(said.ref, (*said.path, "bind", name), message, value=True)


@check(
    "round-trip",
    "error",
    what="A constrained template that gives other values back than those it was filled with.",
    fix="keep the separator out of the pattern, or bound the pattern",
    metrics=False,
)
def round_trip(context: Context) -> Iterator[Hit]:
    for (framework, stem), scope in context.files.items():
        for template, path in _keys(scope):
            names = placeholders_in(template)
            placeholders = {name: context.placeholder(framework, stem, name) for name in names}
            known = {name: item for name, item in placeholders.items() if item is not None}
            if not names or len(known) < len(names) or classify(context, framework, stem, template) == "open":
                continue
            message = _wrongly_read(template, known)
            if message is not None:
                yield Hit(scope.ref, path, message)


def _wrongly_read(template: str, placeholders: Mapping[str, Placeholder]) -> str | None:
    """Return how a template gives other values back than those it was filled with, None if it does not."""
    pattern = _compiled(_regex(template, placeholders))
    for values in _fillings(placeholders) if pattern is not None else ():
        key = template
        for name, value in values.items():
            key = key.replace(f"{{{name}}}", value)
        match = pattern.fullmatch(key) if pattern is not None else None
        if match is None or match.groupdict() != values:
            got = "nothing" if match is None else ", ".join(f"{n}={v}" for n, v in match.groupdict().items())
            given = ", ".join(f"{n}={v}" for n, v in values.items())
            return f"`{key}` was made from {given} and is read back as {got}"
    return None


def _fillings(placeholders: Mapping[str, Placeholder]) -> Iterator[dict[str, str]]:
    """Yield the n-th example of each placeholder together, and every example with the first ones of the others."""
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
    metrics=False,
)
def ambiguous_template(context: Context) -> Iterator[Hit]:
    reported: set[tuple[str, YamlPath, str, str, YamlPath, str]] = set()
    automata = _Automata(context)
    for component in context.components:
        for first, second in combinations(_templates(component), 2):
            refs = component.ref(first[0]), component.ref(second[0])
            pair = (refs[0], first[0].path, first[0].key, refs[1], second[0].path, second[0].key)
            if pair in reported or first[0].mode != second[0].mode or first[0].key == second[0].key:
                continue
            if _told_apart(context, component, first[0], second[0]):
                continue
            key = automata.common(component, first[0], second[0]) if first[1] & second[1] else None
            if key is None or not _meet(context, component, first[0].key, second[0].key):
                continue
            reported.add(pair)
            place = context.spec.locate(refs[0], first[0].path)
            message = f"`{second[0].key}` and `{first[0].key}` ({place}) both match `{key}`"
            yield Hit(refs[1], second[0].path, message, related=((refs[0], first[0].path, "the other template"),))


def _templates(component: ComponentScope) -> list[tuple[Resolved, int]]:
    """Return each template of a component once for each record and mode, with all its releases."""
    templates: dict[tuple[str, str, str, YamlPath], tuple[Resolved, int]] = {}
    for item in component.resolved:
        if "{" in item.key:
            identity = (item.key, item.mode, item.stem, item.path)
            first, releases = templates.get(identity, (item, 0))
            templates[identity] = first, releases | item.releases
    return list(templates.values())


def _told_apart(context: Context, component: ComponentScope, first: Resolved, second: Resolved) -> bool:
    """Tell whether a lookup decides between two templates: of open ones, for the one with more text of its own."""
    framework = component.scope.framework
    if any(classify(context, framework, item.stem, item.key) != "open" for item in (first, second)):
        return False
    own = [sum(len(text) for text, is_name in segments(item.key) if not is_name) for item in (first, second)]
    return own[0] != own[1]


def _meet(context: Context, component: ComponentScope, first: str, second: str) -> bool:
    """Tell whether two keys can be logged in the same mode, release and configuration."""
    scope = component.scope
    items = [[item for item in component.resolved if item.key == key] for key in (first, second)]
    return any(
        one.mode == other.mode
        and one.releases & other.releases
        and witness(context, scope.framework, scope.stem, *logged_guards(one), *logged_guards(other)) is not None
        for one, other in product(*items)
    )


class _Automata:
    """Automata of templates, each built once."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._found: dict[tuple[str, str, str], Automaton | None] = {}
        self._built: dict[tuple[tuple[str, bool], ...], Automaton] = {}
        self._classes: dict[tuple[str, str, str], KeyClass] = {}
        self._common: dict[tuple[int, int], str | None] = {}

    def common(self, component: ComponentScope, first: Resolved, second: Resolved) -> str | None:
        """Return a key that two templates of one class both match, None if there is none."""
        if not _ends_fit(first.key, second.key):
            return None
        framework = component.scope.framework
        if self._class(framework, first) != self._class(framework, second):
            return None
        left, right = self._get(framework, first), self._get(framework, second)
        if left is None or right is None:
            return None
        asked = id(left), id(right)
        if asked not in self._common:
            try:
                self._common[asked] = common_text(left, right)
            except PatternError:
                self._common[asked] = None
        return self._common[asked]

    def _class(self, framework: str, item: Resolved) -> KeyClass:
        asked = (framework, item.stem, item.key)
        if asked not in self._classes:
            self._classes[asked] = classify(self._context, framework, item.stem, item.key)
        return self._classes[asked]

    def _get(self, framework: str, item: Resolved) -> Automaton | None:
        place = (framework, item.stem, item.key)
        if place not in self._found:
            self._found[place] = self._build(*place)
        return self._found[place]

    def _build(self, framework: str, stem: str, key: str) -> Automaton | None:
        """Return the automaton of a template; equal texts and patterns have one."""
        parts: list[tuple[str, bool]] = []
        try:
            for text, is_placeholder in segments(key):
                placeholder = self._context.placeholder(framework, stem, text) if is_placeholder else None
                if is_placeholder and placeholder is None:
                    return None
                parts.append((text if placeholder is None else placeholder.pattern, is_placeholder))
            whole = tuple(parts)
            if whole not in self._built:
                built = [build(text) if is_pattern else literal(text) for text, is_pattern in whole]
                self._built[whole] = sequence(built)
        except (TemplateError, PatternError):
            return None  # other checks report these
        return self._built[whole]


def _ends_fit(first: str, second: str) -> bool:
    """Tell cheaply whether two templates may meet: their literal beginnings and endings agree."""
    head, other = first.partition("{")[0], second.partition("{")[0]
    tail, end = first.rpartition("}")[2], second.rpartition("}")[2]
    heads_fit = head.startswith(other) or other.startswith(head)
    return heads_fit and (tail.endswith(end) or end.endswith(tail))


@check(
    "open-template",
    "warning",
    what="An open placeholder whose pattern lists all its values, so that it should be a constrained one.",
    fix="remove `open: true`",
    metrics=False,
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
    metrics=False,
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
