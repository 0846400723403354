"""Guards and the configuration keys that they read."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rlmetrics.names.guards import GuardError, UnknownValueError, parse

from .guardsets import compared, impossible, parsed
from .registry import Check, Hit, check
from .variants import as_yaml

if TYPE_CHECKING:
    from ..loader import YamlPath
    from ..model import ConfigKey, SignatureFields
    from .context import Context, Entry

__all__ = ["CHECKS"]


def _expressions(entry: Entry) -> Iterator[tuple[YamlPath, str]]:
    """Every guard and scale of an emission with its path."""
    owners: list[tuple[YamlPath, SignatureFields]] = [(entry.path, entry.emission)]
    owners += [((*entry.path, "variants", i), variant) for i, variant in enumerate(entry.emission.variants)]
    for path, owner in owners:
        for field in ("when", "scale", "offset"):
            text = getattr(owner, field, None)
            if isinstance(text, str):
                yield (*path, field), text


@check(
    "guard-syntax",
    "error",
    what="A guard, scale or offset that is not an expression over configuration keys.",
    fix="use and, or, not, comparisons, in, + - * /, numbers, quoted text, true, false, null, lists and names of "
    "configuration keys",
)
def guard_syntax(context: Context) -> Iterator[Hit]:
    for ref, path, text in _all_expressions(context):
        try:
            parse(text)
        except GuardError as error:
            location = context.spec.locate_in_text(ref, path, min(error.column, len(text)) - 1)
            yield Hit(ref, path, error.message.partition("; ")[0], location=location)


def _all_expressions(context: Context) -> Iterator[tuple[str, YamlPath, str]]:
    for entry in context.entries:
        for path, text in _expressions(entry):
            yield entry.ref, path, text
    for scope in context.files.values():
        for index, amendment in enumerate(scope.file.amends):
            if amendment.when is not None:
                yield scope.ref, ("amends", index, "when"), amendment.when
        for name, profile in scope.file.profiles.items():
            for field in ("scale", "offset"):
                text = getattr(profile, field)
                if isinstance(text, str):
                    yield scope.ref, ("profiles", name, field), text


@check(
    "guard-never",
    "error",
    what="A guard that no configuration satisfies.",
    fix="correct the guard, or remove what it guards",
)
def guard_never(context: Context) -> Iterator[Hit]:
    for entry in context.entries:
        when = entry.emission.when
        if when is not None and impossible(context, entry.framework, entry.stem, when):
            yield Hit(entry.ref, (*entry.path, "when"), f"`{when}` can never hold", value=True)
            continue
        for index, variant in enumerate(entry.emission.variants):
            if impossible(context, entry.framework, entry.stem, when, variant.when):
                where = "" if when is None else f" where `{when}` holds"
                path: YamlPath = (*entry.path, "variants", index, "when")
                yield Hit(entry.ref, path, f"`{variant.when}` can never hold{where}", value=True)


@check(
    "guard-value",
    "error",
    what="A guard that compares a configuration key with a value that it cannot have.",
    fix="use a value of the key's type or choices",
)
def guard_value(context: Context) -> Iterator[Hit]:
    for entry in context.entries:
        for path, text in _expressions(entry):
            expression = parsed(text)
            for name, value in compared(expression) if expression is not None else ():
                key = context.config_key(entry.framework, entry.stem, name)
                if key is not None and value is not None and not _fits(key, value):
                    near = difflib.get_close_matches(str(value), key.choices, n=1)
                    fix = f"did you mean '{near[0]}'?" if near else None
                    message = f"`{name}` is {_described(key)} and never {as_yaml(value)}"
                    yield Hit(entry.ref, path, message, fix, value=True)


def _fits(key: ConfigKey, value: Any) -> bool:
    if key.type == "choice":
        return value in key.choices
    if key.type == "bool":
        return isinstance(value, bool)
    if key.type == "str":
        return isinstance(value, str)
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _described(key: ConfigKey) -> str:
    words = {"bool": "true or false", "int": "a whole number", "float": "a number", "str": "text"}
    return f"one of {', '.join(key.choices)}" if key.type == "choice" else words[key.type]


@check(
    "missing-default",
    "error",
    what="A guard that the defaults of some described release do not answer.",
    fix="add the default of that release to the configuration key",
)
def missing_default(context: Context) -> Iterator[Hit]:
    for entry in context.entries:
        reported: set[str] = set()
        for path, text in _expressions(entry):
            if parsed(text) is None or path[-1] != "when":
                continue
            open_releases = {
                release: name
                for release in context.releases[entry.framework].sort(entry.releases)
                if (name := _undecided(context, entry, text, release)) is not None
            }
            if not reported.issuperset(open_releases.values()):
                reported.update(open_releases.values())
                names = ", ".join(f"`{name}`" for name in dict.fromkeys(open_releases.values()))
                message = f"{names} has no default in {', '.join(open_releases)}, so `{text}` has no answer there"
                yield Hit(entry.ref, path, message, value=True)


def _undecided(context: Context, entry: Entry, text: str, release: str) -> str | None:
    """The key that keeps a release's defaults from answering a guard."""
    expression = parse(text)
    config: dict[str, Any] = {}
    for name in expression.names():
        key = context.config_key(entry.framework, entry.stem, name)
        if key is None:
            return None  # `broken-reference` reports it
        for default in key.defaults:
            if default.releases is None or release in context.expand(entry.framework, default.releases):
                config[name] = default.value
    try:
        expression.evaluate(config)
    except UnknownValueError as error:
        return error.name if error.name not in config else None
    except GuardError:
        return None
    return None


def _config_keys(context: Context) -> Iterator[tuple[str, str, YamlPath, ConfigKey]]:
    for ref, node in context.spec.roots():
        if ref.startswith("frameworks/"):
            for name, key in node.config.items():
                yield ref.split("/")[1], ref, ("config", name), key


@check(
    "default-value",
    "error",
    what="A default that does not fit its configuration key's type or choices, or choices that do not fit the type.",
    fix="correct the default, or the type and choices",
)
def default_value(context: Context) -> Iterator[Hit]:
    for _, ref, path, key in _config_keys(context):
        if (key.type == "choice") != bool(key.choices):
            message = (
                "a key of type `choice` needs choices" if key.type == "choice" else "only type `choice` has choices"
            )
            yield Hit(ref, (*path, "type"), f"`{path[1]}`: {message}", value=True)
            continue
        for index, default in enumerate(key.defaults):
            if default.value is not None and not _fits(key, default.value):
                message = f"`{path[1]}` is {_described(key)}, but its default is {as_yaml(default.value)}"
                yield Hit(ref, (*path, "defaults", index, "value"), message, value=True)


@check(
    "default-overlap",
    "error",
    what="Two defaults of one configuration key for the same release.",
    fix="give each release one default",
)
def default_overlap(context: Context) -> Iterator[Hit]:
    for framework, ref, path, key in _config_keys(context):
        everything = frozenset(context.releases[framework].names)
        seen: set[str] = set()
        for index, default in enumerate(key.defaults):
            covered = everything if default.releases is None else context.expand(framework, default.releases)
            twice = context.releases[framework].sort(covered & seen)
            if twice:
                message = f"`{path[1]}` has two defaults in {twice[0]}"
                yield Hit(ref, (*path, "defaults", index), message)
            seen |= covered


CHECKS: tuple[Check, ...] = (
    guard_syntax,
    guard_never,
    guard_value,
    missing_default,
    default_value,
    default_overlap,
)
