"""Generated Python is laid out exactly as ``ruff format`` would leave it."""

from __future__ import annotations

import subprocess
import sys

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rlmetrics.codegen.output import layout

NAMES = st.from_regex(r"[a-z][a-z_]{0,30}", fullmatch=True).filter(str.isidentifier).map(lambda name: f"n_{name}")
LETTERS = st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp", "Zs")) | st.just(" ")
TEXTS = st.text(LETTERS, max_size=150) | st.text("\"' \\ab", max_size=300)


def nodes() -> st.SearchStrategy[layout.Node]:
    """Names and brackets in brackets."""
    return st.recursive(
        NAMES,
        lambda inner: st.one_of(
            st.builds(lambda head, items: layout.call(head, items), NAMES, st.lists(inner, max_size=5)),
            st.builds(lambda items: layout.tuple_of(items), st.lists(inner, max_size=5)),
            st.builds(lambda items: layout.list_of(items), st.lists(inner, max_size=5)),
        ),
        max_leaves=12,
    )


def ruff_format(source: str) -> str:
    """Return what the formatter makes of a module."""
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length", "120", "-"]
    return subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(nodes(), min_size=10, max_size=40), st.lists(TEXTS, max_size=20))
def test_layout_is_a_fixed_point_of_ruff(values: list[layout.Node], texts: list[str]) -> None:
    """Calls, tuples, lists and strings of any size and nesting stay as they are laid out."""
    blocks = [layout.source(layout.call("x = f", [value, *values[:number]])) for number, value in enumerate(values)]
    blocks += [layout.source(layout.call("x = f", [layout.string(text, 4, "brief=")])) for text in texts]
    module = "\n".join(blocks) + "\n"

    assert module == ruff_format(module)
