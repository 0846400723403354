"""SQLite databases, read as they are at one moment, even while someone writes to them, and without touching them.

SQLite is imported once there is a database: all other files are told from one without it.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .files import naming
from .input_errors import InputError

if TYPE_CHECKING:
    import sqlite3

__all__ = ["columns", "define", "journals", "reading", "rewriting", "tables", "why_no_log"]

_MAGIC = b"SQLite format 3\0"
_WAL_MODE = b"\2\2"
_JOURNALS = ("-wal", "-journal")
"""Files beside a database with what has not been written into it yet, or must be taken back."""
_SETTLED_NS = 50_000_000
"""A file that was not written for so long shows it in its time of modification when it is written again."""
_ATTEMPTS = 5
_HEAD = 100
"""Bytes of the head of a database."""
_MOST_NAMES = 4


class LockedError(InputError):
    """A database that another program keeps locked."""


def journals(path: Path) -> list[Path]:
    """Return the files beside a database that belong to it and are part of every copy of it."""
    beside = (path.with_name(path.name + suffix) for suffix in (*_JOURNALS, "-shm"))
    return [file for file in beside if _is_there(file)]


def tables(path: Path) -> dict[str, set[str]]:
    """Return the tables of a database with the names of their columns; empty if ``path`` is no database.

    Raises:
        LockedError: If another program keeps it locked.
    """
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC and not _pending(path):
            return {}
    try:
        with reading(path) as database:
            return columns(database)
    except LockedError:
        raise
    except InputError:
        return {}


def why_no_log(path: Path) -> str | None:
    """Return why a database is no log: it was cut off or is damaged, or no tracker's; None if it is no database."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if not head.startswith(_MAGIC):
        return None
    size = int.from_bytes(head[16:18], "big")
    whole = (65536 if size == 1 else size) * int.from_bytes(head[28:32], "big")
    held = path.stat().st_size
    if len(head) < _HEAD or held < whole:
        of = f" of {whole:,}" if whole else ""
        return (
            f"is an SQLite database that was cut off, {held:,} bytes{of}: copy it again, or save what is left with: "
            f"sqlite3 {path.name} .recover"
        )
    try:
        with reading(path) as database:
            names = sorted(columns(database))
    except InputError as error:
        return str(error).removeprefix(f"{path}: ")
    if not names:
        return "is an SQLite database without a table: nothing was logged to it"
    shown = f"{', '.join(names[:_MOST_NAMES])}{' …' if len(names) > _MOST_NAMES else ''}"
    return f"is an SQLite database, but none that Trackio or MLflow writes: it holds {shown}"


def columns(database: sqlite3.Connection) -> dict[str, set[str]]:
    """Return the tables of an open database with the names of their columns."""
    query = "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'"
    held: dict[str, set[str]] = {}
    for table, column in database.execute(query):
        held.setdefault(table, set()).add(column)
    return held


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a database to read it.

    Raises:
        InputError: If it is damaged.
    """
    with _explained(path):
        if _pending(path):
            with tempfile.TemporaryDirectory() as folder, naming(Path(folder)):
                copy = Path(folder, "copy.db")
                _copy(path, copy)
                with closing(_connected(copy)) as database:
                    yield database
        else:
            with closing(_open_read_only(path)) as database:
                yield database


@contextmanager
def rewriting(path: Path, output: Path, changed: Collection[str]) -> Iterator[sqlite3.Connection]:
    """Copy a database to ``output``, a single file, and open the copy to change some tables in one transaction.

    Raises:
        InputError: If it is damaged.
    """
    try:
        with _explained(path):
            _copy(path, output)
            with closing(_connected(output, isolation_level=None)) as database:
                # What was pending comes in here. Nobody sees the copy before it is complete, so it needs no journal.
                database.execute("PRAGMA journal_mode = DELETE")
                database.execute("PRAGMA journal_mode = OFF")
                database.execute("PRAGMA synchronous = OFF")
                _require_whole(database, path)
                database.execute("BEGIN")
                with _without_triggers(database, changed):
                    yield database
                database.execute("COMMIT")
    finally:
        for journal in journals(output):
            journal.unlink()


def _require_whole(database: sqlite3.Connection, path: Path) -> None:
    """Make sure that all pages hang together; what a query happens not to touch would be copied damaged in silence.

    Whether indexes agree with their tables is not looked at, which takes five times as long.

    Raises:
        InputError: If they don't.
    """
    (said,) = database.execute("PRAGMA quick_check(1)").fetchone()
    if said != "ok":
        raise InputError(_damaged(path, said), path)


def _damaged(path: Path, said: str) -> str:
    said = " ".join(said.split())
    return f"can't be read as an SQLite database: {said}; save what is left with: sqlite3 {path.name} .recover"


def define(database: sqlite3.Connection, name: str, arguments: int, function: Callable[..., Any]) -> Callable[[], None]:
    """Let queries call a function, and return what raises the error that stopped it, be it bad input or a signal.

    SQLite says only that there was one. Values that the function is not made for are its own matter: that it says.
    """
    raised: list[BaseException] = []

    def called(*values: Any) -> Any:
        try:
            return function(*values)
        except BaseException as error:
            raised.append(error)
            raise

    def check() -> None:
        import sqlite3

        if raised and not isinstance(raised[0], TypeError | ArithmeticError | sqlite3.Error):
            raise raised[0]

    database.create_function(name, arguments, called, deterministic=True)
    return check


@contextmanager
def _without_triggers(database: sqlite3.Connection, changed: Collection[str]) -> Iterator[None]:
    """Take the triggers of tables out while they are changed: what they do was done when the rows were logged."""
    marks = ", ".join("?" * len(changed))
    query = f"SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND lower(tbl_name) IN ({marks})"
    triggers = database.execute(query, tuple(changed)).fetchall()
    for name, _ in triggers:
        database.execute("DROP TRIGGER " + '"' + name.replace('"', '""') + '"')
    yield
    for _, definition in triggers:
        database.execute(definition)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    import sqlite3

    try:
        yield
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        is_stopped = isinstance(error, sqlite3.OperationalError)
        if is_stopped and "disk is full" in str(error):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from None
        if is_stopped and "locked" in str(error):
            msg = f"is locked by a program that writes to it; end that, or copy {path.name} and take the copy"
            raise LockedError(msg, path) from None
        # Python decodes even what SQLite says about a damaged file, which may quote it.
        said = "its text is damaged" if isinstance(error, UnicodeDecodeError) else str(error)
        raise InputError(_damaged(path, said), path) from None


def _connected(place: Path | str, **options: Any) -> sqlite3.Connection:
    import sqlite3

    database: sqlite3.Connection = sqlite3.connect(place, **options)
    return database


def _pending(path: Path) -> bool:
    return any(file.stat().st_size for file in journals(path) if not file.name.endswith("-shm"))


def _open_read_only(path: Path) -> sqlite3.Connection:
    """Open a database without pending changes; one in WAL mode as a plain file, as SQLite would put files beside it."""
    with path.open("rb") as file:
        in_wal_mode = file.read(20)[18:] == _WAL_MODE
    options = "mode=ro&immutable=1" if in_wal_mode else "mode=ro"
    return _connected(f"{path.resolve().as_uri()}?{options}", uri=True)


def _copy(path: Path, output: Path) -> None:
    """Copy a database with its journals if nobody writes to it, else through SQLite, which waits for the writer."""
    for _ in range(_ATTEMPTS):
        before = _state(path)
        if before and time.time_ns() - max(modified for modified, _ in before.values()) > _SETTLED_NS:
            for suffix in ("", *_JOURNALS):
                output.with_name(output.name + suffix).unlink(missing_ok=True)
                if suffix in before:
                    shutil.copyfile(f"{path}{suffix}", f"{output}{suffix}")
            if _state(path) == before:
                return
        time.sleep(_SETTLED_NS / 1e9)
    for suffix in ("", *_JOURNALS):
        output.with_name(output.name + suffix).unlink(missing_ok=True)
    with (
        closing(_connected(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as source,
        closing(_connected(output)) as copy,
    ):
        source.backup(copy)


def _is_there(file: Path) -> bool:
    """Tell whether there is such a file; none has a name that is too long."""
    try:
        return file.is_file()
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        return False


def _state(path: Path) -> dict[str, tuple[int, int]]:
    """Return time of modification and size of a database and its journals."""
    state = {}
    for suffix in ("", *_JOURNALS):
        file = path.with_name(path.name + suffix)
        if _is_there(file):
            status = file.stat()
            state[suffix] = (status.st_mtime_ns, status.st_size)
    return state
