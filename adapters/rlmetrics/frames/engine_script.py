"""The command line of the scripts that translate or judge a folder of Parquet in a distributed engine."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rlmetrics.names.settings.configuration import parse_pairs
from rlmetrics.names.tables.user_errors import UserError

__all__ = ["run_script"]


def run_script(
    engine: str,
    read: Callable[[str, str | None], Any],
    write: Callable[[Any, str, list[str]], None],
    translate: Callable[..., Any],
    check: Callable[..., Any],
    where: str,
) -> int:
    """Do what the command line says.

    Args:
        engine: Its name, as the module is called.
        read: Returns the table in a folder; it is also told where the engine runs.
        write: Writes a table to a folder that does not exist, with a folder for each value of some columns.
        translate: Gives a table other names.
        check: Judges its runs.
        where: What says where the engine runs, for ``--help``.

    Returns:
        0; 2 after bad usage or input, of which one line is said and nothing written.
    """
    args = _parser(engine, where).parse_args()
    warnings.showwarning = lambda message, *_: print(f"{engine}: {message}", file=sys.stderr)
    warnings.simplefilter("ignore", FutureWarning)
    try:
        config = parse_pairs(args.config, "--config")
        if "://" not in args.output and Path(args.output).exists():
            msg = f"{args.output}: exists already; choose another place with -o"
            raise UserError(msg)
        if "://" not in args.input and not Path(args.input).exists():
            msg = f"{args.input}: does not exist; give a file or a folder of Parquet"
            raise UserError(msg)
        table = read(args.input, args.master)
        if args.does == "translate":
            made = translate(
                table,
                args.source,
                args.to,
                layout=args.layout,
                config=config,
                spec=args.spec,
                strict=args.strict,
                unknown=args.unknown,
            )
        else:
            made = check(table, args.run, args.at, layout=args.layout, config=config, spec=args.spec)
        write(made, args.output, args.partition_by)
    except UserError as error:
        print(f"{engine}: {error}", file=sys.stderr)
        return 2
    return 0


def _parser(engine: str, where: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"python -m rlmetrics.frames.{engine}",
        description=f"Translate or judge runs in a file or a folder of Parquet with {engine.capitalize()}.",
        epilog="Exit codes: 0 done; 2 bad usage or input, nothing written.",
    )
    does = parser.add_subparsers(dest="does", metavar="ACTION", required=True)
    translating = does.add_parser("translate", help="write a copy with other names")
    translating.add_argument("--from", dest="source", default="auto", metavar="SOURCE", help="what logged the runs")
    translating.add_argument("--to", required=True, metavar="SOURCE", help="whose names are written")
    translating.add_argument("--strict", action="store_true", help="carry over only what is the same but for units")
    translating.add_argument(
        "--unknown", choices=("keep", "drop", "error"), default="keep", help="what to do with keys"
    )
    judging = does.add_parser("check", help="write what is found in the runs, a row for each finding")
    judging.add_argument("--at", default="auto", metavar="SOURCE", help="what logged the runs")
    judging.add_argument("--run", default="run_id", metavar="COLUMN", help="the column that names the run")
    for one in (translating, judging):
        one.add_argument("input", metavar="IN", help="a file or a folder of Parquet")
        one.add_argument("-o", "--output", required=True, metavar="OUT", help="a folder that does not exist yet")
        one.add_argument("--layout", choices=("auto", "wide", "long"), default="auto", help="a column a key, or a row")
        one.add_argument("--config", action="append", default=[], metavar="KEY=VALUE", help="a setting of the runs")
        one.add_argument("--spec", action="append", default=[], metavar="DIR", help="add an overlay")
        one.add_argument("--partition-by", action="append", default=[], metavar="NAME", help="a folder for each value")
        one.add_argument("--master", metavar="ADDRESS", help=where)
    return parser
