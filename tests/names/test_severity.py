"""Whether differences show under the settings of both sides, and what that makes of a relation."""

from __future__ import annotations

import pytest
from rlmetrics.names import load_tables, map_names
from rlmetrics.names.differences.severity import (
    SEVERITIES,
    Circumstances,
    severity,
)
from rlmetrics.names.differences.verdict import applies, guards_of_level, guards_of_snapshot
from rlmetrics.names.settings.configuration import holds
from rlmetrics.names.tables.key_records import Difference


class Settings:
    """Values that answer guards."""

    def __init__(self, **values: object) -> None:
        self.values = values

    def holds(self, guard: str) -> bool | None:
        """Answer a guard."""
        return holds(guard, self.values)  # type: ignore[arg-type]


PARTS = ("rank", "micro_batch", "mini_batch", "epoch", "window", "update")
LEVELS = load_tables().levels
SIDE = Circumstances("acme", {name: f"{name} == 1" for name in PARTS}, Settings(), LEVELS)
"""Circumstances whose parts have the guard ``NAME == 1``."""
TRAIN, EVAL = ("train", "train"), ("eval", "eval")


@pytest.mark.parametrize(
    ("operations", "needed"),
    [
        (("mean", "pool"), (True, False)),
        (("pool", "mean"), (False, True)),
        (("mean", "last"), (True, True)),
        (("mean", "none"), (True, False)),
        (("none", "pool"), (False, True)),
    ],
)
def test_only_the_side_that_does_not_pool_must_have_one_part(operations, needed):
    """A mean over one part is exact; what is pooled is exact anyhow."""
    found = guards_of_level(LEVELS["rank"], operations, (SIDE, SIDE), TRAIN)

    assert tuple("rank == 1" if need else None for need in needed) == found


def test_steps_between_logs_must_be_one_even_where_they_are_pooled():
    """Pooled or not, a value over ten steps is none of one step."""
    assert guards_of_level(LEVELS["window"], ("mean", "pool"), (SIDE, SIDE), TRAIN) == ("window == 1", "window == 1")
    assert guards_of_level(LEVELS["window"], ("none", "pool"), (SIDE, SIDE), TRAIN) == (None, "window == 1")


def test_no_setting_says_how_an_evaluation_is_cut():
    """Training's settings say nothing about evaluation, and nothing says that all texts are equally long."""
    assert guards_of_level(LEVELS["micro_batch"], ("mean", "pool"), (SIDE, SIDE), EVAL) is None
    assert guards_of_level(LEVELS["token"], ("mean", "pool"), (SIDE, SIDE), TRAIN) is None


def test_the_policy_that_is_updated_is_the_old_one_at_the_first_step():
    """It depends on the side that looks at it; a reference never becomes the policy."""
    assert guards_of_snapshot(("current", "old"), (SIDE, SIDE), TRAIN) == ("update == 1", None)
    assert guards_of_snapshot(("current", "reference"), (SIDE, SIDE), TRAIN) is None


@pytest.mark.parametrize(
    ("guards", "first", "second", "expected"),
    [
        (("a == 1", None), {"a": 1}, {}, False),
        (("a == 1", None), {"a": 2}, {}, True),
        (("a == 1", None), {}, {}, None),
        (("a == 1", "b == 1"), {"a": 1}, {"b": 2}, True),
        (("a == 1", "b == 1"), {"a": 1}, {}, None),
        (("a == 1 or unknown", None), {"a": 2}, {}, None),
        (("unknown", "b == 1"), {}, {"b": 1}, None),
    ],
)
def test_a_difference_shows_unless_every_side_says_that_it_does_not(guards, first, second, expected):
    """One side's no is enough; without an answer nothing is claimed."""
    assert applies("words", guards, Settings(**first), Settings(**second)) is expected


def test_words_alone_leave_it_open_and_no_words_mean_always():
    """A difference that nothing ends shows; one that only the data can end may show."""
    assert applies(None, None, None, None) is True
    assert applies("no response is padded", None, None, None) is None


@pytest.mark.parametrize(
    ("kind", "differences", "expected"),
    [
        ("exact", (), "same"),
        ("affine", (), "same"),
        ("approximate", (Difference("x", "minor", applies=True),), "close"),
        ("approximate", (Difference("x", "biased", applies=False),), "close"),
        ("approximate", (Difference("x", "biased", applies=None),), "biased"),
        ("approximate", (Difference("x", "biased", applies=True),), "biased"),
        ("related", (Difference("x", "minor", applies=True),), "look-alike"),
        ("none", (), "none"),
    ],
)
def test_severity_is_what_is_left_of_a_relation(kind, differences, expected):
    """Same only for exact and affine; what may be biased is biased."""
    assert severity(kind, differences) == expected


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("trl[GRPOTrainer]==1.16.0", "verl==0.9.1"),
        ("verl==0.9.1", "trl[RLOOTrainer]==1.16.0"),
        ("trl[SFTTrainer]==0.14.0", "trl[SFTTrainer]==1.16.0"),
        ("canonical", "verl==0.9.1"),
    ],
)
def test_every_row_says_how_much_it_weighs(source, target):
    """Rows that translate are same, close or biased, all others look-alikes or nothing."""
    for row in map_names(source, target).rows:
        assert row.severity in SEVERITIES
        assert (row.to is not None) == (row.severity in SEVERITIES[:4])
        assert (row.severity == "same") == (row.relation in ("exact", "affine") and row.to is not None)


def test_settings_of_either_side_end_their_own_differences():
    """GRPO's optimizer steps are verl's mini-batches: both sides have a say."""

    def shown(**config: object) -> set[str]:
        rows = map_names("trl[GRPOTrainer]==1.16.0", "verl==0.9.1", config=config).rows
        row = next(row for row in rows if row.from_ == "grad_norm")
        return {item.what.partition(":")[0] for item in row.differs_by if item.applies is not False}

    assert {"mini-batches of one epoch", "steps between two logs"} <= shown()
    assert "mini-batches of one epoch" not in shown(**{"data.train_batch_size": 256})
    assert "mini-batches of one epoch" in shown(**{"data.train_batch_size": 512})
    assert shown(**{"data.train_batch_size": 256, "logging_steps": 1}) <= {"passes over the same batch"}
