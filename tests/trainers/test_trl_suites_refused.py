"""What cannot be measured is refused before a trainer is made, in one sentence."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest
from rlmetrics.trainers.trl import MeasuredGRPO, measured


def test_other_classes_are_refused() -> None:
    """A class that is none of TRL's trainers is named in the error, with those that would do."""
    with pytest.raises(TypeError, match=r"^dict is none of GRPOTrainer, RLOOTrainer, DPOTrainer, SFTTrainer of TRL"):
        measured(dict)
    with pytest.raises(TypeError, match=r"^MeasuredGRPO is no GRPOTrainer of TRL"):
        MeasuredGRPO()


def test_other_releases_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A release in which the numbers were not checked is refused when the trainer is made, with those that were."""
    module = ModuleType("trl")
    vars(module)["__version__"] = "1.15.0"
    monkeypatch.setitem(sys.modules, "trl", module)
    cls = measured(type("GRPOTrainer", (), {"__module__": "trl.trainer.grpo_trainer"}))

    with pytest.raises(RuntimeError, match=r"GRPOTrainer of TRL 1\.15\.0, only of 0\.18\.2, 1\.16\.0$"):
        cls()
