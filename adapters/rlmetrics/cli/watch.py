"""``rlmetrics watch``: follows a run while it grows and speaks when something changes."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

from .options import add_config, add_json, add_source, add_spec, config_of, say_releases, spec_of

__all__ = ["add", "run"]


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "watch",
        help="judge the health of a run while it grows",
        description="Follow a growing file, a directory of W&B or a folder of TensorBoard. A line is printed only when "
        "something is found or gets worse. It ends with Ctrl-C, or after --idle.",
    )
    parser.add_argument("run_path", metavar="RUN", help="a log, or the folder of a run")
    add_source(parser, "--at", "what logs it")
    add_config(parser)
    parser.add_argument(
        "--interval", type=float, default=5.0, metavar="SECONDS", help="between two looks; by default 5"
    )
    parser.add_argument("--idle", type=float, metavar="SECONDS", help="end after so long without a new row")
    parser.add_argument(
        "--level", choices=["info", "warning", "error"], default="warning", help="speak from this level on"
    )
    parser.add_argument("--webhook", metavar="URL", help="also post to a webhook, as Slack takes it")
    parser.add_argument(
        "--run", dest="command_line", metavar="COMMAND", help="also run a command with the news as its argument"
    )
    add_spec(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        1 if something of level error was found, else 0.
    """
    from rlmetrics.health.report_records import LEVELS, plain
    from rlmetrics.health.watching import RunNews, WebhookPost, follow, run_command
    from rlmetrics.logs.input_errors import InputError
    from rlmetrics.names.tables.loading import load_tables
    from rlmetrics.wording.terminal import printed

    path = Path(args.run_path)
    sinks: list[Callable[[RunNews], str | None]] = []
    if args.webhook:
        try:
            sinks.append(WebhookPost(args.webhook, str(path)))
        except ValueError as error:
            msg = f"--webhook: {error}"
            raise InputError(msg) from None
    sinks += [run_command(args.command_line, str(path))] if args.command_line else []
    broken = 0
    say_releases([args.at], load_tables(spec_of(args)))
    news = follow(
        path, at=args.at, config=config_of(args), spec=spec_of(args), interval=max(0.05, args.interval), idle=args.idle
    )
    for item in news:
        broken += item.finding.level == "error"
        if LEVELS.index(item.finding.level) < LEVELS.index(args.level):
            continue
        if args.json:
            print(json.dumps(plain(item.finding)), flush=True)
        else:
            print(printed([item.as_text()]), flush=True)
        for sink in sinks:
            wrong = sink(item)
            if wrong is not None:
                print(f"rlmetrics watch: {wrong}", file=sys.stderr, flush=True)
    return int(broken > 0)
