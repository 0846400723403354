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
OTHERS = st.recursive(TEXTS | NUMBERS | st.none() | st.booleans(), st.lists, max_leaves=4)
VALUES = {"actor/lr(1e-4)": NUMBERS | st.none(), "critic/lr(1e-4)": NUMBERS}


@settings(max_examples=300, deadline=None)
@given(data=st.data(), keys=st.lists(st.sampled_from(NAMES), min_size=1, unique=True), spaces=st.booleans())
def test_a_row_translated_the_quick_way_is_the_same(data, keys, spaces):
    """Whatever texts, lists and numbers it holds, also texts that look like the end of a name."""
    separators = (", ", ": ") if spaces else (",", ":")
    rewriter, thorough = Rewriter(TRANSLATOR), Rewriter(TRANSLATOR)
    first = json.dumps(dict.fromkeys(keys, 0), separators=separators)
    rewriter.members(first, members(first))
    quick = []
    rows = [{key: data.draw(VALUES.get(key, OTHERS)) for key in keys} for _ in range(3)]
    for text in (json.dumps(row, separators=separators) for row in [*rows, dict.fromkeys(keys, 0.5)]):
        expected = thorough.members(text, members(text))
        quick.append(rewriter.line(text))
        assert quick[-1] in (expected, None)
    assert quick[-1] is not None
