"""One table through seven engines: the same names, numbers and findings, whatever computes them."""

# pyright: reportMissingImports=false

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import zip_longest
from typing import Any

import dask
import dask.dataframe as dd
import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from frames.engines import arrow_of
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from rlmetrics import frames

VERL, PPO, DPO = "verl==0.9.1", "trl[PPOTrainer]==0.7.10", "trl[OnlineDPOTrainer]==0.18.2"
TOKENS, FLIPPED = "train/total_tokens(B)", "val/contain_eos_token"
RIVALS = ("env/reward_mean", "ppo/mean_scores")
POOLS = {
    VERL: ["actor/lr", TOKENS, "actor/entropy", "response_length/mean", "train/grad_norm", "actor/grad_norm", "mine"],
    PPO: [*RIVALS, "objective/kl", "mine"],
    DPO: [FLIPPED, "objective/kl"],
}
NUMBERS = st.sampled_from([0.0, 0.25, 0.5, -1.5, 3.0, 1e-9])
FOUND = ("run_id", "verdict", "at", "rule", "level", "key", "onset_step", "seen_step", "value")
Engine = tuple[Callable[[pa.Table], Any], Callable[[Any], pa.Table], Any]

dask.config.set(scheduler="synchronous")
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*collided"),
    pytest.mark.filterwarnings("ignore:Dask support is moving:FutureWarning"),
]


@pytest.fixture(scope="module")
def engines(spark, ray) -> dict[str, Engine]:
    """How a table gets into each engine and out of it, and which module translates and judges there."""
    from ray import data
    from rlmetrics.frames import ray as in_ray
    from rlmetrics.frames import spark as in_spark

    def blocks(table: pa.Table) -> Any:
        half = table.num_rows // 2
        return data.from_arrow([table.slice(0, half), table.slice(half)])

    def together(dataset: Any) -> pa.Table:
        parts = [part for part in dataset.iter_batches(batch_format="pyarrow") if part.num_columns]
        return pa.concat_tables(parts) if parts else pa.table({})

    def of_dask(table: pa.Table) -> Any:
        return dd.from_pandas(table.to_pandas(types_mapper=pd.ArrowDtype), npartitions=2)

    def from_dask(frame: Any) -> pa.Table:
        return pa.Table.from_pandas(frame.compute(), preserve_index=False)

    def to_spark(table: pa.Table) -> Any:
        return spark.createDataFrame(table).repartition(2)

    def from_spark(frame: Any) -> pa.Table:
        return frame.toArrow()

    return {
        "pandas": (lambda table: table.to_pandas(types_mapper=pd.ArrowDtype), arrow_of, frames),
        "polars, lazy": (lambda table: pl.DataFrame(pl.from_arrow(table)).lazy(), arrow_of, frames),
        "pyarrow": (lambda table: table, arrow_of, frames),
        "duckdb": (duckdb.from_arrow, arrow_of, frames),
        "dask": (of_dask, from_dask, frames),
        "spark by queries": (to_spark, from_spark, frames),
        "spark by partitions": (to_spark, from_spark, in_spark),
        "ray": (blocks, together, in_ray),
    }


@st.composite
def tables(draw: st.DrawFn) -> tuple[str, str, pa.Table]:
    """Runs of some keys, wide or long, of which several keys may claim one name with the same values or others."""
    source, layout = draw(st.sampled_from([*POOLS])), draw(st.sampled_from(["wide", "long"]))
    keys = draw(st.lists(st.sampled_from(POOLS[source]), min_size=1, unique=True))
    same = draw(st.booleans())
    rows: list[dict[str, Any]] = []
    for place in range(draw(st.integers(2, 5))):
        value = draw(NUMBERS)
        held = draw(st.lists(st.sampled_from(keys), unique=True))
        numbers = {key: value if same else draw(NUMBERS) for key in held}
        rows.append({"run_id": "ab"[place % 2], "step": place, **numbers})
    return source, layout, table_of(layout, keys, rows)


def table_of(layout: str, keys: list[str], rows: list[dict[str, Any]]) -> pa.Table:
    """Rows with a column for each key, or a row for each number."""
    if layout == "wide":
        columns = {key: pa.array([row.get(key) for row in rows], pa.float64()) for key in keys}
        return pa.table({"run_id": [row["run_id"] for row in rows], "step": [row["step"] for row in rows], **columns})
    flat = [(row["run_id"], row["step"], key, row[key]) for row in rows for key in keys if key in row]
    names = [("run_id", pa.string()), ("step", pa.int64()), ("key", pa.string()), ("value", pa.float64())]
    return pa.table({name: pa.array([one[at] for one in flat], kind) for at, (name, kind) in enumerate(names)})


def rows_in(table: pa.Table) -> list[tuple[Any, ...]]:
    """The rows in one order, NaN of pandas as what is missing."""

    def plain(value: Any) -> Any:
        return None if isinstance(value, float) and math.isnan(value) else value

    found = [tuple(sorted((name, plain(value)) for name, value in row.items())) for row in table.to_pylist()]
    # The last digit, which engines may round otherwise, decides no order.
    return sorted(found, key=lambda row: [(name, f"{v:.12g}" if isinstance(v, float) else repr(v)) for name, v in row])


def differing(found: list[tuple[Any, ...]], wanted: list[tuple[Any, ...]]) -> list[Any]:
    """Pairs of rows that are not the same, numbers to the last place."""

    def same(one: Any, other: Any) -> bool:
        return one == other or (
            isinstance(one, float) and isinstance(other, float) and math.isclose(one, other, rel_tol=4e-16)
        )

    nothing: tuple[Any, ...] = ()
    pairs = zip_longest(found, wanted, fillvalue=nothing)
    return [
        (row, other)
        for row, other in pairs
        if [name for name, _ in row] != [name for name, _ in other]
        or not all(same(value, its) for (_, value), (_, its) in zip(row, other, strict=True))
    ]


def types_in(table: pa.Table) -> dict[str, str]:
    """The types of the columns, in one spelling."""
    return {
        field.name: str(field.type).removeprefix("large_").replace("string_view", "string") for field in table.schema
    }


LEARNING = [{"run_id": "a", "step": step, "actor/lr": 0.5, TOKENS: 1.5} for step in range(3)]
BOTH = [{"run_id": "a", "step": step, **dict.fromkeys(RIVALS, 0.5)} for step in range(3)]


@settings(deadline=None, max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=tables())
@example(drawn=(VERL, "wide", table_of("wide", ["actor/lr", TOKENS], LEARNING)))
@example(drawn=(VERL, "long", table_of("long", ["actor/lr", TOKENS], LEARNING)))
@example(drawn=(PPO, "wide", table_of("wide", [*RIVALS], BOTH)))
@example(drawn=(PPO, "long", table_of("long", [*RIVALS], BOTH)))
def test_translated_tables_are_equal(engines, drawn) -> None:
    """Names, values to the last place, types, and which keys are set aside; as sets of rows, for some keep no order."""
    source, layout, table = drawn
    made = {}
    for name, (into, out, module) in engines.items():
        made[name] = out(module.translate(into(table), source, "canonical", layout=layout))
    wanted = made["pyarrow"]
    for name, found in made.items():
        if name == "ray" and not table.num_rows:
            continue  # a dataset without rows has no columns
        assert types_in(found) == types_in(wanted), name
        assert differing(rows_in(found), rows_in(wanted)) == [], name


def test_findings_are_equal(engines) -> None:
    """Of runs with a fault and without, in both layouts, whatever the partitions."""
    from health_simulator import simulate, spelled

    trl = "trl[GRPOTrainer]==1.16.0"
    rows = [
        {"run_id": name, **row}
        for name in ("entropy_collapse", "healthy")
        for row in spelled(simulate("grpo", name, 0).rows, trl)
    ]
    keys = [*dict.fromkeys(key for row in rows for key in row if "entropy" in key or "reward" in key)]
    for layout in ("wide", "long"):
        table = table_of(layout, keys, rows)
        found = {}
        for name, (into, out, module) in engines.items():
            answer = out(module.check(into(table), at=trl, layout=layout)).select(FOUND)
            found[name] = rows_in(answer)
        assert any(("level", None) not in row for row in found["pyarrow"])
        assert {name: rows for name, rows in found.items() if rows != found["pyarrow"]} == {}


def test_a_lazy_frame_stays_lazy(engines) -> None:
    """What comes back is of the same class as what was given; a dataset in memory becomes one that is not."""
    table = table_of("long", ["actor/lr"], LEARNING)
    for name, (into, _, module) in engines.items():
        frame = into(table)
        assert isinstance(frame, type(module.translate(frame, VERL, "canonical"))), name
        assert isinstance(frame, type(module.check(frame, at=VERL))), name
