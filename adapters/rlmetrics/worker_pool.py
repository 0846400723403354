"""Does tasks in several processes, which all come from one that has imported what they need.

Forking a process that may have threads is not safe, and a new one imports for a third of a second: a server that has
done so once, and does nothing else, is forked instead, where the system has that.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

__all__ = ["done_by"]

TaskT = TypeVar("TaskT")
ResultT = TypeVar("ResultT")


def done_by(
    processes: int,
    function: Callable[[TaskT], ResultT],
    tasks: Iterable[TaskT],
    *,
    preload: Sequence[str] = (),
) -> Iterator[tuple[TaskT, ResultT | None]]:
    """Yield each task when it is done, with what it came to; None if the process that did it was killed.

    Args:
        processes: How many; one is this process.
        function: Does a task, wherever it is; it can be pickled, as can tasks and results.
        tasks: The tasks, taken when a process has nothing to do.
        preload: Modules that all processes need.

    Raises:
        OSError: What the system refused one of them, such as room on the disk.
    """
    waiting = iter(tasks)
    if processes < 2:
        for task in waiting:
            yield task, function(task)
        return
    # Most work is done in one process, which these would take a fifth longer to start.
    import multiprocessing
    from multiprocessing.connection import wait

    context: Any = multiprocessing.get_context("spawn" if sys.platform == "win32" else "forkserver")
    if sys.platform != "win32":
        context.set_forkserver_preload([*preload])
    running: dict[Connection, tuple[BaseProcess, TaskT]] = {}
    try:
        while True:
            while len(running) < processes:
                try:
                    task = next(waiting)
                except StopIteration:
                    break
                ours, theirs = context.Pipe()
                process = context.Process(target=_work, args=(function, theirs), daemon=True)
                process.start()
                theirs.close()
                ours.send(task)
                running[ours] = process, task
            if not running:
                return
            for ready in wait(list(running)):
                connection: Any = ready
                process, task = running.pop(connection)
                try:
                    result = _received(connection)
                except (EOFError, OSError):
                    result = None
                if isinstance(result, OSError):
                    raise result
                yield task, result
                following = next(waiting, None) if process.is_alive() else None
                if following is None:
                    connection.close()
                else:
                    running[connection] = process, following
                    with suppress(OSError):  # it was killed just now, which shows when its answer is read
                        connection.send(following)
    finally:
        for process, _ in running.values():
            process.terminate()
            process.join()


def _received(connection: Connection) -> Any:
    """Return what another process sends.

    Raises:
        EOFError: That process could not go on; also OSError.
    """
    result, said = connection.recv()
    for category, message in said:
        warnings.warn(message, category, stacklevel=4)
    return result


def _work(function: Callable[[Any], Any], connection: Connection) -> None:
    """Do tasks until there are no more; Ctrl-C is the business of the process that has the output."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, OSError):
        while True:
            task = connection.recv()
            result: Any
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                try:
                    result = function(task)
                except OSError as error:
                    result = error
            connection.send((result, [(warning.category, str(warning.message)) for warning in caught]))
