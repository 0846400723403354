"""Rows of W&B's runs: what it tells of a table or a histogram is no metric of the run."""

from pathlib import Path

import pytest
from rlmetrics.health.curves import read_curves
from rlmetrics.logs.kinds.wandb.run import rows_from

_RUNS = Path(__file__).parents[1] / "fixtures" / "runs" / "wandb"


@pytest.mark.parametrize("release", ["0.22.3", "0.31.0"])
def test_parts_of_a_table_are_no_keys_of_a_row(release):
    """Neither its number of rows nor its size; a key of a user's own with a dot stays."""
    (path,) = (_RUNS / f"made-by-{release}").glob("*.wandb")
    names = {name for _, row in rows_from(path, 0) for name in row}

    assert "dotted.key" in names
    assert not {name for name in names if name.startswith(("actor/pg_clipfrac.", "actor/grad_norm."))}


def test_no_curve_is_drawn_of_a_table():
    """Two runs are not told apart by a table that one of them logged."""
    curves = next(iter(read_curves(_RUNS / "made-by-0.31.0", at="verl==0.5.0")))
    assert not [key for key in curves.curves if key.rpartition(".")[2] in {"nrows", "ncols", "size"}]
