"""Lines of JSON that orjson loads are what `json` makes of them, for everything that is asked of a row."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rlmetrics.health.logged_values import number_of
from rlmetrics.logs.json_loading import WORTH, fastest
from rlmetrics.logs.kinds.jsonl import KIND

NUMBERS = [
    "1",
    "-0",
    "-0.0",
    "1e5",
    "1e400",
    "-1e400",
    "1e-400",
    "18446744073709551616",
    "9" * 40,
    "9" * 305,
    "9" * 400,
]
WORDS = ["NaN", "Infinity", "-Infinity", "true", "null", "0.30000000000000004", "01", "1.", ".5", "+1", "[1, 2]", "{}"]
TEXTS = ['"a"', '"\\ud800"', '"\\u00e9"', '"é"', '"\t"', '"\\x"', "[" * 1100 + "]" * 1100, "1 2"]
SPELLED = st.sampled_from([*NUMBERS, *WORDS, *TEXTS])


def loaded(load, line):
    """Return what a line is, or that it is nothing."""
    try:
        return load(line)
    except ValueError as error:
        return type(error).__mro__[-3].__name__


def same(one, other):
    """Tell whether two values are one: NaN is NaN, and integers beyond 64 bits are the floats that they become."""
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if type(one) is int and type(other) is float and abs(one) >= 2**63:
        return number_of(one) == number_of(other)
    return repr(one) == repr(other)


@settings(max_examples=300, deadline=None)
@given(values=st.lists(SPELLED, max_size=4), end=st.sampled_from(["\n", "\r\n", "", " \n", "x\n", "\x00\n", "\x0b\n"]))
@example(values=["9" * 305], end="\n")
def test_a_line_is_loaded_as_json_does(values, end):
    """Every spelling of numbers and texts, and every kind of damage."""
    pytest.importorskip("orjson")
    line = ("{" + ", ".join(f'"k{at}": {value}' for at, value in enumerate(values)) + "}" + end).encode()
    assert same(loaded(json.loads, line), loaded(fastest(), line))


@settings(max_examples=300, deadline=None)
@given(line=st.binary(max_size=20) | st.text(max_size=20).map(lambda text: json.dumps({text: text}).encode()))
def test_any_bytes_are_loaded_as_json_does(line):
    """Bytes that are no UTF-8 too."""
    pytest.importorskip("orjson")
    assert same(loaded(json.loads, line), loaded(fastest(), line))


def test_a_long_log_reads_as_a_short_one(tmp_path: Path):
    """Rows far down are what the same lines are at the top, settings with all digits included."""
    pytest.importorskip("orjson")
    rows = [
        '{"a": 0.1, "b": NaN, "c": 1e400}',
        '{"config": {"seed": 18446744073709551617}}',
        '{"a": tru}',
        '{"a": "é"}',
    ]
    short, long = tmp_path / "short.jsonl", tmp_path / "long.jsonl"
    short.write_text("".join(f"{row}\n" for row in rows))
    long.write_text('{"a": 1}\n' * (WORTH + 5) + short.read_text())
    (one,), (other,) = KIND.open(short).read(), KIND.open(long).read()
    read, far = list(one.rows), list(other.rows)[WORTH + 5 :]
    assert repr(read) == repr(far)
    assert one.config == other.config == {"seed": 18446744073709551617}
    assert math.isnan(far[0].values["b"])
    assert other.account.skipped == one.account.skipped == 1
