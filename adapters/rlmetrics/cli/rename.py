"""``rlmetrics rename``: give a metric another name, everywhere."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .generate import NO_CHECKOUT


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "rename",
        help="give a metric another name",
        description="Write the new name of a metric wherever the spec, tests, pages and modules of the checkout that "
        "holds this folder use the old one. The renaming is recorded, so that the old name keeps working and warns.",
    )
    parser.add_argument("old", metavar="OLD", help="the metric's id, such as kl/old/k1")
    parser.add_argument("new", metavar="NEW", help="its new id, in the same family")
    parser.add_argument(
        "--why", default="The new name says it better.", metavar="TEXT", help="the reason, for spec.yaml"
    )
    parser.add_argument("--dry-run", action="store_true", help="write nothing; say what would change")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        0 if the metric was renamed, 2 if it cannot be or the spec has errors; then nothing is written.
    """
    from rlmetrics.codegen.output.input_digest import find_root

    root = find_root(Path.cwd())
    if root is None:
        return _fail(NO_CHECKOUT.format(command="rename"))
    from rlmetrics.codegen import excerpts, renaming
    from rlmetrics.codegen.findings import has_errors
    from rlmetrics.codegen.loader import read

    spec, findings = read(root / "spec")
    if spec is None or has_errors(findings):
        sys.stderr.write(excerpts.render(findings, root))
        return _fail("rlmetrics rename: the spec has errors; repair them first")
    try:
        plan = renaming.plan(spec, root, args.old, args.new, args.why)
    except renaming.RenameError as error:
        return _fail(f"rlmetrics rename: {error}")
    if not args.dry_run:
        plan.write(root)
    for one in plan.edited:
        print(f"{one.path}: {one.count} {'place' if one.count == 1 else 'places'}")
    for place in plan.left:
        print(f"{place}: left alone, it may be a longer name or a key of a framework", file=sys.stderr)
    print("nothing written" if args.dry_run else "renamed; now run rlmetrics generate")
    return 0


def _fail(message: str) -> int:
    print(message, file=sys.stderr)
    return 2
