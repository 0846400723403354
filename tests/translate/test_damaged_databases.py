"""A damaged SQLite database is told, not copied: pages that no query of a translation touches included."""

import json
import random
import sqlite3
from contextlib import closing

import pytest
from rlmetrics.logs.input_errors import InputError
from rlmetrics.translate import translate_file

VERL = "verl==0.9.1"


@pytest.fixture
def whole(tmp_path):
    """A project of Trackio of 400 rows, with a table and an index that a translation has nothing to do with."""
    path = tmp_path / "project.db"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(
            "CREATE TABLE metrics (id INTEGER PRIMARY KEY, timestamp TEXT, run_name TEXT, step INTEGER, metrics TEXT)"
        )
        database.execute("CREATE INDEX idx_metrics ON metrics (run_name, step)")
        database.execute("CREATE TABLE system_metrics (id INTEGER PRIMARY KEY, run_name TEXT, metrics TEXT)")
        for step in range(400):
            row = json.dumps({"actor/ppo_kl": step / 7, "critic/score/mean": 0.25})
            database.execute("INSERT INTO metrics VALUES (?, 'now', 'one', ?, ?)", (step, step, row))
            database.execute("INSERT INTO system_metrics VALUES (?, 'one', ?)", (step, json.dumps({"cpu": step})))
    return path


def test_what_is_written_is_whole(whole, tmp_path):
    """Wherever bytes are wrong: a copy whose pages hang together, or one line and no copy."""
    content, out, dice, refused = whole.read_bytes(), tmp_path / "out.db", random.Random(5), 0
    for _ in range(60):
        damaged = bytearray(content)
        for _ in range(8):  # heads of pages, where damage is no other value
            page = dice.randrange(1, len(content) // 4096) * 4096
            damaged[page + dice.randrange(16)] = dice.randrange(256)
        whole.write_bytes(damaged)
        message = ""
        try:
            translate_file(whole, source=VERL, target="canonical", output=out, kind="trackio", force=True)
        except InputError as error:
            message = str(error)
        if message:
            refused += 1
            assert message.startswith(str(whole))
            assert "\n" not in message
            continue
        with closing(sqlite3.connect(out)) as database:
            assert database.execute("PRAGMA quick_check").fetchall() == [("ok",)]

    assert refused > 30


def test_damage_in_a_table_that_is_not_translated_is_told(whole, tmp_path):
    """The page of another table: translating reads none of it."""
    with closing(sqlite3.connect(whole)) as database:
        (page,) = database.execute("SELECT rootpage FROM sqlite_master WHERE name = 'system_metrics'").fetchone()
    with whole.open("r+b") as file:
        file.seek((page - 1) * 4096 + 3)
        file.write(b"\xff\xff")

    with pytest.raises(InputError, match=r"can't be read as an SQLite database: .*; save what is left"):
        translate_file(whole, source=VERL, target="canonical", output=tmp_path / "out.db", kind="trackio")

    assert [path.name for path in tmp_path.iterdir()] == ["project.db"]
