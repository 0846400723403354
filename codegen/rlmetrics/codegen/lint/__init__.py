"""Checks what the model of the spec cannot: that its parts fit each other.

``CHECKS`` is the table of all checks, ``lint`` runs them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .. import loader
from ..findings import Finding, sort
from ..loader.checks import LOAD_CHECKS
from ..loader.tree import collector_paused
from ..spec import Spec
from . import (
    emissions,
    evidence,
    formulas,
    guards,
    health,
    metrics,
    names,
    references,
    releases,
    runner,
    suites,
    templates,
    texts,
    variants,
)
from .context import Context
from .registry import Check, Hit

__all__ = ["CHECKS", "Check", "Context", "Hit", "check_spec", "lint"]

CHECKS: tuple[Check, ...] = (
    *(Check(item.id, "error", item.what, item.fix) for item in LOAD_CHECKS),
    *references.CHECKS,
    *metrics.CHECKS,
    *formulas.CHECKS,
    *texts.CHECKS,
    *names.CHECKS,
    *emissions.CHECKS,
    *releases.CHECKS,
    *evidence.CHECKS,
    *guards.CHECKS,
    *variants.CHECKS,
    *templates.CHECKS,
    *suites.CHECKS,
    *health.CHECKS,
    runner.UNKNOWN_CHECK,
    runner.UNUSED_ALLOW,
)
"""Every check with its id, level, what it finds, and what to do about it."""


def lint(root: Path, overlays: Sequence[Path] = ()) -> list[Finding]:
    """Reads a spec and checks everything that can be checked.

    Args:
        root: The folder ``spec``.
        overlays: Folders of the same structure that extend it, in order.

    Returns:
        All findings in the order of their places. Entries that cannot be read are left out of the further checks.
    """
    with collector_paused():
        spec, findings = loader.read(root, overlays)
        return findings if spec is None else sort([*findings, *check_spec(spec)])


def check_spec(spec: Spec, context: Context | None = None, *, errors_only: bool = False) -> list[Finding]:
    """Runs every check on a spec that has been read, or only those that find errors.

    ``context`` is shared with what the caller derives from the spec.
    """
    return runner.run(spec, CHECKS, context, errors_only=errors_only)
