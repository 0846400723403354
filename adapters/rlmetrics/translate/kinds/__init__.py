"""One module per kind of file that holds metric names. A new kind is a module here and a line in ``KINDS``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

from ..databases import journals
from ..errors import InputError
from ..report import Report
from ..translator import Translator
from . import (
    config,
    csv,
    grafana,
    hf_console,
    jsonl,
    mlflow,
    tensorboard,
    trackio,
    trainer_state,
    verl_console,
    wandb,
    wandb_workspace,
)

__all__ = [
    "DATABASES",
    "FOLDER_KINDS",
    "KINDS",
    "LAYOUTS",
    "ROW_KINDS",
    "DatabaseKind",
    "FolderKind",
    "Kind",
    "RowKind",
    "arguments_among",
    "companions",
    "is_left_behind",
    "kind_of",
    "releases_of",
    "settings_of",
    "surface_of",
]


class Kind(Protocol):
    """What a module of this package offers."""

    def recognises(self, path: Path) -> bool:
        """Tell from name and content whether ``path`` is of this kind."""
        ...

    def names(self, path: Path) -> Iterable[str]:
        """Return the metric names near the beginning of ``path``, to infer where they come from."""
        ...

    def translate(self, path: Path, output: Path, translator: Translator, report: Report) -> None:
        """Write ``path`` with translated names to ``output`` and account for it in ``report``."""
        ...


class FolderKind(Kind, Protocol):
    """A kind of which several files of one folder belong together; ``path`` may be such a folder everywhere."""

    def members(self, folder: Path) -> list[Path]:
        """Return the files in ``folder``, or below it, that are translated together; none if it is no such folder."""
        ...


class RowKind(Kind, Protocol):
    """A kind whose rows are written one by one, so that who gets a name that several keys claim is decided before."""

    def rows(self, path: Path) -> Iterable[tuple[str | None, Mapping[str, Any]]]:
        """Yield the rows, each with the run that it belongs to; None if the file is one run."""
        ...


class DatabaseKind(Kind, Protocol):
    """A kind of which one file may hold several runs."""

    def runs(self, path: Path) -> dict[str, set[str]]:
        """Return the names of each run; nothing if ``path`` is a run of its own."""
        ...

    def translate(
        self, path: Path, output: Path, translator: Translator, report: Report, only: Collection[str] | None = None
    ) -> None:
        """Translate as any kind does, but only some runs, if they are named."""
        ...


KINDS: dict[str, Kind] = {
    "tensorboard": tensorboard,
    "wandb": wandb,
    "trackio": trackio,
    "mlflow": mlflow,
    "trainer-state": trainer_state,
    "csv": csv,
    "wandb-workspace": wandb_workspace,
    "grafana": grafana,
    "config": config,
    "jsonl": jsonl,
    "verl-console": verl_console,
    "hf-console": hf_console,
}

FOLDER_KINDS: dict[str, FolderKind] = {"wandb": wandb, "tensorboard": tensorboard, "mlflow": mlflow}

ROW_KINDS: dict[str, RowKind] = {
    "wandb": wandb,
    "trackio": trackio,
    "trainer-state": trainer_state,
    "jsonl": jsonl,
    "verl-console": verl_console,
    "hf-console": hf_console,
}
"""The others decide for a whole run by themselves: their series are columns, files or tags."""

LAYOUTS = {"wandb-workspace", "grafana", "config"}
"""Kinds that name but some of what a run logs."""

_ARGUMENTS = {"output_dir", "logging_steps", "per_device_train_batch_size"}
"""Some of what transformers' Trainer records of its arguments: where they are, all are."""

_SETTINGS: dict[str, Callable[[Path], Iterable[str]]] = {
    "wandb": wandb.settings,
    "tensorboard": tensorboard.settings,
    "trainer-state": trainer_state.settings,
}

DATABASES: dict[str, DatabaseKind] = {"trackio": trackio, "mlflow": mlflow}


def kind_of(path: Path, wanted: str | None) -> str | None:
    """Return the kind of ``path``: the wanted one, or the first that recognises it; None if none does.

    Raises:
        InputError: If the wanted kind does not exist.
    """
    if wanted is not None:
        if wanted not in KINDS:
            msg = f"unknown kind {wanted!r}; known kinds: {', '.join(KINDS)}"
            raise InputError(msg)
        return wanted
    return next((name for name, kind in KINDS.items() if kind.recognises(path)), None)


def companions(kind: str, path: Path) -> list[Path]:
    """Return the files beside ``path`` that are read along with it and not copied on their own."""
    return journals(path) if kind in DATABASES and path.is_file() else []


def is_left_behind(path: Path) -> bool:
    """Tell whether a file says something about the input that is not true of its copy."""
    return wandb.is_left_behind(path)


def settings_of(kind: str, path: Path) -> dict[str | None, frozenset[str]]:
    """Return the names of each run's arguments, if it recorded them all, as transformers' callbacks do.

    Where a file is one run, they stand under None.
    """
    if kind == "trackio":
        return {run: arguments_among(names) for run, names in trackio.settings(path).items()}
    return {None: arguments_among(_SETTINGS[kind](path))} if kind in _SETTINGS else {}


def releases_of(kind: str, path: Path) -> dict[str, str]:
    """Return which releases of frameworks a run says were installed."""
    if kind == "wandb":
        return wandb.releases(path)
    return trainer_state.releases(path) if kind == "trainer-state" else {}


def arguments_among(settings: Iterable[str]) -> frozenset[str]:
    """Return the names of settings if all of a trainer's arguments are among them, else nothing."""
    found = frozenset(settings)
    return found if found >= _ARGUMENTS else frozenset()


def surface_of(kind: str) -> str | None:
    """Return the surface that new names must have in files of a kind; None if any name will do."""
    return mlflow.SURFACE if kind == "mlflow" else None
