"""The command line: ``rlmetrics`` and ``python -m rlmetrics.cli``.

Each command is a module of this package with ``add(subparsers)`` and ``run(args)``; only the module of the command that
runs is imported. A command that needs an optional dependency imports it inside ``run``.
"""

from __future__ import annotations

from .commands import COMMANDS, Command
from .main import main

__all__ = ["COMMANDS", "Command", "main"]
