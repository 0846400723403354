"""Checks what the model of the spec cannot: that its parts fit each other.

``CHECKS`` is the table of all checks, ``lint`` runs them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .. import loader
from ..cache import keeping
from ..findings import SpecFinding, sort
from ..loader.reading_findings import LOAD_CHECKS
from ..loader.spec_tree import collector_paused
from ..spec import Spec
from . import checks, runner
from .context import Context
from .lint_check import Check, Hit

__all__ = ["CHECKS", "Check", "Context", "Hit", "check_spec", "lint"]

CHECKS: tuple[Check, ...] = (
    *(Check(item.id, "error", item.what, item.fix) for item in LOAD_CHECKS),
    *checks.CHECKS,
    runner.UNKNOWN_CHECK,
    runner.UNUSED_ALLOW,
)
"""Every check with its id, level, what it finds, and what to do about it."""


def lint(root: Path, overlays: Sequence[Path] = ()) -> list[SpecFinding]:
    """Read a spec and check everything that can be checked.

    Args:
        root: The folder ``spec``.
        overlays: Folders of the same structure that extend it, in order.

    Returns:
        All findings in the order of their places. Entries that cannot be read are left out of the further checks.
    """
    with collector_paused(), keeping(None):
        spec, findings = loader.read(root, overlays)
        if spec is None:
            return findings
        return sort([*findings, *check_spec(spec)])


def check_spec(spec: Spec, context: Context | None = None, *, errors_only: bool = False) -> list[SpecFinding]:
    """Run every check on a spec that has been read, or only those that find errors.

    ``context`` is shared with what the caller derives from the spec.
    """
    return runner.run(spec, CHECKS, context, errors_only=errors_only)
