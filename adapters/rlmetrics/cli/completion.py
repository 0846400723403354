"""``rlmetrics completion``: complete commands, options, releases and keys in a shell. Needs argcomplete."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from rlmetrics.lazy_typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rlmetrics.names.tables.tables import Tables

__all__ = ["add", "complete", "run"]

_SHELLS = ("bash", "zsh", "fish", "tcsh", "powershell")
_SOURCES = ("--at", "--from", "--to")


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "completion",
        help="complete commands, releases and keys in your shell",
        description="Print what your shell needs to complete commands, options, releases and keys. "
        'For bash: rlmetrics completion bash >> ~/.bashrc. It needs pip install "rlmetrics[completion]".',
    )
    parser.add_argument("shell", choices=_SHELLS, help="the shell")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        0.
    """
    from argcomplete.shell_integration import shellcode

    print(shellcode(["rlmetrics"], shell=args.shell).strip())
    return 0


def complete(parser: argparse.ArgumentParser) -> None:
    """Answer a shell that asks what may come next, if one does; the process then ends.

    Args:
        parser: With every command.
    """
    import argcomplete

    for action in parser._actions:
        for command in (action.choices or {}).values() if isinstance(action, argparse._SubParsersAction) else ():
            for option in command._actions:
                if any(flag in _SOURCES for flag in option.option_strings):
                    vars(option)["completer"] = _sources
                elif option.dest in ("keys", "key", "name"):
                    vars(option)["completer"] = _keys
    argcomplete.autocomplete(parser)


def _sources(prefix: str, parsed_args: argparse.Namespace, **_: Any) -> Iterable[str]:
    """Return the sources that begin with a text: frameworks, then components, then releases."""
    tables = _tables(parsed_args)
    if tables is None:
        return []
    name, bracket, rest = prefix.partition("[")
    if not bracket:
        name = prefix.partition("==")[0]
    if not tables.head(name):
        named = tables.named
        return [*(f"{known}[" for known in named), *named, "canonical"]
    table = tables.framework(name)
    components = {component: ranges for component, _, ranges, _ in table.components}
    component = rest.partition("]")[0]
    if bracket and "]" not in rest:
        return [f"{name}[{known}]==" for known in components]
    if bracket:
        return [f"{name}[{component}]=={release}" for release in table.releases.expand(components.get(component, []))]
    return [f"{name}=={release}" for release in table.releases.names]


def _keys(prefix: str, parsed_args: argparse.Namespace, **_: Any) -> Iterable[str]:
    """Return the keys that begin with a text: those of the source that is named, otherwise metrics."""
    from rlmetrics.names import NamesError, keys

    tables = _tables(parsed_args)
    if tables is None:
        return []
    source = getattr(parsed_args, "at", None)
    if not isinstance(source, str) or source == "auto":
        return [metric for metric in tables.metrics if metric.startswith(prefix)]
    try:
        return [item.key for item in keys(source, spec=tables) if item.key.startswith(prefix)]
    except NamesError:
        return []


def _tables(parsed_args: argparse.Namespace) -> Tables | None:
    """Return the tables of the overlays that the command line names so far; None if they can't be read."""
    from rlmetrics.names import NamesError, load_tables
    from rlmetrics.overlay_places import with_found

    try:
        return load_tables(with_found(getattr(parsed_args, "spec", None) or []) or None)
    except NamesError:
        return None
