"""Records that share their methods behave as the dataclasses that type checkers take them for."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle

import pytest
from rlmetrics.names import Evidence, Signature
from rlmetrics.names.light import replace
from rlmetrics.translate.report import Report

LINE = Evidence("1.0.0", "trl/trainer.py", 12, "Trainer.log")


def test_the_functions_of_dataclasses_work() -> None:
    """``fields``, ``asdict``, ``replace``, a copy and a pickle give what they give for a dataclass."""
    assert [item.name for item in dataclasses.fields(LINE)] == list(inspect.signature(Evidence).parameters)
    assert dataclasses.asdict(LINE) == {
        "release": "1.0.0",
        "path": "trl/trainer.py",
        "line": 12,
        "symbol": "Trainer.log",
        "shows": "key",
        "note": None,
    }
    assert dataclasses.replace(LINE, line=3) == replace(LINE, line=3) != LINE
    assert copy.deepcopy(LINE) == pickle.loads(pickle.dumps(LINE)) == LINE
    assert hash(replace(LINE)) == hash(LINE)
    assert repr(LINE).startswith("Evidence(release='1.0.0', path=")


@pytest.mark.parametrize(
    ("given", "named"),
    [(("1.0.0",), {}), ((1, 2, 3, 4, 5, 6, 7), {}), ((1, 2, 3, 4), {"release": 5}), ((1, 2, 3, 4), {"page": 5})],
)
def test_wrong_fields_are_refused(given: tuple[object, ...], named: dict[str, object]) -> None:
    """A missing, unknown, surplus or repeated field is an error, as in a call of a function."""
    with pytest.raises(TypeError, match="Evidence"):
        Evidence(*given, **named)  # type: ignore[arg-type]


def test_a_frozen_record_stays_as_it_is() -> None:
    """No field of a frozen record can be set or deleted."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        LINE.line = 3  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        del LINE.line  # type: ignore[misc]


def test_defaults_are_made_for_each_record() -> None:
    """Two records share no mutable default, and what is not compared does not tell reports apart."""
    assert Signature().reduction is not Signature().reduction
    first, second = Report("rows", "a", "b"), Report("rows", "a", "b")
    first._seen.add(("kl", "kl"))
    assert first == second
    assert "_seen" not in repr(first)
    first.notes.append("torn")
    assert first != second
    assert not second.notes
