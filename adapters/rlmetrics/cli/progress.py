"""A bar that shows how far a long command is, for people who watch a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["bar", "steady"]


_EVERY_S = 30
"""How often a line says how far a long command is, where nobody watches a terminal."""


@contextmanager
def steady(what: str) -> Iterator[Callable[[int, int], None]]:
    """Give a function that takes how many of how many things are done; every half minute a line says so."""
    began = said = time.monotonic()

    def move(done: int, total: int) -> None:
        nonlocal said
        now = time.monotonic()
        if now - said >= _EVERY_S:
            said = now
            rate = f"{done / (now - began):.1f} a second"
            with suppress(OSError):
                print(f"rlmetrics: {done} of {total} {what}, {rate}", file=sys.stderr, flush=True)

    yield move


@contextmanager
def bar() -> Iterator[Callable[[Path, int, int], None] | None]:
    """Give a function that takes what is being done, and how much of how much is done; it moves the bar.

    None is given where standard error is no terminal, or rich is not installed.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rlmetrics.logs.printable import printable

    try:
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
    except ImportError:
        yield None
        return
    columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:3.0f} %"), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task("", total=None)

        def move(what: Path, done: int, total: int) -> None:
            shown.update(task, description=escape(printable(what.name)), completed=done, total=total)

        yield move
