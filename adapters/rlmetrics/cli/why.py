"""``rlmetrics why``: what made a key show other numbers, between two releases or two runs."""

from __future__ import annotations

import argparse
import sys
from os.path import exists
from pathlib import Path

from .exits import UsageError
from .options import add_config, add_json, add_spec, config_of, spec_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rlmetrics.health.curves import RunCurves
    from rlmetrics.names import Tables

__all__ = ["add", "run"]

_TALL = 12


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "why",
        help="why a key shows other numbers in another release or run",
        description="Tell in one paragraph what made a key show other numbers: which release changed it, how, and how "
        "much that usually is. Given runs, their releases are found, and both curves are drawn.",
    )
    parser.add_argument("key", metavar="KEY", help="the key, as it is logged")
    parser.add_argument("old", metavar="OLD", help="a source, such as trl[grpo]==0.26.2, or a log")
    parser.add_argument("new", metavar="NEW", help="another one")
    parser.add_argument(
        "--at",
        action="append",
        metavar="SOURCE",
        help="what logged the runs: once for both, or once for each; by default inferred from the keys",
    )
    parser.add_argument("--full", action="store_true", help="also what shows only with other settings")
    add_config(parser)
    add_spec(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from rlmetrics.answers.why_answer import why, why_lines
    from rlmetrics.names.tables.loading import load_tables
    from rlmetrics.wording.terminal import has_colour, printed, shows, width
    from rlmetrics.wording.voice import spoken

    from .output import json_text

    tables = load_tables(spec_of(args))
    sources = (args.at or ["auto"]) * (2 if len(args.at or ()) < 2 else 1)
    if len(sources) > 2:
        msg = f"rlmetrics why: {len(sources)} sources for two sides; give --at once, or once for each"
        raise UsageError(msg)
    old, new = (_side(text, at, tables) for text, at in zip((args.old, args.new), sources, strict=True))
    found = why(args.key, old, new, tables, config_of(args))
    if args.json:
        print(json_text(found.as_json(tables)))
    else:
        print(printed(why_lines(found, tables, full=args.full), keys=[args.key]))
        if found.pair is not None:
            from rlmetrics.comparison.plotted_charts import two_curves

            colour = has_colour(sys.stdout)
            dots = shows(sys.stdout, "⣿┤└─")
            print(
                "\n".join(
                    [
                        "",
                        *two_curves(
                            found.runs, found.pair, tables, columns=width(), height=_TALL, colour=colour, dots=dots
                        ),
                    ]
                )
            )
    for item in found.runs:
        for note in item.notes:
            print(f"rlmetrics why: {item.run}: {spoken(note)}", file=sys.stderr)
    return 0


def _side(text: str, at: str, tables: Tables) -> str | RunCurves:
    """Return a source, or the first run of a file."""
    if not exists(text):
        if "==" not in text and ("/" in text or Path(text).suffix):
            msg = (
                f"rlmetrics why: {text}: no such file; name a log that is there, or a source such as trl[grpo]==0.26.2"
            )
            raise UsageError(msg)
        return text
    from rlmetrics.comparison.reading_runs import read_runs

    return read_runs([(text, at)], {}, tables)[0][0]
