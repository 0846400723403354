"""Rows of JSON: those translated the quick way are what the thorough way makes of them."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from rlmetrics.logs.jsonspans import members
from rlmetrics.translate import Translator
from rlmetrics.translate.json_rows import Rewriter

TRANSLATOR = Translator("verl==0.1", "verl==0.9.1")
NAMES = ["actor/lr(1e-4)", "actor/pg_loss", "critic/lr(1e-4)", "mine", "", ","]
TEXTS = st.text(':", {}[]a\\\n', max_size=6)
NUMBERS = st.floats() | st.integers(-(10**30), 10**30) | st.sampled_from([float("-inf"), 0, 10**400])


@settings(max_examples=500, deadline=None)
@given(data=st.data(), values=st.lists(TEXTS | NUMBERS, min_size=1, max_size=3))
def test_a_damaged_row_never_goes_the_quick_way(data, values):
    """A letter lost, doubled or swapped for one of the syntax: what is no JSON any more is left to the thorough way."""
    keys = NAMES[1:4][: len(values)]
    whole = json.dumps(dict(zip(keys, values, strict=False)))
    rewriter = Rewriter(TRANSLATOR)
    for row in (dict.fromkeys(keys, 0), dict.fromkeys(keys, "a")):
        rewriter.members(json.dumps(row), members(json.dumps(row)))
    place = data.draw(st.integers(0, len(whole) - 1))
    middle = data.draw(st.sampled_from(["", whole[place] * 2, *'":,{}[]\\\x01 1a']))
    damaged = whole[:place] + middle + whole[place + 1 :]
    quick = rewriter.line(damaged)
    if quick is not None:
        row = members(damaged)
        assert damaged[row.end :].strip() == ""
        assert Rewriter(TRANSLATOR).members(damaged, row) == quick
