"""Writes specs of W&B workspaces and reports with other names.

Every other byte stays, and so do fields that no version of W&B's package knows.
"""

from __future__ import annotations

from pathlib import Path

from rlmetrics.logs.files import text_in
from rlmetrics.logs.kinds.wandb_workspace import WorkspaceSpecs, walk_specs

from ..report import Report
from ..translator import Translator
from .dashboard_renaming import Renaming
from .log_rewriter import LogRewriter

__all__ = ["WorkspaceRewriter", "rewrite"]


class WorkspaceRewriter(LogRewriter[WorkspaceSpecs]):
    """Writes a file with specs of workspaces or reports."""

    def rewrite(self, output: Path, translator: Translator, report: Report) -> None:
        """Write a copy with the names of metrics translated.

        Raises:
            InputError: If the file is no JSON or holds no spec, or a name is unknown and that is an error.
        """
        path = self.log.path
        text = rewrite(text_in(path, "a workspace is JSON"), path, translator, report)
        output.write_bytes(text.encode("utf-8"))


def rewrite(text: str, path: Path, translator: Translator, report: Report) -> str:
    """Return the JSON text of a spec, or of what holds one, with names translated.

    Args:
        text: The text.
        path: Where it comes from, for messages.
        translator: What knows the names.
        report: The account.

    Raises:
        InputError: If the text is no JSON or holds no spec, or a name is unknown and that is an error.
    """
    return walk_specs(path, text, Renaming(path, translator, report, "wandb"))
