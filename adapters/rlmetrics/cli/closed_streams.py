"""Standard streams that whoever started the program has closed: Python has None in their place."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["standing_in"]


class ClosedOutput(io.TextIOBase):
    """Takes nothing, and says so, as a full disk does: an answer that nobody gets is not taken for given."""

    def write(self, text: str) -> int:
        """Refuse a text.

        Raises:
            OSError: Always.
        """
        raise OSError(errno.EBADF, "is closed")


@contextmanager
def standing_in() -> Iterator[None]:
    """Give the program streams in place of those that are closed: nothing to read, and nowhere for an answer."""
    before = sys.stdin, sys.stdout, sys.stderr
    with open(os.devnull, encoding="utf-8") as nothing, open(os.devnull, "w", encoding="utf-8") as nowhere:
        try:
            sys.stdin = nothing if sys.stdin is None else sys.stdin
            sys.stdout = ClosedOutput() if sys.stdout is None else sys.stdout
            sys.stderr = nowhere if sys.stderr is None else sys.stderr
            yield
        finally:
            sys.stdin, sys.stdout, sys.stderr = before
