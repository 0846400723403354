"""``rlmetrics fleet``: many runs at once, by a plan that people correct."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .options import add_jobs, add_spec, spec_of

__all__ = ["add", "run"]


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "fleet",
        help="find many runs, and what logged each of them",
        description="Write a plan: a table with a row for each run, which `translate --plan` and `check --plan` follow "
        "once a person has read and corrected it. Nothing is changed.",
        epilog="Exit codes: 0 done, also where some runs can't be read, which their rows say; 2 bad usage or input.",
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    scanning = actions.add_parser("scan", help="write a plan of the runs at a place")
    scanning.add_argument(
        "where",
        metavar="WHERE",
        help="a folder, a log, mlflow: with the URI of a store or the address of a server, wandb:ENTITY/PROJECT, or "
        "grafana: or prometheus: and the address of a server",
    )
    scanning.add_argument("-o", "--output", metavar="PLAN.csv", help="where the plan goes; by default it is printed")
    scanning.add_argument("--force", action="store_true", help="overwrite PLAN.csv, if it exists")
    scanning.add_argument(
        "--filter", metavar="JSON", default="", help="W&B project: only runs that its interface finds by this filter"
    )
    scanning.add_argument(
        "--tag", action="append", default=[], metavar="TAG", help="W&B project: only runs with this tag (repeatable)"
    )
    scanning.add_argument("--sweep", metavar="ID", default="", help="W&B project: only runs of this sweep")
    scanning.add_argument("--since", metavar="DAY", default="", help="W&B project: only runs begun since then")
    add_jobs(scanning, "read the runs")
    add_spec(scanning)


def run(args: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        0.
    """
    from collections import Counter

    from rlmetrics.fleet.run_plan import CERTAINTIES, PlannedRun, holdable, write_plan
    from rlmetrics.fleet.scanning import scan
    from rlmetrics.fleet.servers.chosen_runs import Selection
    from rlmetrics.logs.files import require_ordinary
    from rlmetrics.logs.input_errors import InputError
    from rlmetrics.translate.placing import replacing

    from .planned import look_for_cycles
    from .progress import steady

    output = None if args.output is None else Path(args.output)
    if output is not None:
        require_ordinary(output)
        if output.exists() and not args.force:
            msg = "exists already; choose another place with -o, or overwrite it with --force"
            raise InputError(msg, output)
    look_for_cycles()
    found = scan(args.where, Selection(args.filter, tuple(args.tag), args.sweep, args.since))
    counts: Counter[str] = Counter()
    with steady("runs") as moved:

        def counted(planned: PlannedRun) -> PlannedRun:
            written = holdable(planned)
            counts[written.certainty] += 1
            moved(counts.total(), len(found.units))
            return written

        runs = map(counted, found.runs(spec_of(args), args.jobs))
        if output is None:
            write_plan(runs, sys.stdout)
        else:
            with replacing(output, force=args.force) as part:
                write_plan(runs, part)
    said = ", ".join(f"{counts[name]} {name}" for name in CERTAINTIES if counts[name])
    where = "" if output is None else f"; read {output}, correct the column source, and translate --plan {output}"
    print(f"rlmetrics fleet: {counts.total()} runs, their source {said}{where}", file=sys.stderr)
    return 0
