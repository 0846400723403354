"""Dicts that a logger prints behind the number of their step, on one line or as ``pprint`` lays them out."""

from __future__ import annotations

import json
import pprint
import random
from typing import Any

import pytest
from rlmetrics.cli import main

ESCAPES = ("\x1b[32m", "\x1b[0m")


def _rows() -> list[dict[str, float]]:
    """Return what two trainers under Ray log in forty healthy steps."""
    draw = random.Random(5)
    return [
        {
            "policy/policy_entropy": 0.6 - step / 200,
            "policy/policy_kl": 0.002 + step / 4000,
            "policy/grad_norm": 0.2 + draw.random() / 20,
            "policy/policy_lr": 1e-6,
            "reward/avg_raw_reward": 0.3 + step / 100 + draw.random() / 50,
            "generate/avg_num_tokens": 300.0 + step,
        }
        for step in range(1, 41)
    ]


def _laid_out(row: dict[str, float], step: int, worker: str, colours: tuple[str, str]) -> str:
    """Return a step as loguru prints it behind Ray's name of a worker."""
    text = pprint.pformat({key: f"{value:.4f}" for key, value in row.items()})
    head = f"2026-10-12 11:00:00.123 | INFO     | tracking:log:187 - {colours[0]}Step {step}: "
    lines = [head, *text.splitlines()]
    lines[-1] += colours[1]
    return "".join(f"{worker}{line}\n" for line in lines)


def _checked(capsys: Any, path: str) -> dict[str, Any]:
    main(["check", path, "--json"])
    said = json.loads(capsys.readouterr().out)
    return said[0] if isinstance(said, list) else said


@pytest.mark.parametrize("worker", ["", "(skyrl_entrypoint pid=4242) "])
@pytest.mark.parametrize("colours", [("", ""), ESCAPES])
def test_a_dict_on_several_lines_is_read_at_its_step(tmp_path, capsys, worker, colours):
    """With Ray's names of workers and colours or without, among other output; a rate of 0.0000 is no rate of 0."""
    path = tmp_path / "train.log"
    texts = (_laid_out(row, step, worker, colours) for step, row in enumerate(_rows(), start=1))
    path.write_text("".join(f"{worker}Started: 'step'\n{text}{worker}Step 7 is next:\nnothing\n" for text in texts))

    said = _checked(capsys, str(path))

    assert said["at"].startswith("skyrl[")
    assert (said["rows"], said["verdict"], said["findings"]) == (40, "nothing_found", [])
    main(["check", str(path)])
    assert "40 rows, steps 1 to 40" in capsys.readouterr().out


def test_a_dict_on_the_line_of_its_step_is_read(tmp_path, capsys):
    """As a trainer prints its status, with a sign before it; what it evaluated is another row."""
    path = tmp_path / "train.log"
    row = {
        "policy_loss": 0.01,
        "ppo_clip_ratio": 0.01,
        "ppo_kl": 0.001,
        "kl": 0.01,
        "actor_grad_norm": 0.5,
        "reward": 0.4,
    }
    steps = (f"INFO 03-02 10:00:00 ppo_trainer.py:551] ✨ Global step {n}: {row}\n" for n in range(1, 31))
    evaluated = "INFO 03-02 10:00:00 x.py:9] ✨ Evaluation completed in 0:01:02, global_step 30, eval_metrics: "
    path.write_text("".join(steps) + f"{evaluated}{ {'eval_math_pass1': 0.5, 'eval_math_pass4': 0.7} }\n")

    said = _checked(capsys, str(path))

    assert said["at"].startswith("openrlhf[PPOTrainer]")
    main(["check", str(path)])
    assert "steps 1 to 30" in capsys.readouterr().out


def test_a_copy_has_other_names_and_the_same_lines(tmp_path):
    """Prefixes, line ends and values stay where they are."""
    path, out = tmp_path / "train.log", tmp_path / "out.log"
    old = "".join(_laid_out(row, step, "(w pid=1) ", ESCAPES) for step, row in enumerate(_rows(), start=1))
    path.write_text(old)

    code = main(["translate", str(path), "--from", "skyrl==0.4.0", "--to", "canonical", "-o", str(out)])
    new = out.read_text()

    assert code == 0
    assert new.count("\n") == old.count("\n")
    assert new.count("'kl/reference/k3': '0.0") == 40
    assert "policy_kl" not in new
    assert [line.split(": ")[-1] for line in new.splitlines()] == [line.split(": ")[-1] for line in old.splitlines()]


def test_prose_about_steps_is_no_log(tmp_path, capsys):
    """A dict of settings behind the word, or a step without one, is not read."""
    path = tmp_path / "notes.log"
    path.write_text("Step 1: \nread {the} paper\nStep 2: {'name': 'a', 'kind': 'b'}\nStep 3: done\n")

    assert main(["check", str(path)]) == 2
    assert "no log of a known kind" in capsys.readouterr().err
