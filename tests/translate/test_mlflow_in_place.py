"""MLflow's rows that are changed where they are: the tables are the same as if they had been taken out and put back."""

import sqlite3
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rlmetrics.translate import translate_file
from rlmetrics.translate.rewriting.mlflow import database_rewriter

TABLES = ("metrics", "latest_metrics", "tags")
CASES = {
    ("trl[OnlineDPOTrainer]==0.18.2", "canonical"): [
        *("objective/kl", "val/contain_eos_token", "mine", "objective/entropy", "kl/old_reference_sum/k1")
    ],
    ("trl[PPOTrainer]==0.11.4", "canonical"): [
        *("ppo/mean_scores", "env/reward_mean", "objective/kl", "mine", "kl/old_reference_sum/k1", "ppo/std_scores")
    ],
}
POINTS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b"]),
        st.integers(0, 5),
        st.integers(0, 3),
        st.sampled_from([0.5, 1.0, 2.5, -1.7976931348623157e308]),
        st.booleans(),
    ),
    min_size=1,
    max_size=25,
    unique_by=lambda point: point[:3],
)


def write(path, keys, points):
    """Write a store with two runs."""
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE runs (run_uuid TEXT PRIMARY KEY)")
        for table in ("metrics", "latest_metrics"):
            database.execute(
                f"CREATE TABLE {table} (key TEXT, value FLOAT, timestamp BIGINT, run_uuid TEXT, step BIGINT, "
                "is_nan BOOLEAN, PRIMARY KEY (key, timestamp, step, run_uuid, value, is_nan))"
            )
        database.execute("CREATE TABLE tags (key TEXT, value TEXT, run_uuid TEXT, PRIMARY KEY (key, run_uuid))")
        database.executemany("INSERT INTO runs VALUES (?)", [("a",), ("b",)])
        rows = [(keys[0], 0.5, 9, "a", 9, False), (keys[2], 0.5, 9, "b", 9, False)]
        rows += [(keys[key % len(keys)], value, step, run, step, nan) for run, key, step, value, nan in points]
        database.executemany("INSERT OR IGNORE INTO metrics VALUES (?, ?, ?, ?, ?, ?)", rows)
        database.executemany("INSERT OR IGNORE INTO latest_metrics VALUES (?, ?, ?, ?, ?, ?)", rows[::2])


def content(path):
    """Return the rows of all tables, in no order of their own."""
    with closing(sqlite3.connect(path)) as database:
        rows = {table: sorted(map(repr, database.execute(f"SELECT * FROM {table}"))) for table in TABLES}
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return rows


@pytest.mark.skipif(sqlite3.sqlite_version_info < (3, 33), reason="nothing is changed in place")
@settings(max_examples=60, deadline=None)
@given(pair=st.sampled_from(sorted(CASES)), points=POINTS, both=st.booleans())
def test_rows_that_are_changed_in_place_are_the_same(pair, points, both, tmp_path_factory):
    """Keys that pass names on, that meet, or that are converted, in each run by itself."""
    folder = tmp_path_factory.mktemp("store")
    write(folder / "mlflow.db", CASES[pair], points)
    written = {}
    for name, since in (("in place", (3, 33)), ("taken out", (99,))):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(database_rewriter, "_UPDATES_FROM", since)
            options = {"source": pair[0], "target": pair[1], "both": both, "force": True}
            report = translate_file(folder / "mlflow.db", output=folder / name, **options)
            written[name] = content(folder / name), report.records
    assert written["in place"] == written["taken out"]
