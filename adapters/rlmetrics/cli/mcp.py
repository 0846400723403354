"""``rlmetrics mcp``: a server for assistants."""

from __future__ import annotations

from .exits import OK

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "mcp",
        help="answer an assistant that speaks the Model Context Protocol",
        description=(
            "Serve answers to an assistant over standard input and output: what keys mean, what values tell, what "
            "releases changed, how healthy a run is. It only reads, and files only below one folder."
        ),
    )
    parser.add_argument(
        "--folder", default=".", metavar="DIR", help="the folder of which files can be read; by default the current one"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from pathlib import Path

    from rlmetrics.names.tables.user_errors import UserError

    folder = Path(args.folder)
    if not folder.is_dir():
        msg = f"{args.folder}: no folder"
        raise UserError(msg)
    from .sessions.assistant_server import serve

    serve(folder)
    return OK
