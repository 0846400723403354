"""A dashboard as a layout of TensorBoard's custom scalars page."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from rlmetrics.logs.dashboard_names import escaped
from rlmetrics.logs.kinds.tensorboard.layouts import LAYOUT
from rlmetrics.logs.kinds.tensorboard.tensorboard_messages import event_class, layout_class, tensor_util
from rlmetrics.logs.kinds.tensorboard.tfrecord import frame

from .board import Board, Panel

__all__ = ["write_layout"]

_VERSION = "brain.Event:2"


def write_layout(board: Board, path: Path) -> None:
    """Write an event file that holds nothing but the layout; TensorBoard reads it from any run's folder.

    Args:
        board: The dashboard.
        path: The file; TensorBoard takes it for an event file if its name has ``tfevents`` in it.

    Raises:
        ModuleNotFoundError: If TensorBoard is not installed.
    """
    first = event_class()(file_version=_VERSION)
    second = event_class()(step=0)
    value = second.summary.value.add(tag=LAYOUT)
    value.metadata.plugin_data.plugin_name = import_module("tensorboard.plugins.custom_scalar.metadata").PLUGIN_NAME
    value.tensor.CopyFrom(tensor_util().make_tensor_proto(_layout(board).SerializeToString(deterministic=True)))
    messages = [first.SerializeToString(), second.SerializeToString(deterministic=True)]
    path.write_bytes(frame([b"", b""], [0, 1], messages))


def _layout(board: Board) -> Any:
    layout = layout_class()()
    for section in board.sections:
        curves = [panel for panel in section.panels if panel.kind == "scalar"]
        if not curves:
            continue
        category = layout.category.add(title=section.name, closed=not section.is_open)
        for panel in curves:
            chart = category.chart.add(title=_title(panel))
            chart.multiline.tag.extend([f"^{escaped(name)}$" for name in panel.names] + list(panel.patterns))
    return layout


def _title(panel: Panel) -> str:
    return f"{panel.caption} [{panel.unit}]" if panel.unit else panel.caption
