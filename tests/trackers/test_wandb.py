"""W&B told by the spec: real offline runs, read back from their files."""

from __future__ import annotations

import json
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import wandb
from rlmetrics.health import Monitor
from rlmetrics.names import NamesError, keys
from rlmetrics.trackers import wrap
from rlmetrics.trackers.wandb import alert_on, define_metrics
from wandb_frames import parsed, rows


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return an offline run."""
    monkeypatch.setenv("WANDB_SILENT", "true")
    found = wandb.init(project="tiny", dir=str(tmp_path), mode="offline", settings=wandb.Settings(x_disable_stats=True))
    yield found
    found.finish()


def file_of(run: Any) -> Path:
    """Return the file of a run that is finished."""
    folder = Path(run.dir).parent
    run.finish()
    (path,) = folder.glob("*.wandb")
    # The service of W&B writes the end of the file on its own time.
    end = time.monotonic() + 30
    while not any(item.HasField("exit") for item in parsed(path)):
        assert time.monotonic() < end
        time.sleep(0.05)
    return path


def test_metrics_are_defined_as_the_spec_describes_them(run: Any) -> None:
    """Each curve of a source has its step, and a summary that keeps what is best by the direction of the metric."""
    defined = define_metrics(run, "verl==0.9.1")

    records = {
        item.metric.name or item.metric.glob_name: item.metric
        for item in parsed(file_of(run))
        if item.HasField("metric")
    }
    assert set(defined) == set(records)
    assert defined[0] == "training/global_step"
    assert records["critic/score/mean"].step_metric == "training/global_step"
    assert records["critic/score/mean"].summary.max
    assert not records["critic/score/mean"].summary.min
    assert records["actor/ppo_kl"].summary.min
    assert records["actor/ppo_kl"].summary.last
    known = {item.key for item in keys("verl==0.9.1", surface="wandb")}
    assert {name for name in defined if not name.endswith("*")} <= known


@pytest.mark.parametrize(
    ("at", "step", "expected"),
    [
        ("trl[GRPOTrainer]==1.16.0", None, "train/global_step"),
        ("canonical", None, "progress/global_step"),
        ("canonical", "train/global_step", "train/global_step"),
    ],
)
def test_the_step_is_the_sources_own_or_the_one_that_is_given(
    run: Any, at: str, step: str | None, expected: str
) -> None:
    """The axis is what the source logs as its step, unless another one is named."""
    defined = define_metrics(run, at, step=step)

    records = {item.metric.name: item.metric for item in parsed(file_of(run)) if item.HasField("metric")}
    assert defined[0] == expected
    assert {records[name].step_metric for name in defined[1:] if name in records} == {expected}


def test_an_unknown_source_defines_nothing(run: Any) -> None:
    """A source that there is not is an error, and the run stays as it is."""
    with pytest.raises(NamesError):
        define_metrics(run, "verl==0.0.0.1.2")

    assert not [item for item in parsed(file_of(run)) if item.HasField("metric")]


def test_findings_become_alerts(run: Any) -> None:
    """What a monitor finds is an alert of the run, once, with its level and what to check."""
    monitor = Monitor("verl==0.9.1")
    faults = alert_on(run, monitor)
    for step in range(6):
        row = {"actor/pg_loss": math.nan if step > 2 else 0.1, "actor/grad_norm": 1.0}
        monitor.observe(step, row)

    alerts = [item.alert for item in parsed(file_of(run)) if item.HasField("alert")]
    assert len(alerts) == 1
    assert alerts[0].level == "ERROR"
    assert "actor/pg_loss" in alerts[0].text
    assert faults.count == 0


def test_remarks_are_no_alerts_unless_wanted(run: Any) -> None:
    """Findings below the level that is asked for are not sent; an unknown level is refused."""
    with pytest.raises(ValueError, match="no level"):
        alert_on(run, Monitor("verl==0.9.1"), level="loud")


def test_a_run_that_is_finished_stops_no_training(run: Any) -> None:
    """An alert that W&B refuses is counted, and ``observe`` returns what it found."""
    monitor = Monitor("verl==0.9.1")
    faults = alert_on(run, monitor)
    run.finish()

    monitor.observe(1, {"actor/pg_loss": 0.1})
    found = monitor.observe(2, {"actor/pg_loss": math.nan})

    assert 1 == len(found) == faults.count


def test_a_runs_own_log_can_be_wrapped(run: Any) -> None:
    """Rows that are logged to a run arrive under the new names, with health beside them."""
    log = wrap(run.log, "verl==0.9.1", "canonical", health=True)
    log({"actor/lr": 0.5, "critic/score/mean": 1.0}, step=1)
    log({"actor/lr": 0.25, "critic/score/mean": 1.5}, step=2)

    found = rows(file_of(run).read_bytes())
    assert [row["optimizer/learning_rate"][()] for row in found] == ["0.5", "0.25"]
    assert all({"reward/score/mean", "health/level"} <= set(row) for row in found)
    assert not any("actor/lr" in row for row in found)


def test_summaries_keep_nan_and_take_true_for_zero_and_dots_join_dictionaries(run: Any) -> None:
    """The largest value of `define_metric` is NaN from the first NaN on; the last value is right."""
    run.define_metric("reward", summary="last,max")
    run.define_metric("solved", summary="max")
    for reward, solved in [(0.5, True), (math.nan, False), (0.9, True)]:
        run.log({"reward": reward, "solved": solved, "val": {"acc": reward}})
    path = file_of(run)

    summary: dict[tuple[str, ...], Any] = {}
    names: set[tuple[str, ...]] = set()
    for record in parsed(path):
        for item in record.summary.update:
            summary[tuple(item.nested_key) or (item.key,)] = item.value_json
        names |= {tuple(item.nested_key) or (item.key,) for item in record.history.item}
    # Its writer puts the parts in any order.
    assert set(summary[("reward",)].strip("{}").split(",")) == {'"last":0.9', '"max":NaN'}
    assert summary[("solved",)] == '{"max":0}'
    assert ("val", "acc") in names


def test_arrays_of_more_than_32_elements_become_histograms(run: Any) -> None:
    """Of 32 bins; smaller ones are lists, one element is a number, and each call of ``log`` is a step of its own."""
    run.log({"one": np.array([0.5]), "small": np.arange(32.0), "large": np.arange(33.0)})
    run.log({"one": 0.25})

    first, second = rows(file_of(run).read_bytes())
    assert json.loads(first["one"][()]) == 0.5
    assert json.loads(first["small"][()]) == [*range(32)]
    assert json.loads(first["large"][("_type",)]) == "histogram"
    assert (len(json.loads(first["large"][("values",)])), len(json.loads(first["large"][("bins",)]))) == (32, 33)
    assert [row["_step"][()] for row in (first, second)] == ["0", "1"]
