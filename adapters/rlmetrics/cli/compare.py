"""``rlmetrics compare``: runs of different releases or frameworks on canonical names."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .exits import UsageError
from .options import add_config, add_json, add_spec, config_of, spec_of
from .output import json_text

__all__ = ["add", "run"]


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "compare",
        help="compare two runs by canonical names",
        description="Compare a run with others, of whatever release or framework. Only what is comparable shares an "
        "axis; the rest stands side by side with the reason.",
    )
    parser.add_argument(
        "runs", metavar="RUN", nargs="+", help="two logs or more; the first is compared with each other one"
    )
    parser.add_argument(
        "--at",
        action="append",
        metavar="SOURCE",
        help="what logged them: once for all runs, or once for each in their order; by default inferred from the keys",
    )
    add_config(parser)
    parser.add_argument("--html", metavar="FILE", help="also write the comparison as one page of HTML")
    parser.add_argument("--force", action="store_true", help="overwrite the FILE of --html, if it exists")
    parser.add_argument("--full", action="store_true", help="print all of it")
    add_spec(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from rlmetrics.health.curves import read_curves
    from rlmetrics.health.run_comparison import compare, comparison_text

    from .pages import require_free_page, write_page

    if args.html:
        require_free_page(Path(args.html), [Path(run) for run in args.runs], "what is compared", force=args.force)
    spec = spec_of(args)
    sources = args.at or ["auto"]
    if len(sources) not in (1, len(args.runs)):
        msg = f"rlmetrics compare: {len(sources)} sources for {len(args.runs)} runs; give --at once, or once for each"
        raise UsageError(msg)
    each = zip(args.runs, sources if len(sources) > 1 else sources * len(args.runs), strict=True)
    curves = [item for path, at in each for item in read_curves(path, at=at, config=config_of(args), spec=spec)]
    if len(curves) < 2:
        msg = f"rlmetrics compare: two runs are needed, and there is one in {args.runs[0]}; name another"
        raise UsageError(msg)
    comparisons = [compare(curves[0], other, spec) for other in curves[1:]]
    if args.html:
        from rlmetrics.health.run_comparison_page import comparison_page

        write_page(Path(args.html), comparison_page(comparisons))
    if args.json:
        documents = [item.as_json() for item in comparisons]
        print(json_text(documents[0] if len(documents) == 1 else documents))
    else:
        print("\n\n".join(comparison_text(item, full=args.full) for item in comparisons))
    for item in curves:
        for note in item.notes:
            print(f"rlmetrics compare: {item.run}: {note}", file=sys.stderr)
    return 0
