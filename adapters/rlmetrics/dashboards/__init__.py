"""Dashboards made from the spec: what a release logs, by family, with what is healthy."""

from .board import CRUCIAL, Board, Panel, Section, make_board
from .tensorboard_dashboard import write_layout
from .wandb_dashboard import workspace_spec

__all__ = ["CRUCIAL", "Board", "Panel", "Section", "make_board", "workspace_spec", "write_layout"]
