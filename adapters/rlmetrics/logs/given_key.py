"""The key that a person gives for files that hold values but no name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["GivenKey", "given_key", "giving"]

_KEY: ContextVar[GivenKey | None] = ContextVar("given_key", default=None)


class GivenKey:
    """A key, and whether a file asked for it.

    Args:
        key: The key.
    """

    def __init__(self, key: str) -> None:
        self.key = key
        self.is_used = False


def given_key() -> str | None:
    """Return the key that was given; None if none was."""
    given = _KEY.get()
    if given is None:
        return None
    given.is_used = True
    return given.key


@contextmanager
def giving(key: str) -> Iterator[GivenKey]:
    """Let a key be the name of what stands in files without one."""
    given = GivenKey(key)
    token = _KEY.set(given)
    try:
        yield given
    finally:
        _KEY.reset(token)
