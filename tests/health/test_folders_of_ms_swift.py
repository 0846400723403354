"""The folder that ms-swift writes: its log, what lies beside it, and the state that its log ends in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import answered

STEPS = 20
SUMMARY = {"train_runtime": 60.1, "train_loss": 0.001, "epoch": 1.0, "global_step/max_steps": f"{STEPS}/{STEPS}"}


def logged(step: int) -> dict[str, object]:
    """Return a line of the log, as its callback writes it."""
    lengths = {f"completions/{one}_length": 9.0 * number for number, one in enumerate(("min", "mean", "max"), start=1)}
    rewards = {"rewards/Format/mean": 0.8, "rewards/Format/std": 0.1, "reward": 1 + step / 99, "reward_std": 0.2}
    clips = {f"clip_ratio/{name}": 0.0 for name in ("low_mean", "low_min", "high_mean", "high_max", "region_mean")}
    own = {"loss": 0.01, "grad_norm": 0.5, "learning_rate": 1e-6, "kl": 0.001 * step, "frac_reward_zero_std": 0.0}
    bar = {"elapsed_time": "3s", "remaining_time": "9s", "memory(GiB)": 1.5, "train_speed(s/it)": 3.0}
    place = {"epoch": step / STEPS, "global_step/max_steps": f"{step}/{STEPS}"}
    return {**own, **lengths, "completions/clipped_ratio": 0.1, **rewards, **clips, **place, **bar}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run of GRPO with completions."""
    out = tmp_path / "output" / "v0-20261201-093000"
    out.mkdir(parents=True)
    rows = [logged(step) for step in range(1, STEPS + 1)]
    last = {"memory(GiB)": 1.5, "train_speed(s/it)": 3.0}
    state = {"best_metric": None, "global_step": STEPS, "log_history": rows, "memory": 1.5}
    lines = [*rows, {**SUMMARY, **last}, state]
    (out / "logging.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    table = {
        "step": ["1"] * 8,
        "prompt": ["q"] * 8,
        "completion": ["a"] * 8,
        "Format": [1.0] * 8,
        "advantages": [0.1] * 8,
    }
    (out / "completions.jsonl").write_text(f"{json.dumps(table)}\n" * STEPS)
    (out / "val_dataset.jsonl").write_text('{"messages": [{"role": "user", "content": "q"}]}\n' * 3)
    return out


def test_the_log_is_the_only_run(folder: Path) -> None:
    """Samples beside it are none, and the state that repeats its rows is no row: nothing is noted of either."""
    report = json.loads(answered("check", folder.parent, "--json").out)

    assert report["run"].endswith("logging.jsonl")
    assert (report["rows"], report["steps"]) == (STEPS, [1, STEPS])
    assert report["source"]["answer"].startswith("ms-swift[GRPOTrainer]")
    assert not [note for note in report["notes"] if "same keys already" in note or "global_step" in note]
    listed = json.loads(answered("keys", folder / "logging.jsonl", "--json").out)[0]["keys"]
    assert listed.keys().isdisjoint(state_names := {"log_history", "best_metric", "memory"}), state_names


def test_a_copy_keeps_the_state_as_it_is(folder: Path, tmp_path: Path) -> None:
    """Its rows have the old names, as a copy of a checkpoint would; the log's rows have the new ones."""
    out = tmp_path / "copy.jsonl"
    answered("translate", folder / "logging.jsonl", "--to", "canonical", "-o", out)
    old, new = (path.read_text().splitlines() for path in (folder / "logging.jsonl", out))

    assert new[-1] == old[-1]
    assert "length/response/mean" in json.loads(new[0])


@pytest.mark.parametrize(
    "line",
    [
        {"prompt": "q", "completion": "a", "score": 1.0},
        {"messages": [{"role": "user", "content": "q"}]},
        {"input": "q", "output": "a", "score": 0.5, "step": 3},
        {"query": ["q"], "response": ["a"]},
    ],
)
def test_samples_are_refused_by_what_they_are(tmp_path: Path, line: dict[str, object]) -> None:
    """Whatever trainer kept them."""
    path = tmp_path / "samples.jsonl"
    path.write_text(f"{json.dumps(line)}\n" * 5)
    told = answered("check", path)

    assert told.code == 2
    assert "holds samples" in told.err


@pytest.mark.parametrize("beside", [{"loss": 0.1}, {"objective/kl": 0.1}])
def test_rows_with_samples_in_them_are_read(tmp_path: Path, beside: dict[str, float]) -> None:
    """Somebody may put the batch beside the numbers of its step."""
    path = tmp_path / "run.jsonl"
    path.write_text(f"{json.dumps({'query': ['q'], 'response': ['a'], **beside})}\n" * 5)

    assert answered("keys", path).code == 0


def test_the_table_of_runs_leaves_room_for_their_names(folder: Path) -> None:
    """A framework that runs on releases of another one takes no more of a line than others."""
    again = folder.with_name("v1-20261201-094500")
    again.mkdir()
    (again / "logging.jsonl").write_text((folder / "logging.jsonl").read_text())
    told = answered("check", folder.parent).out

    assert "1201-093000/logging.jsonl" in told
    assert "run, and its first cause" in told
    table = told.partition("all below")[0]  # the path of the folder is as long as it is
    assert max(map(len, table.splitlines())) <= 80
