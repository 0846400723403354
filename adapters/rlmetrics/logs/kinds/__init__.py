"""One module for each kind of file that holds metric names, and which of them there are.

A new kind is a module here that defines ``KIND``, and its name in ``_MODULES``.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from ..input_errors import InputError
from ..log import Kind

__all__ = ["KINDS", "is_left_behind", "kind_of"]

_MODULES = (
    "tensorboard",
    "wandb",
    "trackio",
    "mlflow",
    "trainer_state",
    "csv",
    "wandb_workspace",
    "grafana",
    "config",
    "jsonl",
    "verl_console",
    "hf_console",
)
"""In the order in which they are asked whether a file is theirs."""

_ALL: tuple[Kind, ...] = tuple(import_module(f"{__name__}.{module}").KIND for module in _MODULES)

KINDS = {kind.name: kind for kind in _ALL}


def kind_of(path: Path, wanted: str | None = None) -> Kind | None:
    """Return the kind of ``path``: the wanted one, or the first that recognises it; None if none does.

    Raises:
        InputError: If the wanted kind does not exist.
    """
    if wanted is None:
        return next((kind for kind in _ALL if kind.recognises(path)), None)
    if wanted not in KINDS:
        msg = f"unknown kind {wanted!r}; known kinds: {', '.join(KINDS)}"
        raise InputError(msg)
    return KINDS[wanted]


def is_left_behind(path: Path) -> bool:
    """Tell whether a file says something about an input that is not true of its copy."""
    return any(kind.is_left_behind(path) for kind in _ALL)
