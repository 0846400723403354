"""A remark says no more than was measured: one jump is no row of them, and shorter is not almost nothing."""

import json
from pathlib import Path

import pytest
from folders import ROOT
from rlmetrics.cli.main import main
from rlmetrics.codegen.loader.spec_tree import load
from rlmetrics.health import Monitor

HOLDS_AT_BOTH = {
    "explained-variance-negative": "the warning asks how long and how far",
    "explained-variance-mse-negative": "the warning asks how long and how far",
    "entropy-gone": "the warning asks whether anything else agrees",
    "advantage-mean-stuck": "the warning asks whether anything else agrees",
    "no-reward-spread": "above 0.55 is most of them",
    "reward-stuck-at-minimum": "the warning asks whether anything else agrees",
    "loss-stuck-at-zero": "the warning asks whether anything else agrees",
    "truncation-high": "both ask for more than half",
    "length-never-varies": "the warning asks for more rows",
    "host-memory-leak": "the warning asks how far, and for slower steps",
    "margin-without-accuracy": "the warning asks how far",
    "preference-loss-above-start": "both ask for a level above ln 2",
    "held-out-falls-behind": "the warning asks how far the reward rose",
    "sampling-mismatch-growing": "the warning asks how far",
    "approx-kl-drastic": "both ask for 0.1",
}
"""Rules whose title and message hold wherever that of their remark does, and what a warning asks for beside."""


def test_each_remark_has_its_own_words_or_its_rule_says_no_more():
    """A rule that also warns is either read and listed here, or has a title and a message for what it only remarks."""
    rules = [rule for file in load(ROOT / "spec").health.values() for rule in file.rules]
    several = {rule.id: rule for rule in rules if rule.info and (rule.warning or rule.error)}

    assert {name for name, rule in several.items() if rule.remark is None} == set(HOLDS_AT_BOTH)
    assert not [rule.id for rule in rules if rule.remark and rule.id not in several]


def rows(**curves):
    """Return rows of a run in which nothing else is wrong."""
    return [{"step": at + 1, "loss": 0.01, **{key: curve(at) for key, curve in curves.items()}} for at in range(240)]


@pytest.mark.parametrize(
    ("key", "curve", "said"),
    [
        ("grad_norm", lambda at: 9.0 if at == 60 else 0.5 + 0.01 * (at % 7), "The gradient norm jumped"),
        ("completions/mean_length", lambda at: 200 - 0.6 * at + at % 3, "Responses have become shorter"),
        ("completions/clipped_ratio", lambda at: 0.6 + 0.01 * (at % 5), "Most responses are cut off"),
        ("step_time", lambda at: 10 * (1 + 0.0025 * at) + 0.01 * (at % 3), "Steps take longer"),
        ("entropy", lambda at: 1.0 - 0.0033 * at + 0.01 * (at % 3), "The entropy has fallen"),
    ],
)
def test_a_remark_names_what_was_measured(key, curve, said, tmp_path, monkeypatch, capsys):
    """Finding, diagnosis and report say it with the words of the remark, and with none of those of the warning."""
    monkeypatch.chdir(tmp_path)
    Path("run.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows(**{key: curve})), encoding="utf-8")

    main(["check", "run.jsonl", "--at", "trl[grpo]==1.16.0", "--json"])
    report = json.loads(capsys.readouterr().out)
    main(["check", "run.jsonl", "--at", "trl[grpo]==1.16.0"])
    text = capsys.readouterr().out

    of_key = {item["rule"]: item for item in report["findings"] if item["key"] == key}
    assert {item["level"] for item in of_key.values()} == {"info"}
    titles = [item["title"] for item in report["diagnoses"] if set(item["explains"]) & set(of_key)]
    assert said in titles
    assert said in " ".join(text.split())


def test_a_remark_that_becomes_a_warning_says_what_the_warning_does():
    """The words go with the level, also where both are said of one curve in turn."""
    monitor = Monitor("trl[grpo]==1.16.0")
    said = []
    for row in rows(grad_norm=lambda at: 9.0 if at in (40, 60, 80, 100) else 0.5 + 0.01 * (at % 7)):
        said += [item for item in monitor.observe(row["step"], row) if item.rule == "gradient-spikes"]

    assert [(item.level, "at least three times" in item.message) for item in said] == [
        ("info", False),
        ("warning", True),
    ]


@pytest.mark.parametrize(("held_out", "level"), [(None, "info"), (0.3, "warning")])
def test_length_that_grows_with_the_reward_is_warned_of_where_a_held_out_score_stands_still(held_out, level):
    """Two curves that rise correlate in every run that learns to reason: only a score that does not rise tells more."""
    monitor = Monitor("trl[GRPOTrainer]==1.16.0")
    for step in range(1, 301):
        row = {"completions/mean_length": 300.0 + 3 * step + 7 * (step % 5), "reward": 0.2 + 0.002 * step}
        row["reward"] += 0.013 * (step % 7)
        monitor.observe(
            step, row | ({"eval_reward": held_out + 0.01 * (step % 3)} if held_out and not step % 10 else {})
        )
    assert [item.level for item in monitor.findings() if item.rule == "length-exploit"] == [level]


def test_a_spike_is_told_with_its_height_and_its_last_step(tmp_path, capsys):
    """A rule looks at a long curve now and then, and counts over 200 steps: neither is when, or how far, it jumped."""
    norm = {700: 12.0, 1300: 9.0}
    rows = [
        {"step": step, "loss": 2.0 - step / 1500 + 0.02 * (step % 4), "mean_token_accuracy": 0.6}
        | {"grad_norm": norm.get(step, 1.0 + 0.05 * (step % 7)), "num_tokens": 9.0 * step}
        for step in range(1, 2001)
    ]
    path = tmp_path / "run.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")

    main(["check", str(path), "--at", "trl[sft]==1.16.0"])

    (line,) = [line for line in capsys.readouterr().out.splitlines() if " grad_norm " in line]
    assert line.endswith(" -> 12 steps 700 to 1300")
