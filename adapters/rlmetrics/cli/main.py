"""Choose the command, run it, and turn what a user can cause into one line and an exit code."""

from __future__ import annotations

import argparse
import atexit
import gc
import io
import os
import signal
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, NoReturn, Protocol, TextIO, cast

from .commands import COMMANDS

__all__ = ["FOUND", "OK", "USAGE", "UsageError", "abandon", "main"]

OK, FOUND, USAGE, INTERRUPTED = 0, 1, 2, 130
"""Exit codes: done; done with findings; bad usage or input and nothing written; stopped with Ctrl-C."""


class UsageError(Exception):
    """A command line that cannot be carried out; the text is one line."""


class _Terminated(BaseException):
    """A signal that ends the process: what is half done is cleared away first."""


_DESCRIPTION = "What the metrics of RL post-training mean, how every release spells them, and how one becomes another."


class _CommandModule(Protocol):
    """What every module of a command offers."""

    def add(self, subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
        """Add the command to the command line."""

    def run(self, args: argparse.Namespace) -> int:
        """Run the command and return the exit code."""
        ...


class _Formatter(argparse.HelpFormatter):
    """Asks the terminal for its width itself: argparse loads shutil for it, with every codec for archives.

    Examples stay in the lines in which they are written.
    """

    def __init__(self, prog: str) -> None:
        width = os.environ.get("COLUMNS", "")
        try:
            columns = int(width) if width.isdigit() else os.get_terminal_size(1).columns
        except OSError:
            columns = 0
        super().__init__(prog, width=(columns or 80) - 2)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        said, examples, lines = text.partition("examples:\n")
        return (super()._fill_text(said, width, indent) + "\n\n" if said else "") + examples + lines


class _Parser(argparse.ArgumentParser):
    """Reports a wrong command line on one line."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"formatter_class": _Formatter, **options})

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{self.prog}: {message}; see {self.prog} --help")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: The arguments after the program's name; those of the process if left out.

    Returns:
        The exit code: 0 done, 1 done with findings, 2 bad usage or input and nothing written.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    for stream, errors in (
        (sys.stdin, "surrogateescape"),
        (sys.stdout, "backslashreplace"),
        (sys.stderr, "backslashreplace"),
    ):
        # What cannot be decoded or shown is no reason to fail.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)
    if argv is None:
        # A table is a million small objects that all stay: to look for cycles among them costs a tenth of all.
        gc.set_threshold(10_000_000, 20, 20)
        # At exit the interpreter would look once more, which costs a quarter of all.
        atexit.register(gc.freeze)
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) == signal.SIG_DFL:
                signal.signal(number, _terminate)
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = _show_warning
        try:
            code = _run(arguments)
            if sys.stdout is not None:
                sys.stdout.flush()
            return code
        except UsageError as error:
            return _fail(str(error))
        except KeyboardInterrupt:
            return INTERRUPTED
        except _Terminated as stop:
            return 128 + int(stop.args[0])
        except BrokenPipeError:
            # The reader, such as `head`, has seen enough.
            abandon(sys.stdout)
            return OK
        except OSError as error:
            abandon(sys.stdout)
            return _fail(f"rlmetrics: standard output: {error.strerror or error}")
        except SystemExit as stop:
            return stop.code if isinstance(stop.code, int) else OK


def _run(arguments: list[str]) -> int:
    from rlmetrics.names.errors import UserError

    name = next((word for word in arguments if not word.startswith("-")), None)
    parser: argparse.ArgumentParser = _Parser(prog="rlmetrics", description=_DESCRIPTION)
    parser.add_argument("--version", action="store_true", help="print the versions of the package and of the spec")
    if "_ARGCOMPLETE" in os.environ:
        return _complete(parser)
    chosen = name if name in COMMANDS and arguments[0] == name and _offered(name) else None
    if chosen is None:
        return _overview(parser, arguments)
    subparsers: argparse._SubParsersAction[argparse.ArgumentParser] = parser.add_subparsers(
        # With prog argparse need not format the usage of the whole, for which it loads much.
        dest="command",
        metavar="COMMAND",
        parser_class=_Parser,
        prog=parser.prog,
    )
    try:
        module = _module(chosen)
        module.add(subparsers)
        _show_examples(subparsers.choices[chosen], chosen)
        args = parser.parse_args(arguments)
        return int(module.run(args))
    except ModuleNotFoundError as error:
        from rlmetrics.translate.packages import MissingPackageError

        missing = MissingPackageError.of(error)
        if missing is None:
            raise
        return _fail(f"rlmetrics {chosen}: {missing}")
    except UserError as error:
        return _fail(f"rlmetrics {chosen}: {error}")
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        from rlmetrics.translate.printable import printable

        where = f"{printable(os.fsdecode(error.filename))}: " if error.filename else ""
        return _fail(f"rlmetrics {chosen}: {where}{error.strerror or error}")


def _overview(parser: argparse.ArgumentParser, arguments: list[str]) -> int:
    """Answer a command line without a known command."""
    offered = {name: command for name, command in COMMANDS.items() if _offered(name)}
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, command in offered.items():
        subparsers.add_parser(name, help=command.help, add_help=False)
    words = [word for word in arguments if not word.startswith("-")]
    if words and words[0] not in offered:
        from difflib import get_close_matches

        near = get_close_matches(words[0], offered, n=1)
        hint = f"did you mean {near[0]}?" if near else f"commands are {', '.join(offered)}"
        parser.error(f"no command {words[0]!r}; {hint}")
    if words:
        parser.error(f"options of a command stand after it: rlmetrics {words[0]} {arguments[0]} …")
    args = parser.parse_args(arguments)
    if args.version:
        from rlmetrics import __version__
        from rlmetrics.names.loading import load_tables

        print(f"rlmetrics {__version__}, spec {load_tables().version}")
        return OK
    from rlmetrics.answers.terminal import printed

    from .overview import overview

    print(printed(overview(offered)))
    return OK


def _show_examples(parser: argparse.ArgumentParser, name: str) -> None:
    """Put the examples of a command at the end of its help."""
    from .overview import examples_of

    parser.epilog = "\n".join([parser.epilog or "", "examples:", *examples_of(COMMANDS[name])]).lstrip("\n")


def _complete(parser: argparse.ArgumentParser) -> int:
    """Answer a shell that asks what may come next."""
    from .completion import complete

    subparsers: argparse._SubParsersAction[argparse.ArgumentParser] = parser.add_subparsers(
        dest="command", parser_class=_Parser
    )
    for name in COMMANDS:
        if _offered(name):
            _module(name).add(subparsers)
    complete(parser)
    return OK


def _offered(name: str) -> bool:
    from importlib.util import find_spec

    return find_spec(f"{__package__}.{COMMANDS[name].module}") is not None


def _module(name: str) -> _CommandModule:
    return cast("_CommandModule", import_module(f".{COMMANDS[name].module}", __package__))


def abandon(stream: TextIO | None) -> None:
    """Keep the interpreter from writing into a stream at exit what can't be written there."""
    if stream is None:
        return
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (OSError, ValueError):
        return


def _terminate(number: int, frame: object) -> NoReturn:
    signal.signal(number, signal.SIG_IGN)
    raise _Terminated(number)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    if issubclass(category, UserWarning):
        _say(f"rlmetrics: warning: {message}")


def _fail(message: str) -> int:
    _say(message)
    return USAGE


def _say(message: str) -> None:
    """Print one line on standard error, if that takes it."""
    from rlmetrics.translate.printable import printable

    with suppress(OSError):
        print(printable(" ".join(map(str.strip, message.split("\n")))), file=sys.stderr, flush=True)
