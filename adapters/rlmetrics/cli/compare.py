"""``rlmetrics compare``: runs of different releases or frameworks on canonical names."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .exits import UsageError
from .options import add_config, add_json, add_key, add_source_of_each, add_spec, config_of, spec_of, with_sources
from .output import json_text

__all__ = ["add", "run"]


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "compare",
        help="compare runs by canonical names",
        description="Compare a run with others, of whatever release or framework. Only what is comparable shares an "
        "axis; the rest stands side by side with the reason.",
    )
    parser.add_argument(
        "runs", metavar="RUN", nargs="+", help="two logs or more; the first is compared with each other one"
    )
    add_source_of_each(parser)
    add_config(parser)
    parser.add_argument("--html", metavar="FILE", help="also write the comparison as one page of HTML")
    parser.add_argument("--force", action="store_true", help="overwrite the FILE of --html, if it exists")
    parser.add_argument("--full", action="store_true", help="print all of it")
    add_key(parser)
    add_spec(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from rlmetrics.comparison.comparison_text import comparison_lines
    from rlmetrics.comparison.comparison_words import run_name
    from rlmetrics.comparison.reading_runs import read_runs
    from rlmetrics.comparison.run_comparison import compare
    from rlmetrics.names.tables.loading import load_tables
    from rlmetrics.wording.terminal import printed
    from rlmetrics.wording.voice import spoken

    from .pages import require_free_page, write_page

    if args.html:
        require_free_page(Path(args.html), [Path(run) for run in args.runs], "what is compared", force=args.force)
    tables = load_tables(spec_of(args))
    each = with_sources("compare", args.runs, args.at, tables)
    curves, left_out = read_runs(each, config_of(args), tables, judge=bool(args.html))
    if len(curves) < 2:
        msg = f"rlmetrics compare: two runs are needed, and there is one in {args.runs[0]}; name another"
        raise UsageError(msg)
    comparisons = [compare(curves[0], other, tables) for other in curves[1:]]
    if args.html:
        from rlmetrics.comparison.runs_page import comparison_page

        write_page(Path(args.html), comparison_page(comparisons, tables, left_out), force=args.force)
    if args.json:
        documents = [item.as_json() for item in comparisons]
        print(json_text(documents[0] if len(documents) == 1 else documents))
    else:
        for number, item in enumerate(comparisons, start=1):
            names = "a", run_name(number)
            lines = comparison_lines(item, tables, names, full=args.full)
            print(("\n" if number > 1 else "") + printed(lines))
    for run_ in curves:
        for note in run_.notes:
            print(f"rlmetrics compare: {run_.run}: {spoken(note)}", file=sys.stderr)
    for reason in left_out:
        print(f"rlmetrics compare: left out: {reason}", file=sys.stderr)
    return 0
