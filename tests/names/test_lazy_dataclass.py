"""Dataclasses that cost nothing until they are used do what the standard ones do."""

from __future__ import annotations

import dataclasses
import pickle
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics import lazy_dataclasses as lazy


def _classes(kit: Any) -> tuple[Any, Any, Any]:
    """Return a frozen record, one that can change, and one that extends another."""

    @kit.dataclass(frozen=True, slots=True)
    class Point:
        """A place."""

        x: float
        label: str = "none"
        more: dict[str, int] = kit.field(default_factory=dict, compare=False)

        @property
        def double(self) -> float:
            return 2 * self.x

    @kit.dataclass
    class Account:
        names: list[str] = kit.field(default_factory=list)
        total: int = 3
        _seen: set[str] = kit.field(default_factory=set, repr=False, compare=False)

        def __post_init__(self) -> None:
            self.total += 1

    @kit.dataclass(frozen=True)
    class Longer(Point):
        tail: tuple[int, ...] = ()

    return Point, Account, Longer


@dataclasses.dataclass
class _Holder:
    inner: object


OURS, THEIRS = _classes(lazy), _classes(dataclasses)
NUMBERS = st.integers() | st.floats(allow_nan=False)


@given(x=NUMBERS, y=NUMBERS, label=st.text())
def test_values_compare_hash_and_read_as_those_of_dataclasses(x, y, label):
    """Whatever they hold, and also what a field is left out of."""
    for ours, theirs in ((OURS[0], THEIRS[0]), (OURS[2], THEIRS[2])):
        one, two = ours(x, label, {"a": 1}), theirs(x, label, {"a": 1})
        assert repr(one) == repr(two)
        assert hash(one) == hash(two)
        assert (one == ours(y, label), one == ours(x, label), one == two) == (
            two == theirs(y, label),
            two == theirs(x, label),
            False,
        )
        assert lazy.asdict(one) == dataclasses.asdict(one) == dataclasses.asdict(two)
        assert dataclasses.replace(one, x=y) == lazy.replace(one, x=y)
        assert [(item.name, item.compare) for item in dataclasses.fields(one)] == [
            (item.name, item.compare) for item in dataclasses.fields(two)
        ]
        assert one.double == two.double


def test_a_record_that_can_change_has_values_of_its_own():
    """Factories run for each, what follows the constructor runs, and it has no hash."""
    for _, account, _ in (OURS, THEIRS):
        one, two = account(), account(total=0)
        one.names.append("a")
        assert (repr(one), two.names, account.total) == (f"{account.__qualname__}(names=['a'], total=4)", [], 3)
        assert account.__hash__ is None
        assert not hasattr(account, "names")


@pytest.mark.parametrize("classes", [OURS, THEIRS], ids=["ours", "theirs"])
def test_a_frozen_record_stays(classes):
    """It takes no other value, no further argument, and does not do without one."""
    point = classes[0](1.0)
    for change in (lambda: setattr(point, "x", 2.0), lambda: delattr(point, "x")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            change()
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        classes[0]()
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        classes[0](1.0, z=1)
    assert not hasattr(point, "__dict__")


def test_real_records_cross_processes_and_are_dataclasses():
    """Those of names: pickled, copied, and known as what they are."""
    from rlmetrics.names import Evidence, Signature

    place = Evidence("1.0", "a.py", 3, "loss")

    assert pickle.loads(pickle.dumps(place)) == place
    assert dataclasses.is_dataclass(Signature)
    assert dataclasses.asdict(_Holder(place))["inner"]["line"] == 3


def test_nothing_is_imported_for_them():
    """Neither dataclasses nor what it brings along, until somebody asks for fields."""
    code = (
        "import sys\nfrom rlmetrics.names.tables.key_records import Evidence\nEvidence('1', 'a', 1, 'b')\n"
        "assert not {'dataclasses', 'inspect'} & set(sys.modules)\n"
        "import dataclasses\nassert [item.name for item in dataclasses.fields(Evidence)][:2] == ['release', 'path']\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
