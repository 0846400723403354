"""Variants of one emission: exactly one may hold, and none at all only where the record itself has a meaning."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Any

from .guardsets import impossible, witness
from .registry import Check, Hit, check

if TYPE_CHECKING:
    from ..loader import YamlPath
    from .context import Context, Entry

__all__ = ["CHECKS", "as_yaml"]


@check(
    "guard-overlap",
    "error",
    what="Two variants of one emission that can apply at once.",
    fix="make their guards exclude each other",
)
def guard_overlap(context: Context) -> Iterator[Hit]:
    for entry in context.entries:
        for (_, first), (index, second) in combinations(enumerate(entry.emission.variants), 2):
            found = witness(context, entry.framework, entry.stem, entry.emission.when, first.when, second.when)
            if found is not None:
                message = f"the variants `{first.name}` and `{second.name}` both apply{_under(found)}"
                yield Hit(entry.ref, (*entry.path, "variants", index, "when"), message, value=True)


def _under(config: dict[str, Any]) -> str:
    shown = ", ".join(f"{name}={as_yaml(value)}" for name, value in config.items())
    return f" with {shown}" if shown else ""


def as_yaml(value: Any) -> str:
    """A value of a configuration key as the spec writes it."""
    return (
        {True: "true", False: "false", None: "null"}[value] if value is None or isinstance(value, bool) else str(value)
    )


@check(
    "variant-name",
    "error",
    what="Two variants of one emission with the same name.",
    fix="give each variant a name of its own",
)
def variant_name(context: Context) -> Iterator[Hit]:
    for entry in context.entries:
        seen: set[str] = set()
        for index, variant in enumerate(entry.emission.variants):
            if variant.name in seen:
                path: YamlPath = (*entry.path, "variants", index, "name")
                yield Hit(entry.ref, path, f"two variants are named `{variant.name}`", value=True)
            seen.add(variant.name)


@check(
    "variants-exhaustive",
    "error",
    what="Variants of which one always holds although the record does not say so, or the other way round.",
    fix="write `exhaustive: true` where one variant always holds, and nowhere else",
)
def variants_exhaustive(context: Context) -> Iterator[Hit]:
    stems = _stems(context)
    for entry in context.entries:
        emission = entry.emission
        applies_to = stems.get((entry.framework, entry.stem, entry.index), [])
        if emission.exhaustive:
            yield from _wrongly_marked(context, entry, applies_to)
        elif emission.variants and applies_to and all(_covered(context, entry, stem) for stem in applies_to):
            message = "one of the variants always holds, so what the record says without them never occurs"
            yield Hit(entry.ref, (*entry.path, "variants"), message, "add `exhaustive: true`")


def _stems(context: Context) -> dict[tuple[str, str, int], list[str]]:
    """For each emission the files to whose components it applies: each may have configuration keys of its own."""
    stems: dict[tuple[str, str, int], dict[str, None]] = {}
    for scope in context.scopes:
        for entry in scope.entries:
            stems.setdefault((entry.framework, entry.stem, entry.index), {})[scope.scope.stem] = None
    return {place: list(found) for place, found in stems.items()}


def _wrongly_marked(context: Context, entry: Entry, stems: list[str]) -> Iterator[Hit]:
    emission = entry.emission
    path: YamlPath = (*entry.path, "exhaustive")
    for stem in stems:
        found = witness(context, entry.framework, stem, *_none_holds(entry))
        if found is not None:
            where = "" if stem == entry.stem else f" in {stem}"
            yield Hit(entry.ref, path, f"no variant holds{_under(found)}{where}", "complete the variants, or drop it")
            return
    if emission.metric is not None and all(
        variant.metric not in (None, emission.metric) for variant in emission.variants
    ):
        message = f"every variant has another metric, so the key never means `{emission.metric}`"
        yield Hit(entry.ref, (*entry.path, "metric"), message, "leave the record's own metric out", value=True)


def _covered(context: Context, entry: Entry, stem: str) -> bool:
    return impossible(context, entry.framework, stem, *_none_holds(entry))


def _none_holds(entry: Entry) -> list[str | None]:
    """Guards that hold together where the key is logged and none of its variants applies."""
    return [entry.emission.when, *(f"not ({variant.when})" for variant in entry.emission.variants)]


CHECKS: tuple[Check, ...] = (guard_overlap, variant_name, variants_exhaustive)
