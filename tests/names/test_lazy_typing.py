"""The tuples of `rlmetrics.lazy_typing` are those of `typing`, and importing it imports nothing else."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import typing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics import lazy_typing as lazy


def declared(base: Any) -> Any:
    """Return a class of tuples, made with one of the two bases."""

    class Point(base):
        """A place with a name."""

        x: int
        y: int = 2
        name: str | None = None

        @property
        def sum(self) -> int:
            """Both together."""
            return self.x + self.y

        def __str__(self) -> str:
            return f"<{self.name}>"

    return Point


OURS, THEIRS = declared(lazy.NamedTuple), declared(typing.NamedTuple)


class Kept(lazy.NamedTuple):
    """Can be pickled, as it stands in a module."""

    value: int
    others: tuple[int, ...] = ()


@given(x=st.integers(), y=st.integers(), name=st.none() | st.text(max_size=3))
def test_a_tuple_is_the_same(x, y, name):
    """However it is made, and whatever is asked of it."""
    for given_, named in [((x, y, name), {}), ((x,), {"name": name}), ((), {"x": x, "y": y})]:
        ours, theirs = OURS(*given_, **named), THEIRS(*given_, **named)
        assert ours == theirs
        assert (repr(ours), str(ours), hash(ours), ours.sum) == (repr(theirs), str(theirs), hash(theirs), theirs.sum)
        assert ours._asdict() == theirs._asdict()
        assert ours._replace(y=1) == theirs._replace(y=1)
        assert type(ours)._make(ours) == ours


@pytest.mark.parametrize("given_", [(), (1, 2, 3, 4)])
def test_wrong_values_are_refused(given_):
    """Too few and too many."""
    with pytest.raises(TypeError):
        OURS(*given_)
    with pytest.raises(TypeError):
        OURS._make(given_)
    with pytest.raises(TypeError):
        OURS(1, z=3)
    with pytest.raises(ValueError, match="z"):
        OURS(1)._replace(z=3)


def test_a_class_tells_its_fields():
    """As types that read them expect it."""
    assert OURS._fields == THEIRS._fields == OURS.__match_args__
    assert OURS._field_defaults == THEIRS._field_defaults
    assert OURS.__doc__ == THEIRS.__doc__
    match OURS(1, 2):
        case OURS(x, y, None):
            assert (x, y) == (1, 2)


def test_a_tuple_can_be_kept_and_copied():
    """It is of the same class afterwards."""
    for again in (pickle.loads(pickle.dumps(Kept(1, (2,)))), copy.deepcopy(Kept(1, (2,)))):
        assert (type(again), again) == (Kept, Kept(1, (2,)))


def test_no_module_is_imported_for_it():
    """Neither typing nor what that imports; `_collections` is compiled into Python, and some have it at the start."""
    code = (
        "import sys; import _collections, rlmetrics; before = {*sys.modules}; "
        "from rlmetrics.lazy_typing import Any, NamedTuple; print(*sorted({*sys.modules} - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["__future__", "rlmetrics.lazy_typing"]
