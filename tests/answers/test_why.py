"""``why``: the causes of a changed number in one paragraph, between releases and between runs."""

import json

import pytest
from comparison.runs_to_compare import NEW, VERL, rewarded, simulated
from rlmetrics.cli import main


def run(capsys, *arguments):
    """Run a command; return exit code, output and errors."""
    code = main([str(argument) for argument in arguments])
    told = capsys.readouterr()
    return code, told.out, told.err


def paragraph(out):
    """The first paragraph of an answer as one line."""
    return " ".join(out.split("\n\n")[0].split())


def test_the_release_and_what_it_changed_are_told(capsys):
    """The spread of rewards: which release, what it was and what it is, and where the release says so."""
    code, out, _ = run(capsys, "why", "reward_std", "trl[grpo]==0.26.2", "trl[grpo]==0.27.0")

    assert code == 0
    said = paragraph(out)
    assert "In 0.27.0: measures standard deviation of the scores over responses; was mean over prompts" in said
    assert "source    trl/trainer/grpo_trainer.py:" in out


def test_the_source_is_the_line_that_shows_the_key(capsys):
    """The learning rate comes from transformers: its line is told, not one of the trainer that shows something else."""
    _, out, _ = run(capsys, "why", "learning_rate", "trl[RewardTrainer]==0.16.1", "trl[RewardTrainer]==0.17.0")

    assert "source    transformers/trainer.py:" in out


def test_the_size_of_a_cause_is_told_where_it_was_measured(capsys):
    """Of the loss, another default pools micro-batches: how far that moves it on reference batches."""
    _, out, _ = run(capsys, "why", "loss", "trl[grpo]==0.18.2", "trl[grpo]==1.16.0")
    _, document, _ = run(capsys, "why", "loss", "trl[grpo]==0.18.2", "trl[grpo]==1.16.0", "--json")

    assert "In 0.22.0: default of loss_type bnpo -> dapo" in paragraph(out)
    assert "on reference batches)" in paragraph(out)
    found = json.loads(document)
    (cause,) = [cause for cause in found["causes"] if cause["release"] == "0.22.0"]
    assert {size["of"] for size in cause["typical"]} == {"micro_batch", "rank"}
    assert found["answer"] == paragraph(out)


def test_it_is_told_the_same_whichever_side_is_newer(capsys):
    """Causes are those of releases, which follow each other in one direction; that it was turned is said."""
    _, forth, _ = run(capsys, "why", "kl", "trl[grpo]==0.18.2", "trl[grpo]==1.16.0")
    _, back, _ = run(capsys, "why", "kl", "trl[grpo]==1.16.0", "trl[grpo]==0.18.2")

    assert paragraph(back) == f"{paragraph(forth)} Read from the older release to the newer one: OLD is the newer."


def test_two_runs_are_drawn_and_compared(tmp_path, capsys):
    """Their releases are found, the causes told, the curves compared and drawn over each other."""
    a, b = rewarded(tmp_path / "a.jsonl", 0.2, 0.01), rewarded(tmp_path / "b.jsonl", 0.6, 0.01)
    asked = ["why", "reward", a, b, "--at", "trl[grpo]==0.26.2", "--at", "trl[grpo]==1.16.0"]

    code, out, _ = run(capsys, *asked)
    _, document, _ = run(capsys, *asked, "--json")

    assert code == 0
    assert "In 1.6.0: an unscored response is left out" in paragraph(out)
    assert "curves    b higher by 0.4 since step 1" in out
    assert "┤" in out
    found = json.loads(document)
    assert (found["curves"]["outcome"], found["curves"]["last_common_step"]) == ("apart", 40)
    assert found["runs"] == [str(a), str(b)]


def test_settings_of_one_release_are_the_cause(tmp_path, capsys):
    """Two runs of one release with different losses: no release stands between them, their settings do."""
    same, other = (
        [_recorded(tmp_path / f"{name}-{kind}", loss_type=kind) for name, kind in pairs]
        for pairs in ((("a", "grpo"), ("b", "grpo")), (("c", "grpo"), ("d", "dapo")))
    )

    _, alike, _ = run(capsys, "why", "loss", *same, "--at", NEW)
    _, apart, _ = run(capsys, "why", "loss", *other, "--at", NEW)
    _, compared, _ = run(capsys, "compare", *other, "--at", NEW, "--json")

    assert "no release stands between them. Under what is known of their settings loss is the same" in paragraph(alike)
    assert "Their settings make loss another number:" in paragraph(apart)
    assert "settings  loss_type grpo -> dapo" in apart
    assert {pair["a"]: pair["relation"] for pair in json.loads(compared)["pairs"]}["loss"] == "approximate"


def _recorded(folder, **settings):
    """A run with its settings in its first row."""
    folder.mkdir()
    rows = [{"config": settings}]
    rows += [{"step": step, "loss": 0.1, "reward": 0.5, "kl": 0.1} for step in range(1, 30)]
    (folder / "run.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder / "run.jsonl"


def test_two_frameworks_are_told_what_sets_them_apart(tmp_path, capsys):
    """What comes nearest, and how it differs, as `map` says it."""
    a = simulated(tmp_path / "a.jsonl")
    b = simulated(tmp_path / "b.jsonl", "healthy", VERL, 1)

    _, sources, _ = run(capsys, "why", "kl", "trl[grpo]==1.16.0", VERL)
    _, runs, _ = run(capsys, "why", "kl", a, b, "--at", NEW, "--at", VERL)

    for out in (sources, runs):
        assert "are two frameworks; kl of the first is nearest to actor/kl_loss of the second." in paragraph(out)
        assert "the k3 estimate of a token is cut at 10" in paragraph(out)
    assert "curves    " in runs


@pytest.mark.parametrize("sides", [("trl[grpo]==0.26.2", "trl[grpo]==0.27.0"), ("run", "run")])
def test_an_unknown_key_is_refused(tmp_path, capsys, sides):
    """It names what comes near, and is no key of a user's own that anything matches."""
    path = rewarded(tmp_path / "a.jsonl", 0.5)

    code, out, err = run(capsys, "why", "rewrd", *[path if side == "run" else side for side in sides])

    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "did you mean reward" in err


@pytest.mark.parametrize("key", ["reward_std", "loss", "kl", "completions/clipped_ratio"])
def test_it_is_told_in_chinese(capsys, key):
    """The paragraph is that of the catalog; names, numbers and sizes stay."""
    code, out, _ = run(capsys, "why", key, "trl[grpo]==0.26.2", "trl[grpo]==1.16.0", "--lang", "zh")

    assert code == 0
    assert "含义" in out
    assert "on reference batches" not in out
