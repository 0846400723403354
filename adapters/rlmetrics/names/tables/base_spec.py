"""The YAML of the spec that this package belongs to, which overlays extend."""

from __future__ import annotations

import os

from rlmetrics.overlay_places import cache_folder, package_state

from .user_errors import NamesError

__all__ = ["base_folder"]

_ARCHIVE = "spec.tar.xz"
"""The YAML inside an installed package, see ``.ci/spec_archive.py``."""


def base_folder() -> str | None:
    """Return the folder ``spec`` that belongs to this package: of its checkout, or unpacked from the installed package.

    Raises:
        NamesError: It can't be unpacked.
    """
    version, (package, *_) = package_state()
    folder = os.path.join(os.path.dirname(os.path.dirname(package)), "spec")
    if os.path.isfile(os.path.join(folder, "spec.yaml")):
        return folder
    try:
        state = os.stat(os.path.join(package, _ARCHIVE))
    except OSError:
        return None
    place = os.path.join(cache_folder(), f"{version}-{state.st_size}-{state.st_mtime_ns}", "spec")
    if not os.path.isfile(os.path.join(place, "spec.yaml")):
        _unpack(os.path.join(package, _ARCHIVE), place)
    return place


def _unpack(archive: str, place: str) -> None:
    """Unpack the YAML of the spec; of two that do it at once, the first is right.

    Raises:
        NamesError: The disk does not allow it.
    """
    import tarfile
    from shutil import rmtree

    beside = f"{place}.{os.getpid()}"
    try:
        os.makedirs(beside, exist_ok=True)
        with tarfile.open(archive, "r:xz") as packed:
            packed.extractall(beside)
        os.rename(beside, place)
    except (OSError, tarfile.TarError) as error:
        rmtree(beside, ignore_errors=True)
        if not os.path.isfile(os.path.join(place, "spec.yaml")):
            msg = f"{place}: cannot be written, which an overlay needs: {error}; name another folder as XDG_CACHE_HOME"
            raise NamesError(msg) from None
