"""Writes the generated pages before MkDocs reads them; ``mkdocs.yml`` names this file under ``hooks``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rlmetrics.codegen.findings import render_text
from rlmetrics.codegen.generate.driver import run
from rlmetrics.codegen.site.navigation import expanded
from rlmetrics.codegen.site.write import write_pages
from rlmetrics.names import load_tables


def on_config(config: Any) -> Any:
    """Put every framework into the navigation where ``{framework}`` stands for it."""
    if config["nav"] is not None:
        config["nav"] = expanded(config["nav"], load_tables(()))
    return config


def on_pre_build(config: Any) -> None:
    """Bring generated files up to date, pages included.

    Raises:
        SystemExit: The spec has errors, which the message lists.
    """
    root = Path(config["config_file_path"]).parent
    report = run(root, docs=True)
    if report.failed:
        raise SystemExit(render_text(report.findings))
    write_pages(root)
