"""``rlmetrics keys``: everything that a release logs."""

from __future__ import annotations

import argparse

from .options import add_config, add_json, add_source, add_spec, add_surface, config_of, spec_of
from .output import json_text, table


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "keys",
        help="every key that a release logs",
        description="List every key and template that a source logs, with its metric and when it is logged.",
    )
    add_source(parser, "--at", "the release", required=True)
    add_config(parser)
    add_surface(parser, "as logged")
    add_spec(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from rlmetrics.names import keys

    listed = keys(args.at, config=config_of(args), surface=args.surface, spec=spec_of(args))
    if args.json:
        print(json_text(listed))
        return 0
    default = {True: "", False: "not by default", None: "depends"}
    rows = [
        (
            item.key,
            f"≈ {item.metric}" if item.unstated else item.metric,
            item.component,
            default[item.logged],
            item.condition,
        )
        for item in listed
    ]
    print(table([("key", "metric", "component", "logged", "condition"), *rows]))
    unreviewed = sum(bool(item.unstated) for item in listed)
    if unreviewed:
        print(f"\n≈ unreviewed: how {unreviewed} of {len(rows)} keys are computed is not stated in full.")
    return 0
