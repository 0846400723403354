"""What a worker holds while it translates or judges a part of a table."""

from __future__ import annotations

import inspect
import pickle
import tracemalloc
from collections.abc import Callable
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pytest
from rlmetrics import frames
from rlmetrics.frames.frame_translation import decided_names
from rlmetrics.frames.partitions import NameOptions, asked_for, judging, translating
from rlmetrics.names import keys
from rlmetrics.translate.translation_options import Options

VERL = "verl==0.9.1"
LIMIT = 150 << 20
NAMES = [key.key for key in keys(VERL) if "{" not in key.key][:40]


def _points(steps: int) -> pa.Table:
    """Numbers of one run, a key after the other."""
    number = np.random.default_rng(0).normal(1, 0.1, steps * len(NAMES))
    return pa.table(
        {
            "run_id": pa.array(["a"] * len(number)),
            "step": np.tile(np.arange(steps), len(NAMES)),
            "key": pa.array(NAMES).take(pa.array(np.repeat(np.arange(len(NAMES)), steps))),
            "value": number,
        }
    )


def _peak(work: Callable[[], object]) -> int:
    """The most bytes that objects of Python held meanwhile."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_worker_that_translates_holds_little() -> None:
    """Of a million points less than 150 MiB of objects, and what it is sent is a few kilobytes."""
    table = _points(25_000)
    named = nw.from_native(table, eager_only=True)
    names = decided_names(named.schema, "long", Options(source=VERL), lambda: [named], exact=True)
    sent = pickle.dumps(names)
    translate, schema = translating(pickle.loads(sent), table.schema)

    assert len(sent) < 100_000
    made = []
    assert _peak(lambda: made.append(translate(table))) < LIMIT
    assert (made[0].num_rows, made[0].schema) == (table.num_rows, schema)
    assert made[0].equals(translate(table))


def test_a_worker_that_judges_a_run_holds_little() -> None:
    """Of half a million points less than 150 MiB of objects, in whatever order they come."""
    table = _points(12_500)
    judge = judging("run_id", VERL, "long", None, None, "step")

    made = []
    assert _peak(lambda: made.append(judge(table))) < LIMIT
    assert set(made[0]["run_id"].to_pylist()) == {"a"}


def test_engines_take_the_options_of_frames() -> None:
    """The same names with the same defaults; another one is refused as any function would."""
    parameters = inspect.signature(frames.translate).parameters.values()
    own = {one.name: one.default for one in parameters if one.kind is one.KEYWORD_ONLY and one.name != "layout"}
    more: dict[str, Any] = {"both": True}

    asked = asked_for(VERL, "canonical", {"strict": True, "unknown": "drop"})

    assert set(NameOptions.__annotations__) == set(own)
    assert {name: getattr(asked_for(VERL, "canonical", {}), name) for name in own} == own
    assert (asked.source, asked.target, asked.strict, asked.unknown) == (VERL, "canonical", True, "drop")
    with pytest.raises(TypeError, match="unexpected keyword argument 'both'"):
        asked_for(VERL, "canonical", more)  # type: ignore[arg-type]
