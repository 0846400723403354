"""``rlmetrics check``: judges the health of recorded runs."""

from __future__ import annotations

import argparse
import gc
import sys
from pathlib import Path

from .options import add_config, add_jobs, add_json, add_key, add_source, add_spec, config_of, say_releases, spec_of
from .output import json_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rlmetrics.health.report_records import Report

__all__ = ["add", "run"]


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "check",
        help="judge the health of a run",
        description="Judge logs of every kind, or folders with logs, by the rules of the spec. Nothing is changed.",
        epilog="Exit codes: 0 done; 1 done, with a finding of level error, or of --fail-on; 2 bad usage or input.",
    )
    parser.add_argument(
        "runs", metavar="RUN", nargs="*", help="a log, a folder, or a run, project or experiment on a server"
    )
    parser.add_argument(
        "--plan", metavar="PLAN.csv", help="judge the runs of a plan that fleet scan wrote, each by the source there"
    )
    add_jobs(parser, "judge the runs of a plan")
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
    parser.add_argument(
        "--findings", metavar="FILE.parquet", help="also write what was found as a table with a row for each finding"
    )
    parser.add_argument("--force", action="store_true", help="overwrite the FILE of --html or --findings, if it exists")
    parser.add_argument("--full", action="store_true", help="print all of the report")
    add_key(parser)
    add_spec(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        1 with findings of the level of ``--fail-on``, else 0.
    """
    from rlmetrics.health.report_records import LEVELS
    from rlmetrics.health.report_terminal import report_text
    from rlmetrics.health.runs_overview import overview_text, ranked
    from rlmetrics.names import load_tables
    from rlmetrics.names.tables.user_errors import UserError
    from rlmetrics.wording.terminal import printed
    from rlmetrics.wording.voice import spoken

    from .pages import require_free_page, write_page

    if bool(args.plan) == bool(args.runs):
        msg = "either RUN or --plan PLAN.csv says what is judged"
        raise UserError(msg)
    places = [Path(run) for run in args.runs or [args.plan]]
    for option, page_or_table in (("--html", args.html), ("--findings", args.findings)):
        if page_or_table:
            require_free_page(Path(page_or_table), places, "what is judged", option, force=args.force)
    config, spec = config_of(args), load_tables(spec_of(args))
    # The tables stay as long as the process: nothing of them is to be looked through again while rows come and go.
    gc.freeze()
    if args.plan:
        from .planned import checked_plan

        checked = checked_plan(args, config)
    else:
        from .planned import checked_places

        say_releases([args.at], spec)
        checked = checked_places(args.runs, args.at, config, spec)
    reports = checked.reports
    if args.html:
        from rlmetrics.health.report_page import page

        write_page(Path(args.html), page(reports, checked.left_out, spec=spec), force=args.force)
    if args.findings:
        _write_findings(Path(args.findings), reports)
    if args.json:
        documents = [report.as_json() for report in reports]
        print(json_text(documents[0] if len(documents) == 1 else documents))
    elif len(reports) == 1:
        print(printed(report_text(reports[0], full=args.full).split("\n")))
    else:
        for report in ranked(reports) if args.full else ():
            print(printed([*report_text(report, full=True).split("\n"), ""]))
        print(printed(overview_text(reports, checked.files).split("\n")))
    for report in reports:
        for note in report.notes if args.json else ():
            print(f"rlmetrics check: {report.run}: {spoken(note)}", file=sys.stderr)
    for reason in checked.left_out:
        print(f"rlmetrics check: left out: {reason}", file=sys.stderr)
    if args.fail_on == "never":
        return 0
    bar = LEVELS.index(args.fail_on)
    return int(any(report.level is not None and LEVELS.index(report.level) >= bar for report in reports))


def _write_findings(path: Path, reports: Sequence[Report]) -> None:
    """Write a table with a row for each finding.

    Raises:
        MissingPackageError: A package that this needs is not installed.
    """
    from rlmetrics.logs.optional_packages import MissingPackageError
    from rlmetrics.translate.placing import replacing

    try:
        from pyarrow.parquet import write_table

        from rlmetrics.frames.frame_health import findings_table
    except ModuleNotFoundError as error:
        raise MissingPackageError.of(error) or error from None
    with replacing(path) as part:
        write_table(findings_table(reports), part)
