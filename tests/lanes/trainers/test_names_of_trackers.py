"""What the spec says of names in MLflow behind verl and in tensorboardX, against their real code."""

from __future__ import annotations

import importlib.util
import itertools
import json
import subprocess
from pathlib import Path
from types import ModuleType

import pytest
from lanes.trainers.environments import interpreter
from rlmetrics.names.sources.surfaces import rules_of, show_name
from rlmetrics.names.tables.loading import load_tables

KEYS = [
    *("".join(key) for length in range(1, 5) for key in itertools.product("a/@(", repeat=length)),
    *("val-core/gsm8k/acc/mean@4", "actor/lr(1e-4)", "a:b -c.d", "é/中", "perf/mfu/actor%"),
]
"""Every key of up to four of the characters that are changed and a letter, and some that are logged."""


def _tracking(release: str) -> ModuleType:
    """Return verl's module of trackers by itself: the package asks for all that verl needs."""
    python = interpreter(f"verl-alone-{release}", (f"verl=={release}",))
    (file,) = python.parents[1].glob("lib/python*/site-packages/verl/utils/tracking.py")
    spec = importlib.util.spec_from_file_location("tracking", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_names_that_verl_gives_mlflow_are_those_of_the_table() -> None:
    """Each forbidden character becomes an underscore, ``@`` a word, and a run of slashes one."""
    rules = rules_of(load_tables(), "mlflow", "verl_tracking")
    adapter = _tracking("0.9.1")._MlflowLoggingAdapter()

    assert {key: adapter._sanitize_key(key) for key in KEYS} == {key: show_name(key, rules) for key in KEYS}


def test_verl_0_5_0_changes_at_signs_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the note says: what MLflow refuses beside them is handed on, and fails there."""
    import mlflow

    handed: dict[str, float] = {}

    def log_metrics(metrics: dict[str, float], step: int) -> None:
        handed.update(metrics)

    monkeypatch.setattr(mlflow, "log_metrics", log_metrics)
    _tracking("0.5.0")._MlflowLoggingAdapter().log({"a@4": 0.5, "b//c(1)": 0.5}, 1)

    assert handed == {"a_at_4": 0.5, "b//c(1)": 0.5}


TENSORBOARDX = """
import json, sys
from tensorboardX import SummaryWriter
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
folder, keys = sys.argv[1], json.loads(sys.argv[2])
writer = SummaryWriter(folder)
for key in keys:
    writer.add_scalar(key, 0.5, 1)
writer.close()
events = EventAccumulator(folder)
events.Reload()
print(json.dumps(sorted(events.Tags()["scalars"])))
"""


def test_tensorboardx_replaces_what_torch_keeps(tmp_path: Path) -> None:
    """Other characters than letters, digits, underscore, dot, dash and slash become underscores."""
    python = interpreter("tensorboardX", ("tensorboardX==2.6.5",))
    keys = ["val-core/a_b.c/acc1", "mean@4", "actor/lr(1e-4)", "a:b c%"]
    command = [str(python), "-c", TENSORBOARDX, str(tmp_path), json.dumps(keys)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)

    assert json.loads(done.stdout) == sorted(["val-core/a_b.c/acc1", "mean_4", "actor/lr_1e-4_", "a_b_c_"])
