#!/usr/bin/env bash
# datasets 5.2.0, Dataset.to_json: numbers keep ten places behind the point, whatever their size; NaN and infinities
# become null.
#
# Guess:    JSON holds what the data set held, as to_csv and to_parquet do: the shortest digits that give the number.
# Seen:     pandas writes it, with its default of ten decimals, not ten digits: a learning rate of 4.987654321987e-07 is
#           0.0000004988, a probability of 3e-11 is 0.0, and a log-probability of -1.2e-12 is -0.0. NaN, inf and -inf are
#           null alike. No warning; to_csv of the same data set has all digits, and inf.
# Hurts:    rollouts, per-token probabilities and logged steps that are kept as JSON lines: the logarithm of what is read
#           back is minus infinity, ratios to it are infinite, and a learning rate or KL near the end of a schedule
#           reads as 0. An overflow can't be told from a value that was never there.
# Remedy:   to_parquet, or to_json(path, double_precision=15), which still cuts at 1e-15.
# Output:   {"rate":0.0000004988,"prob":0.0,"logprob":-0.0,"loss":null}
#           {"rate":0.0000004988,"prob":0.0,"logprob":-0.0,"loss":null}
#           read back: prob [0.0, 0.0]; Parquet: prob [3e-11, 3e-11], loss [nan, inf]
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check datasets==5.2.0 pandas==3.1.1 pyarrow==26.0.1 \
  2> "$work/errors" || { cat "$work/errors" >&2; exit 1; }
cd "$work"
HF_HUB_OFFLINE=1 HF_HOME="$work/cache" "$work/venv/bin/python" - 2> errors <<'PY' || { cat errors >&2; exit 1; }
import json
import math

from datasets import Dataset

rows = Dataset.from_dict(
    {
        "rate": [4.987654321987e-07] * 2,
        "prob": [3e-11] * 2,
        "logprob": [-1.2e-12] * 2,
        "loss": [math.nan, math.inf],
    }
)
rows.to_json("log.jsonl")
rows.to_parquet("log.parquet")
lines = open("log.jsonl").read().splitlines()
back = [json.loads(line)["prob"] for line in lines]
whole = Dataset.from_parquet("log.parquet")
print("\n".join(lines))
print(f"read back: prob {back}; Parquet: prob {whole['prob'][:]}, loss {whole['loss'][:]}")
assert lines == ['{"rate":0.0000004988,"prob":0.0,"logprob":-0.0,"loss":null}'] * 2, "other digits are written now"
assert back == [0.0, 0.0] and whole["prob"][:] == [3e-11, 3e-11]
assert math.isnan(whole["loss"][0]) and whole["loss"][1] == math.inf
PY
