"""Checks what the model of the spec cannot: that its parts fit each other.

``CHECKS`` is the table of all checks, ``lint`` runs them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .. import loader
from ..cache import section_digests
from ..findings import SpecFinding, sort
from ..loader.reading_findings import LOAD_CHECKS
from ..loader.spec_tree import collector_paused
from ..spec import Spec
from . import checks, runner
from .context import Context
from .kept_checks import KeptHits
from .lint_check import Check, Hit
from .tracing import TracedContext

__all__ = ["CHECKS", "Check", "Context", "Hit", "TracedContext", "check_spec", "kept_hits", "lint"]

CHECKS: tuple[Check, ...] = (
    *(Check(item.id, "error", item.what, item.fix) for item in LOAD_CHECKS),
    *checks.CHECKS,
    runner.UNKNOWN_CHECK,
    runner.UNUSED_ALLOW,
)
"""Every check with its id, level, what it finds, and what to do about it."""


def lint(root: Path, overlays: Sequence[Path] = (), cache: Path | None = None) -> list[SpecFinding]:
    """Read a spec and check everything that can be checked.

    Args:
        root: The folder ``spec``.
        overlays: Folders of the same structure that extend it, in order.
        cache: A folder that keeps what was found; checks whose part of the spec did not change do not run again.

    Returns:
        All findings in the order of their places. Entries that cannot be read are left out of the further checks.
    """
    with collector_paused():
        spec, findings = loader.read(root, overlays, cache)
        if spec is None:
            return findings
        context = TracedContext(spec) if cache is not None else Context(spec)
        return sort([*findings, *check_spec(spec, context, kept=kept_hits(root, overlays, cache))])


def kept_hits(root: Path, overlays: Sequence[Path], cache: Path | None) -> KeptHits | None:
    """Return the results of checks that a cache holds for a spec as it is now; None without a cache."""
    return None if cache is None else KeptHits(cache, section_digests([root, *overlays]))


def check_spec(
    spec: Spec, context: Context | None = None, *, errors_only: bool = False, kept: KeptHits | None = None
) -> list[SpecFinding]:
    """Run every check on a spec that has been read, or only those that find errors.

    ``context`` is shared with what the caller derives from the spec; ``kept`` holds results of an earlier run.
    """
    return runner.run(spec, CHECKS, context, errors_only=errors_only, kept=kept)
