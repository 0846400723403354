"""`overlay new` and `overlay init`: a folder that lint passes, with guesses that nobody takes for more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rlmetrics.cli.main import main
from rlmetrics.names import keys, resolve

NAMES = {"kl": 0.1, "entropy": 1.0, "train/avg_reward": 0.5, "zzz/nothing": 1.0, "yes": 2.0, "a: b": 3.0}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A log, and the folder in which it is the working directory."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps({"step": at, **NAMES}) + "\n" for at in range(3)), encoding="utf-8")
    return path


def test_a_framework_is_begun_from_a_log(capsys: pytest.CaptureFixture[str], run: Path) -> None:
    """Lint finds nothing in it; what is guessed is unreviewed, and what nobody calls so is a comment."""
    assert main(["overlay", "new", "my-rl", "--keys", str(run), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["guessed"]["kl"]["metric"] == "kl/reference/k3"
    assert said["guessed"]["train/avg_reward"]["metric"] == "reward/score/mean"
    assert {"zzz/nothing", "yes", "a: b"} <= {item["key"] for item in said["unknown"]}
    assert "step" not in str(said)
    assert main(["lint", "--spec", "my-rl", "--format", "short"]) == 0
    assert capsys.readouterr().out == ""
    found = {item.key: item.unstated for item in keys("my-rl==0.1.0", spec="my-rl")}
    assert {*found} == {*said["guessed"]}
    assert all("reduction" in unstated for unstated in found.values())


def test_a_trainer_takes_over_what_it_extends(capsys: pytest.CaptureFixture[str], run: Path) -> None:
    """Its own keys are those that the extended file does not describe."""
    assert main(["overlay", "new", "my-grpo", "--extends", "trl/grpo_trainer", "--keys", str(run), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert {"kl", "entropy"} <= {*said["inherited"]}
    assert main(["lint", "--spec", "my-grpo", "--format", "short"]) == 0
    assert capsys.readouterr().out == ""
    (own,) = resolve("kl", "trl[MyGrpoTrainer]==1.16.0", spec="my-grpo")
    assert own.metric == "kl/reference/k3"


def test_init_writes_one_without_keys(capsys: pytest.CaptureFixture[str], run: Path) -> None:
    """Where it is told to."""
    assert main(["overlay", "init", "my-rl", "-o", "there"]) == 0
    assert "there/frameworks/my-rl/trainer.yaml" in capsys.readouterr().out
    assert main(["lint", "--spec", "there", "--format", "short"]) == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["My RL"], "'My RL' is no name of a framework"),
        (["trl"], "trl is described; extend one of its files"),
        (["my-rl", "--extends", "trl"], "write FRAMEWORK/FILE"),
        (["my-rl", "--extends", "tlr/grpo_trainer"], "no framework 'tlr'; did you mean trl"),
        (["my-rl", "--extends", "trl/gpro_trainer"], "did you mean grpo_trainer"),
        (["my-rl", "--keys", "nothing.jsonl"], "nothing.jsonl: does not exist"),
        (["there"], "there: exists already"),
    ],
)
def test_bad_requests_are_one_line(capsys: pytest.CaptureFixture[str], run: Path, words: list[str], said: str) -> None:
    """Exit code 2, and nothing is written."""
    (run.parent / "there").mkdir()
    assert main(["overlay", "new", *words]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert len(error.splitlines()) == 1
    assert sorted(path.name for path in run.parent.iterdir()) == ["run.jsonl", "there"]
