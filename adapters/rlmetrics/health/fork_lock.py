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

    def __reduce__(self) -> tuple[type[ForkLock], tuple[()]]:
        """Have a copy, here or in another process, be a lock of its own that nobody holds."""
        return ForkLock, ()

    def take(self, *, wait: bool) -> bool:
        """Take it; where somebody has it, wait or return False."""
        return self._lock.acquire(blocking=wait)

    def renew(self) -> None:
        """Forget who holds it."""
        self._lock = threading.RLock()


_LOCKS: WeakSet[ForkLock] = WeakSet()
_HELD: list[ForkLock] = []


def _before() -> None:
    """Take all locks. Whoever holds one may wait for another, so none is held while one is waited for."""
    locks = list(_LOCKS)
    while True:
        for place, lock in enumerate(locks):
            if not lock.take(wait=not _HELD):
                _after_in_parent()
                locks.insert(0, locks.pop(place))
                break
            _HELD.append(lock)
        else:
            return


def _after_in_parent() -> None:
    while _HELD:
        _HELD.pop().__exit__(None, None, None)


def _after_in_child() -> None:
    while _HELD:
        _HELD.pop().renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after_in_parent, after_in_child=_after_in_child)
