"""``compare`` on real files, through the real command line."""

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import answered
from comparison.runs_to_compare import NEW, OLD, VERL, rewarded, simulated, written
from folders import RUNS
from rlmetrics.cli import main


def run(capsys, *arguments):
    """Run a command; return exit code, output and errors."""
    code = main([str(argument) for argument in arguments])
    told = capsys.readouterr()
    return code, told.out, told.err


@pytest.mark.parametrize(("first", "said"), [(101, "no steps"), (20, "1 step")])
def test_what_has_too_few_steps_in_common_is_not_called_the_same(tmp_path, capsys, first, said):
    """Runs over other steps: nothing was compared, in text, page and JSON, and values are those of a step of both."""
    a, b, page = tmp_path / "a.jsonl", tmp_path / "b.jsonl", tmp_path / "page.html"
    for path, start, reward in ((a, 1, 0.1), (b, first, 0.9)):
        written(path, [{"step": step, "reward": reward} for step in range(start, start + 20)])
    asked = ["compare", a, b, "--at", "trl[grpo]==0.15.2"]

    _, out, _ = run(capsys, *asked, "--html", page)
    _, document, _ = run(capsys, *asked, "--json")

    lead = "Nothing was compared: no metric that both log has 3 steps in common"
    assert out.startswith(f"{lead}.\n")
    (row,) = [line for line in out.splitlines() if line.startswith("= reward")]
    assert row.split(None, 2)[2].split() == [
        *(["0.1", "0.9"] if said == "1 step" else []),
        *f"not compared: {said} in common".split(),
    ]
    assert lead in page.read_text(encoding="utf-8")
    (pair,) = json.loads(document)["pairs"]
    assert (pair["steps_in_common"], pair["first_difference_step"]) == (int(said == "1 step"), None)


def test_compare_finds_where_runs_part(tmp_path, capsys):
    """Two releases are compared on canonical names; the first line says at which step they part."""
    a = simulated(tmp_path / "a.jsonl")
    b = simulated(tmp_path / "b.jsonl", "nan_gradient", OLD)
    page = tmp_path / "compare.html"

    sources = ("--at", NEW, "--at", OLD)
    code, out, _ = run(capsys, "compare", a, b, *sources, "--json", "--html", page)

    found = json.loads(out)
    pairs = {pair["metric"]: pair for pair in found["pairs"]}
    assert code == 0
    assert {"metric", "a", "b", "relation", "differs_by", "first_difference_step"} <= set(found["pairs"][0])
    assert [pairs["reward/score/mean"][field] for field in ("a", "b", "relation")] == [
        "reward",
        "reward",
        "approximate",
    ]
    assert pairs["reward/score/mean"]["first_difference_step"] is None
    assert pairs["optimizer/gradient_norm"]["first_difference_step"] == 80
    assert {"only_a", "only_b", "same_name", "undescribed", "last_common_step"} <= set(found)
    assert "The runs part at step" in page.read_text()


def test_values_are_those_of_the_last_step_that_both_have(tmp_path, capsys):
    """A run that goes on further is compared where both are, and the first lines say that it goes on."""
    rows = [{"step": step, "reward": 0.1 + step / 100, "kl": 0.01} for step in range(1, 201)]
    a, b = written(tmp_path / "a.jsonl", rows[:20]), written(tmp_path / "b.jsonl", rows)

    _, out, _ = run(capsys, "compare", a, b, "--at", NEW)
    _, document, _ = run(capsys, "compare", a, b, "--at", NEW, "--json")

    head, rest = out.split("\n\n", 1)
    assert " ".join(head.split()) == (
        "The runs are equal up to step 20, the last of both, on 2 metrics that can be compared. b goes on to step 200."
    )
    assert "= reward                      0.3   0.3   equal; both rise" in rest
    (reward,) = [pair for pair in json.loads(document)["pairs"] if pair["a"] == "reward"]
    assert (reward["last_common_step"], reward["trend"]) == (20, ["rises", "rises"])
    assert reward["last"] == pytest.approx([0.3, 0.3])


@pytest.mark.parametrize("noise", [0.01, 0.1, 0.3])
def test_a_reward_of_a_fifth_is_not_the_same_as_none(tmp_path, capsys, noise):
    """Exactly 0 is no noise: the runs part, and the reward leads."""
    a, b = rewarded(tmp_path / "a.jsonl", 0.2, noise), rewarded(tmp_path / "b.jsonl", 0.0)

    _, out, _ = run(capsys, "compare", a, b, "--at", NEW)
    _, document, _ = run(capsys, "compare", a, b, "--at", NEW, "--json")

    assert "first on reward:" in " ".join(out.split())
    (pair,) = [pair for pair in json.loads(document)["pairs"] if pair["a"] == "reward"]
    assert pair["outcome"] == "apart"
    assert pair["first_difference_step"] is not None


def test_two_seeds_are_the_same_within_noise(tmp_path, capsys):
    """Numbers that differ by their noise only do not part."""
    a, b = (rewarded(tmp_path / f"{seed}.jsonl", 0.5, 0.05, 100, seed) for seed in (1, 2))

    _, out, _ = run(capsys, "compare", a, b, "--at", NEW)

    assert " ".join(out.split("\n\n")[0].split()).startswith("The runs do not part up to step 100, the last of both")
    assert "same within noise" in out


def test_timers_and_counters_neither_part_runs_nor_lead(tmp_path, capsys):
    """A slower machine is no other run: what guides call crucial stands first, timers are only counted."""
    a = rewarded(tmp_path / "a.jsonl", 0.5, step_time=1.0, num_tokens=100.0)
    b = rewarded(tmp_path / "b.jsonl", 0.5, step_time=9.0, num_tokens=900.0)

    _, out, _ = run(capsys, "compare", a, b, "--at", NEW)
    _, full, _ = run(capsys, "compare", a, b, "--at", NEW, "--full")

    assert out.startswith("The runs are equal up to step 40")
    rows = [line.split()[1] for line in out.splitlines() if line.startswith("= ")]
    assert rows[0] == "reward"
    assert not {"step_time", "num_tokens"} & {*rows}
    assert "2 counters and timers: --full" in out
    assert "step_time" in full


def test_one_name_with_two_meanings_stands_by_itself(tmp_path, capsys):
    """The spread of rewards was taken within prompts, then over the batch: one line says until and since when."""
    a, b = rewarded(tmp_path / "a.jsonl", 0.5), rewarded(tmp_path / "b.jsonl", 0.5)
    page = tmp_path / "page.html"
    asked = ["compare", a, b, "--at", "trl[grpo]==0.26.2", "--at", "trl[grpo]==0.27.0"]

    _, out, _ = run(capsys, *asked, "--html", page)
    _, document, _ = run(capsys, *asked, "--json")

    block = " ".join(out.partition("Same name, other number\n")[2].split("\n\n")[0].split())
    assert block.startswith("≠ reward_std mean over prompts of the standard deviation")
    assert "until 0.26.2, standard deviation of the scores over responses since 0.27.0" in block
    found = json.loads(document)
    (same,) = found["same_name"]
    assert (same["key"], same["metrics"]) == ("reward_std", ["reward/group_std", "reward/score/std"])
    assert "reward_std" not in {*found["only_a"], *found["only_b"]}
    assert "until 0.26.2" in page.read_text(encoding="utf-8")


def test_keys_of_ones_own_are_compared_by_name(tmp_path, capsys):
    """What the spec doesn't describe is in both, so it is no key of one alone; steps are no metric."""
    a, b = rewarded(tmp_path / "a.jsonl", 0.5, own=1.0), rewarded(tmp_path / "b.jsonl", 0.5, own=2.0)

    _, out, _ = run(capsys, "compare", a, b, "--at", NEW)
    _, document, _ = run(capsys, "compare", a, b, "--at", NEW, "--json")

    assert "Not described, compared by name" in out
    found = json.loads(document)
    assert [item["a"] for item in found["undescribed"]] == ["own"]
    assert found["only_a"] == found["only_b"] == []


def test_several_runs_of_several_frameworks_are_one_page(tmp_path, capsys):
    """Each is compared with the first; the page holds all of them on canonical names, with their health."""
    paths = [
        simulated(tmp_path / "a.jsonl"),
        simulated(tmp_path / "b.jsonl", "entropy_collapse", OLD, 1),
        simulated(tmp_path / "c.jsonl", "nan_gradient", VERL, 2),
    ]
    page = tmp_path / "page.html"

    code, out, _ = run(capsys, "compare", *paths, "--at", NEW, "--at", OLD, "--at", VERL, "--html", page)

    text = page.read_text(encoding="utf-8")
    assert code == 0
    assert out.count("the last of both") >= 2
    assert text.count("<li data-r=") == 3
    assert "reward/score/mean" in text
    assert "The numbers broke" in text
    assert "http-equiv" not in text
    assert "src=" not in text.replace("class=src", "")


@pytest.mark.parametrize("wanted", ["--at", "--html"])
def test_bad_words_write_nothing(tmp_path, capsys, wanted):
    """Two sources for three runs, or a page that would replace a run, are one line and 2."""
    a, b = rewarded(tmp_path / "a.jsonl", 0.5), rewarded(tmp_path / "b.jsonl", 0.5)
    more = ["--at", NEW, "--at", OLD, a] if wanted == "--at" else ["--html", a]

    code, out, err = run(capsys, "compare", a, b, *more)

    assert (code, out, err.count("\n")) == (2, "", 1)


def test_what_likely_releases_understand_differently_is_not_compared(tmp_path, capsys):
    """Over prompts until 0.26.2, over the batch since: where either may have logged it, equal numbers say nothing."""
    row = {
        "reward": 0.5,
        "reward_std": 0.2,
        "entropy": 1.0,
        "frac_reward_zero_std": 0.0,
        "completions/mean_length": 9.0,
    }
    rows = [{"step": step, **row, "grad_norm": 0.3, "loss": 0.1, "learning_rate": 1e-6} for step in range(1, 30)]
    for name in ("a", "b"):
        written(tmp_path / f"{name}.jsonl", rows)
    runs = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]

    _, out, told = run(capsys, "compare", *runs)
    _, document, _ = run(capsys, "compare", *runs, "--json")
    _, settled, _ = run(capsys, "compare", *runs, "--at", "trl[grpo]==1.16.0", "--json")

    assert "taken for" in told
    assert "reward_std" in json.loads(document)["disputed"]
    assert not [row for row in json.loads(document)["undescribed"] if row["a"] == "reward_std"]
    assert "Not compared, for releases that may have logged them" in " ".join(out.split())
    assert json.loads(settled)["disputed"] == []


def unplaced(path, shift=0.0, keys=("reward", "reward_std", "kl", "completion_length")):
    """Write a log that tells no steps."""
    return written(path, [dict.fromkeys(keys, 0.01 * at + shift * (at > 20)) for at in range(60)])


@pytest.mark.parametrize("command", ["compare", "plot", "why"])
def test_rows_do_not_pass_for_steps(tmp_path, capsys, monkeypatch, command):
    """A log without steps: all that is said names rows, and that their numbers stand for steps."""
    monkeypatch.chdir(tmp_path)
    a, b = unplaced(Path("a.jsonl")), unplaced(Path("b.jsonl"), 0.3)
    asked = ["why", "reward", a, b] if command == "why" else [command, a, b]

    code, out, err = run(capsys, *asked, "--at", "trl[grpo]==0.15.2")

    assert code == 0
    assert "rows 0 to 59" in out
    assert "step" not in out
    assert err.count("no row tells a step: the number of each row stands for it") == 2


def test_rows_are_not_set_beside_steps(tmp_path, capsys):
    """One log tells steps and the other none: nothing is compared, and it is said why."""
    a, b = unplaced(tmp_path / "a.jsonl"), rewarded(tmp_path / "b.jsonl", 0.3)

    _, out, _ = run(capsys, "compare", a, b, "--at", "trl[grpo]==0.15.2")
    _, document, _ = run(capsys, "compare", b, a, "--at", "trl[grpo]==0.15.2", "--json")

    assert " ".join(out.split("\n\n")[0].split()) == (
        "Nothing was compared: no row of a tells a step, so that none can be set beside a step of b."
    )
    found = json.loads(document)
    assert (found["a"]["by_row"], found["b"]["by_row"]) == (False, True)
    assert {pair["outcome"] for pair in found["pairs"]} == {"not_compared"}


def test_a_summary_row_without_a_step_is_of_the_last_step(tmp_path, capsys):
    """What a trainer logs at its end names no step; it does not lie at the number of its row."""
    rows = [{"step": 10 * at, "reward": 0.1, "kl": 0.1} for at in range(1, 11)]
    path = written(tmp_path / "run.jsonl", [*rows, {"train_runtime": 3.0}])

    _, out, _ = run(capsys, "plot", path, "train_runtime", "--at", "trl[grpo]==0.15.2")

    assert "steps 10 to 100" in out


def test_numbers_that_were_printed_as_0_part_from_nothing_below_that(tmp_path, capsys):
    """A console prints three decimals: its 0.000 is no exact 0, and no other than 4e-06."""
    a, b = tmp_path / "a.log", tmp_path / "b.jsonl"
    a.write_text(
        "".join(
            f"step:{at} - actor/ppo_kl:0.000 - actor/grad_norm:0.{at:03d} - critic/score/mean:0.410\n"
            for at in range(1, 40)
        )
    )
    written(
        b,
        [
            {"step": at, "actor/ppo_kl": 4e-6, "actor/grad_norm": at / 1000, "critic/score/mean": 0.61}
            for at in range(1, 40)
        ],
    )

    _, document, _ = run(capsys, "compare", a, b, "--at", "verl==0.4.1", "--json")

    outcomes = {pair["a"]: pair["outcome"] for pair in json.loads(document)["pairs"]}
    assert (outcomes["actor/ppo_kl"], outcomes["critic/score/mean"]) == ("equal", "apart")


def test_a_name_of_two_trainers_is_told_by_what_each_measures(tmp_path):
    """Of DPO and GRPO nothing is told that releases of one of them changed: what each means by the name is."""
    steps = range(1, 21)
    dpo = written(tmp_path / "dpo.jsonl", [{"step": at, "loss": 0.7, "rewards/margins": 0.1} for at in steps])
    grpo = rewarded(tmp_path / "grpo.jsonl", 0.5, 0.1, loss=0.1)
    words = ("--at", "trl[DPOTrainer]==0.28.0", "--at", "trl[GRPOTrainer]==0.15.2")

    block = " ".join(answered("compare", dpo, grpo, *words).out.partition("Same name, other number\n")[2].split())

    assert block.startswith("≠ loss in TRL DPOTrainer 0.28.0: ")
    assert "; in TRL GRPOTrainer 0.15.2: " in block.partition("Only in")[0]
    assert "since 0." not in block.partition("Only in")[0]


def test_few_steps_are_not_called_the_same(tmp_path, capsys):
    """Curves that differ in four steps are not told apart, which is less than being the same."""
    for name, level in (("a.jsonl", 0.2), ("b.jsonl", 0.3)):
        rewarded(tmp_path / name, level, noise=0.4, steps=4, seed=int(level * 10))

    _, out, _ = run(capsys, "compare", tmp_path / "a.jsonl", tmp_path / "b.jsonl", "--at", NEW)

    said = " ".join(out.split())
    assert "not told apart in 4 steps" in said
    assert "are not told apart in so few steps." in said
    assert "same within noise" not in said


def test_half_of_every_number_is_told(tmp_path, capsys):
    """A curve that is half of the other at every step is no noise: a divisor differs between the runs."""
    ones = [{"step": step, "kl": 0.1 + 0.07 * (step * 7 % 5), "reward": 0.25} for step in range(1, 31)]
    a = written(tmp_path / "a.jsonl", ones)
    b = written(tmp_path / "b.jsonl", [{**row, "kl": row["kl"] / 2} for row in ones])

    _, out, _ = run(capsys, "compare", a, b, "--at", NEW)
    _, document, _ = run(capsys, "compare", a, b, "--at", NEW, "--json")

    assert "b is 0.5 times a throughout" in " ".join(out.split())
    assert [pair["factor"] for pair in json.loads(document)["pairs"] if pair["a"] == "kl"] == [0.5]


def test_rows_counted_from_another_step(tmp_path, capsys):
    """The same numbers a step later are one run that was counted from 0 and from 1, and the first line says so."""
    rows = [{"kl": 0.1 + 0.07 * (at * 7 % 5), "reward": 0.1 * (at * 3 % 7)} for at in range(20)]
    a = written(tmp_path / "a.jsonl", [{"step": at, **row} for at, row in enumerate(rows)])
    b = written(tmp_path / "b.jsonl", [{"step": at + 1, **row} for at, row in enumerate(rows)])

    _, out, _ = run(capsys, "compare", a, b, "--at", NEW)

    assert out.startswith("b has the numbers of a a row later.")
    assert "equal, a row later in b" in " ".join(out.split())


def test_what_is_open_in_one_tracker_is_the_same_name_in_another(tmp_path, capsys):
    """A key on which the possible sources differ is not called missing in the run that shows it under a prefix."""
    lines = (RUNS / "trl-1.16.0-grpo.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [{"step": at, **json.loads(line)} for at, line in enumerate(lines)]
    a = written(tmp_path / "a.jsonl", rows)
    b = written(tmp_path / "b.jsonl", [shown(row) for row in rows])

    _, document, _ = run(capsys, "compare", a, b, "--json")

    found = json.loads(document)
    assert found["disputed"]
    assert {key.removeprefix("train/") for key in found["only_b"]}.isdisjoint(found["only_a"])


def shown(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row as W&B shows it."""
    return {
        key if key == "step" else f"eval/{key[5:]}" if key.startswith("eval_") else f"train/{key}": value
        for key, value in row.items()
    }


def test_programs_of_one_release_find_what_both_log(tmp_path, capsys):
    """A key of the one program is not said to be unknown to the other's release."""
    a = written(tmp_path / "a.jsonl", [{"step": at, "perf/total_num_tokens": 9 + at} for at in range(1, 9)])
    b = written(tmp_path / "b.jsonl", [{"step": at, "train/global_tokens": 9 + at} for at in range(1, 9)])

    _, out, _ = run(capsys, "compare", a, b, "--at", VERL, "--at", "verl[sft]==0.9.1", "--full")

    assert "does not log it" not in out
