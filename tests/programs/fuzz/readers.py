"""What is fuzzed: for each kind of input what it begins with, and how it is changed without breaking its frame."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import random
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from folders import FIXTURES
from logs import LOGS, Rows
from programs.fuzz.changing import changed, changed_message, changed_text, odd_text
from rlmetrics.logs.kinds.tensorboard.crc32c import masked
from swanlab_files import old, packed, recent, records_of
from tracker_messages import Event
from wandb_frames import Record, framed, payloads

HERE = Path(__file__).resolve().parent

ROWS: Rows = [
    {"actor/lr(1e-4)": "0.5", "actor/ppo_kl": "0.25", "critic/score/mean": "-1e-3", "mine/own": "2", "epoch": "1"},
    {"actor/lr(1e-4)": "1e-7", "actor/ppo_kl": "1.5", "critic/score/mean": "0.125", "mine/own": "-0.0", "epoch": "2"},
]
"""Names of verl 0.1, with one whose values are converted."""


@dataclass(frozen=True)
class Reader:
    """A kind of input.

    Attributes:
        name: What it is called here; its corpus lies in a folder of this name.
        kind: As ``--kind`` takes it; empty for a form, which tells by itself what it holds.
        file: What the file is called.
        seeds: What fuzzing begins with.
        change: Returns a changed input; it is given another one to take parts from.
        put: Writes an input to a path.
    """

    name: str
    kind: str
    file: str
    seeds: Callable[[], list[bytes]]
    change: Callable[[random.Random, bytes, bytes], bytes] = changed
    put: Callable[[Path, bytes], object] = Path.write_bytes

    @property
    def corpus(self) -> list[Path]:
        """Inputs that were found to be worth keeping."""
        return sorted((HERE / "corpus" / self.name).glob("*"))

    def inputs(self) -> list[bytes]:
        """Return what there is to begin with."""
        return [*self.seeds(), *(path.read_bytes() for path in self.corpus)]


def _of_log(name: str, *fixtures: str) -> Callable[[], list[bytes]]:
    def seeds() -> list[bytes]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, name)
            LOGS[name].write(path, ROWS)
            file = path if path.is_file() else next(found for found in path.rglob("*") if found.is_file())
            return [file.read_bytes(), *_fixtures(*fixtures)()]

    return seeds


def _fixtures(*patterns: str) -> Callable[[], list[bytes]]:
    return lambda: [path.read_bytes() for pattern in patterns for path in sorted(FIXTURES.glob(pattern))]


def _texts(*texts: str) -> Callable[[], list[bytes]]:
    return lambda: [text.encode() for text in texts]


def _change_run(dice: random.Random, content: bytes, other: bytes) -> bytes:
    """Change the records of a run of W&B, and frame them again."""
    if dice.random() < 0.2:
        return changed(dice, content, other)
    try:
        records = payloads(content)
    except AssertionError:
        return changed(dice, content, other)
    return b"".join(framed(_change_records(dice, records, Record)))


def _change_values(dice: random.Random, content: bytes, other: bytes) -> bytes:
    """Change a record of a SwanLab run, in chunks whose checksums are right."""
    records, others = records_of(content), records_of(other)
    place = dice.randrange(len(records))
    records[place] = changed(dice, records[place], dice.choice(others))
    return packed(records, 2)


def _change_events(dice: random.Random, content: bytes, other: bytes) -> bytes:
    """Change the events of a file of TensorBoard, and frame them again."""
    if dice.random() < 0.2:
        return changed(dice, content, other)
    events, at = [], 0
    while at + 16 <= len(content) and (size := int.from_bytes(content[at : at + 8], "little")) < len(content):
        events.append(content[at + 12 : at + 12 + size])
        at += 16 + size
    return b"".join(map(_event, _change_records(dice, events, Event)))


def _event(message: bytes) -> bytes:
    head = len(message).to_bytes(8, "little")
    return b"".join([head, masked(head).to_bytes(4, "little"), message, masked(message).to_bytes(4, "little")])


def _change_records(dice: random.Random, records: list[bytes], message: Any) -> list[bytes]:
    records = list(records) or [b""]
    for _ in range(dice.choice((1, 1, 2, 5))):
        place = dice.randrange(len(records))
        what = dice.random()
        if what < 0.7:
            records[place] = changed_message(dice, message, records[place])
        elif what < 0.8:
            records[place] = changed(dice, records[place], records[dice.randrange(len(records))])
        elif what < 0.9:
            records.insert(place, records[dice.randrange(len(records))])
        elif len(records) > 1:
            del records[place]
    return records


_SCHEMA = (
    "CREATE TRIGGER {name} AFTER UPDATE ON metrics BEGIN DELETE FROM metrics; END",
    "CREATE TRIGGER {name} BEFORE INSERT ON metrics BEGIN SELECT RAISE(ABORT, 'no'); END",
    "CREATE TRIGGER {name} AFTER DELETE ON metrics BEGIN SELECT absent(); END",
    "CREATE INDEX {name} ON metrics (run_name)",
    "CREATE INDEX {name} ON metrics (abs(step))",
    "CREATE VIEW {name} AS SELECT * FROM metrics",
    "CREATE VIEW {name} AS SELECT * FROM absent",
    "CREATE TABLE {name} (a, b)",
    "ALTER TABLE metrics ADD COLUMN {name} TEXT DEFAULT 'x'",
    "ALTER TABLE metrics ADD COLUMN {name} GENERATED ALWAYS AS (step) VIRTUAL",
    "ALTER TABLE metrics RENAME COLUMN step TO {name}",
    "DROP TABLE configs",
    "DELETE FROM metrics",
    "PRAGMA user_version = 7",
    "PRAGMA encoding = 'UTF-16'",
    "VACUUM",
)


def _change_database(dice: random.Random, content: bytes, other: bytes) -> bytes:
    """Change cells, rows and the schema of a database, or its bytes."""
    if dice.random() < 0.2:
        return changed(dice, content, other)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "d.db")
        path.write_bytes(content)
        try:
            with closing(sqlite3.connect(path, isolation_level=None)) as database:
                for _ in range(dice.choice((1, 1, 3))):
                    _change_rows(dice, database)
        except (sqlite3.Error, UnicodeError, OverflowError):
            pass
        return path.read_bytes()


def _change_rows(dice: random.Random, database: sqlite3.Connection) -> None:
    tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    if dice.random() < 0.2 or not tables:
        database.execute(dice.choice(_SCHEMA).format(name=f"x{dice.randrange(5)}"))
        return
    table = "metrics" if "metrics" in tables and dice.random() < 0.7 else dice.choice(tables)
    columns = [row[1] for row in database.execute(f'PRAGMA table_info("{table}")')]
    column = dice.choice(columns)
    found = database.execute(f'SELECT rowid, "{column}" FROM "{table}" ORDER BY random() LIMIT 1').fetchone()
    if found is None:
        return
    row, old = found
    if isinstance(old, bytes):
        new: object = changed_text(dice, old.decode(errors="replace")).encode(errors="replace")
    else:
        new = dice.choice(
            (changed_text(dice, str(old)), odd_text(dice), None, 2**62, -1, 1e308, float("inf"), b"\xff\0", "")
        )
    if dice.random() < 0.3:
        listed = ", ".join(f'"{name}"' for name in columns if name not in {column, "id"})
        with_it = f', "{column}"' if column != "id" else ""
        value = ", ?" if with_it else ""
        database.execute(
            f'INSERT INTO "{table}" ({listed}{with_it}) SELECT {listed}{value} FROM "{table}" WHERE rowid = ?',
            (*((new,) if value else ()), row),
        )
    else:
        database.execute(f'UPDATE "{table}" SET "{column}" = ? WHERE rowid = ?', (new, row))


_PART = b"\n=== "
"""Parts of a run's folder in one input: the name of a file, a line end, its content."""


def _folder_seeds() -> list[bytes]:
    metrics = {b"actor/lr(1e-4)": b"1 0.5 0\n2 0.25 1\n", b"actor/ppo_kl": b"1 nan 0\n", b"mine/own": b"1 1 1\n"}
    return [b"".join(_PART + name + b"\n" + content for name, content in metrics.items())]


def _put_folder(path: Path, content: bytes) -> None:
    run = path / "1" / "run"
    (run / "metrics").mkdir(parents=True)
    (run / "meta.yaml").write_text("run_id: run\n")
    for part in content.split(_PART)[1:]:
        name, _, lines = part.partition(b"\n")
        legal = [piece for piece in name.decode("utf-8", "surrogateescape").split("/") if piece not in {"", ".", ".."}]
        goal = run.joinpath("metrics", *(piece.replace("\0", "")[:60] or "x" for piece in legal))
        try:
            goal.parent.mkdir(parents=True, exist_ok=True)
            goal.write_bytes(lines)
        except OSError:
            continue


_CARD = """Results of `x`:

| Training Loss | Epoch | Step | Validation Loss | Rewards/chosen | actor / lr(1e-4) |
|:-------------:|:-----:|:----:|:---------------:|:--------------:|-----------------:|
| No log        | 0.5   | 10   | 0.5             | 0.01           | 2.5              |
| 0.25          | 1     | 20   | 0.25            | NaN            | -1e3             |

Step Training Loss critic / score / mean  timing / ref
1 0.5 0.25 1
2 0.5 No log 2
"""
_SHOWN = (
    '<p><table border="1" class="dataframe">\n<thead><tr><th>Step</th><th>Training Loss</th><th> actor / lr(1e-4) </th>'
    "<th><b>mine &amp; own</b></th></tr></thead>\n<tr><td>1</td><td>0.5</td><td>2.5</td><td>1</td></tr>\n</table>"
)
_NOTEBOOK = json.dumps(
    {
        "cells": [
            {"cell_type": "code", "outputs": [{"data": {"text/html": _SHOWN}}, {"data": {"text/plain": [_CARD]}}]},
            {
                "outputs": [
                    {"name": "stdout", "text": ["{'loss': 0.5, 'epoch': ", "0.1}\n", "{'loss': 1, 'epoch': 1}\n"]}
                ]
            },
            {"outputs": [{"name": "stdout", "text": "step:1 - actor/lr(1e-4):0.5 - critic/score/mean:1\n"}]},
        ]
    }
)


def _download_seeds() -> list[bytes]:
    """Return downloads of a folder: the name of a file, a line end, its content."""
    table = b"Wall time,Step,Value\n1700000000.5,1,0.5\n1700000001.5,2,nan\n1700000002.5,3,1e-05\n"
    files = {
        b"run-a-tag-actor_lr(1e-4).csv": table,
        b"run-a-tag-critic_score_mean.json": b"[[1.5, 1, 0.5], [2.5, 2, 0.25]]",
        b"run-b-tag-actor_ppo_kl (1).csv": table,
        b"run-.-tag-val_contain_eos_token.json": b'[[1,1,"NaN"],[2,2,1e-5]]',
    }
    return [b"".join(_PART + name + b"\n" + content for name, content in files.items())]


def _put_downloads(path: Path, content: bytes) -> None:
    path.mkdir()
    for part in content.split(_PART)[1:]:
        name, _, body = part.partition(b"\n")
        legal = name.decode("utf-8", "surrogateescape").replace("/", "_").replace("\0", "")[:100]
        if legal not in {"", ".", ".."}:
            (path / legal).write_bytes(body)


def _table_seeds() -> list[bytes]:
    """Return DVCLive's tables of a run: the key, a line end, the content."""
    tables = {b"loss": b"step\tloss\n0\t0.5\n1\tnan\n", b"actor/ppo_kl": b"step\tppo_kl\n0\t1e-05\n1\t-0.0\n"}
    return [b"".join(_PART + name + b"\n" + content for name, content in tables.items())]


def _put_tables(path: Path, content: bytes) -> None:
    root = path / "plots" / "metrics"
    root.mkdir(parents=True)
    for part in content.split(_PART)[1:]:
        name, _, lines = part.partition(b"\n")
        legal = [piece for piece in name.decode("utf-8", "surrogateescape").split("/") if piece not in {"", ".", ".."}]
        *folders, last = [piece.replace("\0", "")[:60] or "x" for piece in legal or ["x"]]
        try:
            root.joinpath(*folders).mkdir(parents=True, exist_ok=True)
            root.joinpath(*folders, f"{last}.tsv").write_bytes(lines)
        except OSError:
            continue


_SWEEP = """# a sweep
metric: {name: actor/lr(1e-4), goal: maximize, threshold: 1.5e-3}
monitor: &m "critic/score/mean"
plots: [*m, 'timing/ref', mine]
callbacks:
  - early_stopping_on: actor/ppo_kl
    min_delta: 0.001
  - y: |
      actor/ppo_kl
"""
_JSON_CONFIG = (
    '{"metric": {"name": "actor/lr(1e-4)", "target": 1e-3}, "monitor": "critic/score/mean", "n": 12, "x": [1]}'
)
_YAML_ROWS = "- {step: 1, actor/ppo_kl: 0.1, actor/lr: 1.0e-4}\n- {step: 2, actor/ppo_kl: .nan, actor/lr: 1.0e-4}\n"
_YAML_STEPS = "log_history:\n  step_1:\n    actor/ppo_kl: 0.1\n    actor/lr: 1e-3\n  step_2:\n    actor/ppo_kl: -2\n"
_CODE = (
    "import x\nmonitor = 'actor/ppo_kl'\nx.run(metric='critic/score/mean', n=12, of={'metric': \"actor/lr(1e-4)\"})\n"
)

_FLAT_ROWS = [{key: float(value) for key, value in row.items()} for row in ROWS]
_COLUMNS = [*_FLAT_ROWS[0]]
_SPLIT = json.dumps({"columns": _COLUMNS, "index": [1, 2], "data": [[*row.values()] for row in _FLAT_ROWS]})
_BY_INDEX = json.dumps({str(number): row for number, row in enumerate(_FLAT_ROWS, start=1)})
_TURNED = "".join(f'"{key}",{",".join(str(row[key]) for row in _FLAT_ROWS)}\n' for key in ("", *_COLUMNS) if key)
_LINES = "".join(f"{json.dumps({'step': number} | row)}\n" for number, row in enumerate(_FLAT_ROWS))
_COLLECTED = "".join(
    f"{json.dumps({'log': f'step:{number} - actor/lr(1e-4):0.5 - critic/score/mean:1' + end, 'stream': 'stdout'})}\n"
    for number, end in enumerate(("\n", "", "\n"))
)
_JOURNAL = "".join(
    f"{json.dumps({'__REALTIME_TIMESTAMP': '17', 'MESSAGE': f'step:{number} - actor/lr(1e-4):0.5 - timing/ref:1'})}\n"
    for number in (1, 2)
)
_OPERATIONS = (
    '{"obj": {"type": "AssignFloat", "path": ["parameters", "beta"], "value": 0.04}, "version": 1, "at": 1.5}\n'
    '{"obj": {"type": "LogFloats", "path": ["actor", "ppo_kl"], "values": [{"value": 0.5, "step": 1, "ts": 1.5}]}}\n'
)
_VALUES = [{"step": step, "actor/ppo_kl": 0.5 * step, "mine/own": 1.0} for step in (1, 2, 3)]
_NESTED = '{"step": 1, "actor": {"ppo_kl": 0.5, "lr(1e-4)": 2}, "critic": {"score": {"mean": 1}}}\n' * 2


def _packed_seeds() -> list[bytes]:
    """Return files that were packed, one of them an archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("run/run.jsonl", _LINES)
    return [gzip.compress(_LINES.encode(), mtime=0), lzma.compress(_LINES.encode()), buffer.getvalue()]


READERS = {
    reader.name: reader
    for reader in (
        Reader("jsonl", "jsonl", "run.jsonl", _of_log("run.jsonl", "runs/trl-0.12.2-ppo.jsonl", "runs/verl*sft.jsonl")),
        Reader(
            "trainer-state", "trainer-state", "trainer_state.json", _of_log("trainer_state.json", "runs/*.trainer*")
        ),
        Reader("rows", "trainer-state", "rows.json", _of_log("rows.json")),
        Reader("json-columns", "json-columns", "columns.json", _of_log("columns.json")),
        Reader("json-curves", "json-curves", "curves.json", _of_log("curves.json")),
        Reader("step-dicts", "step-dicts", "steps.log", _of_log("steps.log")),
        Reader("yaml-rows", "yaml-rows", "rows.yaml", _texts(_YAML_ROWS, _YAML_STEPS)),
        Reader("parquet", "parquet", "run.parquet", _of_log("run.parquet")),
        Reader(
            "pasted-table",
            "pasted-table",
            "table.md",
            lambda: [*_of_log("table.txt")(), *_texts(_CARD, _SHOWN)()],
        ),
        Reader("notebook", "notebook", "train.ipynb", lambda: [*_of_log("train.ipynb")(), *_texts(_NOTEBOOK)()]),
        Reader("tensorboard-download", "tensorboard-download", "tags", _download_seeds, changed, _put_downloads),
        Reader("csv", "csv", "run.csv", _of_log("run.csv", "runs/*.csv")),
        Reader("verl-console", "verl-console", "verl.log", _of_log("verl.log", "runs/verl-0.5.0.console.log")),
        Reader("hf-console", "hf-console", "hf.log", _of_log("hf.log", "runs/trl*.console.log")),
        Reader(
            "tensorboard",
            "tensorboard",
            "events.out.tfevents.1.x",
            _of_log("events", "runs/tensorboard/*/*tfevents*"),
            _change_events,
        ),
        Reader("wandb", "wandb", "run-a.wandb", _of_log("run-a.wandb", "runs/wandb/made*/*.wandb"), _change_run),
        Reader("trackio", "trackio", "project.db", _of_log("project.db", "runs/trackio/rlhf.db"), _change_database),
        Reader("mlflow", "mlflow", "mlruns.db", _of_log("mlruns.db"), _change_database),
        Reader("mlflow-files", "mlflow", "mlruns", _folder_seeds, changed, _put_folder),
        Reader("dvclive", "dvclive", "run", _table_seeds, changed, _put_tables),
        Reader(
            "wandb-workspace",
            "wandb-workspace",
            "view.json",
            _fixtures("dashboards/*.view.json", "dashboards/*workspace.json", "dashboards/*report.json"),
        ),
        Reader("grafana", "grafana", "board.json", _fixtures("dashboards/*grafana*.json")),
        Reader("config-yaml", "config", "sweep.yaml", _texts(_SWEEP)),
        Reader("config-json", "config", "config.json", _texts(_JSON_CONFIG)),
        Reader("packed", "", "run.jsonl", _packed_seeds),
        Reader(
            "utf-16", "", "run.jsonl", lambda: [_LINES.encode("utf-16-le"), b"\xff\xfe" + _LINES.encode("utf-16-le")]
        ),
        Reader("collected", "", "collected.log", _texts(_COLLECTED, _JOURNAL)),
        Reader("neptune", "", "data-1.log", _texts(_OPERATIONS)),
        Reader("swanlab", "", "run-a.swanlab", lambda: [recent(_VALUES), old(_VALUES)], _change_values),
        Reader("frames", "", "frame.json", _texts(_SPLIT, _BY_INDEX)),
        Reader("turned", "", "turned.csv", _texts(f",1,2\n{_TURNED}", f"sep=;\n{_TURNED}".replace(",", ";"))),
        Reader("python-rows", "", "rows.jsonl", _texts(_NESTED, "".join(f"{row}\n" for row in _FLAT_ROWS))),
        Reader("config-code", "config", "train.py", _texts(_CODE)),
    )
}
"""Everything that a file can be, by what it is called here."""
