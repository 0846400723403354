"""The parser of command lines: one line for an error, and a page of the manual for ``--help``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from importlib import import_module

from rlmetrics.lazy_typing import Any, NoReturn, Protocol, cast

from .commands import COMMANDS, examples_of
from .exits import UsageError
from .manual import page_text, screen

__all__ = ["Parser", "every_command", "page_of", "parser_of", "whole_parser"]

_DESCRIPTION = "What the metrics of RL post-training mean, how every release spells them, and how one becomes another."


class _CommandModule(Protocol):
    """What every module of a command offers."""

    def add(self, subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
        """Add the command to the command line."""

    def run(self, args: argparse.Namespace) -> int:
        """Run the command and return the exit code."""
        ...


class _Formatter(argparse.HelpFormatter):
    """Is made for each argument, to check it; without a width it would load shutil, with every codec for archives."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=80)


class Parser(argparse.ArgumentParser):
    """Reports a wrong command line on one line, and lays out its help as answers are laid out."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"formatter_class": _Formatter, **options})

    def error(self, message: str) -> NoReturn:
        """Give up."""
        raise UsageError(f"{self.prog}: {message}; see {self.prog} --help")

    def format_help(self) -> str:
        """Return the page of the manual as it is printed."""
        return page_text([*page_of(self)], screen())


def whole_parser() -> Parser:
    """Return the parser of command lines without a command, which lists what commands there are."""
    parser = Parser(prog="rlmetrics", description=_DESCRIPTION)
    parser.add_argument("--version", action="store_true", help="print the versions of the package and of the spec")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, command in COMMANDS.items():
        subparsers.add_parser(name, help=command.help, add_help=False)
    return parser


def parser_of(name: str) -> tuple[Parser, _CommandModule]:
    """Return the parser of one command, with examples at the end of its help, and the command's module."""
    parser, subparsers = _bare_parser()
    module = _module(name)
    module.add(subparsers)
    chosen = subparsers.choices[name]
    chosen.epilog = "\n".join([chosen.epilog or "", "examples:", *examples_of(COMMANDS[name])]).lstrip("\n")
    return parser, module


def every_command() -> Parser:
    """Return the parser of all commands, for a shell that completes."""
    parser, subparsers = _bare_parser()
    for name in COMMANDS:
        _module(name).add(subparsers)
    return parser


def _bare_parser() -> tuple[Parser, argparse._SubParsersAction[argparse.ArgumentParser]]:
    parser = Parser(prog="rlmetrics")
    # With prog argparse need not format the usage of the whole, for which it loads much.
    subparsers: argparse._SubParsersAction[argparse.ArgumentParser] = parser.add_subparsers(
        dest="command", metavar="COMMAND", parser_class=Parser, prog=parser.prog
    )
    return parser, subparsers


def _module(name: str) -> _CommandModule:
    return cast("_CommandModule", import_module(f".{COMMANDS[name].module}", __package__))


def page_of(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Yield the page of the manual that says what a parser takes."""
    formatter = argparse.HelpFormatter(parser.prog)
    yield f"program\t{parser.prog}"
    yield from (f"option\t{word}" for word in _options(parser))
    for action in parser._get_positional_actions():
        yield f"position\t{formatter._format_args(action, _typed(action))}"
    if parser.description:
        yield f"text\t{parser.description}"
    for group in parser._action_groups:
        if group._group_actions:
            yield f"group\t{group.title}"
            yield from (line for action in group._group_actions for line in _items(formatter, action, 1))
    said, examples, lines = (parser.epilog or "").partition("examples:\n")
    if said:
        yield f"text\t{' '.join(said.split())}"
    if examples:
        yield from ("line\t", "line\texamples:", *(f"line\t{line}" for line in lines.splitlines()))


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Yield options as the usage shows them; those that exclude one another together."""
    exclusive = {id(action): group for group in parser._mutually_exclusive_groups for action in group._group_actions}
    for action in parser._get_optional_actions():
        group = exclusive.get(id(action))
        if group is None:
            yield _option(action) if action.required else f"[{_option(action)}]"
        elif action is group._group_actions[0]:
            text = " | ".join(map(_option, group._group_actions))
            yield f"({text})" if group.required else f"[{text}]"


def _option(action: argparse.Action) -> str:
    return f"{action.option_strings[0]}{_value(action)}"


def _value(action: argparse.Action) -> str:
    """Return what follows an option, as its help shows it."""
    formatter = argparse.HelpFormatter("")
    return "" if action.nargs == 0 else f" {formatter._format_args(action, _typed(action))}"


def _typed(action: argparse.Action) -> str:
    """Return what stands for the value of an argument."""
    if isinstance(action.metavar, str):
        return action.metavar
    if action.choices is not None:
        return f"{{{','.join(map(str, action.choices))}}}"
    return action.dest.upper() if action.option_strings else action.dest


def _items(formatter: argparse.HelpFormatter, action: argparse.Action, depth: int) -> Iterator[str]:
    """Yield an argument and what is below it."""
    if action.help is argparse.SUPPRESS:
        return
    said = formatter._expand_help(action) if action.help else ""
    typed = ", ".join(f"{name}{_value(action)}" for name in action.option_strings) or _typed(action)
    yield f"item\t{depth}\t{typed}\t{' '.join(said.split())}"
    below: list[Any] = getattr(action, "_get_subactions", list)()
    for each in below:
        yield from _items(formatter, each, depth + 1)
