"""TensorBoard's own message classes, imported when the first event file is translated."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from ...protobufs import decode_error

__all__ = ["event_class", "hyperparameters_in", "layout_class", "ndarray_of", "parse", "tensor_util"]


@cache
def event_class() -> Any:
    """Return the class of events.

    Raises:
        ModuleNotFoundError: If TensorBoard is not installed.
    """
    import_module("tensorboard")
    return import_module("tensorboard.compat.proto.event_pb2").Event


@cache
def layout_class() -> Any:
    """Return the class of the layouts of the custom scalars page."""
    return import_module("tensorboard.plugins.custom_scalar.layout_pb2").Layout


@cache
def tensor_util() -> Any:
    """Return the functions that make arrays of tensors and the reverse."""
    return import_module("tensorboard.util.tensor_util")


def ndarray_of(tensor: Any) -> Any:
    """Return what a tensor of an event holds as an array; None if that can't be read, such as one without a type."""
    try:
        return tensor_util().make_ndarray(tensor)
    except (TypeError, ValueError):
        return None


def hyperparameters_in(content: bytes) -> dict[str, Any]:
    """Return the hyperparameters in what their plugin keeps of a session; none where that can't be read."""
    kept = import_module("tensorboard.plugins.hparams.plugin_data_pb2").HParamsPluginData
    try:
        session = kept.FromString(content).session_start_info
    except decode_error():
        return {}
    # A map of a message comes in any order.
    hparams = sorted(session.hparams.items())
    values = {name: getattr(value, value.WhichOneof("kind") or "", None) for name, value in hparams}
    # Numbers are kept as floating point, whatever they were.
    whole = {name: int(value) for name, value in values.items() if isinstance(value, float) and value.is_integer()}
    return {name: value for name, value in {**values, **whole}.items() if value is not None}


def parse(message: bytes) -> Any:
    """Return the event in ``message``.

    Raises:
        ValueError: If it holds none.
    """
    try:
        return event_class().FromString(message)
    except decode_error() as error:
        msg = f"it holds no event ({error})"
        raise ValueError(msg) from None
