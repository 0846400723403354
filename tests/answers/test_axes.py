"""Keys that show their metric multiplied, shifted or with another sign: what is said is said on their own axis."""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from rlmetrics.answers.pasted import Given
from rlmetrics.answers.value_answer import judge_row
from rlmetrics.cli.main import main
from rlmetrics.dashboards.board import make_board
from rlmetrics.names import Transform, load_tables, open_view
from rlmetrics.wording.metric_facts import converted

Run = Callable[..., str]
ONLINE = "trl[OnlineDPOTrainer]==1.16.0"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command; return what it prints as one line."""
    monkeypatch.setenv("COLUMNS", "80")

    def said(*arguments: str) -> str:
        main([*arguments])
        return " ".join(capsys.readouterr().out.split())

    return said


def turned() -> list[tuple[str, str, float, float, float | None, float | None]]:
    """Every key of a component's newest release that shows another number than its metric, with the metric's range."""
    tables, found = load_tables(), []
    for name in tables.frameworks:
        table = tables.framework(name)
        last = {component: table.releases.expand(ranges)[-1] for component, _, ranges, _ in table.components}
        for component, release in last.items():
            source = f"{name}[{component}]=={release}"
            for entry in open_view(source).entries():
                axis = entry.signature.axis
                if axis is not None and not axis.is_plain and entry.mode == "train":
                    low, high = tables.metrics[str(entry.metric)].get("range", (None, None))
                    found.append((source, entry.key, axis.scale, axis.offset, low, high))
    return found


def test_bounds_lie_where_the_key_has_them() -> None:
    """A value at a bound of the metric, as the key shows it, is possible; one beyond it is not."""
    cases = turned()
    assert len(cases) > 8
    for source, key, scale, offset, low, high in cases:
        view = open_view(source)
        for bound, beyond in ((low, -1), (high, 1)):
            if bound is None:
                continue
            step = abs(scale) * max(1.0, abs(bound))
            at = scale * bound + offset
            outwards = at + step * beyond * math.copysign(1, scale)
            for number, impossible in ((at, False), (outwards, True)):
                (value,) = judge_row(view, {key: Given(f"{number:.9g}", number)})
                assert (value.judged[0].origin == "range") is impossible, (source, key, number, value.says)


@pytest.mark.parametrize(
    ("key", "at", "good"),
    [
        ("val/contain_eos_token", ONLINE, 1),
        ("val/model_contain_eos_token", "trl[NashMDTrainer]==1.13.0", 1),
        ("val/ref_contain_eos_token", "trl[XPOTrainer]==1.13.0", 1),
        ("completions/clipped_ratio", "trl[grpo]==1.16.0", 0),
    ],
)
def test_what_ends_on_its_own_is_good(run: Run, key: str, at: str, good: int) -> None:
    """Whether a share counts the responses that ended or those that did not."""
    assert "is good" in run("resolve", f"{key}={good}", "--at", at)
    assert "is good" not in run("resolve", f"{key}={1 - good}", "--at", at)


def test_a_text_about_a_share_names_that_share(run: Run) -> None:
    """Of 3 % of responses that end it is not said that 3 % were cut off."""
    said = run("resolve", "val/contain_eos_token=0.03", "--at", ONLINE)
    assert said.startswith("0.97 (logged as 0.03) is the share of responses that were cut off")
    assert "healthy above 0.5" in said
    assert "0.9700" not in said


def test_an_unknown_factor_leaves_zero_where_it_is(run: Run) -> None:
    """A divergence that is summed over a number of updates that nobody knows is not negative either."""
    options = ("--at", "verl==0.7.1", "--config", "actor_rollout_ref.actor.use_kl_loss=true")
    assert "is never negative" in run("resolve", "actor/kl_loss=-0.4", *options)
    assert "never" not in run("resolve", "actor/kl_loss=40", *options).partition("metric")[0]


@pytest.mark.parametrize(
    ("key", "at", "first", "made"),
    [
        ("perf/mfu_wall_clock", "trl[AsyncGRPOTrainer]==1.16.0", "logged in percent", "100 x the formula"),
        ("logps/chosen", "trl[NashMDTrainer]==1.13.0", "with the opposite sign", "minus the formula, never positive"),
        ("val/contain_eos_token", ONLINE, "logged as 1 minus that", "1 - the formula"),
        ("global_step", "trl[RLOOTrainer]==0.15.0", "logged as that - 1", "the formula - 1, at least -1"),
    ],
)
def test_what_the_key_makes_of_the_metric_is_said(run: Run, key: str, at: str, first: str, made: str) -> None:
    """In the first sentence, and with the range that it gives where averages are told."""
    said = run("resolve", key, "--at", at)
    assert first in said
    assert f"logged = {made}" in said
    if "reads " in said:
        assert "reads Of the metric itself: " in said


def test_a_log_is_judged_by_the_metric_and_shown_as_it_is(run: Run, tmp_path: Path) -> None:
    """Values and bounds of a report are those of the curve that people see."""
    numbers = random.Random(5)
    path, page = tmp_path / "run.jsonl", tmp_path / "run.html"
    rows = [
        {"step": step, "ppo/mean_scores": numbers.random(), "ppo/policy/policykl": -0.12 - 0.1 * numbers.random()}
        for step in range(1, 60)
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    said = run("check", str(path), "--at", "trl[PPOTrainer]==0.2.1", "--html", str(page))
    shown = [float(number) for number in re.findall(r"ppo/policy/policykl (\S+) -> (\S+)", said)[0]]
    assert all(-0.22 <= number <= -0.12 for number in shown)
    (top,) = re.findall(r'<figure[^>]*policykl[^>]* data-h="([-0-9.]+)"', page.read_text(encoding="utf-8"))
    # The bound of a divergence of 0.1, which lies above this curve.
    assert -0.1 <= float(top) < -0.08


def test_a_dashboard_tells_the_range_of_the_key() -> None:
    """Half of the responses or more should end, which is another bound than of those that do not."""
    panels = [panel for section in make_board(ONLINE, surface="wandb").sections for panel in section.panels]
    (panel,) = [panel for panel in panels if "train/val/contain_eos_token" in panel.names]
    assert panel.healthy == "at least 0.5"
    assert "logged as 1 minus that" in panel.notes[0]


@pytest.mark.parametrize(
    ("scale", "offset", "words"),
    [(-1.0, 1.0, "1 - x"), (-1.0, 0.0, "-x"), (100.0, 0.0, "100 x x"), (1.0, -1.0, "x - 1"), (2.0, 3.0, "2 x x + 3")],
)
def test_a_conversion_is_written_as_people_write_it(scale: float, offset: float, words: str) -> None:
    """Not as a factor and a shift where it is a difference."""
    assert converted("x", Transform(scale, offset)) == words


def test_names_and_maps_tell_the_conversion(run: Run) -> None:
    """In the list of a metric's keys, and between two keys."""
    assert re.search(r"val/contain_eos_token\s+\S+\s+1 - that", run("show", "length/truncated_fraction", "--full"))
    options = ("--from", "trl[NashMDTrainer]==1.13.0", "--to", "trl[grpo]==1.16.0")
    told = "completions/clipped_ratio = 1 - val/model_contain_eos_token"
    assert told in run("map", "val/model_contain_eos_token", *options)


@pytest.mark.parametrize(
    ("key", "at", "usual", "absurd"),
    [
        ("learning_rate", "trl[SFTTrainer]==1.16.0", 2e-5, 3.0),
        ("train/lr(1e-3)", "verl[fsdp_sft]==0.7.0", 0.3, 400.0),
        ("actor/lr(1e-4)", "verl==0.1", 0.01, 5000.0),
    ],
)
def test_a_rate_is_absurd_on_its_own_axis(run: Run, key: str, at: str, usual: float, absurd: float) -> None:
    """A rate in units of 0.001 may well be 0.3."""
    assert "far above" not in run("resolve", f"{key}={usual:g}", "--at", at)
    assert "far above the rates" in run("resolve", f"{key}={absurd:g}", "--at", at)
