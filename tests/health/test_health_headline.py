"""What a report is headed by is what was measured, and its advice stands once and fits."""

import json
from pathlib import Path

import pytest
from rlmetrics.cli.main import main

GRPO, DPO = "trl[grpo]==1.16.0", "trl[dpo]==0.28.0"


@pytest.fixture
def check(tmp_path, capsys, monkeypatch):
    """Return what runs `rlmetrics check` on rows, and returns JSON of the run and the text as it is printed."""
    # A path of any length would make the lines of a report as long.
    monkeypatch.chdir(tmp_path)

    def run(rows, at):
        path = Path("run.jsonl")
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        main(["check", str(path), "--at", at, "--json"])
        report = json.loads(capsys.readouterr().out)
        main(["check", str(path), "--at", at])
        return report, capsys.readouterr().out

    return run


def far_off(rate=0.03, clipped=0.8):
    """Return rows of a run whose divergence leaps; every second row is a second pass over a batch."""
    divergence = [0.0, 3.5, 1.25, 2.33, 1.4, 1.7]
    return [
        {"step": at + 1, "kl": kl, "reward": 0.3, "learning_rate": rate, "clip_ratio/region_mean": clipped * (at % 2)}
        for at, kl in enumerate(divergence)
    ]


def test_one_sign_alone_heads_the_report(check):
    """Where the divergence from the reference is all that was found, nothing is said of consecutive policies."""
    report, text = check(far_off(), GRPO)

    assert report["diagnoses"][0]["id"] == "updates-too-large"
    assert report["diagnoses"][0]["title"] == "The policy left the reference within a few steps"
    assert "Consecutive policies" not in text


def test_the_advice_of_that_sign_is_shown(check):
    """Without a learning rate in the log, what the rule itself advises comes first."""
    rows = [{key: value for key, value in row.items() if key != "learning_rate"} for row in far_off()]

    report, _ = check(rows, GRPO)

    assert report["diagnoses"][0]["checks"][0].startswith("The learning rate is far too high.")


def test_advice_on_the_learning_rate_stands_once(check):
    """The rate of the log and the default are named; the same advice without them is left out."""
    checks = check(far_off(), GRPO)[0]["diagnoses"][0]["checks"]

    assert [item for item in checks if "earning rate" in item] == [checks[0]]
    assert "30,000 times" in checks[0]


@pytest.mark.parametrize(("first", "asked"), [(0.0, False), (0.4, True)])
def test_a_question_that_the_log_answers_is_answered(first, asked, check):
    """No ratio is clipped in rows 1, 3 and 5: the ratio of the first step need not be asked for."""
    rows = [{**row, "clip_ratio/region_mean": row["clip_ratio/region_mean"] or first} for row in far_off()]

    checks = check(rows, GRPO)[0]["diagnoses"][0]["checks"]

    assert any(item.startswith("Is the ratio 1") for item in checks) == asked
    assert any("is 0 at step 1, 3, 5" in item for item in checks) != asked


def test_what_is_so_before_anything_is_learnt_is_not_the_learning_rates_fault(check):
    """Another reference shows in the first row; a high rate does not make that, and a long title is not cut."""
    rows = [
        {
            "step": at + 1,
            "kl": 2.0 + 0.01 * at,
            "reward": 0.3,
            "learning_rate": 0.01,
            "epoch": 0.1 * (at + 1),
            "grad_norm": 0.4,
        }
        for at in range(8)
    ]

    report, text = check(rows, GRPO)

    first = report["diagnoses"][0]
    assert first["id"] == "starts-off-the-reference"
    assert not any("earning rate" in item for item in first["checks"])
    assert first["title"] in " ".join(text.split("\n\n")[2].split())
    assert all(len(line) <= 80 for line in text.splitlines())
