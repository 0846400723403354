"""How a command ends."""

from __future__ import annotations

__all__ = ["FOUND", "INTERRUPTED", "OK", "UNFORESEEN", "USAGE", "UsageError"]

OK, FOUND, USAGE, UNFORESEEN, INTERRUPTED = 0, 1, 2, 70, 130
"""Exit codes: done; done with findings; bad usage or input and nothing written; a fault of this package; stopped with
Ctrl-C."""


class UsageError(Exception):
    """A command line that cannot be carried out; the text is one line."""
