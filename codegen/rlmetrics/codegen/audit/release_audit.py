"""One audit: the source of a release against the spec."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from rlmetrics.names.tables.tables import Tables

from .audit_comparison import AuditComparison, compare
from .described import Description, describe
from .extract import Extraction, extract
from .frameworks import SETTINGS
from .proofs import check_proofs

__all__ = ["Audit", "audit"]


@dataclass(frozen=True)
class Audit:
    """What a release logs, what the spec says, and how the two differ."""

    extraction: Extraction
    description: Description
    comparison: AuditComparison


def audit(
    tables: Tables, framework: str, release: str, sources: Mapping[str, str], component: str | None = None
) -> Audit:
    """Extract a release's keys and compare them, and the places of all anchors, with the spec.

    Args:
        tables: The spec.
        framework: A framework that the auditor can read.
        release: The release that the sources are of.
        sources: Path in the wheel to text.
        component: Only this component.
    """
    extraction = extract(framework, release, sources)
    if component is not None:
        kept = tuple(key for key in extraction.keys if key.component == component)
        extraction = replace(extraction, keys=kept)
    description = describe(tables, framework, release, component)
    comparison = compare(extraction, description, by_component=not SETTINGS[framework].trackers)
    package = str(tables.frameworks[framework]["package"])
    checked, broken = check_proofs(tables.framework(framework), package, release, sources, component)
    comparison = replace(comparison, broken=tuple(broken), proofs=checked, not_understood=extraction.unclear)
    return Audit(extraction, description, comparison)
