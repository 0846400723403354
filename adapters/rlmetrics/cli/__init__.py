"""The command line: ``rlmetrics`` and ``python -m rlmetrics.cli``.

Each command is a module of this package with ``add(subparsers)`` and ``run(args)``; only the module of the command that
runs is imported. A command that needs an optional dependency imports it inside ``run``.
"""

from __future__ import annotations

from .main import main

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .commands import COMMANDS, Command

__all__ = ["COMMANDS", "Command", "main"]


def __getattr__(name: str) -> object:
    """Import the list of commands when it is first asked for: most answers do without it."""
    if name not in __all__:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    from . import commands

    return getattr(commands, name)
