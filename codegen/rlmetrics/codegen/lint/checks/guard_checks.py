"""Guards and the configuration keys that they read."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rlmetrics.names.settings.guards import GuardError, GuardLiteral, parse

from ..guardsets import compared, impossible, names_in, parsed
from ..lint_check import Check, Hit, check
from ..logged import as_yaml
from ..readable import cycles
from ..said import expressions
from .default_checks import described

if TYPE_CHECKING:
    from ...loader import YamlPath
    from ..context import Context, FileScope

__all__ = ["CHECKS"]


def _expressions(context: Context) -> Iterator[tuple[FileScope, YamlPath, str]]:
    """Yield every guard, scale and offset of the component files with its place."""
    for scope in context.files.values():
        for path, text in expressions(scope):
            yield scope, path, text


@check(
    "guard-syntax",
    "error",
    what="A guard, scale or offset that is not an expression over configuration keys.",
    fix="use and, or, not, comparisons, in, + - * /, numbers, quoted text, true, false, null, lists and names of "
    "configuration keys",
    metrics=False,
)
def guard_syntax(context: Context) -> Iterator[Hit]:
    for scope in context.files.values():
        reported: set[str] = set()
        for path, text in _guards_first(scope):
            try:
                names = parse(text).names()
            except GuardError as error:
                location = context.spec.locate_in_text(scope.ref, path, min(error.column, len(text)) - 1)
                yield Hit(scope.ref, path, error.message.partition("; ")[0], location=location)
                continue
            if reported & names or path[-1] in ("scale", "offset"):
                continue
            for written in _written(context, scope, text):
                try:
                    parse(written)
                except GuardError as error:
                    reported.update([str(path[1])] if path[0] == "guards" else [])
                    message = f"with its named guards written out: {error.message.partition('; ')[0]}"
                    yield Hit(scope.ref, path, message, "say it with fewer words, or in two facts", value=True)
                    break


def _guards_first(scope: FileScope) -> list[tuple[YamlPath, str]]:
    """Return the expressions of a file, named guards first: what is wrong with one is wrong where it is named."""
    return sorted(expressions(scope), key=lambda found: found[0][0] != "guards")


def _written(context: Context, scope: FileScope, text: str) -> list[str]:
    """Return a guard written out, in each way in which it reads in some releases."""
    expander = context.frameworks[scope.framework].component(scope.stem).expander(scope.stem)
    return [written for _, written in expander.guard(text) if written is not None]


@check(
    "guard-cycle",
    "error",
    what="A named condition that refers to itself, be it through others.",
    fix="write out what it stands for",
    metrics=False,
)
def guard_cycle(context: Context) -> Iterator[Hit]:
    for scope in context.files.values():
        for circle in cycles(scope.file.guards):
            way = " → ".join(f"`{name}`" for name in (*circle, circle[0]))
            yield Hit(scope.ref, ("guards", circle[0]), f"the guard refers to itself: {way}")


@check(
    "guard-shadows",
    "error",
    what="A named condition or a short name that hides a configuration key, or each other; or a name that stands for "
    "something else in a component that extends the file.",
    fix="give it a name of its own",
    metrics=False,
)
def guard_shadows(context: Context) -> Iterator[Hit]:
    for (framework, stem), scope in context.files.items():
        keys = set(context.config(framework, stem))
        endings = {ending for key in keys for ending in _endings(key)}
        for name in scope.file.guards:
            if name in keys | endings:
                yield Hit(scope.ref, ("guards", name), f"the guard `{name}` hides a configuration key of that name")
        for name, full in scope.file.names.items():
            if name in scope.file.guards:
                yield Hit(scope.ref, ("names", name), f"`{name}` is a guard too")
            elif name in keys or (name in endings and not full.endswith(f".{name}")):
                yield Hit(scope.ref, ("names", name), f"the short name `{name}` hides a configuration key of that name")
        yield from _otherwise(context, scope)


def _otherwise(context: Context, scope: FileScope) -> Iterator[Hit]:
    """Yield the names that stand for something else where a component extends the file, because of its own settings."""
    reported: set[str] = set()
    users = context.users.get((scope.framework, scope.stem), ())
    expanders = {user: context.frameworks[scope.framework].component(user).expander(scope.stem) for user in users}
    for path, text in expressions(scope) if users else ():
        for name in names_in(text):
            own = context.full(scope.framework, scope.stem, name)
            others = (user for user in users if expanders[user].full(name) != own)
            user = next(others, None) if name not in reported and name not in scope.file.guards else None
            if user is not None:
                reported.add(name)
                message = f"`{name}` does not mean the same in {user}, which has a configuration key of that name"
                yield Hit(scope.ref, path, message, "write the whole name of the configuration key", value=True)


def _endings(key: str) -> Iterator[str]:
    parts = key.split(".")
    for index in range(1, len(parts)):
        yield ".".join(parts[index:])


@check(
    "guard-never",
    "error",
    what="A guard that no configuration satisfies.",
    fix="correct the guard, or remove what it guards",
    metrics=False,
)
def guard_never(context: Context) -> Iterator[Hit]:
    for scope in context.files.values():
        users = context.users.get((scope.framework, scope.stem), ())
        stems = [scope.stem, *users] if scope.file.components else users
        # What names a guard that never holds follows from that one.
        reported: set[str] = set()
        for path, text in _guards_first(scope):
            expression = parsed(text)
            # Written as `false` it is meant.
            if path[-1] in ("scale", "offset") or expression is None or isinstance(expression, GuardLiteral):
                continue
            if not stems or reported & expression.names():
                continue
            if all(_is_never(context, scope, stem, text) for stem in stems):
                reported.update([str(path[1])] if path[0] == "guards" else [])
                yield Hit(scope.ref, path, f"`{text}` can never hold", value=True)


def _is_never(context: Context, scope: FileScope, stem: str, text: str) -> bool:
    written = context.frameworks[scope.framework].component(stem).expander(scope.stem).guard(text)
    return all(impossible(context, scope.framework, stem, guard) for _, guard in written)


@check(
    "guard-value",
    "error",
    what="A guard that compares a configuration key with a value that it cannot have.",
    fix="use a value of the key's type or choices",
    metrics=False,
)
def guard_value(context: Context) -> Iterator[Hit]:
    for scope, path, text in _expressions(context):
        expression = parsed(text)
        for name, value in compared(expression) if expression is not None else ():
            key = context.config_key(scope.framework, scope.stem, context.full(scope.framework, scope.stem, name))
            if name in scope.file.guards or key is None or value is None or key.fits(value):
                continue
            if not _fits_extending(context, scope, name, value):
                near = difflib.get_close_matches(str(value), key.choices, n=1)
                fix = f"did you mean '{near[0]}'?" if near else None
                message = f"`{name}` is {described(key)} and never {as_yaml(value)}"
                yield Hit(scope.ref, path, message, fix, value=True)


def _fits_extending(context: Context, scope: FileScope, name: str, value: object) -> bool:
    """Tell whether a component that extends the file has a configuration key of that name that can have the value.

    A file that cannot be read may be such a component's.
    """
    if context.spec.is_unread("config", name):
        return True
    for user in context.users.get((scope.framework, scope.stem), ()):
        key = context.config_key(scope.framework, user, context.full(scope.framework, scope.stem, name))
        if key is not None and key.fits(value):
            return True
    return False


CHECKS: tuple[Check, ...] = (guard_syntax, guard_cycle, guard_shadows, guard_never, guard_value)
