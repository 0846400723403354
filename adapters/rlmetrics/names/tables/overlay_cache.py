"""Tables of the spec with overlays, kept on disk under the digest of their files, and read like the generated ones.

What an overlay leaves as it is stands in the generated tables; only the others are kept.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter

from rlmetrics.lazy_typing import Any
from rlmetrics.overlay_places import VARIABLE, cache_folder, found_overlays, package_state

from .base_spec import base_folder
from .table_text import TableText
from .user_errors import NamesError

__all__ = ["overlaid_tables"]

_MOST = 12
"""So many states of overlays are kept, those made last."""
_WRITTEN = (".yaml", ".yml", ".lock")
_WHOLE = "whole"
"""A file that stands where all tables do."""
Load = Callable[[str], Mapping[str, Any]]


def overlaid_tables(overlays: Sequence[str], generated: str) -> Load:
    """Return what gives each table, by name, of the spec and the overlays.

    Args:
        overlays: Folders, in the order in which they extend the spec.
        generated: The folder of the generated tables.

    Raises:
        NamesError: A folder is missing, or what stands in it can't be used.
    """
    _require_folders(overlays)
    base = base_folder()
    place = None if base is None else _place(base, overlays, generated)
    texts: Mapping[str, str] = {}
    if place is None or not os.path.isfile(os.path.join(place, _WHOLE)):
        from .overlays import overlaid

        if sys.stderr is not None and sys.stderr.isatty():
            print(f"reading {', '.join(overlays)} and the spec; what they say is kept for next time", file=sys.stderr)
        texts = {name: text for name, text in overlaid(overlays).items() if not _is_generated(name, text, generated)}
        if place is not None and _kept(place, texts):
            texts = {}

    def load(table: str) -> Mapping[str, Any]:
        if table in texts:
            return TableText(texts[table])
        for folder in (generated,) if place is None or texts else (place, generated):
            try:
                with open(f"{folder}/{table}.json", "rb") as file:
                    return TableText(file.read().decode())
            except FileNotFoundError:
                continue
        msg = "the tables have not been generated; run rlmetrics generate in the checkout"
        raise NamesError(msg)

    return load


def _require_folders(overlays: Sequence[str]) -> None:
    for overlay in overlays:
        if not os.path.isdir(overlay):
            where = f"{VARIABLE} names" if overlay in found_overlays() else "--spec takes"
            msg = f"{overlay}: no such folder; {where} folders with YAML files like those of spec/"
            raise NamesError(msg)


def _place(base: str, overlays: Sequence[str], generated: str) -> str:
    """Return where tables are kept: for overlays by what stands in them, for all else by when it was written."""
    from hashlib import blake2b

    version, roots = package_state()
    code = next(folder for folder in (os.path.join(root, "codegen") for root in roots) if os.path.isdir(folder))
    total = blake2b(version.encode(), digest_size=12)
    for folder, endings in (
        (base, _WRITTEN),
        (code, (".py",)),
        (generated, (".json",)),
    ):
        for name, entry in _files(folder, endings):
            state = entry.stat()
            total.update(f"{name}\0{state.st_size}\0{state.st_mtime_ns}\n".encode())
    for overlay in overlays:
        total.update(f"\n{os.path.abspath(overlay)}\n".encode("utf-8", "surrogateescape"))
        for name, entry in _files(overlay, _WRITTEN):
            content = b""
            if entry.is_file():  # a pipe is left to what reads the spec, which refuses it
                with open(entry.path, "rb") as file:
                    content = file.read()
            total.update(f"{name}\0{len(content)}\n".encode("utf-8", "surrogateescape") + content)
    return os.path.join(cache_folder(), "overlays", total.hexdigest())


def _files(root: str, endings: tuple[str, ...]) -> list[tuple[str, os.DirEntry[str]]]:
    """Return the files of a folder and those below it, by their names in it; one loop, since each answer waits for it.

    Raises:
        NamesError: A folder can't be read.
    """
    found: list[tuple[str, os.DirEntry[str]]] = []
    waiting = [(root, "")]
    try:
        for folder, within in waiting:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.name.endswith(endings) and not entry.is_dir():
                        found.append((within + entry.name, entry))
                    elif entry.is_dir() and entry.name[0] != "." and entry.name != "__pycache__":
                        waiting.append((entry.path, f"{within}{entry.name}/"))
    except OSError as error:
        msg = f"{error.filename or root}: {error.strerror or error}; put a folder in its place that can be read"
        raise NamesError(msg) from None
    found.sort(key=itemgetter(0))
    return found


def _is_generated(name: str, text: str, generated: str) -> bool:
    """Tell whether a table is what the spec without overlays gives."""
    try:
        with open(f"{generated}/{name}.json", "rb") as file:
            return file.read() == text.encode()
    except OSError:
        return False


def _kept(place: str, texts: Mapping[str, str]) -> bool:
    """Keep tables; return whether that could be done. Of two that do it at once, the first is right."""
    from shutil import rmtree

    beside = f"{place}.{os.getpid()}"
    try:
        for name, text in texts.items():
            path = os.path.join(beside, f"{name}.json")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(text.encode())
        os.makedirs(beside, exist_ok=True)
        with open(os.path.join(beside, _WHOLE), "wb"):
            pass
        os.rename(beside, place)
    except OSError:
        rmtree(beside, ignore_errors=True)
    folder = os.path.dirname(place)
    try:
        kept = sorted((entry.stat().st_mtime_ns, entry.path) for entry in os.scandir(folder))
    except OSError:
        kept = []
    for _, path in kept[:-_MOST]:
        rmtree(path, ignore_errors=True)
    return os.path.isfile(os.path.join(place, _WHOLE))
