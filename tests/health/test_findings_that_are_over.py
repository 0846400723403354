"""What was wrong for a while is told with its end; what still is, with its beginning alone."""

import json
import re
from pathlib import Path

import pytest
from rlmetrics.cli import main


def written(path: Path, bad: range) -> Path:
    """Write a run of GRPO in which nothing reaches the policy at some steps."""
    rows = [
        {
            "step": step,
            "loss": 0.0 if step in bad else 0.1 + 0.01 * (step % 7),
            "grad_norm": 0.0 if step in bad else 0.5 + 0.03 * (step % 5),
            "reward": 0.3 if step in bad else 0.3 + 0.02 * (step % 9),
            "reward_std": 0.0 if step in bad else 0.2,
            "frac_reward_zero_std": 1.0 if step in bad else 0.2,
        }
        for step in range(1, 61)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize(("end", "said"), [(30, "steps 5 to 29"), (61, "since step 5")])
def test_what_is_over_is_told_with_its_end(tmp_path, capsys, end, said):
    """Headline, cause, evidence and page name the steps at which it was so, and none says that it goes on."""
    path, page = written(tmp_path / "run.jsonl", range(5, end)), tmp_path / "page.html"

    main(["check", str(path), "--at", "trl[grpo]==1.16.0", "--html", str(page)])

    out = capsys.readouterr().out
    assert out.startswith(f"Loss, advantages and gradients are all exactly 0, {said}.")
    assert f"grad_norm 0.59 -> 0 {said}" in out
    other = {"steps 5 to 29": "since step 5", "since step 5": "steps 5 to"}[said]
    assert other not in out
    assert said[0].upper() + said[1:] in page.read_text(encoding="utf-8")


def test_what_falls_is_told_from_before_it_fell_and_up_to_the_end(tmp_path, capsys):
    """A reward that rose first stands with its peak, with where it was found to fall, and with where it is."""
    rewards = [0.2 + 0.004 * step if step <= 150 else 0.8 - 0.003 * (step - 150) for step in range(1, 301)]
    rows = [
        {"step": step, "reward": reward + 0.004 * (step % 5), "reward_std": 0.2 + 0.01 * (step % 3), "grad_norm": 0.3}
        for step, reward in enumerate(rewards, start=1)
    ]
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    main(["check", str(path), "--at", "trl[grpo]==1.16.0", "--full"])

    out = capsys.readouterr().out
    (line,) = {line.strip() for line in out[out.index("The reward falls") :].splitlines()[1:2]}
    before, found, end = (float(part) for part in re.findall(r"(?<![\w.])0\.\d+", line))
    assert before > found > end
    assert line.endswith("at the end")
