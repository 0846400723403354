"""Frameworks on top of TRL in answers: recognised, resolved, mapped and translated as the others are."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path

import pytest
from names.derived_logs import ROWS
from rlmetrics.cli.main import main
from rlmetrics.names import load_tables, map_names, resolve
from rlmetrics.names.inference import Clues, completed, find_source
from rlmetrics.names.sources.source import bases_left_open
from rlmetrics.translate import Translator


@pytest.mark.parametrize("name", ROWS)
def test_a_log_is_recognised_as_the_framework_that_logged_it(name: str) -> None:
    """And not as TRL's trainer that the other framework runs."""
    answer = find_source(Clues(tuple(ROWS[name]), whole=True))
    assert answer.source is not None
    assert answer.source.partition("==")[0] == name
    assert answer.undescribed is None
    assert answer.wrapper is None


def test_the_release_under_it_is_read_from_what_was_installed() -> None:
    """Both releases stand in a run's requirements."""
    installed = {"ms-swift": "4.6.0", "trl": "0.28.0"}
    answer = find_source(Clues(tuple(ROWS["ms-swift[GRPOTrainer]"]), whole=True, installed=installed))
    assert answer.source == "ms-swift[GRPOTrainer]==4.6.0+trl0.28.0"


@pytest.mark.parametrize("name", ["unsloth", "axolotl"])
def test_what_was_installed_tells_a_framework_that_logs_nothing_of_its_own(name: str) -> None:
    """Its DPO logs TRL's keys."""
    release = load_tables().framework(name).releases.names[-1].partition("+")[0]
    row = ("loss", "learning_rate", "epoch", "rewards/chosen", "rewards/rejected", "rewards/accuracies")
    keys = (*row, "rewards/margins", "logps/chosen", "logps/rejected", "logits/chosen", "logits/rejected")
    answer = find_source(Clues(keys, installed={name: release}))
    assert answer.source is not None
    assert answer.source.startswith(f"{name}[")


def test_a_log_of_trl_stays_one_of_trl() -> None:
    """Nothing tells another framework."""
    keys = [key for key in ROWS["unsloth[GRPOTrainer]"] if key != "completion_length"]
    answer = find_source(Clues(tuple(keys), whole=True))
    assert answer.source is not None
    assert answer.source.startswith("trl[GRPOTrainer]==")
    assert {one.framework for one in answer.candidates} == {"trl"}


def _alike(keys: Collection[str]) -> list[str]:
    """Return what is said of frameworks that run the trainer of a log of TRL."""
    return [one.says for one in find_source(Clues(tuple(keys), whole=True)).evidence if one.kind == "alike"]


def test_a_log_of_trl_says_what_else_may_have_run_its_trainer() -> None:
    """Frameworks that may log no key of their own are named among the evidence; where nothing runs it, none is."""
    keys = [key for key in ROWS["unsloth[GRPOTrainer]"] if key != "completion_length"]
    (says,) = _alike(keys)
    assert says.startswith("axolotl runs the same trainer")
    pairs = (
        "rewards/chosen",
        "rewards/rejected",
        "rewards/accuracies",
        "rewards/margins",
        "logps/chosen",
        "logps/rejected",
    )
    (says,) = _alike(("loss", "learning_rate", "epoch", *pairs, "logits/chosen", "logits/rejected"))
    assert says.startswith("LLaMA-Factory and axolotl run the same trainer")
    assert not _alike(ROWS["axolotl[AxolotlTrainer]"])
    assert not _alike(("actor/pg_loss", "actor/ppo_kl", "critic/score/mean"))


def test_a_framework_without_the_trainer_is_not_said_to_run_it() -> None:
    """Neither runs RLOO, which the sign of its divergence tells from GRPO, nor an SFT that logs more than it does."""
    keys = [key for key in ROWS["unsloth[GRPOTrainer]"] if key not in ("completion_length", "completions/mean_length")]
    rloo = find_source(Clues((*keys, "frac_reward_zero_std"), negative=frozenset({"kl"})))
    assert (rloo.candidates[0].component, [one for one in rloo.evidence if one.kind == "alike"]) == ("RLOOTrainer", [])
    assert not _alike(("loss", "learning_rate", "epoch", "entropy", "mean_token_accuracy", "num_tokens"))


@pytest.mark.parametrize(
    ("asked", "source", "chosen"),
    [
        ("axolotl", "axolotl[AxolotlGRPOTrainer]==0.21.0", "axolotl: 0.21.0, the newest known"),
        ("axolotl==0.20.0", "axolotl[AxolotlGRPOTrainer]==0.20.0", None),
        ("axolotl[AxolotlKTOTrainer]==0.20.0", "axolotl[AxolotlKTOTrainer]==0.20.0", None),
    ],
)
def test_what_a_named_source_leaves_open_is_taken_from_the_run_and_said(
    asked: str, source: str, chosen: str | None
) -> None:
    """The component by the keys; a release that nobody named is told."""
    keys = [key for key in ROWS["unsloth[GRPOTrainer]"] if key != "completion_length"]
    clues = Clues((*keys, "entropy", "step_time", "completions/mean_terminated_length"), whole=True)
    answer = completed(asked, clues, load_tables())
    assert answer.chosen == chosen
    assert answer.is_given
    assert str(answer.source).partition("[")[2] == source.partition("[")[2]


def test_a_check_says_which_release_it_took(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Where only the framework is named."""
    path = tmp_path / "run.jsonl"
    row = {key: value for key, value in ROWS["unsloth[GRPOTrainer]"].items() if key != "completion_length"}
    path.write_text("\n".join(json.dumps({"step": step, **row}) for step in range(1, 9)), encoding="utf-8")
    main(["check", str(path), "--at", "axolotl"])
    assert "axolotl: 0.21.0, the newest known" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("key", ["teacher_kl", "sdar/loss", "fipo/future_kl_mean", "entropy/threshold", "entropy/max"])
def test_every_key_of_ms_swifts_grpo_is_known(key: str) -> None:
    """Those of one trainer alone, too."""
    (found,) = resolve(key, at="ms-swift[GRPOTrainer]==4.6.0")
    assert found.metric is not None
    assert found.metric.startswith("tracked/")


def test_a_name_of_verl_that_is_another_quantity_is_told() -> None:
    """The divergence of ms-swift is from ratios normalised by length."""
    names = map_names("ms-swift[GRPOTrainer]==4.6.0", "verl==0.9.1")
    row = names.translate("rollout_correction/chi2_seq").row
    assert row is not None
    assert row.to is None
    assert "rollout_corr/chi2_seq" in {item.to for item in row.related}


@pytest.mark.parametrize(
    ("key", "at", "reduction"),
    [
        ("kl", "llamafactory[CustomKTOTrainer]==0.9.5", {"micro_batch": "sum", "window": "sum"}),
        ("rewards/chosen", "llamafactory[CustomDPOTrainer]==0.9.5", {"micro_batch": "mean", "rank": "mean"}),
        ("entropy/mean", "ms-swift[GRPOTrainer]==4.6.0", {"sequence": "mean"}),
    ],
)
def test_a_number_is_put_together_as_its_own_code_does(key: str, at: str, reduction: dict[str, str]) -> None:
    """What the framework writes itself is described by its own source."""
    (found,) = resolve([key], at=at)
    assert found.signature is not None
    assert reduction.items() <= found.signature.reduction.items()
    assert not found.signature.unstated
    assert found.evidence
    assert all(place.note is None for place in found.evidence)


def test_kl_of_ms_swift_is_another_number_where_it_is_in_the_reward() -> None:
    """The same name at two places; the setting decides."""
    loss, reward = (
        resolve(["kl"], at="ms-swift[GRPOTrainer]==4.6.0", config={"beta": 0.04, "kl_in_reward": inside})[0].metric
        for inside in (False, True)
    )
    assert (loss, reward) == ("kl/reference/k3", "kl/old_reference_sum/k1")


def test_what_axolotl_leaves_to_trl_is_the_same_and_proven_there() -> None:
    """Evidence is TRL's line; the release under it is the pinned one."""
    row = map_names("axolotl[AxolotlDPOTrainer]==0.21.0", "trl[DPOTrainer]==1.14.1").translate("rewards/chosen").row
    assert row is not None
    assert row.severity == "same"
    (found,) = resolve(["rewards/chosen"], at="axolotl[AxolotlDPOTrainer]==0.21.0")
    assert {place.note for place in found.evidence} <= {"of trl", "of transformers"}
    assert {place.release for place in found.evidence if place.note == "of trl"} == {"1.14.1"}


def test_names_are_carried_to_trl_and_verl() -> None:
    """Of a row of ms-swift."""
    to_verl = Translator("ms-swift[GRPOTrainer]==4.6.0", "verl==0.9.1").row({"reward": 0.5, "entropy/mean": 1.0})
    assert set(to_verl) == {"critic/score/mean", "actor/entropy_loss"}


@pytest.mark.parametrize("name", ROWS)
def test_a_run_of_it_is_checked(capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str) -> None:
    """Its source is inferred from the log."""
    path = tmp_path / "run.jsonl"
    rows = [{"step": step, **ROWS[name]} for step in range(1, 12)]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert main(["check", str(path), "--json"]) in (0, 1)
    said = json.loads(capsys.readouterr().out)
    said = said[0] if isinstance(said, list) else said
    assert said["at"].startswith(f"{name}==")


def test_what_all_releases_under_a_source_agree_on_is_carried(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Without the release of TRL the log tells it as far as it can; a key of which the rest differ is set aside."""
    path, out = tmp_path / "run.jsonl", tmp_path / "out.jsonl"
    row = {key: value for key, value in ROWS["unsloth[GRPOTrainer]"].items() if key != "completions/mean_length"}
    path.write_text(json.dumps({"step": 1, **row}) + "\n", encoding="utf-8")
    named = ["translate", str(path), "--from", "unsloth[GRPOTrainer]==2026.10.9", "--to", "trl[grpo]==1.15.0"]

    assert main([*named, "-o", str(out), "--json"]) in (0, 1)

    said = json.loads(capsys.readouterr().out)
    first, last = said["from"].partition("==")[2].split("..")
    assert first != last
    assert any("settles it" in note for note in said["notes"])
    assert "kl" in said["undecided"]
    written = json.loads(out.read_text(encoding="utf-8"))
    assert (written["learning_rate"], "kl" in written) == (row["learning_rate"], False)


def test_a_source_that_names_the_release_under_it_is_that_one(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Nothing is left open then."""
    path = tmp_path / "run.jsonl"
    path.write_text(json.dumps({"step": 1, **ROWS["unsloth[GRPOTrainer]"]}) + "\n", encoding="utf-8")
    source = "unsloth[GRPOTrainer]==2026.10.9+trl1.15.0"
    assert bases_left_open(source, load_tables()) == frozenset()
    assert bases_left_open("trl==1.15.0", load_tables()) == frozenset()
    assert source in bases_left_open("unsloth[grpo]==2026.10.9", load_tables())

    main(["translate", str(path), "--from", source, "--to", "verl", "-o", str(tmp_path / "out"), "--json"])

    assert json.loads(capsys.readouterr().out)["from"] == source


def test_the_own_log_of_a_framework_lacks_what_its_trainer_logs() -> None:
    """LLaMA-Factory keeps of DPO's numbers the accuracy alone."""
    keys = (*ROWS["llamafactory[CustomSeq2SeqTrainer]"], "rewards/accuracies")
    answer = find_source(Clues(keys, whole=True))
    assert answer.source is not None
    assert answer.source.startswith("llamafactory[CustomDPOTrainer]==")


def test_keys_of_two_frameworks_in_one_log_are_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Each has keys that the other does not log; the one is judged, and the other named."""
    of_verl = ("actor/pg_loss", "actor/ppo_kl", "critic/score/mean", "response_length/mean")
    row = {**ROWS["unsloth[GRPOTrainer]"], **dict.fromkeys(of_verl, 0.1)}
    path = tmp_path / "run.jsonl"
    path.write_text("\n".join(json.dumps({"step": step, **row}) for step in range(1, 12)), encoding="utf-8")

    main(["check", str(path), "--json"])

    said = json.loads(capsys.readouterr().out)
    assert said["at"].startswith("unsloth[GRPOTrainer]==")
    assert said["source"]["second"]["source"].startswith("verl")
    assert set(said["source"]["second"]["keys"]) <= set(of_verl)
    assert [note for note in said["notes"] if note.startswith("two frameworks' keys stand in this log: verl logs")]


@pytest.mark.parametrize("own", ["my/reward", "actor/pg_loss"])
def test_a_key_of_a_users_own_is_no_second_framework(own: str) -> None:
    """Nor is one key of many that another framework has."""
    row = {**ROWS["unsloth[GRPOTrainer]"], own: 0.1}
    assert find_source(Clues(tuple(row), whole=True)).second is None
