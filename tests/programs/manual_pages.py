"""Write the pages of the manual, which ``--help`` prints, from the parsers of all commands.

python tests/programs/manual_pages.py
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from rlmetrics.cli.commands import COMMANDS
from rlmetrics.cli.manual import FILE
from rlmetrics.cli.parsing import page_of, parser_of, whole_parser


def pages() -> str:
    """Return all pages, with a blank line between them."""
    return "\n".join("\n".join(page_of(parser)) + "\n" for parser in parsers())


def parsers() -> Iterator[argparse.ArgumentParser]:
    """Yield the parser of every page: of the whole, of each command, and of what commands have below them."""
    yield whole_parser()
    for name in COMMANDS:
        for action in parser_of(name)[0]._actions:
            for parser in _below(action):
                yield parser
                yield from (part for each in parser._actions for part in _below(each))


def _below(action: argparse.Action) -> list[argparse.ArgumentParser]:
    return [*action.choices.values()] if isinstance(action, argparse._SubParsersAction) else []


def main() -> int:
    """Write the file."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    with open(FILE, "w", encoding="utf-8", newline="\n") as stream:
        stream.write(pages())
    return 0


if __name__ == "__main__":
    sys.exit(main())
