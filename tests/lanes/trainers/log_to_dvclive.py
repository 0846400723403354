"""DVCLive's client alone: which names it keeps under themselves, and what it stores of values; FOLDER JOBS.

Runs in an environment of its own, where neither pytest nor the other modules of the tests are. Writes to dvclive.json.
"""

# pyright: reportMissingImports=false
from __future__ import annotations

import csv
import json
import math
import sys
from pathlib import Path
from typing import Any


def main(folder: Path, jobs: list[dict[str, Any]]) -> None:
    """Log each name and each value, in runs of their own."""
    import numpy as np
    import torch

    values = {
        "none": None,
        "text": "words",
        "bool": True,
        "nan": math.nan,
        "minus infinity": -math.inf,
        "large": 2**70,
        "too large": 10**400,
        "float32": np.float32(0.1),
        "int64": np.int64(2**62),
        "numpy's bool": np.bool_(True),
        "longdouble": np.longdouble(0.5),
        "array": np.array([0.5]),
        "tensor": torch.tensor(0.5),
        "list": [0.5],
    }
    (job,) = jobs
    told = {
        "kept": [name for name in job["names"] if kept(folder / "names", name)],
        "below": below(folder / "below"),
        "step": step(folder / "step"),
        "values": {name: stored(folder / "values", value) for name, value in values.items()},
    }
    (folder / "dvclive.json").write_text(json.dumps(told))


def live(folder: Path) -> Any:
    """Start a run; an earlier one in the folder is removed."""
    from dvclive import Live

    return Live(str(folder), save_dvc_exp=False, dvcyaml=None)


def table(folder: Path, name: str) -> list[list[str]]:
    """Return the header and rows of a name; none if it has no file of its own below the folder of metrics."""
    metrics = (folder / "plots" / "metrics").resolve()
    path = (metrics / f"{name}.tsv").resolve()
    if not path.is_file() or not path.is_relative_to(metrics):
        return []
    return list(csv.reader(path.open(newline=""), delimiter="\t"))


def kept(folder: Path, name: str) -> bool:
    """Log a name; tell whether its history has it as its title, and the summary as its path."""
    run = live(folder / "a" / "b")  # some names climb out of the run
    run.log_metric(name, 0.5)
    *over, last = name.split("/")
    said: Any = run.summary
    for part in (*over, last):
        said = said.get(part) if isinstance(said, dict) else None
    return said == 0.5 and table(folder / "a" / "b", name) == [["step", last], ["0", "0.5"]]


def below(folder: Path) -> dict[str, Any]:
    """Log a name and one below it, in both orders."""
    run = live(folder)
    run.log_metric("a/b", 0.5)
    run.log_metric("a", 0.25)
    summary = dict(run.summary)
    run = live(folder)
    run.log_metric("a", 0.25)
    return {"left": summary, "error": attempt(run, "a/b", 0.5)}


def step(folder: Path) -> list[list[str]]:
    """Log a name that ends in step at step 7."""
    run = live(folder)
    run.step = 7
    run.log_metric("timing/step", 0.5)
    return table(folder, "timing/step")


def stored(folder: Path, value: Any) -> str:
    """Log a value; return how it stands in the history, or the error."""
    run = live(folder)
    return attempt(run, "value", value) or table(folder, "value")[1][1]


def attempt(run: Any, name: str, value: Any) -> str:
    """Log a value, and return the name of the error that follows; empty if none does."""
    try:
        run.log_metric(name, value)
    except Exception as error:
        return type(error).__name__
    return ""


if __name__ == "__main__":
    main(Path(sys.argv[1]), json.loads(sys.argv[2]))
