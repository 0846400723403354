"""Choose the command, run it, and turn what a user can cause into one line and an exit code."""

from __future__ import annotations

import io
import os
import sys

from rlmetrics.wording.voice import speak, spoken

from .at_hand import answer_at_hand
from .exits import INTERRUPTED, OK, UNFORESEEN, USAGE, UsageError
from .language import taken_out
from .plain import plain_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NoReturn, TextIO


__all__ = ["abandon", "main"]

_DEBUG = "RLMETRICS_DEBUG"
_COMPLETING = "_ARGCOMPLETE"
"""The variable by which a shell asks what may come next."""


class _Terminated(BaseException):
    """A signal that ends the process: what is half done is cleared away first."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: The arguments after the program's name; those of the process if left out.

    Returns:
        The exit code: 0 done, 1 done with findings, 2 bad usage or input and nothing written, 70 a fault of this
        package.
    """
    if None not in (sys.stdin, sys.stdout, sys.stderr):
        return _coded(argv)
    from .closed_streams import standing_in

    with standing_in():
        return _coded(argv)


def _coded(argv: Sequence[str] | None) -> int:
    """Run one command, and turn whatever ends it into a code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    debug = bool(os.environ.get(_DEBUG))
    for stream, errors in (
        (sys.stdin, "surrogateescape"),
        (sys.stdout, "backslashreplace"),
        (sys.stderr, "backslashreplace"),
    ):
        # What cannot be decoded or shown is no reason to fail.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)
    try:
        arguments, language, asked = taken_out(arguments)
        debug = debug or asked
        speak(language)
        _require_words(arguments)
        text = None if _COMPLETING in os.environ else answer_at_hand(arguments)
        if text is None:
            code = _run(arguments, alone=argv is None)
        else:
            code = OK
            sys.stdout.write(text)
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
    except Exception as error:
        return _unforeseen(error, whole=debug)


def _unforeseen(error: Exception, *, whole: bool) -> int:
    """Say in one line what this package did not foresee, and before that, where all is wanted, how it came to it."""
    if whole:
        from traceback import format_exception

        from .clean_stream import clean

        _put(clean("".join(format_exception(error))))
    _say(
        f"rlmetrics: unforeseen {type(error).__name__}: {error}; this is a fault of rlmetrics: please report it to "
        f"whom you have rlmetrics from, with {'these lines' if whole else 'what the same command prints with --debug'}"
    )
    return UNFORESEEN


def _require_words(arguments: Sequence[str]) -> None:
    """Refuse a command line with nothing in the place of a word: not set, a variable would stand for the folder here.

    Raises:
        UsageError: There is such a place.
    """
    if not all(map(str.strip, arguments)):
        msg = f"rlmetrics{'' if not arguments[0].strip() else ' ' + arguments[0]}: an argument is empty; leave it out"
        raise UsageError(f"{msg}, or set the variable that it comes from")


def _run(arguments: list[str], *, alone: bool) -> int:
    """Run a command that takes more than a look; ``alone`` in its process, it may settle there."""
    import warnings

    from rlmetrics.wording.terminal import has_colour

    from .clean_stream import CleanStream

    if alone:
        _settle()

    def cleaned(stream: TextIO, name: str) -> Any:
        return CleanStream(stream, name, paints=has_colour(stream))

    streams = sys.stdout, sys.stderr
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = _show_warning
        try:
            sys.stdout, sys.stderr = cleaned(streams[0], "standard output"), cleaned(streams[1], "standard error")
            return _command(arguments)
        finally:
            sys.stdout, sys.stderr = streams


def _settle() -> None:
    """Have the process look for no cycles and clear away what is half done when it is stopped."""
    import atexit
    import gc

    signal = _signals()

    # A table is a million small objects that all stay: to look for cycles among them costs a tenth of all.
    gc.set_threshold(10_000_000, 20, 20)
    # At exit the interpreter would look once more, which costs a quarter of all.
    atexit.register(gc.freeze)
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _terminate)


def _command(arguments: list[str]) -> int:
    from rlmetrics.names.tables.user_errors import UserError

    if _COMPLETING in os.environ:
        from .completion import complete
        from .parsing import every_command

        complete(every_command())
        return OK
    chosen = arguments[0] if arguments else ""
    try:
        plain = plain_command(arguments)
        if plain is not None:
            run, said = plain
            return run(said)
        from .commands import COMMANDS
        from .parsing import parser_of, whole_parser

        if chosen not in COMMANDS:
            _check_first(arguments)
            whole_parser().parse_args(arguments)
            return OK
        parser, module = parser_of(chosen)
        args = parser.parse_args(arguments)
        if getattr(args, "given_key", None) is None:
            return int(module.run(args))
        from rlmetrics.logs.given_key import giving

        with giving(args.given_key) as given:
            code = int(module.run(args))
        if not given.is_used:
            said = f"--key {given.key} has no effect: what was read names its keys itself"
            print(f"rlmetrics {chosen}: {said}", file=sys.stderr)
        return code
    except ModuleNotFoundError as error:
        from rlmetrics.logs.optional_packages import MissingPackageError

        missing = MissingPackageError.of(error)
        if missing is None:
            raise
        return _fail(f"rlmetrics {chosen}: {missing}")
    except UserError as error:
        return _fail(f"rlmetrics {chosen}: {error}")
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        from rlmetrics.logs.printable import printable

        where = f"{printable(os.fsdecode(error.filename))}: " if error.filename else ""
        return _fail(f"rlmetrics {chosen}: {where}{error.strerror or error}")


def _check_first(arguments: Sequence[str]) -> None:
    """Refuse a command line that does not begin with a command.

    Raises:
        UsageError: It names a command that there is not, or options before one.
    """
    words = [word for word in arguments if not word.startswith("-")]
    if not words:
        return
    from .commands import COMMANDS

    if words[0] in COMMANDS:
        text = f"options of a command stand after it: rlmetrics {words[0]} {arguments[0]} …"
    else:
        from difflib import get_close_matches

        near = get_close_matches(words[0], COMMANDS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"commands are {', '.join(COMMANDS)}"
        text = f"no command {words[0]!r}; {hint}"
    msg = f"rlmetrics: {text}; see rlmetrics --help"
    raise UsageError(msg)


def abandon(stream: TextIO | None) -> None:
    """Keep the interpreter from writing into a stream at exit what can't be written there."""
    if stream is None:
        return
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (OSError, ValueError):
        return


def _signals() -> Any:
    """Return what `signal` is made of: that makes enumerations of all numbers when it is imported."""
    try:
        return __import__("_signal")
    except ImportError:
        import signal

        return signal


def _terminate(number: int, frame: object) -> NoReturn:
    signal = _signals()
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
        _say(f"rlmetrics: warning: {_spoken(str(message))}")


def _fail(message: str) -> int:
    head, colon, said = message.partition(": ")
    _say(f"{head}{colon}{_spoken(said)}")
    return USAGE


def _spoken(message: str) -> str:
    """Return what a message says in the language of answers, behind the files that it names, as far as it is known."""
    place, said = "", message
    while (told := spoken(said)) == said and ": " in said:
        file, colon, said = said.partition(": ")
        place += file + colon
    return message if told == said else place + told


def _say(message: str) -> None:
    """Print one line on standard error, if that takes it."""
    from rlmetrics.logs.printable import printable

    from .clean_stream import clean

    _put(clean(printable(" ".join(map(str.strip, message.split("\n"))))) + "\n")


def _put(text: str) -> None:
    """Write on standard error, if that takes it."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        return
