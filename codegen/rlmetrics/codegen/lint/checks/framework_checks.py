"""Frameworks and their files as a whole: titles of their own, files that extend others, keys that are what they say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...meaning import spelled
from ..lint_check import Check, Hit, check
from ..said import records, said_in

if TYPE_CHECKING:
    from ...loader import YamlPath
    from ..context import Context, FileScope

__all__ = ["CHECKS"]


@check(
    "extends-itself",
    "error",
    what="A component file that extends itself, be it through others.",
    fix="name the file whose keys it takes over, or none",
)
def extends_itself(context: Context) -> Iterator[Hit]:
    for scope in context.files.values():
        for index, stem in enumerate(scope.file.extends):
            if scope.stem in context.chain(scope.framework, stem):
                way = "" if stem == scope.stem else f" through `{stem}`"
                yield Hit(scope.ref, ("extends", index), f"the file extends itself{way}", value=True)


@check(
    "zero-scale",
    "error",
    what="A scale of 0, which makes every number 0 whatever its metric is.",
    fix="leave the scale out; where the code logs 0, say so with `constant_when`",
)
def zero_scale(context: Context) -> Iterator[Hit]:
    for scope in context.files.values():
        for path, value in _scales(scope):
            if value == 0 and not isinstance(value, bool):
                yield Hit(scope.ref, path, "a number times 0 tells nothing of its metric", value=True)


def _scales(scope: FileScope) -> Iterator[tuple[YamlPath, object]]:
    for said in said_in(scope):
        yield (*said.path, "scale"), said.fields.scale
    for name, profile in scope.file.profiles.items():
        yield ("profiles", name, "scale"), profile.scale


@check(
    "title-twice",
    "error",
    what="Two frameworks with one title, which no answer could tell apart.",
    fix="give each the title by which people know it",
)
def title_twice(context: Context) -> Iterator[Hit]:
    first: dict[str, str] = {}
    for name, framework in context.spec.frameworks.items():
        other = first.setdefault(framework.framework.title.casefold(), name)
        if other != name:
            ref, message = f"frameworks/{name}/framework", f"`{other}` has the title `{framework.framework.title}`, too"
            related = ((f"frameworks/{other}/framework", ("title",), "the other one"),)
            yield Hit(ref, ("title",), message, value=True, related=related)


@check(
    "prefixed-twice",
    "error",
    what="A key of evaluation that is spelled with the prefix that evaluation adds, so that it would have it twice.",
    fix="spell the key without the prefix, or give the record `modes: [train]`, if that is its whole name",
)
def prefixed_twice(context: Context) -> Iterator[Hit]:
    for scope in context.files.values():
        prefix = scope.file.eval_prefix
        component = context.frameworks[scope.framework].component(scope.stem)
        for name, path, record in records(scope):
            for item in spelled(name, record):
                key = component.filled(item.key)
                modes = item.modes or record.modes or scope.file.modes
                if prefix and "eval" in modes and key.startswith(prefix) and record.logged is None:
                    yield Hit(scope.ref, path, f"in evaluation `{key}` would be called `{prefix}{key}`")


CHECKS: tuple[Check, ...] = (extends_itself, zero_scale, title_twice, prefixed_twice)
