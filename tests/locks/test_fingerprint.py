"""Fingerprints: what they do not see, what they see, and that every supported Python agrees."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.codegen.locks.fingerprint import fingerprint

SAMPLE = '''
import os
from typing import Optional

class A(Base, metaclass=M):
    """Docs."""
    x: int = 3
    y: Optional[str] = None

    @staticmethod
    async def f(a, /, b: int = 1, *args, c=2, **kw) -> None:
        """Docs of f."""
        async with open(a) as g, h:
            pass
        for i, (j, *k) in enumerate(a):
            if i > 1 and not j or k:
                continue
            elif i in {1, 2} | {3: 4}.keys():
                break
        else:
            return f"{a!r:>{b}} {c=} {'x' 'y'}" "tail" f"{kw}"
        try:
            x = yield 1
        except (ValueError, OSError) as error:
            raise RuntimeError(f"a" "b" f"{error}") from error
        finally:
            del x[1:2, ...]
        match a:
            case [1, 2, *rest] if rest:
                pass
            case {"k": v, **more}:
                pass
            case A(x=1) | None:
                pass
        lambda q, *, r=1: (q if r else -q) ** 2 @ r
        a: int
        b @= 1j + 1.5 + 10**3
        print(*[u for u in a if u], **{"k": b"v"})
        while (n := 3) < 4 <= 5:
            nonlocal z
'''


def _statements(text: str) -> list[str]:
    return [fingerprint(node) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt | ast.excepthandler)]


@pytest.mark.parametrize(
    "other",
    [
        "x = f( a,b )  # comment",
        "x = (f(a, b))",
        "x = f(\n    a,\n    b,\n)",
        "\n\nx = f(a, b)",
    ],
)
def test_layout_and_comments_do_not_count(other: str) -> None:
    """Blanks, comments, redundant parentheses, trailing commas and the line on which a statement stands."""
    assert _statements("x = f(a, b)") == _statements(other)


@pytest.mark.parametrize(
    "other",
    ["x = f(a, c)", "y = f(a, b)", "x = f(a, 1)", "x: int = f(a, b)", "x += f(a, b)", "x = f(a, b=b)", "x = f(b, a)"],
)
def test_names_constants_annotations_and_order_count(other: str) -> None:
    """Whatever a run could notice, and annotations, which say what a field takes."""
    assert _statements("x = f(a, b)") != _statements(other)


@pytest.mark.parametrize(
    ("one", "two"), [("1", "1.0"), ("1", "True"), ("''", "b''"), ("None", "'None'"), ("0", "None")]
)
def test_constants_of_different_types_differ(one: str, two: str) -> None:
    """A number is not its text, and a truth value is no number."""
    assert _statements(f"x = {one}") != _statements(f"x = {two}")


def test_a_compound_statement_is_its_header() -> None:
    """What a loop, a condition or a function does inside says nothing of its header."""
    assert _statements("for i in x:\n    a()")[0] == _statements("for i in x:\n    b()\nelse:\n    c()")[0]
    assert _statements("if x:\n    a()")[0] != _statements("if not x:\n    a()")[0]
    assert _statements("@d\ndef f(a): pass")[0] != _statements("def f(a): pass")[0]


@given(
    st.lists(
        st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="{}'\\"), max_size=5), max_size=4
    )
)
def test_where_the_text_of_an_f_string_is_cut_does_not_count(parts: list[str]) -> None:
    """Pythons differ in how they cut neighbouring texts, so that these are taken together."""
    whole = f"x = f'{''.join(parts)}{{a}}'"
    cut = "x = " + " ".join(f"f'{part}'" for part in parts) + " f'{a}'"
    assert _statements(whole) == _statements(cut)


def test_every_python_gives_the_same_fingerprints() -> None:
    """Whichever Python runs the tests, since the serialisation is our own: `ast.dump` changed in 3.12 and in 3.13."""
    assert _digest(_statements(SAMPLE)) == EXPECTED


def _digest(found: list[str]) -> tuple[int, str]:
    return len(found), f"{sum(int(each, 16) for each in found) % 16**12:012x}"


EXPECTED = (31, "e20cc1f5c032")
