"""A lock that a fork never leaves locked: the thread that held it does not live on in the child."""

from __future__ import annotations

import os
import threading
from types import TracebackType
from weakref import WeakSet

__all__ = ["ForkLock"]


class ForkLock:
    """A lock that its thread may take again; a fork waits until no other thread holds it."""

    __slots__ = ("__weakref__", "_lock")

    def __init__(self) -> None:
        self._lock = threading.RLock()
        _LOCKS.add(self)

    def __enter__(self) -> None:
        """Take it."""
        self._lock.acquire()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """Give it back."""
        self._lock.release()

    def renew(self) -> None:
        """Forget who holds it."""
        self._lock = threading.RLock()


_LOCKS: WeakSet[ForkLock] = WeakSet()
_HELD: list[ForkLock] = []


def _before() -> None:
    for lock in list(_LOCKS):
        lock.__enter__()
        _HELD.append(lock)


def _after_in_parent() -> None:
    while _HELD:
        _HELD.pop().__exit__(None, None, None)


def _after_in_child() -> None:
    while _HELD:
        _HELD.pop().renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after_in_parent, after_in_child=_after_in_child)
