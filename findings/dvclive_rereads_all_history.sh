#!/usr/bin/env bash
# dvclive 3.49.1: each step reads all that was logged before, also where nothing is sent anywhere.
#
# Guess:    a step appends a row to each metric's file and writes the small summary: its cost does not grow.
# Seen:     next_step collects the data for DVC Studio before it is known whether Studio is set up: every table of every
#           metric is parsed, row by row, and thrown away. Ten metrics over 400 steps append 4,000 rows and read 802,000;
#           twice the steps are four times the rows. No report, no dvc.yaml, no Git repository, no token here.
# Hurts:    long runs, and loops that log each optimizer step: 50 metrics over 20,000 steps read ten thousand million
#           rows, in the process that trains. Speed falls from step to step, which reads as a leak or a slow loader.
# Remedy:   call make_summary and raise live.step by hand in place of next_step, or log less often.
# Output:   100 steps: 1000 rows logged, 50500 read; 200 steps: 2000 rows logged, 201000 read;
#           400 steps: 4000 rows logged, 802000 read; by hand, 400 steps: 4000 rows logged, 0 read
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check dvclive==3.49.1 dvc==3.67.1 2> "$work/errors" \
  || { cat "$work/errors" >&2; exit 1; }
cd "$work"
env -u DVC_STUDIO_TOKEN -u STUDIO_TOKEN "$work/venv/bin/python" - 2> errors <<'PY' || { cat errors >&2; exit 1; }
import csv

from dvclive import Live

read = 0
DictReader = csv.DictReader


class Counting(DictReader):
    def __next__(self):
        global read
        row = super().__next__()
        read += 1
        return row


csv.DictReader = Counting  # DVCLive asks the module for it at each file


def logged(steps, by_hand=False):
    global read
    live, read = Live("run", report=None, dvcyaml=None, save_dvc_exp=False), 0
    for step in range(steps):
        for number in range(10):
            live.log_metric(f"metric{number}", 0.5)
        if by_hand:
            live.make_summary()
            live.step = step + 1
        else:
            live.next_step()
    with open("run/plots/metrics/metric0.tsv") as file:
        rows = 10 * (sum(1 for _ in file) - 1)
    return f"{rows} rows logged, {read} read"


seen = {steps: logged(steps) for steps in (100, 200, 400)}
alone = logged(400, by_hand=True)
print("; ".join(f"{steps} steps: {said}" for steps, said in seen.items()), end="; ")
print(f"by hand, 400 steps: {alone}")
assert seen[100] == "1000 rows logged, 50500 read", seen
assert seen[400] == "4000 rows logged, 802000 read", seen
assert alone == "4000 rows logged, 0 read", alone
PY
