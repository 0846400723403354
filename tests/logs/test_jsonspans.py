"""Spans of JSON members: what the standard decoder reads is what the spans cover."""

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.logs.jsonspans import JsonError, end_of, members

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), VALUES, max_size=6), st.sampled_from([None, 1, "\t"]), st.booleans())
def test_members_cover_exactly_what_the_decoder_reads(row, indent, ascii_only):
    """Decoding each span gives the member's key and value, in the order of the text."""
    text = "  " + json.dumps(row, indent=indent, ensure_ascii=ascii_only) + " \n"

    found = members(text)

    assert list(row) == [member.key for member in found.items]
    for member in found.items:
        assert member.key == json.loads(text[member.key_start : member.key_end])
        assert json.dumps(row[member.key]) == json.dumps(json.loads(text[member.value_start : member.value_end]))
        value = json.loads(text[member.value_start : member.value_end], parse_int=Decimal, parse_float=Decimal)
        assert repr(value) == repr(member.value(text))
    assert text[found.start] == "{"
    assert text[found.end - 1] == "}"


@given(st.dictionaries(st.text(), VALUES, min_size=1, max_size=4), st.data())
def test_a_cut_object_is_never_read_as_whole(row, data):
    """Every proper prefix of an object is refused."""
    text = json.dumps(row)
    cut = data.draw(st.integers(0, len(text) - 1))

    with pytest.raises(JsonError):
        members(text[:cut])


@given(st.text())
def test_arbitrary_text_gives_an_object_or_a_clear_error(text):
    """Nothing but JsonError is ever raised, and its offset lies in the text."""
    offset = 0
    try:
        members(text)
    except JsonError as error:
        offset = error.offset
    assert 0 <= offset <= len(text)


@given(VALUES, st.sampled_from([None, 2]), st.text(alphabet=" ,]}", max_size=3))
def test_a_value_ends_where_the_decoder_ends(value, indent, rest):
    """What follows a value doesn't belong to it."""
    text = json.dumps(value, indent=indent)

    assert len(text) == end_of(text + rest, 0)


def test_a_name_that_occurs_twice_is_an_error():
    """Of two values under one name one would be lost silently, so the object is refused, at the second name."""
    with pytest.raises(JsonError, match="'kl' occurs twice") as caught:
        members('{"kl": 1, "kl": 2}')

    assert caught.value.offset == 10


@pytest.mark.parametrize(
    ("text", "offset"), [("[1]", 0), ('{"a" 1}', 5), ('{"a": 1 "b": 2}', 8), ("{a: 1}", 1), ('{"a": nope}', 6)]
)
def test_an_error_points_at_the_offending_character(text, offset):
    """Wrong punctuation is reported where it stands."""
    with pytest.raises(JsonError) as caught:
        members(text)

    assert offset == caught.value.offset


def test_deep_nesting_is_refused_with_a_message():
    """A value nested a hundred thousand deep gives an error of ours and not a traceback of the decoder."""
    with pytest.raises(JsonError, match="too deeply"):
        members('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}")
