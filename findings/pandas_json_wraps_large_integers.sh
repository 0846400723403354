#!/usr/bin/env bash
# pandas 3.1.1, read_json: many whole numbers above 1.8e19 are read as other, smaller ones.
#
# Guess:    they become floats, as in pyarrow and DuckDB, or Python's integers, or an error comes: "Value is too big!"
#           is what 1e20, written out, gives.
# Seen:     the error is raised for some and not for others. Of the rest the remainder by 2**64 is read, without a
#           warning: a row of 1.26e20 reads as 1.53e19, one of 3e19 as 1.16e19, and a table of both as 1.53e19, 1.16e19.
#           Of random numbers of 20 digits above 2**64 two thirds come out wrong, of 21 digits a quarter, of 23 a few.
#           With dtype=float and precise_float=True too; with a point or an exponent the number is read well.
# Hurts:    floating-point operations counted in Python, where integers have no end: 6 * parameters * tokens, 1.26e20
#           for a model of 7 billion after 3 billion tokens, written by json.dumps digit by digit. A total that grows
#           falls, and grows again; efficiency and scaling plots are off by a factor that nobody looks for.
# Remedy:   json.loads for each line, or float(...) before logging.
# Output:   written 126000000000000000000, read 15319535557742690304; written 30000000000000000000,
#           read 11553255926290448384; written 100000000000000000000: Value is too big!
#           of 300 numbers of 20 digits: 201 wrong, 99 refused; of 300 numbers of 21 digits: 70 wrong, 230 refused
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check pandas==3.1.1 2> "$work/errors" \
  || { cat "$work/errors" >&2; exit 1; }
cd "$work"
"$work/venv/bin/python" -W error - <<'PY'
import io
import json
import random

import pandas


def read(*counts, **how):
    lines = "".join(json.dumps({"step": step, "flops": count}) + "\n" for step, count in enumerate(counts))
    return pandas.read_json(io.StringIO(lines), lines=True, **how)["flops"].tolist()


def outcome(count):
    try:
        return "right" if read(count) == [count] else "wrong"
    except ValueError as error:
        assert str(error).startswith("Value is too big!")
        return "refused"


trained, other = 6 * 7 * 10**9 * 3 * 10**9, 3 * 10**19
wrapped = [trained % 2**64, other % 2**64]
print(f"written {trained}, read {read(trained)[0]}; written {other},\nread {read(other)[0]}; ", end="")
print(f"written {10**20}: Value is too big!")
assert [*read(trained), *read(other)] == read(trained, other) == wrapped, "large integers are read otherwise now"
assert read(trained, other, dtype=float, precise_float=True) == [float(count) for count in wrapped]
assert read(float(trained)) == [trained] and outcome(10**20) == "refused"

drawn, shares = random.Random(0), []
for digits in (20, 21):
    counts = [drawn.randrange(max(2**64, 10 ** (digits - 1)), 10**digits) for _ in range(300)]
    outcomes = [outcome(count) for count in counts]
    wrong, refused = outcomes.count("wrong"), outcomes.count("refused")
    shares.append(f"of 300 numbers of {digits} digits: {wrong} wrong, {refused} refused")
    assert wrong > 30 and wrong + refused == 300
print("; ".join(shares))
PY
