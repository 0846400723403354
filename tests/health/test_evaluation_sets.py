"""Several evaluation sets: transformers names the set in the loss, TRL in none of its own numbers."""

from __future__ import annotations

import json

from command_line import answered

_OWN = {"rewards/chosen": 0.1, "rewards/rejected": -0.1, "rewards/accuracies": 0.6, "rewards/margins": 0.2}
_LOGPS = {"logps/chosen": -50.0, "logps/rejected": -51.0, "logits/chosen": 0.1, "logits/rejected": 0.1}


def _write(path, sets):
    """Write a preference training that evaluates sets at every fourth step."""
    rows = []
    for step in range(1, 13):
        own = {**_OWN, **_LOGPS}
        rows.append({"step": step, "epoch": step / 12, "loss": 0.6, "grad_norm": 1.0, "learning_rate": 1e-6, **own})
        for name in sets if step % 4 == 0 else ():
            evaluated = {f"eval_{key}": value for key, value in own.items()}
            rows.append({"step": step, "epoch": step / 12, f"eval_{name}loss": 0.6, **evaluated})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return " ".join(answered("check", path, "--fail-on", "never").out.split())


def test_the_set_that_counts_is_named(tmp_path):
    """Rows were said to stand twice for a step, as if two runs wrote to one log."""
    said = _write(tmp_path / "run.jsonl", ["easy_", "hard_"])

    assert "each evaluation set logs the same keys, such as eval_logits/chosen: those of hard count" in said
    assert "same keys already" not in said


def test_a_set_that_stands_twice_for_a_step_is_no_other_one(tmp_path):
    """Nothing names it."""
    said = _write(tmp_path / "run.jsonl", ["", ""])

    assert "each evaluation set" not in said
    assert "same keys already" in said


def test_one_set_is_nothing_to_tell_of(tmp_path):
    """Whatever it is called."""
    said = _write(tmp_path / "run.jsonl", ["easy_"])

    assert "each evaluation set" not in said
    assert "same keys already" not in said
