"""What the messages of trackers have in common."""

from __future__ import annotations

from functools import cache
from importlib import import_module

__all__ = ["decode_error"]


@cache
def decode_error() -> type[Exception]:
    """Return what parsing raises; protobuf comes with the trackers and is imported when it is needed."""
    error: type[Exception] = import_module("google.protobuf.message").DecodeError
    return error
