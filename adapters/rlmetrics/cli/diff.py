"""``rlmetrics diff``: what changed between two releases."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from .options import add_config, add_json, add_source, add_spec, config_of, spec_of
from .output import json_text

if TYPE_CHECKING:
    from rlmetrics.names import DiffResult

def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "diff",
        help="what changed between two releases",
        description="Tell what keys changed their meaning and why, which came, went or got another name, and which "
        "defaults changed.",
    )
    parser.add_argument("keys", nargs="*", metavar="KEY", help="only these keys")
    add_source(parser, "--from", "the old release", required=True)
    add_source(parser, "--to", "the new release", required=True)
    parser.add_argument("--since", metavar="RELEASE", help="only what changed in this release or later")
    parser.add_argument("--all-configs", action="store_true", help="also what shows only with other settings")
    parser.add_argument("--full", action="store_true", help="everything: each cause, timers, keys of evaluation")
    add_config(parser)
    add_spec(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from rlmetrics.names import diff, load_tables

    tables = load_tables(spec_of(args))
    found = diff(
        args.from_,
        args.to,
        config=config_of(args),
        spec=tables,
        keys=args.keys or None,
        since=args.since,
        all_configs=args.all_configs,
    )
    print(json_text(found) if args.json else _text(found, tables, args))
    return 0


def _text(found: DiffResult, tables: object, args: argparse.Namespace) -> str:
    from rlmetrics.answers.diff import diff_lines, key_lines
    from rlmetrics.answers.terminal import printed
    from rlmetrics.names.tables import Tables

    assert isinstance(tables, Tables)
    if len(args.keys) == 1:
        return printed(key_lines(found, tables, args.keys[0], args.from_, args.to), keys=args.keys)
    return printed(diff_lines(found, tables, args.from_, args.to, full=args.full), keys=args.keys)
