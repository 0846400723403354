"""JSON that people compare has a line for each entry that is too long to share one."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.codegen.output.json_layout import laid_out

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=12), inner, max_size=6),
    max_leaves=40,
)


@given(JSON)
def test_what_is_laid_out_is_the_same_value(value: object) -> None:
    """Whatever it holds, in whatever order."""
    assert json.dumps(json.loads(laid_out(value))) == json.dumps(value)


def test_an_entry_has_a_line_if_all_do_not_fit_on_one() -> None:
    """Entries that fit stay whole."""
    short = {"type": "string", "enum": ["a", "b"]}
    value = {"title": "A schema", "fields": {"first": short, "second": {**short, "description": "x" * 40}}}
    assert laid_out(short) == '{"type": "string", "enum": ["a", "b"]}'
    assert laid_out(value) == (
        '{\n "title": "A schema",\n "fields": {\n  "first": {"type": "string", "enum": ["a", "b"]},\n'
        f'  "second": {{"type": "string", "enum": ["a", "b"], "description": "{"x" * 40}"}}\n }}\n}}'
    )
