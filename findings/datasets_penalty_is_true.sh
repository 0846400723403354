#!/usr/bin/env bash
# datasets 5.2.0, map and from_generator: after 1000 rows of True and False every number is a truth value: a reward of
# 0.3 is True, and so is a penalty of -1.
#
# Guess:    the column becomes one of floats, or there is an error, as the same rows give after 1000 integers ("Float
#           value 0.600000 was truncated"), and as from_dict and from_list give for a list of both.
# Seen:     types are taken from the first batch that is written, of 1000 rows. If all of its values are booleans, later
#           numbers are turned into booleans: 0.3, 2.5 and -1.0 are True, 0.0 is False, NaN is True. No warning. With
#           999 rows before, the column is of another type (Json) and keeps each value. batch_size moves the border.
# Hurts:    data sets with a reward, score or correctness for each response: an exact match gives True or False, and a
#           partial credit, a length penalty or the answer of a judge gives a number, in the part of the data that comes
#           later. Mean and accuracy count penalties and the faintest credit as full marks, and whoever trains on the
#           column rewards them.
# Remedy:   float(reward) in the function, or features= with Value("float64").
# Output:   1000 before: bool, later [True, True, True, True, False], mean 0.55; truth: mean 0.4433
#           from_generator: bool, later [True, True, True, True, False], mean 0.55
#           999 before: Json, later [0.3, 2.5, -1.0, -1.0, 0.0]
#           1000 integers before: ArrowInvalid; from_dict: ArrowInvalid
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check datasets==5.2.0 pandas==3.1.1 pyarrow==26.0.1 \
  2> "$work/errors" || { cat "$work/errors" >&2; exit 1; }
cd "$work"
HF_HUB_OFFLINE=1 HF_HOME="$work/cache" "$work/venv/bin/python" - 2> errors <<'PY' || { tail -5 errors >&2; exit 1; }
from datasets import Dataset
from pyarrow import ArrowInvalid

LATER = [0.3, 2.5, -1.0, -1.0, 0.0]


def reward(number, before=1000, integers=False):
    if number < before:
        return (1 if integers else True) if number % 2 else (0 if integers else False)
    return LATER[number % len(LATER)]


numbered = Dataset.from_dict({"number": list(range(1200))})


def mapped(**how):
    return numbered.map(lambda row: {"reward": reward(row["number"], **how)})


def rows():
    for number in range(1200):
        yield {"reward": reward(number)}


def mean(values):
    return round(float(sum(values)) / len(values), 4)


def told(data):
    return f"{getattr(data.features['reward'], 'dtype', None)}, later {data['reward'][1000:1005]}"


def refused(make):
    try:
        make()
    except ArrowInvalid:
        return "ArrowInvalid"
    return "taken"


column = mapped()
truth = [reward(number) for number in range(1200)]
generated = Dataset.from_generator(rows)
short = mapped(before=999)
last = [round(value, 9) for value in short["reward"][1000:1005]]
integers = refused(lambda: mapped(integers=True))
listed = refused(lambda: Dataset.from_dict({"reward": truth}))
print(f"1000 before: {told(column)}, mean {mean(column['reward'][:])}; truth: mean {mean(truth)}")
print(f"from_generator: {told(generated)}, mean {mean(generated['reward'][:])}")
print(f"999 before: {type(short.features['reward']).__name__}, later {last}")
print(f"1000 integers before: {integers}; from_dict: {listed}")
assert column["reward"][1000:1005] == [True, True, True, True, False], "numbers after truth values stay numbers now"
assert generated["reward"][:] == column["reward"][:]
assert last == LATER and integers == listed == "ArrowInvalid"
PY
