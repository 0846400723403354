"""``rlmetrics releases``: which releases are described."""

from __future__ import annotations

import argparse

from .options import add_json, add_spec, spec_of
from .output import json_text, table


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "releases",
        help="the releases that are described",
        description="List the known releases with their dates and the components that the spec describes for them.",
    )
    parser.add_argument("framework", nargs="?", metavar="FRAMEWORK", help="only this framework, such as trl")
    add_spec(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from rlmetrics.names import releases

    infos = releases(args.framework, spec=spec_of(args))
    if args.json:
        print(json_text(infos))
        return 0
    rows = [(item.framework, item.release, item.date, ", ".join(item.components) or "-") for item in infos]
    print(table([("framework", "release", "date", "described components"), *rows]))
    return 0
