#!/usr/bin/env bash
# datasets 5.2.0, map and filter: after a reward function in a module of its own was changed, a new process gets the
# rewards of the old one.
#
# Guess:    the cache goes by a fingerprint of the function, its code and what it uses, so a changed function is run
#           again, in whatever file it stands.
# Seen:     a function that is imported goes into the fingerprint by its name alone. rewards.score gave 1.0; the file
#           was edited to give 0.25; ds.map(score) in a new process is still 1.0, and filter keeps the rows that the old
#           one kept. A function of the script itself that calls score is 1.0 as well; an edit of its own lines is
#           noticed, and makes this one right. No warning. (Data sets in memory have no cache; all that are loaded from
#           files have.)
# Hurts:    whoever mends a reward or a verifier in rewards.py and scores the data set anew: means, accuracies and
#           filtered training sets are those of the bug, and "the fix changes nothing". On a machine without the cache
#           the same commit gives other numbers.
# Remedy:   load_from_cache_file=False, or a version of the reward in fn_kwargs.
# Output:   first run: map 1.0, filter 10 rows, own function 1.0
#           reward edited: map 1.0, filter 10 rows, own function 1.0
#           own function edited too: map 1.0, filter 10 rows, own function 0.25
#           without the cache: map 0.25, filter 0 rows, own function 0.25
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check datasets==5.2.0 2> "$work/errors" \
  || { cat "$work/errors" >&2; exit 1; }
cd "$work"
for number in {0..9}; do echo "{\"prompt\": $number}"; done > data.jsonl
cat > rewards.py <<'PY'
def score(row):
    return {"reward": 1.0}


def solved(row):
    return score(row)["reward"] > 0.5
PY
cat > run.py <<'PY'
import sys

import datasets
from rewards import score, solved


def own(row):
    return score(row)


name, wanted, *fresh = sys.argv[1:]
datasets.disable_progress_bars()
(datasets.disable_caching if fresh else datasets.enable_caching)()
rows = datasets.load_dataset("json", data_files="data.jsonl", split="train", cache_dir="cache")
seen = f"map {rows.map(score)['reward'][0]}, filter {len(rows.filter(solved))} rows"
seen += f", own function {rows.map(own)['reward'][0]}"
print(f"{name}: {seen}")
assert seen == wanted, "the edit was noticed" if "edited" in name else seen
PY
export PYTHONDONTWRITEBYTECODE=1 HF_HUB_OFFLINE=1
tried() { "$work/venv/bin/python" run.py "$@" 2> errors || { cat errors >&2; exit 1; }; }
tried "first run" "map 1.0, filter 10 rows, own function 1.0"
sed -i 's/1\.0/0.25/' rewards.py
tried "reward edited" "map 1.0, filter 10 rows, own function 1.0"
sed -i 's/return score(row)$/return dict(score(row))/' run.py
tried "own function edited too" "map 1.0, filter 10 rows, own function 0.25"
tried "without the cache" "map 0.25, filter 0 rows, own function 0.25" fresh
