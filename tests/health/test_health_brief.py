"""What is beyond a bound too briefly to be called, since when it is, and what no such number can be."""

import json

import pytest
from rlmetrics.cli.main import main
from rlmetrics.health import Monitor

DPO, GRPO, PPO, VERL = "trl[dpo]==0.28.0", "trl[grpo]==1.16.0", "trl[ppo]==0.11.4", "verl==0.9.1"


def rows_of(count, **curves):
    """Return rows from step 1 on; a curve is a list, or one value for all rows."""
    return [
        {"step": at + 1, **{key: curve[at] if isinstance(curve, list) else curve for key, curve in curves.items()}}
        for at in range(count)
    ]


@pytest.fixture
def check(tmp_path, capsys):
    """Return what runs `rlmetrics check` on rows, and returns what it prints: JSON of one run, or text in one line."""

    def run(rows, at, *options):
        path = tmp_path / "run.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        code = main(["check", str(path), "--at", at, *options])
        out = capsys.readouterr().out
        return (code, json.loads(out)) if "--json" in options else (code, " ".join(out.split()))

    return run


def left(report):
    """Return why rules were not judged, by rule."""
    return {item["rule"]: item for item in report["not_judged"]}


@pytest.mark.parametrize(
    ("rule", "least", "at", "curves"),
    [
        ("clip-fraction-high", 20, PPO, {"ppo/policy/clipfrac": 0.97, "ppo/policy/approxkl": 5.0}),
        ("gradient-norm-vanishing", 9, DPO, {"grad_norm": 0.0, "loss": 0.0, "learning_rate": 1e-6}),
        ("loss-stuck-at-zero", 9, GRPO, {"loss": 0.0, "grad_norm": 0.0, "reward": 0.4}),
        ("no-reward-spread", 16, GRPO, {"frac_reward_zero_std": 1.0, "grad_norm": 0.0, "reward": 0.4}),
        ("approx-kl-drastic", 6, PPO, {"ppo/policy/approxkl": 5.0, "ppo/policy/clipfrac": 0.9}),
    ],
)
def test_a_rule_passes_nothing_before_it_could_find_something(rule, least, at, curves, check):
    """What is bad in all rows is a finding of so many rows; of fewer, the rule is not ready, and the value is told."""
    for count in (4, least - 1):
        _, report = check(rows_of(count, **curves), at, "--json")
        key = next(iter(curves))
        assert rule not in {*report["passed"], *(item["rule"] for item in report["findings"])}
        assert left(report)[rule]["state"] == "not_ready"
        assert [(item["key"], len(item["steps"])) for item in report["beyond"] if item["key"] == key] == [(key, count)]

    _, report = check(rows_of(least, **curves), at, "--json")

    assert rule in {item["rule"] for item in report["findings"]}


def test_the_number_that_is_needed_is_that_of_the_rule(check):
    """A clip fraction is called of twenty points on, not of the six that its median of the start takes."""
    _, report = check(rows_of(4, **{"ppo/policy/clipfrac": 0.97}), PPO, "--json")

    assert left(report)["clip-fraction-high"]["points"] == 20
    assert "needs 20" in left(report)["clip-fraction-high"]["why"]


def test_how_many_rules_are_not_ready_is_the_same_in_both_reports(check):
    """The number in the first lines is that of the rules that the whole report lists as not ready."""
    rows = rows_of(12, grad_norm=0.5, loss=0.3, reward=0.4)

    _, short = check(rows, GRPO)
    _, full = check(rows, GRPO, "--full")

    said = int(short.split("Too few points for more: ")[1].split()[0])
    assert said == full.count("(not ready)")


@pytest.mark.parametrize(
    ("key", "values", "places"),
    [
        ("clip_ratio/region_mean", [0.0, 0.85, 0.0, 0.85, 0.0, 0.85], [2, 4, 6]),
        ("kl", [0.1, 5.97, 0.1, 0.2, 0.1, 0.3], [2]),
        ("grad_norm", [50.0, 2.0, 1.0, 1.5, 1.2, 1.1], [1]),
    ],
)
def test_values_beyond_a_bound_are_told_with_their_rows(key, values, places, check):
    """A value that a rule would call if it lasted is named with its places; there is no finding of it."""
    rows = rows_of(6, reward=[0.1, 0.2, 0.3, 0.2, 0.3, 0.4], **{key: values})

    code, report = check(rows, GRPO, "--json")
    _, text = check(rows, GRPO)

    assert code == 0
    assert key not in {item["key"] for item in report["findings"]}
    (told,) = [item for item in report["beyond"] if item["key"] == key]
    assert (told["steps"], told["value"]) == (places, max(values))
    assert f"Too brief to call {key}" in text


def test_other_curves_are_asked_at_the_same_row(check):
    """All responses are cut off in rows with a gradient: that nothing is counted is not said of these."""
    curves = {"completions/clipped_ratio": [1.0, 0.2, 1.0, 0.2], "grad_norm": [0.5, 0.4, 0.6, 0.0], "reward_std": 0.2}
    rows = rows_of(4, reward=[0.1, 0.3, 0.2, 0.3], **curves)

    beyond = check(rows, GRPO, "--json")[1]["beyond"]

    assert "none-counted" not in {item["rule"] for item in beyond}
    assert [item["steps"] for item in beyond if item["key"] == "grad_norm"] == [[4]]


def test_a_learning_rate_far_above_the_default_is_told(check):
    """Ten thousand times the default of the release is said, even where no rule found anything."""
    rows = rows_of(4, learning_rate=[0.01, 0.005, 0.003, 0.001], loss=0.4, grad_norm=1.0, reward=[0.1, 0.3, 0.2, 0.3])

    code, text = check(rows, GRPO)

    assert code == 0
    assert "Far from default learning_rate 0.01 at all 4 points: 10,000 times the release's default of 1e-06" in text
    assert "Too brief" not in text
    assert "A setting far from its default is below." in text


def test_what_rules_say_alike_of_a_curve_is_told_once(check):
    """Two rules that find one curve beyond their bounds from one step on give one line of evidence."""
    rows = rows_of(60, **{"completions/clipped_ratio": 1.0, "reward": 0.3, "loss": 0.1, "grad_norm": 0.4})

    _, text = check(rows, GRPO, "--full")

    assert text.count("completions/clipped_ratio = 1 since step 1") == 1


def test_what_the_first_step_is_by_construction_is_not_beyond(check):
    """Implicit rewards are 0 before the first update, since policy and reference are one; later they are told."""
    learns = {"rewards/rejected": 0.0, "rewards/margins": 0.0, "loss": 0.5}
    at = "trl[kto]==1.16.0"
    for values, places in (([0.0, 0.02, 0.05, 0.1], []), ([0.0, 0.02, 0.0, 0.1], [[1, 3]])):
        _, report = check(rows_of(4, **learns, **{"rewards/chosen": values}), at, "--json")
        assert [item["steps"] for item in report["beyond"] if item["key"] == "rewards/chosen"] == places


def test_a_healthy_short_run_has_nothing_beyond(check):
    """Values within all bounds are not listed, and nothing announces any."""
    rows = rows_of(6, grad_norm=0.5, kl=0.01, learning_rate=1e-6, reward=[0.1, 0.2, 0.3, 0.2, 0.3, 0.4])

    assert check(rows, GRPO, "--json")[1]["beyond"] == []
    assert "bound" not in check(rows, GRPO)[1].split("Not judged")[0]


@pytest.mark.parametrize(
    ("values", "onset"),
    [
        ([3.13, 1.32, 1.04, 1.37, 1.57], 1),
        ([0.01, 0.02, 0.01, 1.32, 1.04, 1.37, 1.57, 1.6], 4),
        ([0.01, 0.02, 1.5, 1.32, 0.2, 1.37, 1.57, 1.6], 3),
    ],
)
def test_the_onset_is_the_first_row_beyond_the_bound(values, onset, check):
    """Medians are known later than values; what is said is the row from which the values lie beyond the bound."""
    _, report = check(rows_of(len(values), **{"rollout_corr/chi2_token": values}), VERL, "--json")

    (found,) = [item for item in report["findings"] if item["rule"] == "rollout-chi-squared"]
    assert found["onset_step"] == onset


def test_a_divergence_that_jumps_in_the_second_row_begins_there(check):
    """The first value is 0, the second 3.5: that is the row that is named, not the one in which a median is known."""
    rows = rows_of(6, kl=[0.0, 3.5, 1.25, 2.33, 1.4, 1.7], reward=0.3)

    _, report = check(rows, GRPO, "--json")

    assert report["diagnoses"][0]["onset_step"] == 2


@pytest.mark.parametrize(
    ("key", "value", "at"),
    [
        ("frac_reward_zero_std", 1.17, GRPO),
        ("ppo/policy/clipfrac", 1.16, PPO),
        ("training/rollout_probs_diff_mean", 1.7e9, VERL),
    ],
)
def test_what_a_quantity_cannot_be_is_said_without_advice(key, value, at, check):
    """A share above 1 is none: it is said to be no such quantity, and no rule gives advice on it."""
    code, report = check(rows_of(40, **{key: value}), at, "--json")
    _, text = check(rows_of(40, **{key: value}), at)

    assert code == 0
    assert [item["key"] for item in report["impossible"]] == [key]
    assert key not in {item["key"] for item in report["findings"]}
    assert f"Cannot be {key}: {value:.6g} can't be this quantity, which is from 0 to 1" in text


@pytest.mark.parametrize(
    ("key", "value", "at"), [("frac_reward_zero_std", 1.17, GRPO), ("ppo/policy/clipfrac", 1.16, PPO)]
)
def test_what_a_quantity_cannot_be_is_no_finding_while_a_run_grows(key, value, at):
    """A monitor says of it, row by row and in the end, what the report says: nothing. A share of 1 is found."""
    found, said = {}, {}
    for number in (value, 1.0):
        monitor = Monitor(at)
        said[number] = [item.key for row in rows_of(60, **{key: number}) for item in monitor.observe(None, row)]
        found[number] = [item.key for item in monitor.findings()]

    assert found[value] == said[value] == []
    assert key in found[1.0]
    assert key in said[1.0]


def test_what_no_number_is_logged_for_is_not_called_too_short(check):
    """A key whose values are lists is logged, but not as a number."""
    rows = rows_of(6, **{"ppo/loss/value": [[1.0, 2.0]] * 6, "ppo/policy/clipfrac": 0.1})

    _, report = check(rows, PPO, "--json")

    assert left(report)["value-loss-growing"]["why"] == "ppo/loss/value is logged, but not as a number"


def test_rows_that_stand_twice_for_a_step_are_told(check):
    """A row that repeats the keys of the step before it is noted; one of evaluation beside it is none."""
    rows = rows_of(6, grad_norm=0.5, loss=0.3)
    evaluated = [*rows[:3], {"step": 3, "eval_loss": 0.4, "epoch": 0.1}, *rows[3:]]

    assert not any("has the same keys" in note for note in check(evaluated, GRPO, "--json")[1]["notes"])
    notes = check([*rows[:3], dict(rows[2], loss=0.2), *rows[3:]], GRPO, "--json")[1]["notes"]
    assert any(note.startswith("1 row stands for a step that has the same keys already") for note in notes)


def test_what_is_missing_is_named_as_the_log_would_name_it(check):
    """The reason names the key, not the metric, and what another program of the framework logs is not missed."""
    _, report = check(rows_of(5, **{"actor/pg_loss": 0.1, "critic/score/mean": 0.3}), VERL, "--json")

    why = {item["rule"]: item["why"] for item in report["not_judged"]}
    assert why["kl-drastic"] == "actor/kl_loss is not logged"
    assert left(report)["supervised-loss-explodes"]["state"] == "not_applicable"


def test_a_factor_that_depends_on_settings_is_told(check):
    """Without the settings TRL's PPO may have halved its means; with them, nothing is left to say."""
    rows = rows_of(6, **{"val/ratio": 0.51, "policy/approxkl_avg": 0.01, "episode": 10, "objective/kl": 0.1})
    at = "trl[ppo]==0.18.2"

    notes = check(rows, at, "--json")[1]["notes"]
    assert any("if gradient_accumulation_steps > 1" in note for note in notes)
    given = ["--config", "gradient_accumulation_steps=2", "--config", "num_mini_batches=2"]
    assert not any("gradient_accumulation_steps > 1" in note for note in check(rows, at, "--json", *given)[1]["notes"])
