"""Reads the runs of a file or folder as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from .. import run_settings
from ..errors import InputError
from ..tree import Unit
from . import stores, texts
from .runs import Recorded

__all__ = ["READERS", "read_runs"]

READERS: dict[str, Callable[[Path], Iterator[Recorded]]] = {
    "jsonl": texts.read_jsonl,
    "trainer-state": texts.read_trainer_state,
    "csv": texts.read_csv,
    "verl-console": texts.read_verl_console,
    "hf-console": texts.read_hf_console,
    "wandb": stores.read_wandb,
    "tensorboard": stores.read_tensorboard,
    "trackio": stores.read_trackio,
    "mlflow": stores.read_mlflow,
}
"""How each kind that holds logged values is read."""


def read_runs(unit: Unit) -> Iterator[Recorded]:
    """Yield the runs of a file or folder.

    Raises:
        InputError: The kind holds no logged values, or the file is damaged.
    """
    if unit.kind not in READERS:
        msg = f"a {unit.kind} holds names, not logged values; give a log"
        raise InputError(msg, unit.path)
    settings = run_settings.recorded(unit.kind, unit.path)
    for run in READERS[unit.kind](unit.path):
        own = settings.get(run.name or None, settings.get(None))
        if own is not None:
            # What stands between the rows of JSON lines is added to as they are read.
            run.config = run.config if unit.kind == "jsonl" else own.values
            run.problems = own.problems
        yield run
