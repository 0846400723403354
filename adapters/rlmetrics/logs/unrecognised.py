"""Why a file is no log of a known kind, as far as its first bytes tell, and what would make it one."""

from __future__ import annotations

import json
import re
from pathlib import Path

from .shown_names import STATISTICS, SUMMED_UP

__all__ = ["EMPTY", "are_samples", "is_nameless", "why_unrecognised"]

_BOARD = "is of SwanLab's board, whose curves have no names; give the folder above it, where a .swanlab file has them"
_NAMELESS = (
    "holds the values of one series without its name, as Neptune's fetch_values() gives them; write all series of a "
    "run to one table, and call each column as the run logged it"
)
_SAMPLES = "holds samples, texts that a model was given or wrote, not what was logged; give the log of the run"
_TEXTS = ({"prompt"}, {"completion"}, {"completions"}, {"messages"}, {"input", "output"}, {"query", "response"})
"""Names of texts in a file of samples: all of one set."""
_LOGGED = {"loss", "grad_norm", "learning_rate", "lr"}
_RESULTS = "sums a run up, as transformers does at its end; give its course, such as trainer_state.json"
_OF_RESULTS = {"train_runtime", "eval_runtime", "predict_runtime", "train_samples_per_second"}
_AROUND = {"step", "timestamp", "index", ""}
EMPTY = "is empty: nothing was logged to it, or nothing was left of it"
_LABELS = tuple(sorted(label.encode() for label in STATISTICS))
_LISTS = re.compile(rb"\s*\[\s*\[\s*[-+0-9.eE]+\s*,")
_SAMPLE = 1 << 16
_TABLES = {".csv", ".tsv"}
_POINT = re.compile(rb'\{"(?:index": ?[0-9]+, ?"data"|max": ?[^,]+, ?"max_step")')
"""How a file of SwanLab's board begins: a point of a curve, or what sums one up."""
_SQLITE = b"SQLite format"
_PICKLED = (b"PK\x03\x04", b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")
"""How what Python or PyTorch saved begins."""


def why_unrecognised(path: Path) -> str | None:
    """Return why a file or folder can't be read as a log, and how to mend that; None if nothing tells."""
    if path.is_dir():
        return _why_no_folder(path)
    if not path.is_file():
        return "is a pipe or a device, which can be read only once; save it as a file first"
    with path.open("rb") as file:
        sample = file.read(_SAMPLE)
    if not sample.strip():
        return EMPTY
    if path.suffix == ".wandb":
        return "does not begin as W&B's files do: it was cut off or overwritten; take it from the machine that ran"
    if _POINT.match(sample):
        return _BOARD
    if path.suffix.lower() in _TABLES and is_nameless(sample.partition(b"\n")[0]):
        return _NAMELESS
    if path.suffix in {".jsonl", ".ndjson"} and are_samples(sample.partition(b"\n")[0]):
        return _SAMPLES
    if path.suffix == ".json" and _are_results(sample):
        return _RESULTS
    if sample.startswith(_SQLITE):
        from .databases import why_no_log

        return why_no_log(path)
    if all(re.search(rb"(?m)^[^\w\n]*(?:<t[rhd]>)*\s*" + label + rb"\b", sample) for label in _LABELS):
        return SUMMED_UP
    if _LISTS.match(sample):
        return "is lists of numbers without the names of columns; write them with df.to_json(orient='records')"
    if sample.startswith(_PICKLED):
        return "is pickled, and unpickling runs what it holds; give the log that the run wrote, not its checkpoint"
    return None


def are_samples(line: bytes) -> bool:
    """Tell whether a line of JSON is a sample or a batch of them, such as trainers keep beside their logs."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return False
    if not isinstance(row, dict) or any("/" in key for key in row) or not _LOGGED.isdisjoint(row):
        return False
    texts = {key for key, value in row.items() if isinstance(value, str | list)}
    return any(texts >= names for names in _TEXTS)


def _are_results(text: bytes) -> bool:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and not _OF_RESULTS.isdisjoint(found)


def is_nameless(header: bytes) -> bool:
    """Tell whether a header names nothing but a step and a value: whose it is must stand elsewhere."""
    titles = {title.strip(' "') for title in re.split("[,;\t]", header.decode("utf-8-sig", "replace").strip())}
    return "step" in titles and titles - _AROUND == {"value"}


def _why_no_folder(path: Path) -> str | None:
    """Return why a folder is no log: somebody may have gone one too deep."""
    from .kinds.mlflow.file_store import METRICS, is_series

    if any(map(_is_board, path.glob("*/_summary.json"))) or _is_board(path / "_summary.json"):
        return _BOARD
    if any(path.rglob("*.csv")) and all(why_unrecognised(file) == _NAMELESS for file in path.rglob("*.csv")):
        return _NAMELESS
    series = (file for file in path.iterdir() if file.is_file()) if path.name == METRICS else ()
    if any(map(is_series, series)):
        return "is the metrics of a run of MLflow; give the folder that it lies in"
    return None


def _is_board(path: Path) -> bool:
    return path.is_file() and why_unrecognised(path) == _BOARD
