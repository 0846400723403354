#!/usr/bin/env bash
# deepspeed 0.19.8, csv_monitor: a resumed run writes its header into the middle of the file, and pandas then takes
# steps and values for text: the smallest of 10.5, 9.5, 9.25 is 10.5.
#
# Guess:    who appends to a file that is there leaves the header out, or begins a file of its own.
# Seen:     each process writes "step,train_loss" before its first row, whatever the file holds. pandas reads both
#           columns as text without a word; min() and max() go by the alphabet, and the largest loss is "train_loss".
#           File names are the metric's with "_" for "/" and blanks, so that Train/loss and Train_loss share a file,
#           where two rows have each step.
# Hurts:    runs that were resumed, on which "the best loss so far" is a wrong row, while the same script was right on
#           runs that were not; sorting by step puts 100 before 20.
# Remedy:   pandas.to_numeric(column, errors="coerce") and dropna.
# Output:   file: step,train_loss 0,10.5 1,9.5 step,train_loss 1,9.25 2,12.0
#           before the resume: float64, min 9.5, max 10.5; after it: str, min 10.5, max train_loss; right: 9.25, 12.0
#           Train/loss and Train_loss: files ['Train_loss.csv'], rows 2
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check pandas==3.1.1 numpy==2.4.6 2> "$work/errors" \
  || { cat "$work/errors" >&2; exit 1; }
"$work/venv/bin/pip" download -q --disable-pip-version-check --no-deps --no-binary deepspeed -d "$work" \
  deepspeed==0.19.8 2> "$work/errors" || { cat "$work/errors" >&2; exit 1; }
cd "$work"
"$work/venv/bin/python" -W error - <<'PY'
import ast
import os
import tarfile
from pathlib import Path
from types import SimpleNamespace

import pandas

archive = tarfile.open("deepspeed-0.19.8.tar.gz")
source = archive.extractfile("deepspeed-0.19.8/deepspeed/monitor/csv_monitor.py").read()
# The class alone: importing its package builds on torch, which it uses for nothing but to ask for the rank.
tree = ast.parse(source)
tree.body = [node for node in tree.body if isinstance(node, ast.ClassDef)]


class Monitor:
    def __init__(self, config):
        pass


module = {"Monitor": Monitor, "os": os, "dist": SimpleNamespace(get_rank=lambda: 0)}
exec(compile(tree, "csv_monitor.py", "exec"), module)


def process(name, events):
    config = SimpleNamespace(enabled=True, output_path="logs", job_name=name)
    module["csvMonitor"](config).write_events(events)


def read():
    column = pandas.read_csv(path)["train_loss"]
    return f"{column.dtype}, min {column.min()}, max {column.max()}", column


path = Path("logs/resumed/Train_Samples_train_loss.csv")
process("resumed", [("Train/Samples/train_loss", 10.5, 0), ("Train/Samples/train_loss", 9.5, 1)])
before, _ = read()
process("resumed", [("Train/Samples/train_loss", 9.25, 1), ("Train/Samples/train_loss", 12.0, 2)])
after, column = read()
numbers = pandas.to_numeric(column, errors="coerce").dropna()
print("file:", *path.read_text().split())
print(f"before the resume: {before}; after it: {after}; right: {numbers.min()}, {numbers.max()}")
process("names", [("Train/loss", 0.5, 0), ("Train_loss", 0.25, 0)])
files = sorted(Path("logs/names").iterdir())
rows = sum(len(pandas.read_csv(file)) - file.read_text().count("step,") + 1 for file in files)
print(f"Train/loss and Train_loss: files {[file.name for file in files]}, rows {rows}")
assert numbers.min() == 9.25 and before.startswith("float64")
assert path.read_text().count("step,train_loss") == 2 and column.min() == "10.5", "the header is written once now"
PY
