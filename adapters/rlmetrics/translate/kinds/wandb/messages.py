"""W&B's own message classes, imported when the first run is translated."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

__all__ = ["decode_error", "record_class"]


@cache
def record_class() -> Any:
    """Return the class of records.

    Raises:
        ModuleNotFoundError: If wandb is not installed.
    """
    import_module("wandb")
    return import_module("wandb.proto.wandb_internal_pb2").Record


@cache
def decode_error() -> type[Exception]:
    """Return what parsing raises."""
    error: type[Exception] = import_module("google.protobuf.message").DecodeError
    return error
