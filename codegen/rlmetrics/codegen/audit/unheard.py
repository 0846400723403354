"""Calls that look like logging and that nothing was heard of: no path that was followed gives them a dict."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from .abstract_values import text_of
from .frames import Unclear
from .rules.declared_ways import sink_names
from .rules.sinks import looks_like_one

if TYPE_CHECKING:
    from ..model.audit_settings import AuditSettings
    from .definitions import FunctionInfo
    from .program import PackageProgram

__all__ = ["unheard"]

_REASON = "a tracker call that nothing followed reaches with keys; declare how it is called, under `sinks` for instance"


def unheard(program: PackageProgram, settings: AuditSettings, heard: Collection[tuple[str, int]]) -> Iterator[Unclear]:
    """Yield the calls that look like logging and are neither heard of nor part of a tracker.

    Args:
        program: The package.
        settings: How it is read.
        heard: Paths and lines at which something with keys was handed over, or that are reported already.
    """
    for function in _functions(program):
        if _is_tracker(function, settings):
            continue
        for node in ast.walk(function.node):
            if isinstance(node, ast.Call) and looks_like_one(node):
                path, line = function.module.path, node.lineno
                if (path, line) not in heard:
                    text = text_of(node).split("\n")[0][:200]
                    yield Unclear(path, line, function.symbol, text, _REASON)


def _functions(program: PackageProgram) -> Iterator[FunctionInfo]:
    for module in program.modules.values():
        yield from module.functions.values()
        for info in module.classes.values():
            yield from info.methods.values()


def _is_tracker(function: FunctionInfo, settings: AuditSettings) -> bool:
    """Tell whether a function is the inside of a tracker, which hands on what others gave it."""
    owner = function.owner.name if function.owner is not None else ""
    inside = {*settings.trackers, *(sink.method.partition(".")[0] for sink in settings.sinks if "." in sink.method)}
    return owner in inside or function.name in sink_names(settings)
