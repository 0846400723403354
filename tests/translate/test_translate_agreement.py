"""Runs whose source the names leave open: translated only where it makes no difference to what is written."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from rlmetrics.cli import main
from rlmetrics.names import AmbiguousError, Candidate, infer_source
from rlmetrics.translate import Translator
from rlmetrics.translate.options import Options
from rlmetrics.translate.origins import Several

_RUNS = Path(__file__).parents[1] / "fixtures" / "runs"


def _ambiguity(component: str, releases: tuple[str, ...], *keys: str) -> Several:
    return Several(
        "ambiguous: name the source", [Candidate("trl", component, release, frozenset(keys)) for release in releases]
    )


def _files(place: Path) -> dict[str, bytes]:
    if place.is_file():
        return {"": place.read_bytes()}
    return {str(file.relative_to(place)): file.read_bytes() for file in place.rglob("*") if file.is_file()}


@pytest.mark.parametrize(
    ("run", "truth", "target", "trainers"),
    [
        (
            "trl-0.7.10-ppo1_wandb.jsonl",
            "trl[PPOTrainer]==0.7.10",
            "canonical",
            ["PPOTrainer"],
        ),
        (
            "tensorboard/trl-0.7.10-ppo",
            "trl[PPOTrainer]==0.7.10",
            "canonical",
            ["PPOTrainer"],
        ),
        (
            "trl-1.16.0-dpo.jsonl",
            "trl[DPOTrainer]==1.16.0",
            "trl==1.16.0",
            ["DPOTrainer", "TPOTrainer"],
        ),
    ],
)
def test_what_is_written_is_what_the_true_source_gives(run, truth, target, trainers, tmp_path, capsys):
    """Byte for byte; the report states all that fit, and says that it makes no difference."""
    assert main(["translate", str(_RUNS / run), "--to", target, "-o", str(tmp_path / "found"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    command = ["translate", str(_RUNS / run), "--from", truth, "--to", target, "-o", str(tmp_path / "true"), "--json"]
    assert main(command) == 0
    true = json.loads(capsys.readouterr().out)
    assert _files(tmp_path / "true") == _files(tmp_path / "found")
    assert {old: how["to"] for old, how in true["translated"].items()} == {
        old: how["to"] for old, how in found["translated"].items()
    }
    said = found["from"]
    assert trainers == re.findall(r"trl\[(\w+)\]==[0-9.]+(?: to [0-9.]+)?(?: or |$)", said)
    assert [note for note in found["notes"] if "not certain" in note] == [
        f"which of {said} logged the names is not certain; it makes no difference to what is written"
    ]


@pytest.mark.parametrize(
    ("run", "target", "differ"),
    [
        ("trl-0.18.2-grpo.jsonl", "canonical", "differ on completions/clipped_ratio"),
        ("trl-1.16.0-dpo.jsonl", "canonical", "differ on eval_loss, eval_rewards/accuracies, eval_rewards/chosen and "),
        ("trl-1.16.0-orpo.jsonl", "canonical", "trl[ORPOTrainer]==0.19.1 differ on loss, train_loss)"),
        ("verl-0.9.1-tracking.jsonl", "verl==0.9.1", "differ on actor/pg_loss"),
    ],
)
def test_a_difference_is_refused_and_named(run, target, differ, tmp_path, capsys):
    """Exit code 2, nothing written, and the names on which the sources differ beside the sources."""
    output = tmp_path / "out"
    assert main(["translate", str(_RUNS / run), "--to", target, "-o", str(output)]) == 2
    (error,) = capsys.readouterr().err.splitlines()
    assert error.startswith(f"rlmetrics translate: {_RUNS / run}: ambiguous")
    assert differ in error
    assert not output.exists()


def test_names_of_no_release_are_refused_with_the_file(tmp_path, capsys):
    """Every refusal of a guess begins with the file that it is about, in a folder as well."""
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "mine.jsonl").write_text('{"my/own": 1}\n')
    for given in (tmp_path / "runs", tmp_path / "runs" / "mine.jsonl"):
        assert main(["translate", str(given), "--to", "canonical"]) == 2
        (error,) = capsys.readouterr().err.splitlines()
        assert error.startswith(f"rlmetrics translate: {tmp_path / 'runs' / 'mine.jsonl'}: no described release")


def test_a_name_that_shows_up_late_is_compared_too():
    """Inference reads the beginning of a log; a name behind it on which the sources differ stops the translation."""
    translator = _ambiguity("ORPOTrainer", ("1.16.0", "0.19.1"), "nll_loss").translator(Options("canonical"), None)
    assert "nll_loss" not in translator.row({"nll_loss": 1.0})
    for _ in range(2):
        with pytest.raises(AmbiguousError, match="differ on loss"):
            translator.row({"nll_loss": 1.0, "loss": 1.0})


def test_the_relation_is_the_worst():
    """Of two sources that give the same name, the one that is further from the target is told."""
    releases = ("1.16.0", "0.26.0")
    keys = ("num_tokens", "learning_rate", "entropy", "grad_norm")
    target = "trl[GRPOTrainer]==1.16.0"
    order = ("exact", "affine", "approximate", "related", "none")
    both = _ambiguity("GRPOTrainer", releases).translator(Options(target), None)
    single = [Translator(f"trl[GRPOTrainer]=={release}", target) for release in releases]
    expected = {key: max((one.key(key).relation for one in single), key=order.index) for key in keys}
    assert {key: both.key(key).relation for key in keys} == expected
    assert {single[0].key(key).relation for key in keys} != set(expected.values())


def test_names_under_untranslated_show_the_release():
    """Two releases that set a name aside write different names, so that neither is taken."""
    target = "trl[GRPOTrainer]==1.16.0"
    aside = Translator("trl[GRPOTrainer]==0.18.2", target).key("clip_ratio/high_max")
    assert aside.output == "untranslated/trl-0.18.2/clip_ratio/high_max"
    with pytest.raises(AmbiguousError, match="differ on clip_ratio/high_max"):
        _ambiguity("GRPOTrainer", ("0.18.2", "0.18.1"), "clip_ratio/high_max").translator(Options(target), None)


_CAPTURED = json.loads((_RUNS.parent / "captured_runs.json").read_text(encoding="utf-8"))
_OF_EACH = {(run["component"], run["release"]): run for run in _CAPTURED if run["release"]}


@pytest.mark.parametrize(
    ("component", "release", "translated"),
    [("SFTTrainer", "1.16.0", True), ("RewardTrainer", "1.16.0", True), ("GRPOTrainer", "1.16.0", False)],
)
def test_captured_runs_are_translated_and_refused(component, release, translated):
    """Both happen: the test above compares something, and not all is let through."""
    run = _OF_EACH[component, release]
    with pytest.raises(AmbiguousError) as caught:
        infer_source(run["keys"], whole=True)
    try:
        Several.of(caught.value).translator(Options("canonical"), None)
    except AmbiguousError:
        assert not translated
    else:
        assert translated
