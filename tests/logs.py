"""Small logs of each kind, written and read by means that are not the translator's own.

A log is a list of rows; a row maps names to numbers as they are spelled. What reads a log gives the same back.
"""

import csv
import json
import re
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import pyarrow
import yaml
from pyarrow import parquet
from rlmetrics.logs.kinds import kind_of
from rlmetrics.logs.kinds.tensorboard.crc32c import masked
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tracker_messages import Event, Summary
from wandb_frames import Record, framed
from wandb_frames import rows as wandb_rows

Rows = list[dict[str, str]]


def kind_name(path: Path) -> str | None:
    """Return what a file is recognised as; None if it is of no kind."""
    kind = kind_of(path)
    return kind.name if kind else None


@dataclass(frozen=True)
class Log:
    """A kind of log.

    Attributes:
        kind: As ``--kind`` takes it.
        name: What a file or folder of this kind is called.
        write: Writes rows to a path.
        read: Reads them back.
        keeps_text: Whether numbers stay as they are spelled; otherwise they are floats.
        tears: Whether a file that is cut anywhere is still a log, up to its last whole row.
    """

    kind: str
    name: str
    write: Callable[[Path, Rows], object]
    read: Callable[[Path], Rows]
    keeps_text: bool = True
    tears: bool = True


def _object(row: dict[str, str]) -> str:
    return "{" + ", ".join(f"{json.dumps(key, ensure_ascii=False)}: {value}" for key, value in row.items()) + "}"


def _spelled(text: str) -> dict[str, str]:
    row = json.loads(text, parse_float=str, parse_int=str, parse_constant=str)
    return {key: value if isinstance(value, str) else json.dumps(value) for key, value in row.items()}


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(lines)


def _write_jsonl(path: Path, rows: Rows) -> None:
    _write_lines(path, (f"{_object(row)}\n" for row in rows))


def _read_jsonl(path: Path) -> Rows:
    return [_spelled(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _write_framed(path: Path, rows: Rows) -> None:
    lines = (f'{{"step": {step}, "data": {_object(row)}}}\n' for step, row in enumerate(rows))
    _write_lines(path, lines)


def _read_framed(path: Path) -> Rows:
    return [_spelled(line.partition('"data": ')[2].strip()[:-1]) for line in path.read_text().splitlines()]


def _write_state(path: Path, rows: Rows) -> None:
    entries = (f"{',' if step else ''}\n    {_object(row)}" for step, row in enumerate(rows))
    head, tail = '{\n  "epoch": 1.0,\n  "log_history": [', '\n  ],\n  "max_steps": 3\n}\n'
    _write_lines(path, chain([head], entries, [tail]))


def _read_state(path: Path) -> Rows:
    state = json.loads(path.read_text(encoding="utf-8"), parse_float=str, parse_int=str, parse_constant=str)
    return list(state["log_history"])


def _write_list(path: Path, rows: Rows) -> None:
    _write_lines(
        path, chain(["["], (f"{',' if step else ''}\n  {_object(row)}" for step, row in enumerate(rows)), ["\n]\n"])
    )


def _read_list(path: Path) -> Rows:
    return list(json.loads(path.read_text(encoding="utf-8"), parse_float=str, parse_int=str, parse_constant=str))


def _write_columns(path: Path, rows: Rows) -> None:
    keys = dict.fromkeys(key for row in rows for key in row)
    columns = (f"{json.dumps(key)}: [{', '.join(row.get(key, 'null') for row in rows)}]" for key in keys)
    path.write_text("{" + ", ".join(columns) + "}", encoding="utf-8")


def _read_columns(path: Path) -> Rows:
    columns = json.loads(path.read_text(encoding="utf-8"), parse_float=str, parse_int=str, parse_constant=str)
    rows = (dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True))
    return [{key: text for key, text in row.items() if text is not None} for row in rows]


def _write_yaml(path: Path, rows: Rows) -> None:
    lines = ["# steps\n"]
    for step, row in enumerate(rows, start=1):
        lines += [f"{step}:\n", *(f"  {json.dumps(key)}: {_in_yaml(text)}  # a\n" for key, text in row.items())]
    path.write_text("".join(lines), encoding="utf-8")


def _in_yaml(text: str) -> str:
    return text.replace("Infinity", ".inf").replace("inf", ".inf").replace("..", ".").replace("NaN", ".nan")


def _read_yaml(path: Path) -> Rows:
    found = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    spelled = {".inf": "Infinity", "-.inf": "-Infinity", ".nan": "NaN"}
    return [{str(key): spelled.get(str(text), str(text)) for key, text in row.items()} for row in found.values()]


def _write_curves(path: Path, rows: Rows) -> None:
    keys = dict.fromkeys(key for row in rows for key in row)
    curves = (
        f"{json.dumps(key)}: ["
        + ", ".join(f'{{"step": {at}, "value": {row[key]}}}' for at, row in enumerate(rows) if key in row)
        + "]"
        for key in keys
    )
    path.write_text("{" + ", ".join(curves) + "}", encoding="utf-8")


def _read_curves(path: Path) -> Rows:
    curves = json.loads(path.read_text(encoding="utf-8"), parse_float=str, parse_int=str, parse_constant=str)
    rows: dict[str, dict[str, str]] = {}
    for key, points in curves.items():
        for point in points:
            rows.setdefault(point["step"], {})[key] = point["value"]
    return [rows[step] for step in sorted(rows, key=int)]


def _write_csv(path: Path, rows: Rows) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _read_csv(path: Path) -> Rows:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _write_verl(path: Path, rows: Rows) -> None:
    lines = ("".join([f"step:{step}", *(f" - {key}:{row[key]}" for key in row), "\n"]) for step, row in enumerate(rows))
    _write_lines(path, lines)


def _read_verl(path: Path) -> Rows:
    fields = (line.split(" - ")[1:] for line in path.read_text(encoding="utf-8").splitlines() if " - " in line)
    return [{key: value for key, _, value in (field.rpartition(":") for field in row)} for row in fields]


def _write_printed(path: Path, rows: Rows) -> None:
    dicts = ("{" + ", ".join(f"{key!r}: {value}" for key, value in row.items()) + "}\n" for row in rows)
    _write_lines(path, dicts)


def _read_printed(path: Path) -> Rows:
    return [dict(re.findall(r"'([^']*)': ([^,}]+)", line)) for line in path.read_text(encoding="utf-8").splitlines()]


def _write_behind_steps(path: Path, rows: Rows) -> None:
    """Write dicts as ``pprint`` lays them out behind the step."""
    dicts = ("{" + ",\n ".join(f"{key!r}: {value}" for key, value in row.items()) + "}\n" for row in rows)
    _write_lines(path, (f"INFO - Step {step}: \n{text}" for step, text in enumerate(dicts, start=1)))


def _read_behind_steps(path: Path) -> Rows:
    texts = path.read_text(encoding="utf-8").split("Step ")[1:]
    rows = (dict(re.findall(r"'([^']*)': ([^,}]+)", text)) for text in texts)
    return [row for row in rows if row]  # of a step whose dict was cut off nothing is there


def _write_events(path: Path, rows: Rows) -> None:
    path.mkdir()
    with (path / "events.out.tfevents.1.host").open("wb") as file:
        for step, row in enumerate(rows):
            for key, value in row.items():
                values = [Summary.Value(tag=key, simple_value=float(value))]
                message = Event(wall_time=1.0, step=step, summary=Summary(value=values)).SerializeToString()
                head = len(message).to_bytes(8, "little")
                file.write(head + masked(head).to_bytes(4, "little"))
                file.write(message + masked(message).to_bytes(4, "little"))


def _read_events(path: Path) -> Rows:
    reader = EventAccumulator(str(path), size_guidance={"scalars": 0})
    reader.Reload()
    rows: dict[int, dict[str, str]] = {}
    for tag in reader.Tags()["scalars"]:
        for point in reader.Scalars(tag):
            rows.setdefault(point.step, {})[tag] = repr(point.value)
    return [rows[step] for step in sorted(rows)]


def _write_trackio(path: Path, rows: Rows) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE metrics (id INTEGER PRIMARY KEY, run_name TEXT, step INTEGER, metrics TEXT)")
        values = (("run", step, _object(row).encode()) for step, row in enumerate(rows))
        database.executemany("INSERT INTO metrics (run_name, step, metrics) VALUES (?, ?, ?)", values)


def _read_trackio(path: Path) -> Rows:
    with closing(sqlite3.connect(path)) as database:
        return [_spelled(text.decode()) for (text,) in database.execute("SELECT metrics FROM metrics ORDER BY id")]


def _write_mlflow(path: Path, rows: Rows) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE runs (run_uuid TEXT PRIMARY KEY)")
        database.execute(
            "CREATE TABLE metrics (key TEXT NOT NULL, value FLOAT NOT NULL, timestamp BIGINT NOT NULL, "
            "run_uuid TEXT NOT NULL, step BIGINT NOT NULL, is_nan BOOLEAN NOT NULL, "
            "PRIMARY KEY (key, timestamp, step, run_uuid, value, is_nan))"
        )
        points = ((key, float(row[key]), step) for step, row in enumerate(rows) for key in row)
        database.executemany("INSERT INTO metrics VALUES (?, ?, 1, 'run', ?, 0)", points)


def _read_mlflow(path: Path) -> Rows:
    rows: dict[int, dict[str, str]] = {}
    with closing(sqlite3.connect(path)) as database:
        for key, value, step in database.execute("SELECT key, value, step FROM metrics ORDER BY rowid"):
            rows.setdefault(step, {})[key] = repr(value)
    return [rows[step] for step in sorted(rows)]


def _write_mlruns(path: Path, rows: Rows) -> None:
    run = path / "1" / "run"
    run.mkdir(parents=True)
    (run / "meta.yaml").write_text("run_id: run\n")
    with ExitStack() as stack:
        files = {}
        for step, row in enumerate(rows):
            for key, value in row.items():
                if key not in files:
                    (run / "metrics" / key).parent.mkdir(parents=True, exist_ok=True)
                    files[key] = stack.enter_context((run / "metrics" / key).open("a"))
                files[key].write(f"1 {float(value)} {step}\n")


def _read_mlruns(path: Path) -> Rows:
    rows: dict[int, dict[str, str]] = {}
    root = path / "1" / "run" / "metrics"
    for file in sorted(root.rglob("*")):
        for line in file.read_text().splitlines() if file.is_file() else ():
            _, value, step = line.split(" ")
            rows.setdefault(int(step), {})[file.relative_to(root).as_posix()] = value
    return [rows[step] for step in sorted(rows)]


def _write_wandb(path: Path, rows: Rows) -> None:
    items = ([{"nested_key": [key], "value_json": value} for key, value in row.items()] for row in rows)
    with path.open("wb") as file:
        file.writelines(framed(Record(history={"item": row}).SerializeToString() for row in items))


def _read_wandb(path: Path) -> Rows:
    return [{key: texts[()] for key, texts in row.items()} for row in wandb_rows(path.read_bytes())]


def _write_pasted(path: Path, rows: Rows) -> None:
    """Write a table as a browser copies it from a notebook that shows all keys."""
    head = "\t".join(["Step", *(key.replace("/", " / ") for key in rows[0])])
    lines = ("\t".join([str(step), *row.values()]) for step, row in enumerate(rows, start=1))
    _write_lines(path, (f"{line}\n" for line in (head, *lines)))


def _read_pasted(path: Path) -> Rows:
    head, *lines = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines())
    keys = [title.replace(" / ", "/") for title in head]
    return [{key: cell for key, cell in zip(keys, line, strict=True) if key != "Step"} for line in lines]


def _write_notebook(path: Path, rows: Rows) -> None:
    """Write a notebook with a table as transformers shows it, in pieces of a line, among other cells."""
    cells = ["Step", *(key.replace("/", " / ") for key in rows[0])]
    shown = (
        '<div>\n  <progress value="3"></progress>\n</div>\n<table border="1" class="dataframe">\n  <thead>\n    <tr>\n'
    )
    shown += "".join(f"      <th>{cell}</th>\n" for cell in cells) + "    </tr>\n  </thead>\n  <tbody>\n"
    for step, row in enumerate(rows, start=1):
        shown += (
            "    <tr>\n" + "".join(f"      <td>{cell}</td>\n" for cell in (str(step), *row.values())) + "    </tr>\n"
        )
    shown += "  </tbody>\n</table><p>"
    output = {"output_type": "display_data", "metadata": {}, "data": {"text/html": shown.splitlines(keepends=True)}}
    code = {"cell_type": "code", "metadata": {}, "source": ["trainer.train()"], "outputs": [output]}
    notebook = {"cells": [{"cell_type": "markdown", "source": ["é"]}, code], "metadata": {}, "nbformat": 4}
    path.write_text(json.dumps(notebook, indent=1), encoding="utf-8")


def _read_notebook(path: Path) -> Rows:
    shown = "".join(json.loads(path.read_text(encoding="utf-8"))["cells"][1]["outputs"][0]["data"]["text/html"])
    head, *lines = (re.findall(r"<t[hd]>(.*?)</t[hd]>", row) for row in shown.replace("\n", "").split("<tr>")[1:])
    keys = [title.replace(" / ", "/") for title in head]
    return [{key: cell for key, cell in zip(keys, line, strict=True) if key != "Step"} for line in lines]


def _write_parquet(path: Path, rows: Rows) -> None:
    keys = dict.fromkeys(key for row in rows for key in row)
    columns = {key: [float(row[key]) if key in row else None for row in rows] for key in keys}
    parquet.write_table(pyarrow.table({"step": [*range(len(rows))], **columns}), path)


def _read_parquet(path: Path) -> Rows:
    found = parquet.read_table(path).to_pylist()
    return [{key: repr(value) for key, value in row.items() if key != "step" and value is not None} for row in found]


def _write_points(path: Path, rows: Rows) -> None:
    points = [
        {"run_id": "a", "step": n, "key": k, "value": float(v)} for n, row in enumerate(rows) for k, v in row.items()
    ]
    parquet.write_table(pyarrow.Table.from_pylist(points), path)


def _read_points(path: Path) -> Rows:
    rows: dict[int, dict[str, str]] = {}
    for point in parquet.read_table(path).to_pylist():
        rows.setdefault(point["step"], {})[point["key"]] = repr(point["value"])
    return [rows[step] for step in sorted(rows)]


LOGS = {
    log.name: log
    for log in (
        Log("jsonl", "run.jsonl", _write_jsonl, _read_jsonl),
        Log("jsonl", "verl.jsonl", _write_framed, _read_framed),
        Log("trainer-state", "trainer_state.json", _write_state, _read_state),
        Log("trainer-state", "rows.json", _write_list, _read_list),
        Log("json-columns", "columns.json", _write_columns, _read_columns, tears=False),
        Log("yaml-rows", "rows.yaml", _write_yaml, _read_yaml, tears=False),
        Log("json-curves", "curves.json", _write_curves, _read_curves, tears=False),
        Log("csv", "run.csv", _write_csv, _read_csv),
        Log("verl-console", "verl.log", _write_verl, _read_verl),
        Log("hf-console", "hf.log", _write_printed, _read_printed),
        Log("step-dicts", "steps.log", _write_behind_steps, _read_behind_steps),
        Log("tensorboard", "events", _write_events, _read_events, keeps_text=False),
        Log("trackio", "project.db", _write_trackio, _read_trackio, tears=False),
        Log("mlflow", "mlruns.db", _write_mlflow, _read_mlflow, keeps_text=False, tears=False),
        Log("wandb", "run-a.wandb", _write_wandb, _read_wandb),
        Log("pasted-table", "table.txt", _write_pasted, _read_pasted, tears=False),
        Log("notebook", "train.ipynb", _write_notebook, _read_notebook, tears=False),
        Log("parquet", "run.parquet", _write_parquet, _read_parquet, keeps_text=False, tears=False),
        Log("parquet", "points.parquet", _write_points, _read_points, keeps_text=False, tears=False),
        Log("mlflow", "mlruns", _write_mlruns, _read_mlruns, keeps_text=False),
    )
}
