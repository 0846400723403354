"""Which kind a file is of, and how little is imported to find out."""

import subprocess
import sys
from pathlib import Path

import pytest
from logs import LOGS
from rlmetrics.logs.kinds import KINDS, kind_of

_LOADED = """
import sys
from pathlib import Path
from rlmetrics.logs.kinds import kind_of
print(kind_of(Path(sys.argv[1])).name, *sorted(name.rpartition(".")[2] for name in sys.modules if name.startswith(
    "rlmetrics.logs.kinds.") and name.count(".") == 3))
"""


@pytest.mark.parametrize("name", [name for name in LOGS if name not in ("events", "mlruns")])
def test_only_kinds_that_are_asked_take_a_file(name: str, tmp_path: Path) -> None:
    """Under whatever ending, the kind of a file is the first that takes it, be it asked in short or one by one."""
    for ending in ("", ".json", ".JSON", ".jsonl", ".csv", ".CSV", ".db", ".log", ".txt", ".wandb", ".yaml", ".bin"):
        path = tmp_path / f"run{ending}"
        path.unlink(missing_ok=True)
        LOGS[name].write(path, [{"kl": "0.5", "epoch": "1"}, {"kl": "0.25", "epoch": "2"}])
        first = next((kind.name for kind in KINDS.values() if kind.recognises(path)), None)
        found = kind_of(path)
        assert (None if found is None else found.name) == first


def test_readers_of_other_endings_are_not_imported(tmp_path: Path) -> None:
    """To tell that lines are JSON, no reader of dashboards, tables or runs of W&B is imported."""
    log = tmp_path / "run.jsonl"
    log.write_text('{"step": 1, "kl": 0.5}\n', encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", _LOADED, log], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["jsonl", "jsonl", "mlflow", "tensorboard", "trackio"]
