"""``rlmetrics lint``: everything that is wrong with the spec, with its place and a remedy."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rlmetrics.codegen.findings import Finding

_EXTRA = ("pydantic", "yaml")


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "lint",
        help="check the spec",
        description="Check the spec of the checkout that holds this folder, and print all that is wrong with it.",
    )
    parser.add_argument(
        "--format", choices=["text", "json", "github"], default="text", help="how findings are printed (default: text)"
    )
    parser.add_argument("--spec", action="append", default=[], metavar="DIR", help="add an overlay (repeatable)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        0 if nothing is wrong, or only warnings were found, 1 if there are errors, 2 if there is no spec to read.
    """
    try:
        from rlmetrics.codegen import findings, lint
        from rlmetrics.codegen.generate.sources import find_root
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in _EXTRA:
            raise
        return _fail(f'needs {error.name}; pip install "rlmetrics[codegen]"')
    root = find_root(Path.cwd())
    if root is None:
        return _fail(
            "no checkout here: neither this folder nor one above it holds spec/spec.yaml and pyproject.toml; "
            "change into a checkout of rlmetrics"
        )
    overlays = [Path(folder) for folder in args.spec]
    for overlay in overlays:
        if not overlay.is_dir():
            return _fail(f"{overlay}: no such folder; --spec takes a folder with YAML files")
    found = lint.lint(root / "spec", overlays)
    render = {"text": findings.render_text, "json": findings.render_json, "github": findings.render_github}
    sys.stdout.write(render[args.format](found))
    if args.format == "text":
        print(_summary(found), file=sys.stderr)
    return 1 if findings.has_errors(found) else 0


def _summary(found: Sequence[Finding]) -> str:
    errors = sum(finding.level == "error" for finding in found)
    others = len(found) - errors
    if not found:
        return "nothing to report"
    return f"{errors} {'error' if errors == 1 else 'errors'}, {others} {'warning' if others == 1 else 'warnings'}"


def _fail(message: str) -> int:
    print(f"rlmetrics lint: {message}", file=sys.stderr)
    return 2
