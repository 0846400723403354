"""What reporters of transformers make of names: the place where ``train/`` and ``eval/`` are put in front of them."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from types import FunctionType
from typing import Any

__all__ = ["ReportedRow", "mend", "prefixed", "showing"]

_FUNCTION = "rewrite_logs"
_HOME = "transformers.integrations.integration_utils"
_SHOWN: ContextVar[Mapping[str, str] | None] = ContextVar("rlmetrics_shown", default=None)
_LOCK = threading.Lock()
_MLFLOW = re.compile(r"[^0-9A-Za-z_\-. :/]")


class ReportedRow(dict[str, Any]):
    """A row under new names that still answers to the old ones.

    Callbacks that go through it see the new names only; one that asks for ``logs["loss"]`` finds it as before.
    """

    __slots__ = ("old",)

    def __init__(self, new: Mapping[str, Any], old: Mapping[str, Any]) -> None:
        super().__init__(new)
        self.old = old

    def __missing__(self, key: str) -> Any:
        """Return the value under an old name."""
        return self.old[key]

    def __contains__(self, key: object) -> bool:
        """Tell whether a name, new or old, is known."""
        return super().__contains__(key) or key in self.old

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value under a name, new or old."""
        return super().get(key, self.old.get(key, default))

    def __reduce__(self) -> tuple[Any, ...]:
        """Make copies and pickles plain dictionaries."""
        return dict, (dict(self),)


def prefixed(name: str) -> str:
    """Return what reporters make of a name."""
    for mode in ("eval", "test"):
        if name.startswith(f"{mode}_"):
            return f"{mode}/{name[len(mode) + 1 :]}"
    return f"train/{name}"


@contextmanager
def showing(names: Mapping[str, str]) -> Iterator[None]:
    """Let reporters that are called in here show some names as given, and all others as ever."""
    token = _SHOWN.set(names)
    try:
        yield
    finally:
        _SHOWN.reset(token)


def mend(callbacks: Iterable[object]) -> bool:
    """Let reporters ask what to show, and MLflow, which stops the program at a name it refuses, get names it takes.

    Outside `showing` nothing changes for anyone.

    Returns:
        Whether the function that rewrites names was found.
    """
    with _LOCK:
        home = sys.modules.get(_HOME)
        found = home is not None and _renew(vars(home))
        for callback in callbacks:
            function = getattr(type(callback), "on_log", None)
            if isinstance(function, FunctionType):
                _renew(function.__globals__)
            if type(callback).__name__ == "MLflowCallback" and "on_log" not in vars(callback):
                vars(callback)["on_log"] = _sanitized(getattr(callback, "on_log"))  # noqa: B009
        return found


def _renew(names: dict[str, Any]) -> bool:
    """Replace the function that rewrites names in a module, once."""
    original: Any = names.get(_FUNCTION)
    if original is None:
        return False
    if not hasattr(original, "__rlmetrics__"):
        names[_FUNCTION] = _asking(original)
    return True


def _asking(original: Callable[[Mapping[str, Any]], dict[str, Any]]) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    @wraps(original)
    def rewrite_logs(d: Mapping[str, Any]) -> dict[str, Any]:
        shown = _SHOWN.get()
        if not shown:
            return original(d)
        new: dict[str, Any] = {}
        for name, value in d.items():
            if name in shown:
                new[shown[name]] = value
            else:
                new.update(original({name: value}))
        return new

    vars(rewrite_logs)["__rlmetrics__"] = True
    return rewrite_logs


def _sanitized(on_log: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(on_log)
    def logging(args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> Any:
        if isinstance(logs, ReportedRow):
            logs = {_MLFLOW.sub("_", name): value for name, value in logs.items()}
        return on_log(args, state, control, logs=logs, **kwargs)

    return logging
