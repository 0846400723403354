"""``rlmetrics lint``: everything that is wrong with the spec, with its place and a remedy."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from rlmetrics.lazy_typing import TYPE_CHECKING
from rlmetrics.wording.terminal import has_colour

from .checkout import overlays_of, spec_root
from .options import add_spec

if TYPE_CHECKING:
    from rlmetrics.codegen.findings import SpecFinding

_EXTRA = ("pydantic", "yaml")


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "lint",
        help="check the spec",
        description="Check the spec of the checkout that holds this folder, or overlays on the one that this package "
        "came with, and print all that is wrong with it.",
    )
    parser.add_argument(
        "--format",
        choices=["text", "short", "json", "github"],
        default="text",
        help="how findings are printed: with the text around them, a line each, or for machines (default: text)",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="show findings that follow from others, too, and with --spec remarks on the spec itself",
    )
    parser.add_argument("--fix", action="store_true", help="repair what can be repaired mechanically, then check again")
    parser.add_argument("--no-cache", action="store_true", help="trust nothing that an earlier run left")
    add_spec(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        0 if nothing is wrong, or only warnings were found, 1 if there are errors, 2 if there is no spec to read.
    """
    try:
        from rlmetrics.codegen import excerpts, findings
        from rlmetrics.codegen.linted import linted

        overlays = overlays_of(args)
        spec, is_checkout = spec_root(overlays)
        root, shown_from = spec.parent, spec.parent if is_checkout else Path.cwd()
        all_findings = linted(root, overlays, cached=not args.no_cache)
        if args.fix and _fix(all_findings, root):
            all_findings = linted(root, overlays, cached=not args.no_cache)
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in _EXTRA:
            raise
        return _fail(f'needs {error.name}; pip install "rlmetrics[codegen]"')
    if overlays and not args.all:
        # What is no error in the spec itself is for those who keep it.
        base = f"{spec.name}/", "docs/"
        all_findings = [
            item for item in all_findings if item.level == "error" or not item.location.file.startswith(base)
        ]
    shown = [finding for finding in all_findings if args.all or not finding.follows]
    if args.format == "text":
        sys.stdout.write(excerpts.render(shown, shown_from, colour=has_colour(sys.stdout)))
        print(excerpts.summary(all_findings, hidden=not args.all), file=sys.stderr)
    elif args.format == "short":
        sys.stdout.write(findings.render_text(shown))
        print(excerpts.summary(all_findings, hidden=not args.all), file=sys.stderr)
    elif args.format == "json":
        # Programs choose for themselves; each finding says whether it follows from others.
        sys.stdout.write(findings.render_json(all_findings))
    else:
        sys.stdout.write(findings.render_github(shown))
    return 1 if findings.has_errors(all_findings) else 0


def _fix(findings: Sequence[SpecFinding], root: Path) -> bool:
    """Repair what can be repaired, and tell what was."""
    from rlmetrics.codegen.fixing import fix

    done = fix(findings, root)
    for one in done:
        print(f"fixed {one.location}: {one.before} → {one.after}", file=sys.stderr)
    return bool(done)


def _fail(message: str) -> int:
    print(f"rlmetrics lint: {message}", file=sys.stderr)
    return 2
