"""Values and rows that people paste."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.answers.pasted import Given, parse_row, parse_value

KEYS = st.from_regex(r"[a-z][a-z0-9_]{0,12}(/[a-z0-9_@-]{1,12}){0,3}", fullmatch=True)
NUMBERS = st.floats() | st.integers(-(10**12), 10**12)
ROWS = st.dictionaries(KEYS, NUMBERS, min_size=1, max_size=12)


def same(number: float, other: float | None) -> bool:
    """Whether two numbers are equal, NaN to itself."""
    return other is not None and (number == other or (math.isnan(number) and math.isnan(other)))


def check(row: dict[str, float], text: str) -> None:
    """A text gives back the row, in its order."""
    found = parse_row(text)

    assert [*row] == [*found]
    assert all(same(number, found[key].number) for key, number in row.items())


@given(ROWS)
def test_a_json_object_gives_its_numbers(row: dict[str, float]) -> None:
    """What Python writes as JSON, NaN and infinities included, is read back."""
    check(row, json.dumps(row))


@given(ROWS)
def test_a_printed_dictionary_gives_its_numbers(row: dict[str, float]) -> None:
    """A dictionary as Python prints it is read back."""
    check(row, str(row))


@given(ROWS)
def test_numbers_in_quotes_are_numbers(row: dict[str, float]) -> None:
    """Transformers 5 prints its numbers as texts: they are read back."""
    check(row, str({key: str(number) for key, number in row.items()}))


@given(ROWS, st.integers(0, 10**6))
def test_a_line_of_verls_console_gives_its_numbers(row: dict[str, float], step: int) -> None:
    """A console line is read back, with the step in front, behind the name of a Ray process and within colours."""
    line = " - ".join([f"step:{step}", *(f"{key}:{number!r}" for key, number in row.items() if key != "step")])
    check({key: number for key, number in row.items() if key != "step"}, f"\x1b[36m(TaskRunner pid=12)\x1b[0m {line}")


@given(ROWS, st.sampled_from([" ", ", ", "; "]))
def test_assignments_give_their_numbers(row: dict[str, float], joint: str) -> None:
    """``key=value`` texts, however they are separated, are read back."""
    check(row, joint.join(f"{key}={number!r}" for key, number in row.items()))


@given(ROWS, st.sampled_from(["{}: {}", "| {} | {} |", "{}\t{}", "{} = {}"]))
def test_lines_of_two_columns_give_their_numbers(row: dict[str, float], line: str) -> None:
    """A key and a value on each line, as tables and reports have them, are read back."""
    check(row, "\n".join(line.format(key, number) for key, number in row.items()))


@given(ROWS, st.data())
def test_a_cut_off_dictionary_gives_a_beginning(row: dict[str, float], data: st.DataObject) -> None:
    """Of a dictionary that is cut off anywhere the whole pairs before the cut are read, and no key is invented."""
    text = str(row)
    cut = data.draw(st.integers(0, len(text)))

    assert [*row][: len(parse_row(text[:cut]))] == [*parse_row(text[:cut])]


@given(st.text(max_size=200))
def test_no_text_breaks_the_parser(text: str) -> None:
    """Any text gives values by key, all with a number or null; it never ends in an error."""
    assert all(isinstance(item, Given) and (item.number is None or item.text) for item in parse_row(text).values())


@given(KEYS)
def test_a_key_alone_is_no_row(key: str) -> None:
    """A key without a value holds none, so that it is looked up as a key."""
    assert parse_row(key) == {}


@pytest.mark.parametrize(
    "text", ["actor/ppo_kl:0.0", "val-core/openai/gsm8k/reward/mean@4", "loss==0.0", "loss=abc", ""]
)
def test_what_holds_no_value_is_no_row(text: str) -> None:
    """A key with a colon or an @ in it, a comparison and a word are no values."""
    assert parse_row(text) == {}


def test_a_record_of_verls_file_logger_gives_its_data() -> None:
    """Of a record with the step beside the data, as verl writes it, only the data are values."""
    found = parse_row('{"step": 3, "data": {"actor/pg_loss": -0.25, "note": "text", "x": null}}')

    assert {key: item.number for key, item in found.items()} == {"actor/pg_loss": -0.25, "x": None}


@pytest.mark.parametrize(
    ("text", "shown", "number"),
    [
        ("0.0", "0.0", 0.0),
        ("-0", "-0", 0.0),
        ("1e-06", "1e-06", 1e-6),
        (" .5 ", ".5", 0.5),
        ("tensor(0.5, device='cuda:0')", "0.5", 0.5),
        ("np.float64(-2.5)", "-2.5", -2.5),
        ("'0.1'", "0.1", 0.1),
        ("Infinity", "Infinity", math.inf),
        ("-inf", "-inf", -math.inf),
        ("None", "None", None),
    ],
)
def test_a_value_is_read_in_the_spelling_of_any_logger(text: str, shown: str, number: float | None) -> None:
    """The number is understood, and shown as it was written."""
    assert Given(shown, number) == parse_value(text)


@pytest.mark.parametrize("text", ["", "abc", "1,5", "0.5.1", "[1, 2]", "1 2", "--1"])
def test_what_is_no_number_is_no_value(text: str) -> None:
    """Words, lists and broken numbers are no values."""
    assert parse_value(text) is None
