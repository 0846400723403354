"""How a source is written: a framework, a component in brackets, a release."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st
from rlmetrics.names.sources.source import source_parts

FORM = re.compile(r"\s*(?P<framework>[^\s\[=]+)\s*(?:\[(?P<component>[^\]]*)\])?\s*(?:===?\s*(?P<release>\S+)\s*)?")
PIECES = st.sampled_from(["trl", "[", "]", "=", "==", "===", " ", "\n", "\x1c", "A.B", "1.0", "é"])


@given(pieces=st.lists(PIECES, max_size=9))
@example(pieces=["trl", "[", "A", "]", "==", "1.0"])
@example(pieces=["trl", "==="])
@example(pieces=["trl", "==", "1.0", "[", "A", "]"])
def test_a_source_is_read_as_its_form_says(pieces):
    """The form as one regular expression, which takes long to import."""
    text = "".join(pieces)
    match = FORM.fullmatch(text)

    assert source_parts(text) == (match and (match["framework"], match["component"], match["release"]))
