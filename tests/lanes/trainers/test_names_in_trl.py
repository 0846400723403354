"""What arrives in trackers and histories when real trainers of TRL train with `attach`; and that they train alike."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lanes.trainers.curves import events, result, timeless, wandb
from lanes.trainers.environments import trained, tried_once
from rlmetrics.translate import Translator, translate_file

KINDS = {
    "0.11.4": ("DPO", "SFT", "RLOO", "PPO"),
    "0.12.2": ("DPO", "PPO"),
    "0.18.2": ("GRPO", "RLOO", "PPO", "DPO", "SFT"),
    "1.16.0": ("GRPO", "RLOO", "DPO", "SFT"),
}
CLASSES = {("0.11.4", "PPO"): "PPOv2Trainer"}
CASES = [(release, kind) for release, kinds in KINDS.items() for kind in kinds]
EVERY = ["tensorboard", "wandb", "trackio", "mlflow"]
DUAL = {"0.11.4": "SFT", "0.18.2": "GRPO", "1.16.0": "GRPO"}
OURS = {"health/level"}


def jobs_of(release: str) -> list[dict[str, Any]]:
    """Return the runs of a release: without anything, with canonical names and health, with both names."""
    jobs: list[dict[str, Any]] = []
    for kind in KINDS[release]:
        trackers = EVERY if (release, kind) == ("1.16.0", "GRPO") else ["tensorboard", "wandb"]
        jobs.append({"kind": kind, "name": f"{kind}-plain", "trackers": trackers})
        options = {"to": "canonical", "health": True}
        job = {"kind": kind, "name": f"{kind}-canonical", "trackers": trackers, "attach": options}
        # Users inherit from TRL's trainers.
        jobs.append({**job, "subclass": kind == "DPO"})
        if kind == "DPO":
            named = {"kind": kind, "name": "ipo", "trackers": [], "attach": {"to": "canonical"}, "again": False}
            jobs.append({**named, "args": {"loss_type": "ipo"}})
    if release in DUAL:
        both = {"to": "verl==0.9.1", "both": True}
        kind = DUAL[release]
        job = {"kind": kind, "name": "both", "trackers": ["tensorboard"], "attach": both, "as_callback": True}
        jobs.append({**job, "again": (release, kind) != ("1.16.0", "GRPO")})
    if release == "0.11.4":
        jobs.append({"kind": "STEP", "name": "STEP-plain", "trackers": ["tensorboard"]})
        options = {"to": "trl[PPOTrainer]==0.18.2", "health": True}
        jobs.append({"kind": "STEP", "name": "STEP-named", "trackers": ["tensorboard"], "attach": options})
    return jobs


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return what gives the folder with all runs of a release; a release that fails is tried once."""

    @tried_once
    def made(release: str) -> Path:
        folder = tmp_path_factory.mktemp(release)
        trained(release, folder, jobs_of(release))
        return folder

    return made


@pytest.mark.parametrize(("release", "kind"), CASES)
def test_weights_are_bit_equal(runs: Callable[[str], Path], release: str, kind: str) -> None:
    """With new names and health, a training ends with the same weights and the same random numbers as without."""
    plain, named = (result(runs(release) / f"{kind}-{how}") for how in ("plain", "canonical"))

    assert plain["weights"] == named["weights"]
    assert plain["random"] == named["random"]
    assert named["faults"] == [0, ""]


@pytest.mark.parametrize(("release", "kind"), CASES)
def test_the_source_comes_from_the_trainer(runs: Callable[[str], Path], release: str, kind: str) -> None:
    """Nobody says which class of which release trains."""
    named = result(runs(release) / f"{kind}-canonical")

    assert named["at"] == f"trl[{CLASSES.get((release, kind), f'{kind}Trainer')}]=={release}"


@pytest.mark.parametrize("release", [release for release, kind in CASES if kind == "DPO"])
def test_the_arguments_decide_what_a_key_means(runs: Callable[[str], Path], release: str) -> None:
    """The loss of a DPO with another loss than TRL's usual one has the name of that loss."""
    found = {name for row in result(runs(release) / "ipo")["history"] for name in row}

    assert {"preference/loss/ipo", "eval/preference/loss/ipo"} <= found
    assert not [name for name in found if "sigmoid" in name]


@pytest.mark.parametrize(("release", "kind"), CASES)
def test_what_was_attached_can_be_taken_off(runs: Callable[[str], Path], release: str, kind: str) -> None:
    """A second `attach` replaces the first, and `detach` leaves the trainer as it was made."""
    assert result(runs(release) / f"{kind}-canonical")["restored"] is True


@pytest.mark.parametrize(("release", "kind"), CASES)
def test_evaluations_return_what_they_did(runs: Callable[[str], Path], release: str, kind: str) -> None:
    """What ``evaluate`` returns, by which trainers choose the best checkpoint, has its old names and values."""
    plain, named = (result(runs(release) / f"{kind}-{how}")["evaluated"] for how in ("plain", "canonical"))

    if plain is None:
        assert named is None
    else:
        clocks = ("eval_runtime", "eval_samples_per_second", "eval_steps_per_second")
        assert named == {**plain, **{name: named[name] for name in clocks}}


@pytest.mark.parametrize(("release", "kind"), CASES)
def test_callbacks_still_find_old_names(runs: Callable[[str], Path], release: str, kind: str) -> None:
    """A callback of a user's own that looks up ``loss`` or ``lr`` finds the same values as ever."""
    plain, named = (result(runs(release) / f"{kind}-{how}")["read"] for how in ("plain", "canonical"))

    assert repr(plain) == repr(named)
    assert any(value is not None for row in plain for value in row)


@pytest.mark.parametrize(("release", "kind"), CASES)
def test_the_history_is_what_translating_it_gives(
    runs: Callable[[str], Path], tmp_path: Path, release: str, kind: str
) -> None:
    """The trainer's history under new names is that of the run without them, translated as a file afterwards."""
    plain, named = (result(runs(release) / f"{kind}-{how}") for how in ("plain", "canonical"))
    steps = [row.pop("step") for row in plain["history"]]
    state = tmp_path / "trainer_state.json"
    state.write_text(json.dumps({"log_history": plain["history"], "global_step": 4, "epoch": 1.0}))
    translate_file(state, target="canonical", source=named["at"], output=tmp_path / "new.json", kind="trainer-state")
    expected = json.loads((tmp_path / "new.json").read_text())["log_history"]

    assert steps == [row.pop("step") for row in named["history"]]
    assert len(expected) == len(named["history"]) >= 4
    for old, new in zip(expected, named["history"], strict=True):
        added = set() if any(name.startswith(("eval/", "eval_")) for name in new) else OURS
        assert set(new) == {*old, *added}
        assert timeless(old) == {name: value for name, value in timeless(new).items() if name not in added}


@pytest.mark.parametrize(("release", "kind"), CASES)
def test_tensorboard_shows_what_translating_its_files_gives(
    runs: Callable[[str], Path], tmp_path: Path, release: str, kind: str
) -> None:
    """TensorBoard's files hold the names and curves that translating those of the run without `attach` gives."""
    plain, named = (runs(release) / f"{kind}-{how}" for how in ("plain", "canonical"))
    at = result(named)["at"]
    translate_file(plain / "tensorboard", target="canonical", source=at, output=tmp_path / "new")
    expected, found = events(tmp_path / "new"), events(named / "tensorboard")

    assert set(found) == {*expected, *OURS, "progress/global_step"}
    assert {name: curve for name, curve in timeless(found).items() if name in expected} == timeless(expected)
    assert max(found["progress/global_step"]) == result(named)["history"][-1]["step"]


@pytest.mark.parametrize(("release", "kind"), CASES)
def test_wandb_shows_what_translating_its_file_gives(
    runs: Callable[[str], Path], tmp_path: Path, release: str, kind: str
) -> None:
    """An offline run of W&B holds the names and curves that translating the run without `attach` gives.

    Beside them stand the step under the name that the reporter gives it, and the totals of the run, which otherwise
    are in the summary only.
    """
    plain, named = (runs(release) / f"{kind}-{how}" for how in ("plain", "canonical"))
    (old,) = plain.glob("wandb/offline-run-*")
    new = tmp_path / "wandb" / old.name
    new.parent.mkdir()
    translate_file(old, target="canonical", source=result(named)["at"], output=new)
    expected, found = wandb(tmp_path), wandb(named)

    totals = {"timing/run", "progress/run_samples_per_second", "progress/run_steps_per_second"}
    totals |= {"loss/run_mean", "progress/total_flops"}
    own = {*OURS, "train/global_step", "progress/global_step", *totals}
    # What TRL hands to W&B itself, past all callbacks, keeps its name.
    translator = Translator(result(named)["at"], "canonical")
    direct = [name for name in wandb(plain) if name.startswith("profiling/")]
    past = {*direct, *(translator.key(name).output for name in direct)}
    assert set(direct) <= set(found)
    assert set(expected) - own - past == set(found) - own - past
    assert set(found) >= OURS
    shared = timeless({name: found[name] for name in set(found) - own - past})
    assert shared == {name: curve for name, curve in timeless(expected).items() if name in shared}


def test_trackio_and_mlflow_get_them_too(runs: Callable[[str], Path]) -> None:
    """Trackio's and MLflow's stores hold the canonical names, as TensorBoard does."""
    folder = runs("1.16.0")
    shown = set(events(folder / "GRPO-canonical" / "tensorboard"))
    with sqlite3.connect(folder / "trackio" / "tiny.db") as store:
        logged = store.execute("select metrics from metrics where run_name = 'GRPO-canonical'").fetchall()
    trackio = {name for (row,) in logged for name in json.loads(row) if "profiling" not in name}
    with sqlite3.connect(folder / "GRPO-canonical" / "mlflow.db") as store:
        mlflow = {name for (name,) in store.execute("select distinct key from metrics") if "profiling" not in name}

    assert trackio == shown - {"train/total_flos"} | {"train/global_step"}
    assert mlflow == {name.replace("eval/num_tokens", "eval_num_tokens").removeprefix("train/") for name in shown}


@pytest.mark.parametrize("release", list(DUAL))
def test_both_names_stand_side_by_side(runs: Callable[[str], Path], release: str) -> None:
    """With ``both``, through a callback, every old curve keeps its name, and those of verl stand beside them."""
    folder = runs(release)
    old, new = events(folder / f"{DUAL[release]}-plain" / "tensorboard"), events(folder / "both" / "tensorboard")

    assert set(old) < set(new)
    assert timeless(old) == timeless({name: new[name] for name in old})
    translator = Translator(result(folder / "both")["at"], "verl==0.9.1")
    moved = {name: translator.key(name).output for name in old if translator.key(name).translated}
    changed = {name: output for name, output in moved.items() if name != output}
    assert changed
    curves, expected = timeless(new), timeless(old)
    assert all(curves[output] == expected[name] for name, output in changed.items() if name in expected)
    assert result(folder / "both")["faults"] == [0, ""]


def test_the_old_ppo_that_logs_through_accelerate(runs: Callable[[str], Path]) -> None:
    """`PPOTrainer.step` and ``log_stats`` of TRL 0.11 arrive under the names of 0.18, and train the same."""
    folder = runs("0.11.4")
    plain, named = (result(folder / f"STEP-{how}") for how in ("plain", "named"))
    old, new = (events(folder / f"STEP-{how}" / "tensorboard" / "trl") for how in ("plain", "named"))

    assert named["at"] == "trl[PPOTrainer]==0.11.4"
    assert (plain["weights"], plain["random"]) == (named["weights"], named["random"])
    assert new["policy/approxkl_avg"] == old["ppo/policy/approxkl"]
    assert "ppo/policy/approxkl" not in new
    assert len(new["health/level"]) == 4


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a run whose numbers break, with health and a file for findings."""
    folder = tmp_path_factory.mktemp("broken")
    job = {
        "kind": "SFT",
        "name": "broken",
        "trackers": ["tensorboard", "wandb"],
        "attach": {"to": "canonical"},
        "args": {"learning_rate": 1e30, "max_steps": 6, "eval_strategy": "no"},
        "findings": str(folder / "findings.jsonl"),
    }
    trained("1.16.0", folder, [job])
    return folder


def test_findings_arrive(broken: Path) -> None:
    """A run whose numbers break says so in its trackers, in the program's log once, and in a file."""
    found = result(broken / "broken")
    lines = [json.loads(line) for line in (broken / "findings.jsonl").read_text().splitlines()]
    shown, curves = events(broken / "broken" / "tensorboard"), wandb(broken / "broken")

    errors = [line for line in lines if line["level"] == "error"]
    assert errors
    assert "non_finite" in {line["cause"] for line in errors}
    said = [text for text in found["said"] if text.startswith("ERROR")]
    assert len(errors) == len(said) == len(set(said))
    for curve in (shown, curves):
        assert curve["health/level"][-1] == 3
        assert curve[f"health/{errors[0]['rule']}"][-1] == 3
    assert shown["health/level"][0] == 0
