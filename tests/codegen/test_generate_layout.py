"""Generated Python is laid out exactly as ``ruff format`` would leave it."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rlmetrics.codegen.output import layout
from rlmetrics.codegen.output.prose import function_name, registry_key, sentence, wrap


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300))
def test_strings_keep_their_value(text: str) -> None:
    """A string argument evaluates to the text it was made from, however it is split."""
    call = ast.parse(layout.source(layout.call("f", [layout.string(text, 4, "brief=")])), mode="eval").body

    assert isinstance(call, ast.Call)
    assert text == ast.literal_eval(call.keywords[0].value)


@pytest.mark.parametrize(("items", "expected"), [(["a"], "(a,)"), ([], "()"), (["a", "b"], "(a, b)")])
def test_tuple_of_one_keeps_its_comma(items: list[layout.Node], expected: str) -> None:
    """A tuple of one element is a tuple."""
    assert layout.tuple_of(items).flat == expected


def test_wrap_keeps_words_and_width() -> None:
    """Wrapped text has all words in order, no line over the width, and a blank line between paragraphs."""
    text = "word " * 90 + "\n\n" + "other " * 5

    lines = wrap(text, 8)

    assert text.split() == " ".join(lines).split()
    assert max(map(len, lines)) <= layout.WIDTH
    assert lines[-2:] == ["", "        other other other other other"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a b", "A b."), ("Done!", "Done!"), ("k1 of a", "k1 of a."), ("A\n  b?", "A b?"), ("vLLM is", "vLLM is.")],
)
def test_sentence(text: str, expected: str) -> None:
    """A sentence starts with a capital, unless its first word is spelled otherwise, and ends with a stop."""
    assert sentence(text) == expected


def test_names_of_variants() -> None:
    """A variant's function and registry key append its name."""
    assert (function_name("kl/old/k1"), function_name("kl/old/k1", "padded")) == ("kl_old_k1", "kl_old_k1_padded")
    assert (registry_key("kl/old/k1"), registry_key("kl/old/k1", "padded")) == ("kl/old/k1", "kl/old/k1@padded")
