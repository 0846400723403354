"""One module for each kind of file that holds metric names, and which of them there are.

A new kind is a module here that defines ``KIND``, and a line in ``_MODULES``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path

from ..input_errors import InputError
from ..log import Kind

__all__ = ["KINDS", "is_left_behind", "kind_of"]

_MODULES = {
    "tensorboard": "tensorboard",
    "wandb": "wandb",
    "trackio": "trackio",
    "mlflow": "mlflow",
    "parquet": "parquet",
    "notebook": "notebook",
    "dvclive": "dvclive",
    "tensorboard-download": "tensorboard_download",
    "json-curves": "json_curves",
    "trainer-state": "trainer_state",
    "json-columns": "json_columns",
    "csv": "csv",
    "wandb-workspace": "wandb_workspace",
    "grafana": "grafana",
    "yaml-rows": "yaml_rows",
    "config": "config",
    "jsonl": "jsonl",
    "verl-console": "verl_console",
    "hf-console": "hf_console",
    "step-dicts": "step_dicts",
    "pasted-table": "pasted_table",
}
"""The module of each kind, in the order in which they are asked whether a file is theirs; imported when first asked."""

_JSON = frozenset({".json"})
_SUFFIXES = {
    "wandb": frozenset({".wandb"}),
    "parquet": frozenset({".parquet", ".pq"}),
    "notebook": frozenset({".ipynb"}),
    "dvclive": frozenset({".tsv"}),
    "tensorboard-download": frozenset({".csv", ".json"}),
    "json-curves": _JSON,
    "trainer-state": _JSON,
    "json-columns": _JSON,
    "csv": frozenset({".csv", ".tsv"}),
    "wandb-workspace": _JSON,
    "grafana": _JSON,
    "yaml-rows": frozenset({".yaml", ".yml"}),
    "config": frozenset({".json", ".yaml", ".yml", ".py"}),
    "pasted-table": frozenset(
        {".txt", ".log", ".out", ".err", "", ".md", ".markdown", ".rst", ".html", ".htm", ".org"}
    ),
}
"""How the names of all files of some kinds end, so that nothing is imported for others."""

_LEAVING = ("wandb",)
"""The kinds that can tell whether a file says something about an input that is not true of its copy."""


class _Kinds(Mapping[str, Kind]):
    """The kinds by their names, each imported when it is asked for."""

    def __getitem__(self, name: str) -> Kind:
        return _imported(_MODULES[name])

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)


@cache
def _imported(module: str) -> Kind:
    kind: Kind = import_module(f"{__name__}.{module}").KIND
    return kind


KINDS: Mapping[str, Kind] = _Kinds()


def kind_of(path: Path, wanted: str | None = None) -> Kind | None:
    """Return the kind of ``path``: the wanted one, or the first that recognises it; None if none does.

    Raises:
        InputError: If the wanted kind does not exist.
    """
    if wanted is None:
        suffix = path.suffix.lower()
        names = (name for name in KINDS if suffix in _SUFFIXES.get(name, (suffix,)))
        return next((kind for kind in map(KINDS.__getitem__, names) if kind.recognises(path)), None)
    if wanted not in KINDS:
        msg = f"unknown kind {wanted!r}; known kinds: {', '.join(KINDS)}"
        raise InputError(msg)
    return KINDS[wanted]


def is_left_behind(path: Path) -> bool:
    """Tell whether a file says something about an input that is not true of its copy."""
    return any(KINDS[name].is_left_behind(path) for name in _LEAVING)
