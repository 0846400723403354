"""Where overlays are found that no ``--spec`` names: in ``RLMETRICS_SPEC``, and in installed packages.

``RLMETRICS_SPEC`` is a list of folders like ``PATH``. A package declares one under the entry points ``rlmetrics.spec``,
as ``its_name = "package.folder"``: a folder of the package, which is not imported. Every start of the command line asks
for them, so this module does without what takes long to import, and keeps what installed packages declare until one is
installed or removed.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["GROUP", "VARIABLE", "cache_folder", "found_overlays", "left_out", "package_state", "with_found"]

VARIABLE, GROUP = "RLMETRICS_SPEC", "rlmetrics.spec"
_ENDINGS = (".dist-info", ".egg-info")
_DECLARED = "entry_points.txt"

_left_out = False
_declared: tuple[str, ...] | None = None


class left_out:  # noqa: N801 (used like a function)
    """A context in which none are found, for what is made from the spec alone."""

    def __enter__(self) -> None:
        global _left_out
        self._before, _left_out = _left_out, True

    def __exit__(self, *_: object) -> None:
        global _left_out
        _left_out = self._before


def found_overlays() -> tuple[str, ...]:
    """Return the folders of overlays, those of packages first."""
    global _declared
    if _left_out:
        return ()
    if _declared is None:
        _declared = tuple(_folders(_kept_entries()))
    named = os.environ.get(VARIABLE)
    if not named:
        return _declared
    return (*_declared, *(folder for folder in named.split(os.pathsep) if folder and folder not in _declared))


def with_found(folders: Sequence[str]) -> list[str]:
    """Return the folders that were found and, behind them, those that were named."""
    return list(dict.fromkeys((*found_overlays(), *folders)))


def package_state() -> tuple[str, list[str]]:
    """Return the version of this package and its folders, the one that is written by hand first."""
    package = sys.modules[__name__.partition(".")[0]]
    return str(package.__dict__["__version__"]), [os.path.abspath(folder) for folder in package.__path__]


def cache_folder() -> str:
    """Return the folder in which a user's programs keep what can be made again."""
    home = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return os.path.join(home or os.path.join(os.path.expanduser("~"), ".cache"), "rlmetrics")


def _kept_entries() -> list[tuple[str, str]]:
    """Return name and value of each entry point, read again if something was installed since."""
    folders = []
    for folder in dict.fromkeys(sys.path):
        try:
            folders.append(f"{os.path.abspath(folder)}\t{os.stat(folder or '.').st_mtime_ns}")
        except OSError:
            continue
    head = "\n".join(folders)
    place = os.path.join(cache_folder(), f"packages-{_short(sys.prefix)}.txt")
    try:
        with open(place, encoding="utf-8") as file:
            kept, _, lines = file.read().partition("\n\n")
        if kept == head:
            return [(name, value) for name, _, value in (line.partition("\t") for line in lines.splitlines())]
    except (OSError, UnicodeDecodeError):
        pass
    entries = [entry for folder in dict.fromkeys(sys.path) for entry in _entries(folder or ".")]
    _keep(place, "\n".join([head, "", *(f"{name}\t{value}" for name, value in entries)]))
    return entries


def _short(text: str) -> str:
    """Return a name for a text that has no place in the name of a file."""
    total = 0
    for byte in text.encode():
        total = (total * 257 + byte) % 0xFFFFFFFB
    return f"{total:08x}"


def _keep(place: str, text: str) -> None:
    """Write a file as a whole; where the disk does not allow it, the next start looks again."""
    beside = f"{place}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(beside, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(beside, place)
    except (OSError, UnicodeEncodeError):
        return


def _entries(folder: str) -> Iterator[tuple[str, str]]:
    """Yield name and value of each entry point of the packages in a folder."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(_ENDINGS))
    except OSError:
        return
    for name in names:
        try:
            with open(os.path.join(folder, name, _DECLARED), encoding="utf-8") as file:
                text = file.read()
        except (OSError, UnicodeDecodeError):
            continue
        if GROUP in text:
            yield from _of_group(text)


def _of_group(text: str) -> Iterator[tuple[str, str]]:
    is_ours = False
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            is_ours = line == f"[{GROUP}]"
        elif is_ours and "=" in line and not line.startswith(("#", ";")):
            name, _, value = line.partition("=")
            yield name.strip(), value.strip()


def _folders(entries: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield the folders that entry points name; one that is not there is told when it is read."""
    for name, value in entries:
        from importlib.util import find_spec

        package, *rest = value.replace(":", ".").replace("/", ".").split(".")
        try:
            found = find_spec(package)
        except (ImportError, ValueError):
            found = None
        places = (found.submodule_search_locations or ()) if found is not None else ()
        wanted = [os.path.join(place, *rest) for place in places]
        yield next((place for place in wanted if os.path.isdir(place)), f"{value} (entry point {name} of {GROUP})")
