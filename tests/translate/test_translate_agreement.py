"""Runs whose source the names leave open: what all candidates make the same of is carried, the rest set aside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rlmetrics.cli import main
from rlmetrics.names import Candidate, NamesError, SourceAnswer
from rlmetrics.translate import Translator
from rlmetrics.translate.origins import Several
from rlmetrics.translate.translation_options import Options

_RUNS = Path(__file__).parents[1] / "fixtures" / "runs"


def _either(component: str, releases: tuple[str, ...], *keys: str) -> Several:
    sources = tuple(f"trl[{component}]=={release}" for release in releases)
    left = Candidate("trl", component, releases[::-1], 1.0, alike=True, explained=len(keys))
    return Several(SourceAnswer(sources[0], (left,), meanings=sources), frozenset(keys))


def _files(place: Path) -> dict[str, bytes]:
    if place.is_file():
        return {"": place.read_bytes()}
    return {str(file.relative_to(place)): file.read_bytes() for file in place.rglob("*") if file.is_file()}


@pytest.mark.parametrize(
    ("run", "truth", "target"),
    [
        ("trl-0.7.10-ppo1_wandb.jsonl", "trl[PPOTrainer]==0.7.10", "canonical"),
        ("tensorboard/trl-0.7.10-ppo", "trl[PPOTrainer]==0.7.10", "canonical"),
        ("trl-1.16.0-dpo.jsonl", "trl[DPOTrainer]==1.16.0", "trl==1.16.0"),
    ],
)
def test_what_is_written_is_what_the_true_source_gives(run, truth, target, tmp_path, capsys):
    """Byte for byte where all candidates agree; the report says what the run was taken for."""
    assert main(["translate", str(_RUNS / run), "--to", target, "-o", str(tmp_path / "found"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    command = ["translate", str(_RUNS / run), "--from", truth, "--to", target, "-o", str(tmp_path / "true"), "--json"]
    assert main(command) == 0
    true = json.loads(capsys.readouterr().out)
    assert _files(tmp_path / "true") == _files(tmp_path / "found")
    assert {old: how["to"] for old, how in true["translated"].items()} == {
        old: how["to"] for old, how in found["translated"].items()
    }
    trainer = truth[truth.index("[") + 1 : truth.index("]")]
    assert [
        note
        for note in found["notes"]
        if note.startswith(f"taken for {trainer} ") and "` with your release settles it" in note
    ]


@pytest.mark.parametrize(
    ("run", "target", "truth", "differ"),
    [
        ("trl-0.18.2-grpo.jsonl", "canonical", "trl[GRPOTrainer]==0.18.2", "completions/clipped_ratio"),
        ("trl-1.16.0-orpo.jsonl", "canonical", "trl[ORPOTrainer]==1.16.0", "loss"),
        ("verl-0.9.1-tracking.jsonl", "verl==0.9.1", "verl==0.9.1", "actor/pg_loss"),
    ],
)
def test_a_difference_is_set_aside_and_named(run, target, truth, differ, tmp_path, capsys):
    """Exit code 1; what is carried is what the true source gives, and for all else two sources are named."""
    command = ["translate", str(_RUNS / run), "--to", target, "-o", str(tmp_path / "found"), "--json"]
    assert main(command) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["undecided"][differ].endswith(f"differ on {differ}")
    assert set(found["undecided"]) <= set(found["set_aside"])
    framework, _, releases = found["from"].partition("==")
    slug = f"{framework.partition('[')[0]}-{releases.rpartition('..')[2]}"
    assert found["set_aside"][differ] == f"untranslated/{slug}/{differ}"
    main([*command[:4], "-o", str(tmp_path / "true"), "--from", truth, "--json"])
    true = json.loads(capsys.readouterr().out)
    assert {old: true["translated"][old]["to"] for old in found["translated"]} == {
        old: how["to"] for old, how in found["translated"].items()
    }


def test_names_of_no_release_are_refused_with_the_file(tmp_path, capsys):
    """Every refusal of a guess begins with the file that it is about, in a folder as well."""
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "mine.jsonl").write_text('{"my/own": 1}\n')
    for given in (tmp_path / "runs", tmp_path / "runs" / "mine.jsonl"):
        assert main(["translate", str(given), "--to", "canonical"]) == 2
        (error,) = capsys.readouterr().err.splitlines()
        assert error.startswith(f"rlmetrics translate: {tmp_path / 'runs' / 'mine.jsonl'}: no key is known")
        assert "`--from` names what logged it" in error


def test_a_name_that_shows_up_late_is_compared_too():
    """Inference reads the beginning of a log; a name behind it on which the sources differ is set aside there."""
    translator = _either("ORPOTrainer", ("1.16.0", "0.19.1"), "nll_loss").translator(Options("canonical"), None)
    assert "nll_loss" not in translator.row({"nll_loss": 1.0})
    for _ in range(2):
        assert "untranslated/trl-1.16.0/loss" in translator.row({"nll_loss": 1.0, "loss": 1.0})
    assert translator.report.undecided == {
        "loss": "trl[ORPOTrainer]==1.16.0 and trl[ORPOTrainer]==0.19.1 differ on loss"
    }
    assert translator.report.exit_code == 1


def test_sources_that_agree_on_nothing_are_refused():
    """What is left would be a copy of old names."""
    with pytest.raises(NamesError, match="they agree on none of its keys, which is"):
        _either("ORPOTrainer", ("1.16.0", "0.19.1"), "loss").translator(Options("canonical"), None)


def test_the_first_name_that_differs_is_told():
    """In the order of names, not in that of a set, which is another in each process."""
    releases, names = ("1.16.0", "0.19.1"), ("loss", "train_loss")
    for keys in (names, names[::-1]):
        with pytest.raises(NamesError, match=r"agree on none of 2 keys \(.* differ on loss\)"):
            _either("ORPOTrainer", releases, *keys).translator(Options("canonical"), None)


def test_the_relation_is_the_worst():
    """Of two sources that give the same name, the one that is further from the target is told."""
    releases = ("1.16.0", "0.26.0")
    keys = ("num_tokens", "learning_rate", "entropy", "grad_norm")
    target = "trl[GRPOTrainer]==1.16.0"
    order = ("exact", "affine", "approximate", "related", "none")
    both = _either("GRPOTrainer", releases).translator(Options(target), None)
    single = [Translator(f"trl[GRPOTrainer]=={release}", target) for release in releases]
    expected = {key: max((one.key(key).relation for one in single), key=order.index) for key in keys}
    assert {key: both.key(key).relation for key in keys} == expected
    assert {single[0].key(key).relation for key in keys} != set(expected.values())


def test_names_that_all_set_aside_are_so_under_the_likeliest():
    """Which release set them aside is in their name."""
    target = "trl[GRPOTrainer]==1.16.0"
    both = _either("GRPOTrainer", ("0.18.2", "0.18.1"), "clip_ratio/high_max").translator(Options(target), None)
    assert both.key("clip_ratio/high_max").output == "untranslated/trl-0.18.2/clip_ratio/high_max"
    assert both.report.undecided == {}


def test_values_tell_what_names_leave_open(tmp_path, capsys):
    """A trainer without a critic logs its loss as a constant 0: translate asks the values, as check does."""
    rows = (_RUNS / "trl-0.18.2-ppo.jsonl").read_text(encoding="utf-8").splitlines()
    answers = []
    for name, critic in (("with.jsonl", 1.5), ("without.jsonl", 0.0)):
        path = tmp_path / name
        path.write_text("".join(json.dumps({**json.loads(row), **spoken_of(critic)}) + "\n" for row in rows))
        main(["translate", str(path), "--to", "canonical", "--json"])
        report = json.loads(capsys.readouterr().out)
        main(["check", str(path), "--json"])
        answers.append((report["undecided"], json.loads(capsys.readouterr().out)["source"]["candidates"]))

    assert "loss/value_avg" not in answers[0][0]
    assert "loss/value_avg" in answers[1][0]
    named = ["".join(one["source"] for one in found) for _, found in answers]
    assert ["RLOOTrainer" in names for names in named] == [False, True]


def spoken_of(critic: float) -> dict[str, float]:
    """What a trainer with or without a critic logs of it."""
    return dict.fromkeys(("loss/value_avg", "val/clipfrac_avg"), critic)


def test_a_difference_of_one_candidate_is_said_of_that_one():
    """What RLOO alone does to rewards is not said of a run that GRPO may have logged; what both do is said plainly."""
    key, sources = "frac_reward_zero_std", ("trl[GRPOTrainer]==1.16.0", "trl[RLOOTrainer]==1.16.0")
    likely = Candidate("trl", "GRPOTrainer", ("1.16.0",), 1.0, alike=True, explained=1)
    answer = SourceAnswer(sources[0], (likely,), meanings=sources)
    translator = Several(answer, frozenset({key})).translator(Options(target="canonical"), None)

    told = {one.what for one in translator.key(key).differs_by}

    grpo, rloo = ({one.what for one in Translator(one, "canonical").key(key).differs_by} for one in sources)
    assert rloo - grpo
    assert {f"if RLOOTrainer logged it: {what}" for what in rloo - grpo} <= told
    assert rloo & grpo <= told
    assert not (rloo - grpo) & told
