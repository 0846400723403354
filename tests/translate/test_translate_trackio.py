"""Projects of Trackio, written by Trackio, translated through the command line, and read by Trackio."""

import json
import math
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from rlmetrics.cli import main
from rlmetrics.translate import InputError, Translator, translate_file
from translate.trackio_databases import cells_of, run_trackio

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "runs"
VERL = "verl==0.9.1"

WRITE = """
import json, sys, numpy, trackio
rows = [json.loads(line)["data"] for line in open(sys.argv[1])]
for name in ("first", "second"):
    trackio.init(project="rlhf", name=name, config={"lr": 1e-6})
    for row in rows:
        trackio.log(row)
    trackio.log({
        "critic/score/mean": float("nan"), "actor/pg_loss": float("-inf"), "mine/ünï": "é", "mine/large": 2**53,
        "actor/entropy": trackio.Histogram(numpy.arange(100.0)),
    })
    trackio.alert("KL", text="actor/ppo_kl > 1")
    trackio.finish()
"""
READ = """
import json, sys
from trackio.sqlite_storage import SQLiteStorage
print(json.dumps({run: SQLiteStorage.get_logs("rlhf", run) for run in ("first", "second")}))
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A project with two runs of verl's real rows, odd values, a histogram and an alert, written by Trackio."""
    home = tmp_path_factory.mktemp("trackio")
    run_trackio(home, "-c", WRITE, str(FIXTURES / "verl-0.9.1-tracking.jsonl"))
    return home / "rlhf.db"


@pytest.fixture
def project(written, tmp_path):
    """A copy of the project in a folder of its own."""
    return Path(shutil.copy(written, tmp_path / "rlhf.db"))


def test_trackio_reads_every_point_under_its_new_name(project, tmp_path, capsys):
    """Steps, times and values are those of the original, not finite ones and histograms included."""
    home = tmp_path / "home"
    home.mkdir()

    code = main(["translate", str(project), "--from", VERL, "--to", "canonical", "-o", str(home / "rlhf.db"), "--json"])

    report = json.loads(capsys.readouterr().out)
    old, new = (json.loads(run_trackio(folder, "-c", READ)) for folder in (tmp_path, home))
    translator = Translator(VERL, "canonical")
    assert (code, report["kind"], report["from"]) == (0, "trackio", VERL)
    assert set(new) == {"first", "second"}
    for run, rows in old.items():
        expected = [translator.row(row) for row in rows]
        assert repr(expected) == repr(new[run])  # NaN is not equal to itself
    assert report["records"] == sum(len(rows) for rows in old.values())
    assert math.isnan(new["first"][-1]["reward/score/mean"])
    assert new["first"][-1]["entropy/old_policy"]["_type"] == "trackio.histogram"


def test_trackio_s_own_command_shows_the_new_names(project, tmp_path, capsys):
    """``trackio get metric`` finds a metric by its new name, at each step."""
    home = tmp_path / "home"
    home.mkdir()
    assert main(["translate", str(project), "--from", VERL, "--to", "canonical", "-o", str(home / "rlhf.db")]) == 0

    command = ["-m", "trackio.cli", "get", "metric", "--project", "rlhf", "--run", "first", "--json", "--metric"]
    old = json.loads(run_trackio(tmp_path, *command, "actor/ppo_kl"))["values"]
    new = json.loads(run_trackio(home, *command, "kl/old/k1"))["values"]

    assert old == new
    assert new != []


def test_everything_but_names_is_the_same_bytes(project, tmp_path):
    """JSON stays bytes with the same values; other tables are equal; the configuration says where names come from."""
    out = tmp_path / "out.db"
    report = translate_file(project, source=VERL, target="canonical", output=out)

    old, new = (cells_of(path, "SELECT id, run_id, timestamp, step, metrics FROM metrics") for path in (project, out))
    names = {was: how["to"] for was, how in report.translated.items()} | report.set_aside
    for was, now in zip(old, new, strict=True):
        assert was[:-1] == now[:-1]
        assert isinstance(now[-1], bytes)
        expected = was[-1]
        for name in sorted(names, key=len, reverse=True):
            expected = expected.replace(f'"{name}":'.encode(), f'"{names[name]}":'.encode())
        assert now[-1] == expected
    for table in ("alerts", "system_metrics", "project_metadata", "traces"):
        assert cells_of(project, f"SELECT * FROM {table}") == cells_of(out, f"SELECT * FROM {table}")
    (config,), _ = cells_of(out, "SELECT config FROM configs")
    assert json.loads(config)["lr"] == 1e-6
    assert json.loads(config)["translated_from"] == {
        "from": VERL,
        "to": report.target,
        "names": report.provenance()["names"],
    }
    assert sum("names actor/ppo_kl: left as it is" in note for note in report.notes) == 2


def test_a_second_translation_replaces_the_note_of_the_first(project, tmp_path):
    """The configuration tells the last translation, once."""
    there, back = tmp_path / "there.db", tmp_path / "back.db"
    translate_file(project, source=VERL, target="canonical", output=there)
    report = translate_file(there, source="canonical", target=VERL, output=back)

    (config,), _ = cells_of(back, "SELECT config FROM configs")
    assert config.count(b'"translated_from":') == 1
    assert report.provenance() == json.loads(config)["translated_from"]


def test_known_conversions_turn_infinities_and_histograms_around(tmp_path):
    """What counts the opposite is subtracted from one: numbers, text that stands for infinity, bins and counts."""
    path, out = tmp_path / "p.db", tmp_path / "out.db"
    key = "val/contain_eos_token"
    histogram = {"_type": "trackio.histogram", "bins": [0.0, 0.25, 1.0], "values": [3, 1]}
    _old_project(path, [{key: 0.25}, {key: "Infinity"}, {key: "NaN"}, {key: histogram}])

    translate_file(path, source="trl[OnlineDPOTrainer]==0.18.2", target="canonical", output=out)

    rows = [json.loads(text)["length/truncated_fraction"] for (text,) in cells_of(out, "SELECT metrics FROM metrics")]
    turned = {"_type": "trackio.histogram", "bins": [0.0, 0.75, 1.0], "values": [1, 3]}
    assert rows == [0.75, "-Infinity", "NaN", turned]


def _old_project(path, rows):
    """Write a project as Trackio 0.2.8 does: one table, in which logged dicts are text."""
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(
            "CREATE TABLE metrics (id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp TEXT NOT NULL, "
            "run_name TEXT NOT NULL, step INTEGER NOT NULL, metrics TEXT NOT NULL)"
        )
        values = [("2025-08-12T00:00:00", "a", step, json.dumps(row)) for step, row in enumerate(rows)]
        database.executemany("INSERT INTO metrics (timestamp, run_name, step, metrics) VALUES (?, ?, ?, ?)", values)


def test_a_project_of_an_early_release_stays_text(tmp_path, capsys):
    """Trackio 0.2.8 wrote text, NaN as a literal and no configuration; so it stays."""
    path = tmp_path / "p.db"
    _old_project(path, [{"actor/ppo_kl": 0.5, "critic/score/mean": math.nan}, {"actor/ppo_kl": 0.25, "é": "ü"}])

    code = main(["translate", str(path), "--from", VERL, "--to", "canonical", "-o", str(tmp_path / "out.db")])

    rows = [text for (text,) in cells_of(tmp_path / "out.db", "SELECT metrics FROM metrics")]
    assert code == 0
    assert rows == ['{"kl/old/k1": 0.5, "reward/score/mean": NaN}', '{"kl/old/k1": 0.25, "\\u00e9": "\\u00fc"}']


def test_rows_that_a_crash_left_in_the_journal_are_translated(project, tmp_path):
    """A killed writer leaves its last rows beside the database; they come along; no file beside it changes."""
    row = json.dumps({"actor/ppo_kl": 7.5}).encode()
    code = f"""
import os, signal, sqlite3
database = sqlite3.connect({str(project)!r})
database.execute("PRAGMA journal_mode = WAL")
database.execute("PRAGMA wal_autocheckpoint = 0")
insert = "INSERT INTO metrics (run_id, timestamp, run_name, step, metrics) VALUES ('x', 't', 'late', 0, ?)"
database.execute(insert, ({row!r},))
database.commit()
os.kill(os.getpid(), signal.SIGKILL)
"""
    subprocess.run([sys.executable, "-c", code], check=False)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert before["rlhf.db-wal"]

    translate_file(project, source=VERL, target="canonical", output=tmp_path / "out.db")

    assert (
        cells_of(tmp_path / "out.db", "SELECT metrics FROM metrics WHERE run_name = 'late'")[0][0]
        == b'{"kl/old/k1": 7.5}'
    )
    assert {file.name for file in tmp_path.iterdir()} == {*before, "out.db"}
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir() if file.name != "out.db"} == before


def test_a_transaction_that_a_crash_broke_off_is_taken_back(tmp_path):
    """Rows half overwritten when their writer was killed come out as they were before; the input keeps its journal."""
    path = tmp_path / "p.db"
    _old_project(path, [{"actor/ppo_kl": step / 4} for step in range(5000)])
    code = f"""
import os, signal, sqlite3
database = sqlite3.connect({str(path)!r})
database.execute("PRAGMA cache_size = 1")
database.execute("UPDATE metrics SET metrics = 'garbage'")
os.kill(os.getpid(), signal.SIGKILL)
"""
    subprocess.run([sys.executable, "-c", code], check=False)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert b"garbage" in before["p.db"]
    assert before["p.db-journal"]

    translate_file(path, source=VERL, target="canonical", output=tmp_path / "out.db")

    rows = [json.loads(text) for (text,) in cells_of(tmp_path / "out.db", "SELECT metrics FROM metrics ORDER BY id")]
    assert [{"kl/old/k1": step / 4} for step in range(5000)] == rows
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir() if file.name != "out.db"} == before


def test_a_project_in_use_is_copied_as_of_one_moment(project, tmp_path):
    """While another process logs, the copy holds whole transactions only."""
    code = f"""
import sqlite3, sys
database = sqlite3.connect({str(project)!r}, isolation_level=None, timeout=60)
database.execute("PRAGMA journal_mode = WAL")
database.execute("PRAGMA wal_autocheckpoint = 0")  # all of it stays beside the file
database.execute("CREATE TABLE pairs (a, b)")
print("ready", flush=True)
for number in range(10**9):
    database.execute("BEGIN IMMEDIATE")
    database.execute("INSERT INTO pairs VALUES (?, 1)", (number,))
    database.execute("INSERT INTO pairs VALUES (?, 2)", (number,))
    database.execute("COMMIT")
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        translate_file(project, source=VERL, target="canonical", output=tmp_path / "out.db")
        writer.kill()

    pairs = cells_of(tmp_path / "out.db", "SELECT count(*), sum(b = 1), sum(b = 2) FROM pairs")[0]
    assert pairs[0] == 2 * pairs[1] == 2 * pairs[2]
    assert cells_of(tmp_path / "out.db", "PRAGMA integrity_check") == [("ok",)]


@pytest.mark.parametrize("damage", ["not-json", "not-text", "torn-file"])
def test_damage_is_one_line_and_nothing_is_written(project, tmp_path, capsys, damage):
    """A logged dict that is none, or a file cut short, is named; there is no output."""
    if damage == "not-json":
        with closing(sqlite3.connect(project)) as database, database:
            database.execute("UPDATE metrics SET metrics = '{\"actor/ppo_kl\" 1}' WHERE id = 2")
        expected = f"{project}: row 2 of the table metrics: not a JSON object: found '1'"
    elif damage == "not-text":
        with closing(sqlite3.connect(project)) as database, database:
            database.execute("UPDATE metrics SET metrics = x'7bff7d' WHERE id = 2")
        expected = f"{project}: row 2 of the table metrics: not UTF-8 text"
    else:
        os.truncate(project, 5 * 4096)
        expected = f"{project}: can't be read as an SQLite database"
    before = sorted(os.listdir(tmp_path))

    code = main(["translate", str(project), "--kind", "trackio", "--from", VERL, "--to", "canonical"])

    error = capsys.readouterr().err
    assert code == 2
    assert expected in error
    assert error.count(str(project)) == error.count("\n") == 1
    assert sorted(os.listdir(tmp_path)) == before


def test_a_damaged_database_leaves_no_journal_behind(tmp_path):
    """What was copied beside the output goes, too."""
    path = tmp_path / "p.db"
    path.write_bytes(b"SQLite format 3\0" + b"x" * 4080)
    (tmp_path / "p.db-wal").write_bytes(b"x" * 5000)

    with pytest.raises(InputError, match="can't be read as an SQLite database"):
        translate_file(path, source=VERL, target="canonical", kind="trackio")
    assert sorted(os.listdir(tmp_path)) == ["p.db", "p.db-wal"]


def test_another_database_is_refused(tmp_path):
    """A database without logged dicts is no project."""
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE metrics (key, value)")

    with pytest.raises(InputError, match="is this a project of Trackio"):
        translate_file(path, source=VERL, target="canonical", kind="trackio")
