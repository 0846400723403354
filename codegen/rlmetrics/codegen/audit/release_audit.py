"""One audit: the source of a release against the spec."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rlmetrics.names.tables.tables import Tables

from ..locks.fetch import installed_place, open_release
from ..locks.packages import Package
from ..model.audit_settings import AuditSettings
from ..model.framework import PackageNames
from .audit_comparison import AuditComparison, compare
from .described import Description, describe
from .extract import Extraction, extract
from .proofs import check_proofs

__all__ = ["Audit", "audit", "base_of", "joined", "own_part", "release_of", "settings_of"]


@dataclass(frozen=True)
class Audit:
    """What a release logs, what the spec says, how the two differ, and what reading the sources does not show."""

    extraction: Extraction
    description: Description
    comparison: AuditComparison
    unseen: tuple[str, ...] = ()


def settings_of(tables: Tables, framework: str) -> AuditSettings:
    """Return how a framework is read."""
    return AuditSettings.model_validate(tables.audit[framework].get("settings", {}))


def release_of(tables: Tables, framework: str, release: str, place: Path | None) -> Package:
    """Return a release: from a place, as it is installed, or as pip fetches it.

    Raises:
        PackageError: If it can't be had or read.
    """
    listed = str(tables.head(framework)["package"])
    known = tables.audit[framework]
    names = {"imports": known.get("imports"), "source": known.get("source")}
    found = place or installed_place(listed, release)
    return open_release(listed, release, found, of=PackageNames.model_validate({"package": listed, **names}))


def base_of(tables: Tables, framework: str, release: str) -> tuple[str, str] | None:
    """Return the framework and the newest of its releases that a release is built on; None where it is its own."""
    base = tables.audit[framework].get("base")
    plain, plus, under = release.partition("+")
    if base is None or plain not in base["releases"]:
        return None
    return base["framework"], under.removeprefix(base["framework"]) if plus else base["releases"][plain]


def audit(
    tables: Tables,
    framework: str,
    package: Package,
    component: str | None = None,
    base: tuple[str, Package] | None = None,
) -> Audit:
    """Extract a release's keys and compare them, and the places of all anchors, with the spec.

    Args:
        tables: The spec.
        framework: The framework.
        package: A release of it.
        component: Only this component.
        base: The framework that it is built on, and the release of that: read with it, so that what its classes
            write is followed through the methods that they inherit.
    """
    settings = settings_of(tables, framework)
    if base is None:
        extraction = extract(framework, package.release, package.texts, settings)
    else:
        settings = joined(settings_of(tables, base[0]), settings)
        both = extract(framework, package.release, package.texts, settings, base[1].texts)
        extraction = own_part(both, package.texts)
    if component is not None:
        kept = tuple(key for key in extraction.keys if key.component == component)
        extraction = replace(extraction, keys=kept)
    description = describe(tables, framework, package.release, component)
    comparison = compare(extraction, description, by_component=not settings.trackers)
    checked, broken = check_proofs(tables.framework(framework), package, component)
    comparison = replace(comparison, broken=tuple(broken), proofs=checked, not_understood=extraction.unclear)
    return Audit(extraction, description, comparison, settings.unseen)


def joined(base: AuditSettings, own: AuditSettings) -> AuditSettings:
    """Return settings by which the sources of both are read: what either declares; single values are the own ones."""
    made: dict[str, Any] = {}
    for name in AuditSettings.model_fields:
        first, second = getattr(base, name), getattr(own, name)
        if isinstance(first, tuple):
            made[name] = (*first, *second)
        elif isinstance(first, Mapping):
            both = {key: (*first[key], *second[key]) for key in first.keys() & second if isinstance(first[key], tuple)}
            made[name] = {**first, **second, **both}
        else:
            made[name] = second
    return own.model_copy(update=made)


def own_part(extraction: Extraction, paths: Mapping[str, str]) -> Extraction:
    """Leave out what the base's own methods write, which the base's records describe."""
    return replace(
        extraction,
        keys=tuple(key for key in extraction.keys if key.path in paths),
        unclear=tuple(item for item in extraction.unclear if item.path in paths),
    )
