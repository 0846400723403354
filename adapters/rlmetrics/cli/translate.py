"""``rlmetrics translate``: rewrites the names in a file or folder."""

from __future__ import annotations

import argparse
import json
import sys

__all__ = ["add", "run"]


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    from rlmetrics.translate.kinds import KINDS

    parser = subparsers.add_parser(
        "translate",
        help="rewrite the names in a log",
        description="Write a copy of a file or folder with its metric names translated. The input is never changed.",
        epilog="Exit codes: 0 done; 1 done, but names with different values collided and were set aside; "
        "2 bad usage or input, and nothing written.",
    )
    parser.add_argument("input", metavar="IN", help="the file or folder to translate")
    parser.add_argument("--from", dest="source", default="auto", metavar="SOURCE", help="where the names come from (default: inferred)")
    parser.add_argument("--to", dest="target", required=True, metavar="TARGET", help="where they go, such as verl==0.9.1 or canonical")
    parser.add_argument("-o", "--output", metavar="OUT", help="where the copy goes (default: IN.translated)")
    parser.add_argument("--force", action="store_true", help="overwrite OUT if it exists")
    parser.add_argument("--kind", choices=list(KINDS), help="what IN is (default: recognised)")
    parser.add_argument("--strict", action="store_true", help="carry over only exact and affine counterparts")
    parser.add_argument("--both", action="store_true", help="write old and new names")
    parser.add_argument("--unknown", choices=["keep", "drop", "error"], default="keep", help="keys the source doesn't define (default: keep)")
    parser.add_argument("--config", action="append", default=[], metavar="KEY=VALUE", help="a configuration key that decides between variants (repeatable)")
    parser.add_argument("--bind", action="append", default=[], metavar="NAME=VALUE", help="a placeholder of a target template (repeatable)")
    parser.add_argument("--surface", metavar="SURFACE", help="show new names as this tracker does (default: as the input does)")
    parser.add_argument("--spec", action="append", default=[], metavar="DIR", help="add an overlay of the spec (repeatable)")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(args: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        0, or 1 where names collided.
    """
    from rlmetrics.translate import translate_file

    report = translate_file(
        args.input,
        source=args.source,
        target=args.target,
        output=args.output,
        kind=args.kind,
        force=args.force,
        config=pairs(args.config, "--config"),
        bind=pairs(args.bind, "--bind"),
        spec=args.spec or None,
        strict=args.strict,
        both=args.both,
        unknown=args.unknown,
        surface=args.surface,
    )
    print(json.dumps(report.as_json(), indent=2) if args.json else report.as_text())
    if report.collisions:
        print(f"rlmetrics translate: {len(report.collisions)} names collided and were set aside", file=sys.stderr)
    return report.exit_code
