"""The blocks about trainers in the documentation, run with a real trainer of TRL."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lanes.trainers.curves import events
from lanes.trainers.environments import ROOT, trained
from otlp_server import Receiver, receiving
from wandb_frames import parsed

PAGE = ROOT / "docs" / "trainers.md"
BLOCK = re.compile(r"<!-- command: trainer -->\n```python\n(.*?)^```$", re.S | re.M)
NAMES = ("lines", "callback", "wandb", "opentelemetry")


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    """Return what receives metrics over OTLP."""
    with receiving() as found:
        yield found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, receiver: Receiver) -> Path:
    """Return where the blocks were run."""
    codes = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    jobs: list[dict[str, Any]] = [{"name": name, "code": code} for name, code in zip(NAMES, codes, strict=True)]
    found = tmp_path_factory.mktemp("page")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.url)
        trained("1.16.0", found, jobs, script="page.py")
    return found


def shown(folder: Path) -> set[str]:
    """Return the names in TensorBoard's files."""
    return set(events(folder / "tensorboard"))


def test_two_lines_give_names_and_health(folder: Path) -> None:
    """With the two lines of the page, trackers and history have canonical names, and health stands beside them."""
    history = json.loads((folder / "lines" / "result.json").read_text())

    assert {"kl/reference/k3", "policy/clip_fraction", "reward/score/mean", "health/level"} <= shown(folder / "lines")
    assert {"kl/reference/k3", "policy/clip_fraction", "reward/score/mean", "health/level"} <= set(history[0])
    assert not {"kl", "reward", "train/kl", "train/reward"} & (shown(folder / "lines") | set(history[0]))


def test_the_callback_gives_both_names(folder: Path) -> None:
    """The callback of the page gives verl's names beside TRL's."""
    assert {"actor/kl_loss", "train/kl", "critic/score/mean", "train/reward"} <= shown(folder / "callback")


def test_wandb_knows_steps_and_directions(folder: Path) -> None:
    """The run of W&B has its metrics defined, over a step that it logs."""
    (path,) = (folder / "wandb").glob("wandb/offline-run-*/*.wandb")
    records = parsed(path)

    metrics = {item.metric.name: item.metric for item in records if item.HasField("metric")}
    assert metrics["reward/score/mean"].step_metric == "progress/global_step"
    logged = {name for item in records if item.HasField("history") for name in _names(item.history)}
    assert {"progress/global_step", "reward/score/mean", "health/level"} <= logged


def test_opentelemetry_gets_what_the_trainer_logs(folder: Path, receiver: Receiver) -> None:
    """A receiver has the last step, loss, reward and tokens of the run, and the history has the same numbers."""
    history = json.loads((folder / "opentelemetry" / "result.json").read_text())
    last = [row for row in history if "reward/score/mean" in row][-1]
    values = receiver.values()

    assert last["step"] == values["rl.train.steps"]
    assert last["loss/total"] == values["rl.train.loss"]
    assert last["reward/score/mean"] == values["rl.environment.reward.mean"]
    assert last["progress/tokens_seen"] == values["rl.train.tokens"]
    (steps,) = receiver.points()["rl.train.steps"]
    assert steps.attributes["rlmetrics.relation"] == "exact"
    assert (steps.resource["rl.system"], steps.resource["rl.algorithm"]) == ("trl", "grpo")


def test_recording_changes_nothing_of_the_training(folder: Path) -> None:
    """Losses, gradients and rewards of each step are the same bits with OpenTelemetry and without."""
    histories = [json.loads((folder / name / "result.json").read_text()) for name in ("lines", "opentelemetry")]
    same = ("loss/total", "optimizer/gradient_norm", "reward/score/mean", "kl/reference/k3")

    plain, recorded = ([[row.get(name) for name in same] for row in history] for history in histories)

    assert plain == recorded
    assert None not in plain[0]


def _names(history: Any) -> set[str]:
    return {(list(item.nested_key) or [item.key])[0] for item in history.item}
