"""``rlmetrics open``: a handful or dozens of runs as one page that needs no server."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .options import add_config, add_source_of_each, add_spec, config_of, spec_of, with_sources

__all__ = ["add", "run"]

_PAGE = "runs.html"


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "open",
        help="all curves and the health of runs, as one page",
        description="Write one page with the curves of all runs on canonical names, whatever release, framework or "
        "tracker logged them, and their health. It needs nothing from elsewhere: no server, no account, no network.",
    )
    parser.add_argument("runs", metavar="RUN", nargs="+", help="a log, or a folder with logs")
    parser.add_argument(
        "-o", "--output", metavar="FILE", default=_PAGE, help=f"where the page is written; by default {_PAGE}"
    )
    add_source_of_each(parser)
    add_config(parser)
    parser.add_argument("--force", action="store_true", help="overwrite FILE, if it exists")
    parser.add_argument("--web", action="store_true", help="open the page in the browser")
    add_spec(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from rlmetrics.comparison.reading_runs import read_runs
    from rlmetrics.comparison.runs_page import runs_page
    from rlmetrics.names.tables.loading import load_tables
    from rlmetrics.wording.terminal import printed, wrapped
    from rlmetrics.wording.voice import phrase, spoken

    from .pages import require_free_page, write_page

    page = Path(args.output)
    require_free_page(page, [Path(path) for path in args.runs], "what is shown", "-o", force=args.force)
    tables = load_tables(spec_of(args))
    each = with_sources("open", args.runs, args.at, tables)
    runs, left_out = read_runs(each, config_of(args), tables, judge=True)
    write_page(page, runs_page(runs, tables, left_out), force=args.force)
    sick = sum(item.report is not None and item.report.verdict in ("error", "warning") for item in runs)
    said = phrase(
        "{page}: {count} runs, {sick} of them with a warning or an error", page=page, count=len(runs), sick=sick
    )
    print(printed(wrapped(said)))
    for item in runs:
        for note in item.notes:
            print(f"rlmetrics open: {item.run}: {spoken(note)}", file=sys.stderr)
    for reason in left_out:
        print(f"rlmetrics open: left out: {reason}", file=sys.stderr)
    if args.web:
        from webbrowser import open as show

        show(page.absolute().as_uri())
    return 0
