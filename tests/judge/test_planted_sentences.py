"""Sentences that are planted in a small spec: what steps contradict is refused, and what they show is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from lint.lint_case import Edit
from lint.spec_text import SpecText
from rlmetrics.answers import value_ranges
from rlmetrics.codegen.judge import value_verdicts
from rlmetrics.codegen.judge.spec_judge import judge_spec
from rlmetrics.codegen.lint.context import Context
from rlmetrics.codegen.loader import load
from rlmetrics.names.tables.readings import covers

P, T, F = "metrics/policy", "frameworks/acme/trainer", "frameworks/acme/framework"
INPUTS, SIGNATURES, HEALTH = "inputs", "signatures", "health/basics"
RATIO_INPUTS = "\n  old_logprobs: {domain: token, dtype: float, brief: Those before the update.}\n"
RATIO = """
  policy/ratio/mean:
    brief: How far the policy has moved.
    description: Is 1 while nothing has moved, and leaves it high or low.
    unit: "1"
    identity: {quantity: ratio}
    population: response_tokens
    inputs: [logprobs, old_logprobs, mask]
    formula: mean(exp(logprobs - old_logprobs))
    atom: token
    empty: nan
"""
COUNT = """
  interaction/preemptions/mean:
    brief: Preemptions of a response.
    description: Rises when memory is short.
    unit: "1"
    range: [0, null]
    identity: {quantity: preemptions}
    population: sequences
    inputs: [preemptions]
    formula: mean(preemptions)
    atom: sequence
    empty: nan
"""


@pytest.fixture
def spec(tmp_path: Path) -> SpecText:
    """A fresh copy of the base spec."""
    return SpecText(tmp_path / "spec")


def _reading(value: str, level: str, shown_by: str = "") -> str:
    shown = f", shown_by: [{shown_by}]" if shown_by else ""
    return f"reads: [{{value: {value}, level: {level}{shown}, says: '{{value}} tells something.'}}]"


def _of_reward(value: str, level: str, shown_by: str = "") -> list[Edit]:
    return [(P, "    inputs: [rewards]\n", f"    inputs: [rewards]\n    ¦{_reading(value, level, shown_by)}\n")]


def _of_loss(value: str, level: str, shown_by: str = "") -> list[Edit]:
    return [(P, "    inputs: [logprobs, adv", f"    ¦{_reading(value, level, shown_by)}\n    inputs: [logprobs, adv")]


def _of_turned(value: str, shown_by: str) -> list[Edit]:
    """A record that logs 1 minus the metric, with a reading of what it logs."""
    turned = f"    bind: {{reward: length}}\n    scale: -1\n    offset: 1\n    ¦{_reading(value, 'info', shown_by)}\n"
    return [(T, "    bind: {reward: length}\n", turned)]


def _of_ratio(constant: str, single: str) -> list[Edit]:
    record = f"    metric: policy/ratio/mean\n    ¦constant_when: [{constant}]\n    at: [rewards]\n"
    return [
        (INPUTS, "", RATIO_INPUTS),
        (P, "", RATIO),
        (F, "guides:\n", f"single: {{update: {single}}}\nguides:\n"),
        (T, "  rewards/{reward}/mean:\n", f"  ratio:\n{record}  rewards/{{reward}}/mean:\n"),
    ]


def _untold_constant(constant: str) -> list[Edit]:
    """One update of each batch, so that the ratio is 1 in every step."""
    edits = _of_ratio("", "mode == 'token'")
    record = edits[3]
    said = f"    constant_when: [{constant}]\n" if constant else ""
    edits[1] = (P, "", RATIO.replace("    brief: How", "    ¦brief: How"))
    edits[3] = (T, record[1], record[2].replace("    ¦constant_when: []\n", said))
    return edits


def _of_trait(said: str) -> list[Edit]:
    """A trait that divides a positive number by the number of processes."""
    edits = _of_ratio("", "mode == 'sequence'")
    record = edits[3]
    trait = f"  per_rank: {{facet: transform, grade: minor, what: it is divided by the processes, {said}"
    does = "does: {scale: {by: 1 / ranks}}"
    edits[3] = (T, record[1], record[2].replace("    ¦constant_when: []\n", "    traits: [per_rank]\n"))
    return [*edits, (SIGNATURES, "", f"{trait}, {does}}}\n")]


def _of_bound(condition: str) -> list[Edit]:
    rule = (
        "  - {id: reward-high, title: The reward is high, cause: other, judges: [policy/reward/mean], "
        f"warning: {condition}, message: It is high., advice: Look., basis: folklore, sources: [{{title: A blog}}]}}\n"
    )
    return [
        (HEALTH, "diagnoses:\n", f"{rule}diagnoses:\n"),
        (P, "    aliases: [mean_reward]\n", "    ¦aliases: [mean_reward]\n"),
    ]


def _of_both(of_trait: str) -> list[Edit]:
    """What a record expects, and what a trait of the same number says of it."""
    read = f"reads: [{{value: 0, level: {of_trait}, says: '{{value}} is the trait.'}}]"
    return [
        (SIGNATURES, "only one rank is logged, does: held", f"only one rank is logged, does: held, {read}"),
        (P, "    inputs: [rewards]\n", f"    inputs: [rewards]\n    {_reading('1', 'info')}\n"),
        (P, "    aliases: [mean_reward]\n", "    ¦aliases: [mean_reward]\n"),
        (
            T,
            "    bind: {reward: length}\n",
            "    bind: {reward: length}\n    traits: [first_rank_only]\n"
            f"    {_reading('0', 'expected', 'rewards_zero')}\n",
        ),
    ]


def _under_setting(shown_by: str) -> list[Edit]:
    """A reading that is told where a setting has another value than by default."""
    fact = f"    facts:\n      - when: mode == 'sequence'\n        ¦{_reading('0', 'expected', shown_by)}\n"
    return [(T, "    bind: {reward: length}\n", f"    bind: {{reward: length}}\n{fact}")]


def _counted(more: str = "") -> list[Edit]:
    return [
        (INPUTS, "", "\n  preemptions: {domain: sequence, dtype: int, brief: Preemptions.}\n"),
        (P, "", COUNT.replace("range:", "¦range:") + more),
        (
            T,
            "  rewards/{reward}/mean:\n",
            "  preempted:\n    metric: interaction/preemptions/mean\n    at: [rewards]\n  rewards/{reward}/mean:\n",
        ),
    ]


CASES: dict[str, tuple[list[Edit], list[Edit], str]] = {
    "a value that is expected, and never comes": (
        _of_reward("0", "expected", "usual"),
        _of_reward("0", "expected", "rewards_zero"),
        "in the step (usual",
    ),
    "a sign that no step has": (_of_reward("'< -100'", "expected"), _of_reward("'> 0'", "expected"), "no step"),
    "a symptom that every sound step has": (
        _of_reward("'> 0'", "warning"),
        _of_reward("0", "warning", "rewards_zero"),
        "where nothing is wrong",
    ),
    "a sign that cannot be": (_of_loss("'< 0'", "error"), _of_loss("'< -1'", "error"), "which it says cannot be"),
    "the metric's axis for that of the key": (
        _of_turned("0", "rewards_zero"),
        _of_turned("1", "rewards_zero"),
        "is 1 in",
    ),
    "a range that is left": (
        [
            (
                P,
                '    unit: "1"\n    identity: {quantity: policy_loss',
                '    unit: "1"\n    ¦range: [0, 1]\n    identity: {quantity: policy_loss',
            )
        ],
        [
            (
                P,
                '    unit: "1"\n    identity: {quantity: policy_loss',
                '    unit: "1"\n    range: [-1, 1]\n    identity: {quantity: policy_loss',
            )
        ],
        "below 0",
    ),
    "a number that is not available, and a count that is never negative": (
        _counted(),
        _counted("    " + _reading("'< 0'", "info", "not_reported") + "\n"),
        "below 0",
    ),
    "a constant that no sentence tells": (
        _untold_constant(""),
        _untold_constant("1 when mode == 'token'"),
        "and the same in every other",
    ),
    "a trait that leaves a number lower, and is said to raise it": (
        _of_trait("effect: ¦higher"),
        _of_trait("effect: lower"),
        "with it",
    ),
    "settings under which a difference stays": (
        _of_trait("vanishes_when: one micro-batch, vanishes_if: ¦single.micro_batch"),
        _of_trait("vanishes_when: one process, vanishes_if: single.rank"),
        "with it",
    ),
    "a bound of healthy values that none can reach": (_of_bound("x > 3"), _of_bound("x > 0.9"), "near the bound 3"),
    "a value that is expected, and a symptom": (_of_both("warning"), _of_both("info"), "is the trait"),
    "a value that is expected under a setting that is none of the defaults": (
        _under_setting("usual"),
        _under_setting("rewards_zero"),
        "with mode=sequence",
    ),
    "a constant that is none": (
        _of_ratio("2 when mode == 'token'", "mode == 'token'"),
        _of_ratio("1 when mode == 'token'", "mode == 'token'"),
        "is 1 in the step (policy_unchanged",
    ),
}


AXES: dict[str, tuple[str, object]] = {
    "a bound of healthy values": ("beyond_healthy", lambda _, number, __: "above" if number > 0.9 else None),
    "a range": ("shown_range", lambda *_: (0.0, 1.0)),
}


def _judged(spec: SpecText) -> None:
    judge_spec(Context(load(spec.root)))


@pytest.mark.parametrize("name", CASES)
def test_what_steps_contradict_is_refused_at_its_line(name: str, spec: SpecText) -> None:
    """Lint points at the sentence, names the step with its seed and the number, and says what to do."""
    bad, _, says = CASES[name]
    spec.edits(bad)
    assert spec.findings("refuted-sentence") == []  # nothing has been judged

    _judged(spec)

    (finding,) = spec.findings("refuted-sentence")
    assert (finding.level, finding.location.line) == ("error", spec.marks[0].line)
    assert says in finding.message
    assert "rlmetrics judge" in finding.fix


@pytest.mark.parametrize("name", CASES)
def test_what_steps_show_is_not_refused(name: str, spec: SpecText) -> None:
    """The like of each, said as it is."""
    spec.edits(CASES[name][1])

    _judged(spec)

    assert spec.findings("refuted-sentence") == []
    assert spec.findings("unjudged-sentence") == []


def test_an_answer_that_forgets_the_axis_is_refused(spec: SpecText, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reading of the metric is told of the key's own values: without its scale it is told of the wrong ones."""
    spec.edits(_of_reward("0", "info", "rewards_zero"))
    spec.edit(T, "    bind: {reward: length}\n", "    bind: {reward: length}\n    scale: -1\n    offset: 1\n")
    _judged(spec)
    assert spec.findings("refuted-sentence") == []

    monkeypatch.setattr(value_verdicts, "applies", lambda reading, _, given: covers(reading.value, given.number))
    (spec.root / "judged.lock").unlink()
    _judged(spec)

    (finding,) = spec.findings("refuted-sentence")
    assert "is 1 in the step (rewards_zero" in finding.message
    assert value_verdicts.applies is not value_ranges.applies


@pytest.mark.parametrize("name", AXES)
def test_words_that_forget_the_axis_are_refused(name: str, spec: SpecText, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said of a metric is not so of a key that shows it turned, and shifted."""
    spec.edits(_of_bound("x > 0.9"))
    spec.edit(T, "    bind: {reward: length}\n", "    bind: {reward: length}\n    scale: -1\n    offset: 0.5\n")
    _judged(spec)
    assert spec.findings("refuted-sentence") == []

    function, forgetful = AXES[name]
    monkeypatch.setattr(value_verdicts, function, forgetful)
    (spec.root / "judged.lock").unlink()
    _judged(spec)

    assert spec.findings("refuted-sentence") != []


@pytest.mark.parametrize(
    ("file", "old", "new", "unjudged"),
    [
        (P, "'{value} tells something.'", "'{value} tells something else.'", 1),
        (P, "formula: mean(rewards)", "formula: mean(rewards * 1)", 4),
        (T, "    bind: {reward: length}\n", "    bind: {reward: length}\n    scale: 2\n", 4),
        (P, "A fall after a rise", "A sudden fall after a rise", 0),
    ],
    ids=["sentence", "formula", "record", "description"],
)
def test_a_change_of_what_was_judged_is_told(file: str, old: str, new: str, unjudged: int, spec: SpecText) -> None:
    """A verdict holds for this sentence and these numbers; a text beside them changes nothing."""
    spec.edits(_of_reward("0", "info", "rewards_zero"))
    _judged(spec)
    assert spec.findings("unjudged-sentence") == []

    spec.edit(file, old, new)

    assert len(spec.findings("unjudged-sentence")) == unjudged


def test_a_release_in_which_all_means_the_same_needs_no_verdict(spec: SpecText) -> None:
    """A verdict is about meanings; a default that a meaning asks for is part of it, another one is not."""
    spec.edits(_under_setting("rewards_zero"))
    spec.edit(T, "releases: 1.0.0..1.2.0,", "releases: 1.0.0..,")
    _judged(spec)
    row = '  - {release: 1.2.0, date: "2024-04-30"}\n'

    spec.edit(F, row, row + '  - {release: 1.3.0, date: "2024-05-31"}\n')
    spec.edit(
        T,
        "releases: 1.2.0rc1.., value: 0.0}",
        "releases: 1.2.0rc1..1.2.0, value: 0.0}\n      - {releases: 1.3.0, value: 0.5}",
    )
    assert spec.findings("unjudged-sentence") == []

    spec.edit(F, "[{value: token}]", "[{releases: ..1.2.0, value: token}, {releases: 1.3.0, value: sequence}]")
    assert len(spec.findings("unjudged-sentence")) == 3


def test_only_what_has_no_verdict_is_judged(spec: SpecText) -> None:
    """A second run has nothing to do; an edit of one sentence is one to judge."""
    spec.edits(_of_reward("0", "info", "rewards_zero"))
    first = judge_spec(Context(load(spec.root)))
    kept = (spec.root / "judged.lock").read_bytes()

    again = judge_spec(Context(load(spec.root)))

    assert (first.judged, again.judged) == (5, 0)
    assert (spec.root / "judged.lock").read_bytes() == kept
    spec.edit(P, "tells something", "tells a lot")
    assert judge_spec(Context(load(spec.root))).judged == 1


def test_the_command_prints_what_is_refused(
    spec: SpecText, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """File, line and column, the sentence, and the number; exit code 1, and 0 once it is said as it is."""
    from rlmetrics.cli.main import main

    (spec.root.parent / "pyproject.toml").write_text("", encoding="utf-8")
    monkeypatch.chdir(spec.root.parent)
    spec.edits(_of_reward("0", "expected", "usual"))

    assert main(["judge"]) == 1
    out = capsys.readouterr().out
    assert f"spec/metrics/policy.yaml:{spec.marks[0].line}:" in out
    assert "`{value} tells something.` is not so" in out

    spec.edit(P, "shown_by: [usual]", "shown_by: [rewards_zero]")
    assert main(["judge"]) == 0


def test_outside_of_a_checkout_the_command_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line and exit code 2."""
    from rlmetrics.cli.main import main

    monkeypatch.chdir(tmp_path)

    assert main(["judge"]) == 2
    assert "no checkout here" in capsys.readouterr().err
