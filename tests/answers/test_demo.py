"""``rlmetrics demo``: its numbers are computed, what is recorded is what would be computed, and it fits on a screen."""

import json
import math
import sys

import pytest
import torch
from rlmetrics.cli import demo, main
from rlmetrics.functional import REGISTRY


def _shown(capsys) -> list[str]:
    assert main(["demo"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out.splitlines()


@pytest.fixture(autouse=True)
def columns(monkeypatch):
    """A terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")


def test_the_demo_fits_on_a_screen(capsys):
    """At most 25 lines of 80 columns, each part announced by its number."""
    lines = _shown(capsys)

    assert len(lines) <= 25
    assert max(map(len, lines)) <= 80
    assert [line[0] for line in lines if line[:1].isdigit()] == ["1", "2", "3"]


def test_the_change_of_meaning_is_what_the_functions_compute():
    """The spread within prompts is 0, that over the batch the sample deviation of four zeros and four ones."""
    old, new = demo.changed()
    rewards = torch.tensor([0.0] * 4 + [1.0] * 4, dtype=torch.float64)
    prompts = torch.tensor([0] * 4 + [1] * 4)

    assert old == ("0.26.2", "reward/group_std", 0.0)
    assert new[:2] == ("0.27.0", "reward/score/std")
    assert math.isclose(new[2], float(rewards.std()), rel_tol=1e-12)
    assert old[2] == float(REGISTRY[old[1]].function(rewards=rewards, group_ids=prompts))
    assert math.isclose(new[2], float(REGISTRY[new[1]].function(scores=rewards)), rel_tol=1e-6)


def test_the_recorded_result_is_what_would_be_computed():
    """Merged states of three processes give the recorded number, and that of all responses at once."""
    recorded = json.loads(demo.RECORDED.read_text(encoding="utf-8"))

    tensors = {name: torch.tensor(rows, dtype=torch.float64) for name, rows in demo.responses().items()}
    tensors["mask"] = tensors["mask"].bool()
    whole = float(REGISTRY["kl/old/k2"].function(**tensors))
    assert math.isclose(recorded["kl/old/k2"], demo.in_pieces(), rel_tol=1e-9)
    assert math.isclose(recorded["kl/old/k2"], whole, rel_tol=1e-9)


def test_without_torch_the_demo_says_what_is_recorded(capsys, monkeypatch):
    """All other numbers are computed by the standard library alone, and are the same."""
    with_torch = _shown(capsys)
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setattr(demo, "find_spec", lambda name: None)

    without = _shown(capsys)

    said = "   PyTorch is not installed: the merged number is a recorded result."
    assert said in without
    assert with_torch == [line for line in without if line != said]
    assert len(without) <= 25
