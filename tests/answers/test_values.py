"""What values tell, through the real command line at 80 columns and through Python."""

from __future__ import annotations

import json
import math
from collections.abc import Callable

import pytest
from rlmetrics.answers.pasted import Given
from rlmetrics.answers.value_answer import JudgedValue, judge_row
from rlmetrics.cli.main import main
from rlmetrics.names import open_view
from rlmetrics.names.tables.loading import load_tables

Resolve = Callable[..., list[str]]
GRPO = "trl[GRPOTrainer]==0.15.2"


@pytest.fixture
def resolve(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Resolve:
    """Run `rlmetrics resolve`; return the lines that it prints."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")

    def run(*arguments: str) -> list[str]:
        assert main(["resolve", *arguments]) == 0
        return capsys.readouterr().out.splitlines()

    return run


def judged(at: str, key: str, number: float | None, **config: str) -> JudgedValue:
    """What one value of a key tells."""
    (value,) = judge_row(open_view(at, config=config), {key: Given(str(number), number)}, config)
    return value


def first(lines: list[str]) -> str:
    """The first paragraph of an answer."""
    return " ".join(lines[: lines.index("")])


def test_a_loss_of_zero_is_expected_with_the_value_in_the_first_line(resolve: Resolve) -> None:
    """GRPO's loss of 0 is told to be expected, with why, what would be a bad sign, and where it is computed."""
    lines = resolve("loss=0.0", "--at", GRPO)

    assert lines[0].startswith("0.0 is expected here, and the model does train.")
    assert [
        label for label in ("why", "worry if", "watch", "source") if any(line.startswith(label) for line in lines)
    ] == ["why", "worry if", "watch", "source"]
    assert any("trl/trainer/grpo_trainer.py" in line for line in lines)


def test_a_setting_rewrites_what_holds_by_default() -> None:
    """With several updates per generation a loss and a clip fraction of 0 are no longer what they must be."""
    at = "trl[GRPOTrainer]==0.20.0"

    assert judged(at, "clip_ratio/low_mean", 0.0).judged[0].origin == "constant"
    assert judged(at, "clip_ratio/low_mean", 0.0, num_iterations="4").judged[0].origin == "reading"
    assert judged(at, "loss", 0.0).level == "warning"
    assert judged(at, "loss", 0.0, loss_type="grpo").level == "expected"
    assert judged(at, "loss", 0.0, num_iterations="4").level == "info"


def test_other_settings_are_told() -> None:
    """What the value would tell under other settings stands beside it, under the setting that decides."""
    told = dict(judged("trl[GRPOTrainer]==0.16.1", "loss", 0.0).otherwise)

    assert [*told] == ["num_iterations != 1 (1)"]
    assert told["num_iterations != 1 (1)"].startswith("0.0 is possible")


@pytest.mark.parametrize(
    ("at", "key", "number", "level", "origin", "says"),
    [
        # Read from the releases: see the spec beside each reading.
        ("verl==0.9.1", "actor/ppo_kl", -0.01, "expected", "reading", "may fall below 0"),
        ("trl[GRPOTrainer]==0.20.0", "kl", -0.3, "error", "range", "is below 0, but kl/reference/k3 is never negative"),
        ("verl==0.9.1", "response_length/clip_ratio", 0.0, "error", "trait", "the longest sample of each batch"),
        ("trl[PPOTrainer]==0.12.2", "eps", 0.0, "expected", "trait", "between 0 and 1"),
        ("trl[PPOTrainer]==0.12.2", "objective/entropy", -3.0, "warning", "trait", "every padded position adds -1"),
        ("trl[DPOTrainer]==0.18.2", "loss", 0.6931, "expected", "reading", "is ln 2"),
        ("trl[DPOTrainer]==0.18.2", "rewards/accuracies", 0.0, "info", "reading", "a tie counts as wrong"),
        ("trl[KTOTrainer]==0.18.2", "kl", 0.0, "expected", "reading", "is cut at 0"),
        ("verl==0.9.1", "actor/grad_norm", math.nan, "warning", "reading", "such a step is skipped"),
        ("verl==0.3.0.post1", "actor/grad_norm", math.nan, "error", "reading", "takes the step nevertheless"),
        ("trl[GRPOTrainer]==1.16.0", "kl", math.nan, "error", "absent", "is never normal"),
        ("trl[GRPOTrainer]==1.16.0", "reward", None, "expected", "trait", "no part since the last log had a value"),
        ("trl[GRPOTrainer]==1.16.0", "frac_reward_zero_std", 1.0, "warning", "reading", "nothing was learnt"),
        ("trl[GRPOTrainer]==1.16.0", "frac_reward_zero_std", 0.25, "plain", "nothing", "0 to 1"),
        ("trl[GRPOTrainer]==1.16.0", "loss", -0.02, "expected", "reading", "either sign"),
        ("verl==0.9.1", "training/rollout_actor_probs_pearson_corr", 0.5, "warning", "reading", "near 1"),
    ],
)
def test_a_value_is_judged_by_what_decides(
    at: str, key: str, number: float | None, level: str, origin: str, says: str
) -> None:
    """Records, constants, readings of the metric, its range and traits decide in that order."""
    head = judged(at, key, number).judged[0]

    assert (level, origin) == (head.level, head.origin)
    assert says in head.says


def test_rounding_below_a_bound_is_no_error() -> None:
    """A divergence that float32 leaves a hair below 0 is read as 0."""
    head = judged("trl[GRPOTrainer]==0.20.0", "kl", -1e-9).judged[0]

    assert (head.level, head.origin) == ("info", "range")
    assert "by rounding" in head.says


def test_without_a_source_the_answer_says_what_it_assumes(resolve: Resolve) -> None:
    """The first paragraph has the usual trainer's answer and names it; others stand below."""
    lines = resolve("loss=0.0")

    assert first(lines).startswith("0.0 is a symptom here, where the loss is a mean over tokens")
    assert "This assumes TRL GRPOTrainer" in first(lines)
    assert any(line.strip().startswith("DPOTrainer") for line in lines[lines.index("Elsewhere") :])


ROW = (
    "{'loss': 0.0, 'grad_norm': 0.0, 'learning_rate': 1.7e-06, 'reward': 3.0, 'reward_std': 0.0, "
    "'frac_reward_zero_std': 1.0, 'clip_ratio/low_mean': 0.0, 'clip_ratio/high_mean': 0.0, 'note': 'x', 'mine': 0.5}"
)


def test_a_row_names_the_cause_first_and_folds_the_rest(resolve: Resolve) -> None:
    """Equal rewards come before the loss and the gradient that follow from them; the rest is one line."""
    lines = resolve(ROW, "--at", "trl[GRPOTrainer]==0.21.0")

    assert lines[0].startswith("reward_std: 0.0 means that nothing was learnt")
    marks = [line.split()[:2] for line in lines if line.split()[:1] in (["warning"], ["expected"])]
    assert marks[:2] == [["warning", "reward_std"], ["warning", "frac_reward_zero_std"]]
    assert marks[2] == ["expected", "clip_ratio/low_mean"]
    assert any(
        line.startswith("follows   from reward_std and frac_reward_zero_std: loss = 0.0, grad_norm = 0.0")
        for line in lines
    )
    assert any(line.startswith("Unremarkable (") and "learning_rate" in line for line in lines)
    assert [line for line in lines if "does train" in line] == []


def test_a_number_of_ones_own_is_not_judged(resolve: Resolve) -> None:
    """Of a key that the trainer does not log by itself it is said that nothing can be, in a row and alone."""
    lines = resolve('{"mine": 3, "loss": 0.1, "reward": 0.2}', "--at", "trl[GRPOTrainer]==1.16.0")
    text = " ".join(lines)
    assert "Unremarkable (2): loss, reward" in text
    assert "Yours (1): mine: not logged by the trainer itself" in text

    assert resolve("mine", "--at", "trl[GRPOTrainer]==1.16.0")[0].startswith(
        "TRL GRPOTrainer 1.16.0 does not log `mine`"
    )


@pytest.mark.parametrize("row", ['{"kl": "abc"}', "{'kl': 'abc'}"])
def test_a_row_without_a_number_is_refused(row: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It is not taken for a key of that spelling."""
    assert main(["resolve", row, "--at", "trl[GRPOTrainer]==1.16.0"]) == 2
    assert "no value is a number" in capsys.readouterr().err


def test_a_row_of_verl_is_understood(resolve: Resolve) -> None:
    """A console line with the step in front is judged; advantages that are all 0 explain the loss and the gradient."""
    line = (
        "step:3 - actor/pg_loss:0.0 - actor/grad_norm:0.0 - critic/score/mean:0.0 - critic/advantages/mean:0.0 - "
        "critic/advantages/max:0.0 - critic/advantages/min:0.0 - actor/entropy:0.41"
    )
    lines = resolve(line, "--at", "verl==0.9.1")

    assert lines[0].startswith("critic/advantages/max: 0.0 means that no advantage is above 0")
    follows = " ".join(" ".join(lines).partition("follows")[2].split())
    assert "from critic/advantages/max and critic/advantages/min: actor/grad_norm = 0.0, actor/pg_loss = 0.0" in follows


def test_an_unremarkable_row_says_so(resolve: Resolve) -> None:
    """A row without a sign says that one row shows no trend."""
    lines = resolve("{'reward': 0.5, 'reward_std': 0.3}", "--at", "trl[GRPOTrainer]==0.21.0")

    assert first(lines).startswith("None of 2 values is remarkable by itself")


def test_json_adds_the_value_and_what_it_tells(capsys: pytest.CaptureFixture[str]) -> None:
    """The objects of `resolve` keep their fields; `value` and `judged` come with them, NaN as text."""
    assert main(["resolve", "loss=0.0", "kl=nan", "--at", GRPO, "--json"]) == 0
    loss, kl = json.loads(capsys.readouterr().out)

    assert (loss["key"], loss["metric"], loss["value"]) == ("loss", "loss/total", 0.0)
    assert set(loss["judged"][0]) == {"level", "origin", "says", "why", "worry", "watch", "rule", "follows"}
    assert loss["judged"][0]["level"] == "expected"
    assert kl["value"] == "nan"


def test_lines_fit_the_terminal_and_the_screen(resolve: Resolve, monkeypatch: pytest.MonkeyPatch) -> None:
    """At 80 and 160 columns no line is wider, and the answer has at most 40 lines."""
    for columns in (80, 160):
        monkeypatch.setenv("COLUMNS", str(columns))
        for arguments in (("loss=0.0",), (ROW,), ("critic/score/mean", "critic/rewards/mean", "--at", "verl==0.9.1")):
            lines = resolve(*arguments)
            assert [line for line in lines if len(line) > columns] == []
            assert len(lines) <= 40


def test_every_reading_of_the_spec_can_be_given() -> None:
    """Whatever a release reads, a value that the reading covers is judged by it or by something that decides before."""
    tables = load_tables()
    metrics = {name: tables.texts[name].get("reads", ()) for name in tables.metrics}

    assert sum(map(len, metrics.values())) >= 50
    assert all("{value}" in reading["says"] for readings in metrics.values() for reading in readings)


def test_ends_that_are_not_recognised_are_not_called_cut_off(resolve: Resolve) -> None:
    """Before 1.14.2 only the tokenizer's end token counted, and a model may end with another one."""
    lines = resolve("completions/clipped_ratio=1", "--at", "trl[GRPOTrainer]==1.9.0")
    assert lines[0].startswith("1 means that no response ended with an end-of-sequence token")
