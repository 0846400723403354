"""Names in frames: every library gives what ``Translator`` makes of the rows, in its own kind of frame."""

from __future__ import annotations

from typing import Any, Literal

import polars as pl
import pyarrow as pa
import pytest
from frames.engines import ENGINES, rows_of, types_of
from hypothesis import given, settings
from hypothesis import strategies as st
from rlmetrics import frames
from rlmetrics.logs.input_errors import InputError
from rlmetrics.translate import Translator
from rlmetrics.translate.rival_keys import colliding

VERL, PPO, DPO = "verl==0.9.1", "trl[PPOTrainer]==0.7.10", "trl[OnlineDPOTrainer]==0.18.2"
TOKENS, FLIPPED = "train/total_tokens(B)", "val/contain_eos_token"
RIVALS = ("env/reward_mean", "ppo/mean_scores")
POOLS = {
    (VERL, "canonical"): [
        *("actor/grad_norm", "train/grad_norm", "actor/lr", "train/lr", "actor/mfu", "perf/mfu/actor", "train/mfu"),
        *(TOKENS, "actor/entropy", "response_length/mean", "response_length/clip_ratio", "mine/own"),
    ],
    (PPO, "canonical"): [*RIVALS, "objective/kl", "ppo/policy/approxkl", "mine/own"],
    ("trl[GRPOTrainer]==0.18.2", "trl[GRPOTrainer]==1.16.0"): ["reward_std", "reward", "kl", "mine/own"],
    (DPO, "canonical"): [FLIPPED, "epoch", "objective/kl"],
}
NUMBERS = st.sampled_from([0.0, 0.25, 0.5, -1.5, 3.0, 1e-9])


@st.composite
def runs(draw: st.DrawFn) -> tuple[str, str, list[dict[str, float]]]:
    """Rows of some keys, of which several may claim one name, with the same values or with others."""
    source, target = draw(st.sampled_from([*POOLS]))
    keys = draw(st.lists(st.sampled_from(POOLS[source, target]), min_size=1, unique=True))
    same = draw(st.booleans())
    rows = []
    for _ in range(draw(st.integers(1, 4))):
        value = draw(NUMBERS)
        held = draw(st.lists(st.sampled_from(keys), unique=True))
        rows.append({key: value if same else draw(NUMBERS) for key in held})
    return source, target, rows


def by_rows(source: str, target: str, rows: list[dict[str, float]]) -> list[dict[str, Any]]:
    """What becomes of the rows one by one, with keys that collide anywhere set aside everywhere."""
    translator = Translator(source, target)
    aside = colliding([(None, row) for row in rows], translator).get(None, frozenset())
    translator.new_report("rows")
    translator.set_aside(aside)
    return [translator.row(row) for row in rows]


def wide(rows: list[dict[str, float]]) -> pa.Table:
    """A column for each key."""
    keys = dict.fromkeys(key for row in rows for key in row)
    columns = {key: pa.array([row.get(key) for row in rows], pa.float64()) for key in keys}
    return pa.table({"run_id": ["a"] * len(rows), "step": [*range(len(rows))], **columns})


def points(rows: list[dict[str, float]]) -> pa.Table:
    """A row for each number."""
    flat = [("a", step, key, value) for step, row in enumerate(rows) for key, value in row.items()]
    names = [("run_id", pa.string()), ("step", pa.int64()), ("key", pa.string()), ("value", pa.float64())]
    return pa.table(
        {name: pa.array([point[place] for point in flat], kind) for place, (name, kind) in enumerate(names)}
    )


def near(found: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> None:
    """Rows are equal, numbers within the last place of float64."""
    assert [row.keys() for row in found] == [row.keys() for row in wanted]
    for one, other in zip(found, wanted, strict=True):
        for name, value in other.items():
            assert one[name] == (value if isinstance(value, str) else pytest.approx(value, rel=4e-16, abs=0))


@pytest.mark.filterwarnings("ignore:.*collided")
@settings(deadline=None, max_examples=40)
@given(runs())
def test_wide_frames_are_what_the_translator_makes_of_the_rows(run) -> None:
    """In every library: names, values, order, and which keys are set aside because they collide."""
    source, target, rows = run
    wanted = [{"run_id": "a", "step": step, **row} for step, row in enumerate(by_rows(source, target, rows))]
    table = wide(rows)

    for engine, make in ENGINES.items():
        found = rows_of(frames.translate(make(table), source, target, layout="wide"))
        if engine == "pandas":  # which keeps NaN for what is missing
            found = [{key: value for key, value in row.items() if value != "NaN"} for row in found]
        near([dict(sorted(row.items())) for row in found], [dict(sorted(row.items())) for row in wanted])


@pytest.mark.filterwarnings("ignore:.*collided")
@settings(deadline=None, max_examples=40)
@given(runs())
def test_long_frames_are_what_the_translator_makes_of_the_rows(run) -> None:
    """A row for each number, those left out that another key gives as well; DuckDB's in any order."""
    source, target, rows = run
    wanted = {
        (step, key): value for step, row in enumerate(by_rows(source, target, rows)) for key, value in row.items()
    }
    table = points(rows)

    for make in ENGINES.values():
        found = rows_of(frames.translate(make(table), source, target, layout="long"))
        assert len(found) == len(wanted)
        assert {(row["step"], row["key"]): row["value"] for row in found} == pytest.approx(wanted, rel=4e-16, abs=0)
        assert all(row["run_id"] == "a" for row in found)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_frame_that_comes_back_is_of_the_same_kind(engine) -> None:
    """The same class, and lazy where it was; the one that was given is as it was."""
    table = wide([{"actor/lr": 0.5, "mine/own": 1.0}])
    frame = ENGINES[engine](table)

    found = frames.translate(frame, VERL, "canonical")

    assert type(found) is type(frame)
    assert [*rows_of(found)[0]] == ["run_id", "step", "optimizer/learning_rate", "mine/own"]
    assert [*rows_of(frame)[0]] == ["run_id", "step", "actor/lr", "mine/own"]


@pytest.mark.parametrize("engine", [name for name in ENGINES if name != "pandas"])
def test_types_stay(engine) -> None:
    """Floats as wide as they were, whole numbers and text; only whole numbers that are converted become floats."""
    table = pa.table(
        {
            "step": pa.array([1, 2], pa.int32()),
            "actor/lr": pa.array([0.5, None], pa.float32()),
            "response_length/max": pa.array([7, 8], pa.int64()),
            TOKENS: pa.array([0.5, 1.5], pa.float32()),
            "mine/own": pa.array(["x", "y"]),
        }
    )

    found = types_of(frames.translate(ENGINES[engine](table), VERL, "canonical", layout="wide"))
    assert found == {
        "step": "int32",
        "optimizer/learning_rate": "float",
        "length/response/max": "int64",
        "progress/tokens_seen": "float",
        "mine/own": "string",
    }
    whole = ENGINES[engine](pa.table({"step": [1], TOKENS: [2]}))
    made = frames.translate(whole, VERL, "canonical", layout="wide")
    assert types_of(made)["progress/tokens_seen"] == "double"
    assert rows_of(made) == [{"step": 1, "progress/tokens_seen": 2e9}]


def test_coded_names_stay_coded() -> None:
    """A categorical column of names is one afterwards."""
    frame = pl.DataFrame(points([{"actor/lr": 0.5, "mine/own": 1.0}])).with_columns(pl.col("key").cast(pl.Categorical))

    found = frames.translate(frame, VERL, "canonical")

    assert found.schema["key"] == pl.Categorical
    assert found["key"].to_list() == ["optimizer/learning_rate", "mine/own"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("shape", [wide, points])
def test_keys_that_collide_are_set_aside_with_a_warning(engine, shape) -> None:
    """One value that differs sets both aside; the warning names them."""
    frame = ENGINES[engine](shape([{RIVALS[0]: 0.5, RIVALS[1]: 0.5}, {RIVALS[0]: 0.5, RIVALS[1]: 0.75}]))

    with pytest.warns(UserWarning, match=r"1 names collided and were set aside: env/reward_mean, ppo/mean_scores"):
        found = rows_of(frames.translate(frame, PPO, "canonical"))

    names = {row["key"] for row in found} if shape is points else set(found[0]) - {"run_id", "step"}
    assert names == {f"untranslated/trl-0.7.10/{name}" for name in RIVALS}


def test_layouts_are_told_apart() -> None:
    """A table of MLflow, of Neptune's exporter and of TensorBoard is long; one with a column a key is wide."""
    for key, value in (("key", "value"), ("attribute_path", "float_value"), ("tag", "value"), ("metric", "value")):
        frame = pl.DataFrame({"run_uuid": ["a"], "step": [1], key: ["actor/lr"], value: [0.5]})
        assert frames.translate(frame, VERL, "canonical")[key].to_list() == ["optimizer/learning_rate"]
    both = pl.DataFrame({"step": [1], "name": ["actor/lr"], "actor/lr": [0.5]})
    assert frames.translate(both, VERL, "canonical").columns == ["step", "name", "optimizer/learning_rate"]


def test_the_source_is_inferred_from_the_names() -> None:
    """As of a log."""
    rows = [{"actor/pg_loss": 0.1, "actor/ppo_kl": 0.0, "critic/score/mean": 0.5, "response_length/mean": 9.0}]
    for shape in (wide, points):
        found = frames.translate(pl.DataFrame(shape(rows)), "auto", "canonical")
        assert "length/response/mean" in (found["key"].to_list() if shape is points else found.columns)


@pytest.mark.parametrize(
    ("frame", "layout", "said"),
    [
        ({"step": [1], "actor/lr": [0.5]}, "long", "a long table has a column of names"),
        ({"step": [1], "actor/lr": [0.5]}, "tall", "no layout 'tall'; layouts are auto, wide, long"),
        ({"step": [1], TOKENS: ["much"]}, "wide", "can't be converted"),
        ({"step": [1], TOKENS: [True]}, "wide", "can't be converted"),
    ],
)
def test_what_does_not_fit_is_said(frame, layout: Literal["auto"], said) -> None:
    """One line, before anything is computed."""
    with pytest.raises(InputError, match=said):
        frames.translate(pl.DataFrame(frame), VERL, "canonical", layout=layout)


def test_what_is_no_frame_is_refused() -> None:
    """By Narwhals' own error."""
    with pytest.raises(TypeError):
        frames.translate([1, 2], VERL, "canonical")


def test_unknown_keys_are_kept_dropped_or_refused() -> None:
    """As by the translator, in both layouts."""
    for shape in (wide, points):
        frame = pl.DataFrame(shape([{"actor/lr": 0.5, "mine/own": 1.0}]))
        dropped = frames.translate(frame, VERL, "canonical", unknown="drop")
        names = dropped["key"].to_list() if shape is points else dropped.columns[2:]
        assert names == ["optimizer/learning_rate"]
        with pytest.raises(InputError, match="mine/own: not a key of"):
            frames.translate(frame, VERL, "canonical", unknown="error")
