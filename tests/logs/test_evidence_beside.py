"""What lies beside a log, or in it, decides what its keys leave open; through the command line, on real files."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest
from rlmetrics.cli import main
from rlmetrics.logs.beside import beside

FIXTURES = Path(__file__).parents[1] / "fixtures" / "runs"
CARD = """---
tags:
- generated_from_trainer
- {tag}
- trl
---

# Model Card

### Framework versions

- TRL: {release}
- Transformers: 4.57.1
"""
OPEN_TO_BOTH = "trl-1.16.0-grpo.jsonl"
"""A log that GRPOTrainer and RLOOTrainer of many releases may have written."""


def _said(capsys, path: Path) -> dict:
    """Return what ``check`` says about the source of one log."""
    assert main(["check", str(path), "--json", "--fail-on", "never"]) == 0
    document = json.loads(capsys.readouterr().out)
    return document["source"]


def _log(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy(FIXTURES / OPEN_TO_BOTH, folder / "metrics.jsonl"))


def test_without_anything_beside_it_both_are_named(tmp_path, capsys):
    """The more usual trainer answers, with the releases that are left."""
    said = _said(capsys, _log(tmp_path / "run"))
    assert said["answer"] == "trl[GRPOTrainer]==0.26.0..1.16.0"
    assert [one["source"].partition("==")[0] for one in said["candidates"]] == ["trl[GRPOTrainer]", "trl[RLOOTrainer]"]


@pytest.mark.parametrize("place", [".", "..", "model"])
def test_a_model_card_names_trainer_and_release(tmp_path, capsys, place):
    """In the folder of the log, one level up or one level down."""
    path = _log(tmp_path / "runs" / "one")
    card = path.parent / place / "README.md"
    card.parent.mkdir(exist_ok=True)
    card.write_text(CARD.format(tag="rloo", release="0.29.0"), encoding="utf-8")

    said = _said(capsys, path)

    assert said["answer"] == "trl[RLOOTrainer]==0.29.0"
    assert {"recorded version", "trainer named beside it"} <= {one["kind"] for one in said["evidence"]}


def test_two_cards_below_a_log_say_nothing(tmp_path, capsys):
    """They are of two runs."""
    path = _log(tmp_path / "run")
    for name in ("a", "b"):
        (path.parent / name).mkdir()
        (path.parent / name / "README.md").write_text(CARD.format(tag="rloo", release="0.29.0"), encoding="utf-8")
    assert _said(capsys, path)["answer"] == "trl[GRPOTrainer]==0.26.0..1.16.0"


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("training_args.json", '{"normalize_advantages": false, "beta": 0.05}'),
        ("config.yaml", "normalize_advantages:\n  value: false\nbeta:\n  value: 0.05\n"),
    ],
)
def test_settings_beside_a_log_tell_trainers_apart(tmp_path, capsys, file, text):
    """Only RLOOTrainer normalises advantages by a setting of this name."""
    path = _log(tmp_path / "run")
    (path.parent / file).write_text(text, encoding="utf-8")
    said = _said(capsys, path)
    assert said["answer"].startswith("trl[RLOOTrainer]==")
    assert [one["says"] for one in said["evidence"] if one["kind"] == "settings beside it"] != []


@pytest.mark.parametrize(
    ("file", "text", "names"),
    [
        (".hydra/config.yaml", "algorithm:\n  adv_estimator: grpo\n", {"algorithm.adv_estimator"}),
        (".hydra/overrides.yaml", "- +trainer.nnodes=2\n- data.train_batch_size=8\n", {"trainer.nnodes"}),
        ("wandb-metadata.json", '{"args": ["--beta", "0.1", "trainer.nnodes=2"]}', {"beta", "trainer.nnodes"}),
        ("wandb-metadata.json", "[1", set()),
        ("training_args.json", "{torn", set()),
    ],
)
def test_names_of_settings_are_read_from_every_kind_of_file(tmp_path, file, text, names):
    """Torn files say nothing, and raise nothing."""
    path = _log(tmp_path / "run")
    (path.parent / file).parent.mkdir(exist_ok=True)
    (path.parent / file).write_text(text, encoding="utf-8")
    assert names <= beside(path).settings
    assert bool(names) is bool(beside(path).settings)


def test_nothing_beside_a_log_is_unpickled_or_followed(tmp_path, capsys):
    """A pickle is left alone, and so is a link that leads elsewhere."""
    path = _log(tmp_path / "run")
    (tmp_path / "elsewhere.md").write_text(CARD.format(tag="rloo", release="0.29.0"), encoding="utf-8")
    (path.parent / "README.md").symlink_to(tmp_path / "elsewhere.md")
    (path.parent / "training_args.bin").write_bytes(b"\x80\x04cos\nsystem\n.")
    assert _said(capsys, path)["answer"] == "trl[GRPOTrainer]==0.26.0..1.16.0"


def test_own_output_is_known(tmp_path, capsys):
    """Canonical names, as translations write them, with ``train/`` before them as reporters show them."""
    path = tmp_path / "canonical.jsonl"
    assert (
        main(
            [
                "translate",
                str(FIXTURES / OPEN_TO_BOTH),
                "--from",
                "trl[grpo]==1.16.0",
                "--to",
                "canonical",
                "-o",
                str(path),
            ]
        )
        == 0
    )
    capsys.readouterr()
    said = _said(capsys, path)
    assert (said["answer"], [one["kind"] for one in said["evidence"]]) == ("canonical", ["own output"])
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    shown = tmp_path / "shown.jsonl"
    shown.write_text("".join(json.dumps({f"train/{key}": row[key] for key in row}) + "\n" for row in rows))
    assert _said(capsys, shown)["answer"] == "canonical"


def test_the_results_of_a_suite_are_known(tmp_path, capsys):
    """A suite names the inputs behind ``@``."""
    path = tmp_path / "suite.jsonl"
    keys = ("entropy/policy@from_token_entropy", "policy/ratio/mean", "kl/reference/k3@from_logprobs")
    path.write_text("".join(json.dumps({"step": step, **dict.fromkeys(keys, 0.5)}) + "\n" for step in range(40)))
    assert _said(capsys, path)["answer"] == "canonical"


def test_what_a_translation_set_aside_says_what_the_log_was(tmp_path, capsys):
    """Old names under ``untranslated/`` decide nothing, and are told."""
    path = tmp_path / "new.jsonl"
    row = {"step": 1, "untranslated/trl-0.18.2/clip_ratio/high_max": 0.1, "completions/mean_length": 3.0}
    path.write_text("".join(json.dumps({**row, "frac_reward_zero_std": 0.1, "reward": 1.0}) + "\n" for _ in range(3)))
    said = _said(capsys, path)
    assert said["answer"].startswith("trl[GRPOTrainer]==")
    assert "1 set aside by a translation from trl 0.18.2" in [one["says"] for one in said["evidence"]]


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("seed,success,reward_mean,kl_mean,seconds\n1,0.1,0.2,0.3,100\n2,0.2,0.2,0.3,101\n", "1 of 5 keys is known"),
        ("step,mine,yours\n1,2,3\n2,3,4\n", "no key is known"),
    ],
)
def test_a_table_of_ones_own_is_no_log_of_a_described_trainer(tmp_path, capsys, text, known):
    """It is said how many keys are known, and nothing is called well; exit code 0."""
    path = tmp_path / "summary.csv"
    path.write_text(text, encoding="utf-8")
    assert main(["check", str(path)]) == 0
    assert capsys.readouterr().out.startswith(f"Not judged: {known}: no log of a described trainer")
    assert main(["check", str(path), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["verdict"], document["at"], document["source"]["answer"]) == ("not_judged", None, None)


def test_a_plain_log_of_transformers_is_named_as_that(tmp_path, capsys):
    """Loss and learning rate are what every trainer of transformers logs: read as the most usual one's."""
    path = tmp_path / "metrics.jsonl"
    rows = [{"step": step, "epoch": step / 50, "loss": 2 - step / 100, "learning_rate": 1e-5} for step in range(60)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["check", str(path)]) == 0
    assert "a plain Hugging Face log: read as SFTTrainer" in capsys.readouterr().out


def test_keys_of_ones_own_and_rare_words_hijack_nothing(tmp_path, capsys):
    """The log of a subclass with words of which each is logged by another trainer keeps its source."""
    rows = [json.loads(line) for line in (FIXTURES / OPEN_TO_BOTH).read_text(encoding="utf-8").splitlines()]
    path = tmp_path / "hijacked.jsonl"
    more = {"accuracy": 0.5, "reward_mean": 0.1, "train/p_mine": 0.2, "profiling/Time taken: FairGRPOTrainer.step": 1.0}
    path.write_text("".join(json.dumps({**row, **more}) + "\n" for row in rows))
    said = _said(capsys, path)
    assert said["answer"] == "trl[GRPOTrainer]==0.26.0..1.16.0"
    assert [one["source"].partition("==")[0] for one in said["candidates"]] == ["trl[GRPOTrainer]"]


def test_full_explains_every_piece(tmp_path, capsys):
    """With its weight, below the report."""
    assert main(["check", str(_log(tmp_path / "run")), "--full", "--fail-on", "never"]) == 0
    told = capsys.readouterr().out.partition("\nSource\n")[2]
    assert told.lstrip().startswith("keys: ")
    assert "usual: GRPOTrainer is more usual than RLOOTrainer (+1.2)" in told


def test_a_folder_of_many_logs_is_looked_through_once(tmp_path: Path) -> None:
    """Forty logs in one folder ask for one listing; a model card that comes later is found nevertheless."""
    logs = [tmp_path / f"run{number}.jsonl" for number in range(40)]
    for log in logs:
        log.write_text('{"loss": 1.0}\n', encoding="utf-8")
    listed: list[str] = []
    sys.addaudithook(
        lambda event, about: listed.append(str(about[0])) if event in ("os.scandir", "os.listdir") else None
    )

    assert {beside(log).tags for log in logs} == {()}

    assert listed.count(str(tmp_path)) == 1
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "README.md").write_text("---\ntags:\n- trl\n- grpo\n---\n", encoding="utf-8")
    assert {beside(log).tags for log in logs} == {("trl", "grpo")}
    assert listed.count(str(tmp_path)) == 2
