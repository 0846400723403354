"""Puts the YAML of the spec into a wheel, as one file: overlays extend it, and all else is read from tables.

What a release of the package says in other languages, and how its sentences were judged, stays out: tables have the
former, and the latter is for those who change the spec.
"""

from __future__ import annotations

import lzma
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NAME = "spec.tar.xz"
_LEFT_OUT = ("texts", "judged.lock")


class SpecArchiveHook(BuildHookInterface):
    """Makes the archive while a wheel is built."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make it; an editable installation has the folder itself."""
        if version == "editable":
            return
        self._folder = TemporaryDirectory()
        place = Path(self._folder.name, NAME)
        spec = Path(self.root, "spec")
        files = sorted(path for path in spec.rglob("*") if path.is_file())
        with (
            lzma.open(place, "wb", preset=9 | lzma.PRESET_EXTREME) as packed,
            tarfile.open(fileobj=packed, mode="w") as tar,
        ):
            for path in files:
                if path.relative_to(spec).parts[0] not in _LEFT_OUT:
                    tar.add(path, path.relative_to(spec).as_posix(), filter=_plain)
        build_data["force_include"][str(place)] = f"rlmetrics/{NAME}"


def _plain(item: tarfile.TarInfo) -> tarfile.TarInfo:
    """Leave out who built it and when, so that the same files give the same archive."""
    item.mtime = item.uid = item.gid = 0
    item.uname = item.gname = ""
    item.mode = 0o644
    return item
