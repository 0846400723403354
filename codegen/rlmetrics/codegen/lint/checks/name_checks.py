"""Canonical names and aliases: legal everywhere, unmistakable, and free of collisions."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..lint_check import Check, Hit, check

if TYPE_CHECKING:
    from ...loader import YamlPath
    from ..context import Context

__all__ = ["CHECKS"]

_CANONICAL = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*(?:/[a-z0-9]+(?:_[a-z0-9]+)*)+")


def _hit(
    context: Context, metric: str, message: str, *path: str | int, fix: str | None = None, value: bool = False
) -> Hit:
    place: YamlPath = ("metrics", metric, *path)
    return Hit(f"metrics/{context.spec.family_of[metric]}", place, message, fix, value)


@check(
    "canonical-name",
    "error",
    what="A canonical name that is not lower snake case with slashes, or that does not begin with its family.",
    fix="name it like `family/what_is_measured/statistic`",
)
def canonical_name(context: Context) -> Iterator[Hit]:
    for metric, family in context.spec.family_of.items():
        if not _CANONICAL.fullmatch(metric):
            yield _hit(context, metric, f"`{metric}` is not lower snake case with slashes")
        elif metric.partition("/")[0] != family:
            yield _hit(
                context, metric, f"`{metric}` stands in the family `{family}` but does not begin with `{family}/`"
            )


@check(
    "path-prefix",
    "error",
    what="A canonical name that is a path prefix of another, which some trackers cannot store.",
    fix="give the shorter one a last part of its own, such as its statistic",
)
def path_prefix(context: Context) -> Iterator[Hit]:
    below: dict[str, str] = {}
    for metric in context.spec.metrics:
        parts = metric.split("/")
        for length in range(1, len(parts)):
            below.setdefault("/".join(parts[:length]), metric)
    for metric in context.spec.metrics:
        if metric in below:
            yield _hit(context, metric, f"`{metric}` is a path prefix of `{below[metric]}`")


@check(
    "tracker-name",
    "error",
    what="A canonical name that some tracker rejects.",
    fix="choose a name that every tracker accepts",
)
def tracker_name(context: Context) -> Iterator[Hit]:
    for name, tracker in context.spec.trackers.items():
        try:
            allowed = re.compile(tracker.allowed)
        except re.error:
            continue  # `invalid-pattern` reports it
        for metric, definition in context.spec.metrics.items():
            if definition.kind not in tracker.kinds:
                continue
            if not allowed.fullmatch(metric):
                yield _hit(context, metric, f"{tracker.title} rejects `{metric}`: see spec/trackers/{name}.yaml")
            elif tracker.max_length is not None and len(metric) > tracker.max_length:
                message = f"{tracker.title} accepts {tracker.max_length} characters, `{metric}` has {len(metric)}"
                yield _hit(context, metric, message)


@check(
    "invalid-pattern",
    "error",
    what="A regular expression of a tracker that does not compile, or a replacement that does not fit it.",
    fix="correct the regular expression; quote it in single quotes",
)
def invalid_pattern(context: Context) -> Iterator[Hit]:
    for name, tracker in context.spec.trackers.items():
        patterns: list[tuple[YamlPath, str, str]] = [(("allowed",), tracker.allowed, "")]
        for route, rewrites in tracker.routes.items():
            for index, rewrite in enumerate(rewrites):
                patterns.append((("routes", route, index, "pattern"), rewrite.pattern, rewrite.replacement))
        for path, pattern, replacement in patterns:
            try:
                # A pattern that may match nothing shows whether the replacement names existing groups.
                re.sub(f"(?:{pattern})|", "", "")
                re.compile(pattern)
                re.compile(f"(?:{pattern})|").sub(lambda match: match.expand(replacement), "")  # noqa: B023
            except (re.error, IndexError) as error:
                yield Hit(f"trackers/{name}", path, f"`{pattern}` cannot be used: {error}", value=True)


@check(
    "near-identical",
    "warning",
    what="Two canonical names that differ by one letter, or only in the order of their words.",
    fix="rename one so that nobody takes it for the other, or allow it with the reason",
)
def near_identical(context: Context) -> Iterator[Hit]:
    by_words: dict[tuple[str, ...], str] = {}
    by_deletion: dict[str, list[str]] = defaultdict(list)
    for metric in context.spec.metrics:
        words = tuple(sorted(re.split(r"[/_]", metric)))
        other = by_words.setdefault(words, metric)
        if other != metric:
            yield _hit(context, metric, f"`{metric}` has the same words as `{other}`")
            continue
        # Two names one edit apart share a form with at most one letter left out.
        forms = {metric, *(metric[:i] + metric[i + 1 :] for i in range(len(metric)) if not metric[i].isdigit())}
        near = sorted({name for form in forms for name in by_deletion[form] if _one_letter_apart(name, metric)})
        if near:
            yield _hit(context, metric, f"`{metric}` differs from `{near[0]}` by one letter")
        for form in forms:
            by_deletion[form].append(metric)


def _one_letter_apart(first: str, second: str) -> bool:
    """Tell whether one inserted, deleted or replaced letter makes one of the other; digits tell names apart enough."""
    if abs(len(first) - len(second)) > 1:
        return False
    start = 0
    while start < min(len(first), len(second)) and first[start] == second[start]:
        start += 1
    left, right = first[start:], second[start:]
    if len(left) == len(right):
        return left[1:] == right[1:] and not (left[:1] + right[:1]).isdigit()
    longer, shorter = (left, right) if len(left) > len(right) else (right, left)
    return longer[1:] == shorter and not longer[:1].isdigit()


@check(
    "alias-collision",
    "error",
    what="An alias that is also the name or the alias of another metric, or that stands twice.",
    fix="keep the alias where people mean it most, and make the other metric a look-alike under `false_friends`",
)
def alias_collision(context: Context) -> Iterator[Hit]:
    ids = {metric.casefold(): metric for metric in context.spec.metrics}
    owners: dict[str, str] = {}
    for metric, definition in context.spec.metrics.items():
        for index, alias in enumerate(definition.aliases):
            name = alias.casefold()
            if name in ids:
                what = (
                    "its own name" if ids[name] == metric else f"the name of the metric at {_place(context, ids[name])}"
                )
                yield _hit(context, metric, f"the alias `{alias}` is {what}", "aliases", index)
            elif name in owners:
                what = "stands twice" if owners[name] == metric else f"belongs to `{owners[name]}` too"
                yield _hit(context, metric, f"the alias `{alias}` {what}", "aliases", index)
            else:
                owners[name] = metric


def _place(context: Context, metric: str) -> str:
    return str(context.spec.locate_metric(metric))


CHECKS: tuple[Check, ...] = (
    canonical_name,
    path_prefix,
    tracker_name,
    invalid_pattern,
    near_identical,
    alias_collision,
)
