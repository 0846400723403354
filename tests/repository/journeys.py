"""What a call does, read off a trace: the files that hand work on, in the order in which they are reached."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import NamedTuple

PROJECT = Path(__file__).parents[2]
_FOLDERS = tuple(f"{PROJECT}/{folder}/rlmetrics/" for folder in ("adapters", "codegen", "generated"))
_UNNAMED = ("<genexpr>", "<lambda>", "<listcomp>", "<dictcomp>", "<setcomp>")
"""Code that runs where somebody else's function asks for it, although the file it stands in decided so."""


class Journey(NamedTuple):
    """What was called.

    Attributes:
        stops: The files that called another one, and the first, in the order in which they were reached.
        climbs: Pairs of files of which the second was called by the first, which it had called itself before.
    """

    stops: list[str]
    climbs: set[tuple[str, str]]


def traced(run: Callable[[], object], within: str = "") -> Journey:
    """Trace a call that was made once before, so that all is warm.

    Args:
        run: The call.
        within: A folder of the package: of files elsewhere, and in folders below it, no notice is taken.
    """
    run()
    reached: dict[str, None] = {}
    edges: dict[tuple[str, str], None] = {}

    def watch(frame: FrameType, event: str, argument: object) -> None:
        if event != "call" or frame.f_code.co_name in _UNNAMED:
            return
        file = _file(frame, within)
        if file is None:
            return
        reached.setdefault(file)
        caller = next((one for one in _files_below(frame, within) if one is not None), None)
        if caller is not None and caller != file:
            edges.setdefault((caller, file))

    sys.setprofile(watch)
    try:
        run()
    finally:
        sys.setprofile(None)
    callers = {caller for caller, _ in edges}
    order = list(edges)
    climbs = {pair for at, pair in enumerate(order) if pair[::-1] in order[:at]}
    return Journey([file for at, file in enumerate(reached) if at == 0 or file in callers], climbs)


def _files_below(frame: FrameType, within: str) -> Iterator[str | None]:
    below = frame.f_back
    while below is not None:
        yield _file(below, within)
        below = below.f_back


def _file(frame: FrameType, within: str) -> str | None:
    path = frame.f_code.co_filename
    folder = next((folder for folder in _FOLDERS if path.startswith(folder)), None)
    if folder is None or not path.endswith(".py"):
        return None
    inside = path[len(folder) :]
    if not inside.startswith(within) or (within and "/" in inside[len(within) :]):
        return None
    return path.removeprefix(f"{PROJECT}/")
