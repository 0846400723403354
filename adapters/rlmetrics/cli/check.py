"""``rlmetrics check``: judges the health of recorded runs."""

from __future__ import annotations

import argparse
import gc
import sys
from pathlib import Path

from .options import add_config, add_json, add_source, add_spec, config_of, spec_of
from .output import json_text

__all__ = ["add", "run"]


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "check",
        help="judge the health of a run",
        description="Judge logs of every kind, or folders with logs, by the rules of the spec. Nothing is changed.",
        epilog="Exit codes: 0 done; 1 done, with a finding of level error, or of --fail-on; 2 bad usage or input.",
    )
    parser.add_argument("runs", metavar="RUN", nargs="+", help="a log, or a folder with logs")
    add_source(parser, "--at", "what logged it")
    add_config(parser)
    parser.add_argument(
        "--fail-on",
        choices=["info", "warning", "error", "never"],
        default="error",
        metavar="LEVEL",
        help="exit with 1 on findings of this level or a higher one: warning or error (the default)",
    )
    parser.add_argument("--html", metavar="FILE", help="also write the report as one page of HTML")
    parser.add_argument("--force", action="store_true", help="overwrite the FILE of --html, if it exists")
    parser.add_argument("--full", action="store_true", help="print all of the report")
    add_spec(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        1 with findings of the level of ``--fail-on``, else 0.
    """
    from rlmetrics.health.checking import check_all
    from rlmetrics.health.report_records import LEVELS
    from rlmetrics.health.report_terminal import report_text
    from rlmetrics.health.runs_overview import overview_text, ranked
    from rlmetrics.names import load_tables

    from .pages import require_free_page, write_page

    if args.html:
        require_free_page(Path(args.html), [Path(run) for run in args.runs], "what is judged", force=args.force)
    config, spec = config_of(args), load_tables(spec_of(args))
    # The tables stay as long as the process: nothing of them is to be looked through again while rows come and go.
    gc.freeze()
    checked = check_all(args.runs, at=args.at, config=config, spec=spec)
    reports = checked.reports
    if args.html:
        from rlmetrics.health.report_page import page

        write_page(Path(args.html), page(reports, checked.left_out))
    if args.json:
        documents = [report.as_json() for report in reports]
        print(json_text(documents[0] if len(documents) == 1 else documents))
    elif len(reports) == 1:
        print(report_text(reports[0], full=args.full))
    else:
        for report in ranked(reports) if args.full else ():
            print(f"{report_text(report, full=True)}\n")
        print(overview_text(reports, checked.files))
    for report in reports:
        for note in report.notes if args.json else ():
            print(f"rlmetrics check: {report.run}: {note}", file=sys.stderr)
    for reason in checked.left_out:
        print(f"rlmetrics check: left out: {reason}", file=sys.stderr)
    if args.fail_on == "never":
        return 0
    bar = LEVELS.index(args.fail_on)
    return int(any(report.level is not None and LEVELS.index(report.level) >= bar for report in reports))
