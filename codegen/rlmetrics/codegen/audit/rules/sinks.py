"""Calls that hand a dict or one value to a tracker: ``self.log(logs)``, ``log(data=...)``, ``add_scalar(...)``."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from ..abstract_values import FunctionValue, Mapping, TextValue, UnknownValue, Value, mappings, options, text_of
from ..frames import Sunk

if TYPE_CHECKING:
    from ..call_arguments import Arguments
    from ..frames import Frame
    from ..interpreter import Interpreter

_NAMES = {"log", "log_metrics", "log_summary", "_log_metrics_to_tracker"}
_NAMES_OF_ONE = {"log_metric", "add_scalar", "add_scalars", "add_histogram", "log_scalar"}
_SAYS_SO = re.compile(
    r"(log|track|record|report|commit|write)_?(train|eval|step|stats|metrics?|scalars?|values?|dict|data)?"
)
_NOT_TRACKERS = {"torch", "math", "np", "numpy", "F", "jnp", "cmath"}


def sink(interpreter: Interpreter, frame: Frame, node: ast.Call, arguments: Arguments) -> bool:
    """Record what leaves the package through a tracker; False if the call is none of these."""
    function = node.func
    if not isinstance(function, ast.Attribute):
        return False
    receiver = text_of(function.value)
    if function.attr in _NAMES_OF_ONE:
        keys = [arguments.keywords[k] for k in ("key", "tag", "name") if k in arguments.keywords]
        key = [*keys, *arguments.positional, UnknownValue()][0]
        sink_one(interpreter, frame, node, key)
        return True
    if function.attr == "on_log" or (function.attr in ("append", "update") and _is_history(receiver)):
        _sink_each(interpreter, frame, node, arguments)
        return True
    if function.attr not in _NAMES:
        return False
    if _is_message(node):
        return False
    if receiver.split(".")[0] in _NOT_TRACKERS or not (arguments.positional or arguments.keywords):
        return False
    name = next((k for k in ("data", "logs", "metrics", "values") if k in arguments.keywords), None)
    value = arguments.keywords[name] if name else arguments.positional[0] if arguments.positional else UnknownValue()
    sunk = mappings(value)
    for mapping in sunk:
        interpreter.sunk.append(Sunk(mapping.snapshot(), frame.site(node)))
    if not sunk and any(isinstance(option, UnknownValue) for option in options(value)) and _is_tracker(receiver):
        interpreter.report(frame, node, "a tracker call whose dict is not known")
    return bool(sunk) or _is_tracker(receiver)


def looks_like_one(node: ast.Call) -> bool:
    """Tell whether a call hands something to a tracker, by what the code calls it and the object.

    Every method of an object that is called a tracker counts whose name says so, whether or not a rule knows it.
    """
    function = node.func
    if not isinstance(function, ast.Attribute) or not (node.args or node.keywords) or _is_message(node):
        return False
    receiver = text_of(function.value)
    if receiver in ("self", "super()") or receiver.split(".")[0] in _NOT_TRACKERS or not _is_tracker(receiver):
        return False
    return function.attr in _NAMES | _NAMES_OF_ONE or _SAYS_SO.fullmatch(function.attr) is not None


def sink_one(interpreter: Interpreter, frame: Frame, node: ast.expr, key: Value) -> None:
    """Record one value that is logged under a key, as MLflow, TensorBoard and W&B's summaries are given it."""
    for option in options(key):
        if isinstance(option, TextValue):
            logged = Mapping()
            logged.write(option, UnknownValue(option.template), interpreter.place(frame, node), "")
            interpreter.sunk.append(Sunk(logged, frame.site(node)))
        else:
            interpreter.report(frame, node, "a tracker call whose key is not known")


def _sink_each(interpreter: Interpreter, frame: Frame, node: ast.Call, arguments: Arguments) -> None:
    """Record every dict that callbacks, the state's history or a run's summary are given beside other things."""
    sunk = [mapping for value in arguments.all() for mapping in mappings(value)]
    for mapping in sunk:
        interpreter.sunk.append(Sunk(mapping.snapshot(), frame.site(node)))
    if not sunk:
        interpreter.report(frame, node, "a tracker call whose dict is not known")


def is_summary(text: str) -> bool:
    """Tell whether an expression is the summary of a run of W&B."""
    owner, _, last = text.rpartition(".")
    return last == "summary" and (owner.split(".")[-1].lower().endswith("run") or _is_tracker(owner))


def _is_history(receiver: str) -> bool:
    return receiver.split(".")[-1] == "log_history" or is_summary(receiver)


def evaluation_metrics(interpreter: Interpreter, frame: Frame, node: ast.Call, value: Value) -> None:
    """Record what a function given to transformers' Trainer as ``compute_metrics`` returns, prefixed as it does."""
    for option in options(value):
        if isinstance(option, FunctionValue):
            result = interpreter.run(option, [], {}, unknown_parameters=True)
            for mapping in mappings(result):
                prefixed = Mapping()
                for key in iter(mapping.keys()):
                    name = TextValue(f"eval_{key.template}", key.site, key.origins)
                    prefixed.write(name, UnknownValue(key.template), interpreter.place(frame, node), "")
                    named = TextValue(f"eval_{{eval_dataset}}_{key.template}", key.site, key.origins)
                    prefixed.write(named, UnknownValue(key.template), interpreter.place(frame, node), "")
                interpreter.sunk.append(Sunk(prefixed, frame.site(node)))


def _is_message(node: ast.Call) -> bool:
    """Tell whether it is a line for the standard library's logging: ``logger.log(level, "...")``."""
    first = text_of(node.args[0]) if node.args else ""
    return (
        any(k.arg in ("level", "msg") for k in node.keywords)
        or first in _LEVEL_VARIABLES
        or ("." in first and first.split(".")[-1].lower() in _LEVELS)
        or (first.split(".")[0] == "logging")
    )


_LEVELS = {"level", "log_level", "info", "warning", "debug", "error"}
_LEVEL_VARIABLES = {"level", "log_level"}


def _is_tracker(receiver: str) -> bool:
    last = receiver.split(".")[-1].lower()
    return receiver in ("self", "super()") or any(
        word in last
        for word in ("accelerator", "wandb", "tracker", "tracking", "trainer", "logger", "trackio", "mlflow")
    )


__all__ = ["evaluation_metrics", "is_summary", "looks_like_one", "sink", "sink_one"]
