"""How a command ends."""

from __future__ import annotations

__all__ = ["FOUND", "INTERRUPTED", "OK", "USAGE", "UsageError"]

OK, FOUND, USAGE, INTERRUPTED = 0, 1, 2, 130
"""Exit codes: done; done with findings; bad usage or input and nothing written; stopped with Ctrl-C."""


class UsageError(Exception):
    """A command line that cannot be carried out; the text is one line."""
