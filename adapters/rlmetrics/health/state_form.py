"""The form that the state of a monitor has: what a checkpoint holds is looked through before any of it is taken."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .report_records import LEVELS, Finding

__all__ = ["require_whole"]

_Form = Callable[[str, Any], None]
"""Raises a ValueError if what stands at a place is not as it has to be."""
_MOST = 2**63
"""No step and no count is larger."""


def _refuse(place: str, what: str) -> None:
    msg = f"this is no whole state of a monitor: {place or 'it'} is no {what}"
    raise ValueError(msg)


def _number(place: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or (isinstance(value, int) and abs(value) > _MOST):
        _refuse(place, "number")


def _count(place: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST:
        _refuse(place, "count")


def _flag(place: str, value: Any) -> None:
    if not isinstance(value, bool):
        _refuse(place, "truth value")


def _text(place: str, value: Any) -> None:
    if not isinstance(value, str):
        _refuse(place, "text")


def _level(place: str, value: Any) -> None:
    if value not in LEVELS:
        _refuse(place, "level of a finding")


def _or_none(form: _Form) -> _Form:
    def check(place: str, value: Any) -> None:
        if value is not None:
            form(place, value)

    return check


def _all(form: _Form) -> _Form:
    def check(place: str, value: Any) -> None:
        if not isinstance(value, Sequence) or isinstance(value, str):
            _refuse(place, "list")
        for number, item in enumerate(value):
            form(f"{place}[{number}]", item)

    return check


def _these(*forms: _Form) -> _Form:
    def check(place: str, value: Any) -> None:
        if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != len(forms):
            _refuse(place, f"list of {len(forms)}")
        for number, (form, item) in enumerate(zip(forms, value, strict=True)):
            form(f"{place}[{number}]", item)

    return check


def _none_or_these(*forms: _Form) -> _Form:
    whole = _these(*forms)

    def check(place: str, value: Any) -> None:
        if not isinstance(value, Sequence) or value:
            whole(place, value)

    return check


def _each(form: _Form) -> _Form:
    def check(place: str, value: Any) -> None:
        if not isinstance(value, Mapping):
            _refuse(place, "mapping")
        for name, item in value.items():
            _text(place, name)
            form(f"{place}.{name}" if place else name, item)

    return check


def _parts(**forms: _Form) -> _Form:
    def check(place: str, value: Any) -> None:
        if not isinstance(value, Mapping):
            _refuse(place, "mapping")
        for name, form in forms.items():
            where = f"{place}.{name}" if place else name
            if name not in value:
                msg = f"this is no whole state of a monitor: it lacks {where}"
                raise ValueError(msg)
            form(where, value[name])

    return check


def _curve(place: str, value: Any) -> None:
    _SERIES(place, value)
    for values, steps in (("recent", "recent_steps"), ("history", "history_steps")):
        if len(value[values]) != len(value[steps]):
            _refuse(f"{place}.{values}", f"list as long as {steps}")
    if not value["stride"]:
        _refuse(f"{place}.stride", "number of rows")


_FINDING = _parts(
    **{
        **dict.fromkeys(Finding.__dataclass_fields__, _text),
        **dict.fromkeys(("onset_step", "first_step", "last_step"), _number),
        "level": _level,
        "metric": _or_none(_text),
        "value": _or_none(_number),
    }
)
_NUMBERS = _all(_number)
_SERIES = _parts(
    **dict.fromkeys(("count", "same", "zeros", "stride", "held"), _count),
    **dict.fromkeys(("last", "first_step", "last_step", "interval", "same_since", "level"), _or_none(_number)),
    **dict.fromkeys(("sum", "sum_step"), _number),
    **dict.fromkeys(("first", "recent", "recent_steps", "history", "history_steps", "spikes"), _NUMBERS),
)
_RULE = _parts(
    since=_each(_these(_number, _number, _number)),
    finding=_or_none(_these(_level, _number, _number, _number)),
    said=_or_none(_these(_or_none(_number), _text)),
    active=_flag,
    judged=_flag,
    ready=_all(_NUMBERS),
)
_FORM = _parts(
    at=_or_none(_text),
    rows=_count,
    axis=_parts(
        at=_number,
        first=_or_none(_number),
        last=_or_none(_number),
        falls=_count,
        resumed=_all(_these(_number, _number)),
        offset=_number,
        passes=_all(_these(_number, _number)),
        between=_NUMBERS,
    ),
    kinds=_all(_these(_all(_text), _count)),
    expected=_each(_text),
    run=_each(_FINDING),
    channels=_each(
        _parts(
            series=_curve,
            due=_number,
            lost=_none_or_these(_count, _count, _number, _number, _flag),
            rules=_each(_RULE),
        )
    ),
)


def require_whole(state: Any) -> None:
    """Make sure that something is a state that a monitor gave, as it is or as JSON keeps it.

    Raises:
        ValueError: It is none, or only a part of one; the place is named.
    """
    _FORM("", state)
    _all(_text)("others", state.get("others", ()))  # which older states lack
