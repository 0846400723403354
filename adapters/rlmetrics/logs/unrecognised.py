"""Why a file is no log of a known kind, as far as its first bytes tell, and what would make it one."""

from __future__ import annotations

import shlex
from pathlib import Path

__all__ = ["EMPTY", "why_unrecognised"]

EMPTY = "is empty: nothing was logged to it, or nothing was left of it"
_SAMPLE = 1 << 16
_SQLITE = b"SQLite format"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_PICKLED = (b"PK\x03\x04", b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")
"""How what Python or PyTorch saved begins."""


def why_unrecognised(path: Path) -> str | None:
    """Return why a file or folder can't be read as a log, and how to mend that; None if nothing tells."""
    if path.is_dir():
        return None
    if not path.is_file():
        return "is a pipe or a device, which can be read only once; save it as a file first"
    with path.open("rb") as file:
        sample = file.read(_SAMPLE)
    name = shlex.quote(path.name)
    if not sample.strip():
        return EMPTY
    if path.suffix == ".wandb":
        return "does not begin as W&B's files do: it was cut off or overwritten; take it from the machine that ran"
    if sample.startswith(_UTF_16):
        return f"is UTF-16 text, as PowerShell's > writes it; convert it: iconv -f UTF-16 -t UTF-8 {name} > utf8-{name}"
    if sample.startswith(_SQLITE):
        from .databases import why_no_log

        return why_no_log(path)
    if sample.startswith(_PICKLED):
        return "is pickled, and unpickling runs what it holds; give the log that the run wrote, not its checkpoint"
    return None
