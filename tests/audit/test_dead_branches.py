"""Branches that the constructor of a class rules out: nothing in them counts as logged."""

from __future__ import annotations

import pytest
from audit.wheels import read

BASE = """
from collections import defaultdict
from transformers import Trainer


class BaseTrainer(Trainer):
    def __init__(self, model, tools=None):
        super().__init__(model)
        self.tools = tools or []
        self._metrics = defaultdict(list)

    def compute_loss(self, model, inputs):
        self._metrics["kl"].append(inputs["kl"])
        if self.tools:
            self._metrics["tools/calls"].append(inputs["calls"])

    def log(self, logs):
        super().log({**logs, **{key: sum(values) for key, values in self._metrics.items()}})
"""
BARE = """

class BareTrainer(BaseTrainer):
    def __init__(self, model):
        super().__init__(model)
"""


def _logged(source: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for key in read("trl", "1.0.0", {"trl/__init__.py": "", "trl/trainer/trainers.py": source}).keys:
        found.setdefault(key.component, set()).add(key.key)
    return found


def test_a_trainer_that_hands_on_no_tools_logs_nothing_about_them() -> None:
    """The base class logs them when it is given some; a class that cannot be given any does not."""
    found = _logged(BASE + BARE)
    assert {"kl", "tools/calls"} <= found["BaseTrainer"]
    assert "kl" in found["BareTrainer"]
    assert "tools/calls" not in found["BareTrainer"]


@pytest.mark.parametrize(
    "more",
    [
        "\n    def add(self, tool):\n        self.tools.append(tool)\n",
        "\n    def add(self, tools):\n        self.tools = tools\n",
        "\n        self.tools = load_tools()\n",
        "\n\ndef equip(trainer, tools):\n    trainer.tools = tools\n",
    ],
    ids=["filled by a method", "assigned by a method", "assigned again", "assigned from outside"],
)
def test_what_may_change_later_is_no_dead_branch(more: str) -> None:
    """An attribute that anything else than the constructors changes may be true, so the key stays."""
    assert "tools/calls" in _logged(BASE + BARE + more)["BareTrainer"]
