"""The message classes of trackers, which are made at run time and so unknown to type checkers."""

from importlib import import_module
from typing import Any

_EVENT = import_module("tensorboard.compat.proto.event_pb2")
_SUMMARY = import_module("tensorboard.compat.proto.summary_pb2")
_LAYOUT = import_module("tensorboard.plugins.custom_scalar.layout_pb2")

Event: Any = _EVENT.Event
HistogramProto: Any = _SUMMARY.HistogramProto
Summary: Any = _SUMMARY.Summary
Category: Any = _LAYOUT.Category
Chart: Any = _LAYOUT.Chart
Layout: Any = _LAYOUT.Layout
