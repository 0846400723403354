"""Evidence: from the right releases, and enough of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .registry import Check, Hit, check

if TYPE_CHECKING:
    from ..loader import YamlPath
    from ..model import Evidence
    from .context import Context

__all__ = ["CHECKS", "lines"]


def _is_foreign(context: Context, framework: str, evidence: Evidence) -> bool:
    """Whether a line stands in another package, such as transformers, whose releases the framework does not list."""
    package = context.spec.frameworks[framework].framework.package
    return evidence.path.partition("/")[0] not in {package, package.replace("-", "_")}


def lines(context: Context) -> Iterator[tuple[str, str, YamlPath, Evidence]]:
    """Every line of the framework's own package that is given as evidence."""
    for framework, stem, file in context.spec.component_files():
        ref = f"frameworks/{framework}/{stem}"
        owners: list[tuple[YamlPath, Any]] = [(("tracking", i), item) for i, item in enumerate(file.tracking)]
        owners += [(("omits", i), item) for i, item in enumerate(file.omits)]
        owners += [(("amends", i), item) for i, item in enumerate(file.amends)]
        owners += _default_owners(file.config)
        for index, emission in enumerate(file.emissions):
            path: YamlPath = ("emissions", index)
            owners.append((path, emission))
            owners += [((*path, "variants", i), variant) for i, variant in enumerate(emission.variants)]
        yield from _evidence_of(context, framework, ref, owners)
    for framework, content in context.spec.frameworks.items():
        yield from _evidence_of(
            context, framework, f"frameworks/{framework}/framework", _default_owners(content.framework.config)
        )


def _default_owners(config: dict[str, Any]) -> list[tuple[YamlPath, Any]]:
    return [
        (("config", key, "defaults", index), default)
        for key, definition in config.items()
        for index, default in enumerate(definition.defaults)
    ]


def _evidence_of(
    context: Context, framework: str, ref: str, owners: list[tuple[YamlPath, Any]]
) -> Iterator[tuple[str, str, YamlPath, Evidence]]:
    for path, owner in owners:
        for index, evidence in enumerate(owner.evidence):
            if not _is_foreign(context, framework, evidence):
                yield framework, ref, (*path, "evidence", index), evidence


@check(
    "evidence-range",
    "error",
    what="Evidence from a release that the emission does not cover.",
    fix="show the line in a release of the emission's range",
)
def evidence_range(context: Context) -> Iterator[Hit]:
    for entry in context.entries:
        ranges = entry.emission.releases
        allowed = entry.releases if ranges is None else context.expand(entry.framework, ranges)
        if not allowed:
            continue
        owners: list[tuple[YamlPath, Any]] = [(entry.path, entry.emission)]
        owners += [((*entry.path, "variants", i), variant) for i, variant in enumerate(entry.emission.variants)]
        for path, owner in owners:
            for index, evidence in enumerate(owner.evidence):
                known = evidence.release in context.releases[entry.framework]
                if known and evidence.release not in allowed and not _is_foreign(context, entry.framework, evidence):
                    message = f"`{entry.emission.key}` is not described for {evidence.release}"
                    yield Hit(entry.ref, (*path, "evidence", index, "release"), message, value=True)


@check(
    "evidence-ends",
    "warning",
    what="An emission that no evidence shows in its first or its last described release.",
    fix="add the line of that release",
)
def evidence_ends(context: Context) -> Iterator[Hit]:
    for entry in context.entries:
        if not entry.releases or any(_is_foreign(context, entry.framework, item) for item in entry.emission.evidence):
            continue  # what another package logs is shown by that package's releases
        order = context.releases[entry.framework].sort(entry.releases)
        shown = {evidence.release for evidence in entry.emission.evidence}
        missing = [release for release in dict.fromkeys((order[0], order[-1])) if release not in shown]
        if missing:
            message = f"no evidence shows `{entry.emission.key}` in {' or '.join(missing)}"
            yield Hit(entry.ref, (*entry.path, "evidence"), message)


@check(
    "evidence-key-only",
    "warning",
    what="An emission whose evidence shows where the key is logged but not how its value is computed.",
    fix="add the line that computes the value, with `shows: value`",
)
def evidence_key_only(context: Context) -> Iterator[Hit]:
    for entry in context.entries:
        if all(evidence.shows == "key" for evidence in entry.emission.evidence):
            message = f"the evidence of `{entry.emission.key}` shows only the key"
            yield Hit(entry.ref, (*entry.path, "evidence"), message)


CHECKS: tuple[Check, ...] = (evidence_range, evidence_ends, evidence_key_only)
