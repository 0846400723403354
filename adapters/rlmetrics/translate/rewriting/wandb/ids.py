"""The id of a run, wherever its records hold it."""

from __future__ import annotations

import hashlib
from typing import Any

from rlmetrics.lazy_dataclasses import dataclass

__all__ = ["NewId"]

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_LENGTH = 8


@dataclass(frozen=True, slots=True)
class NewId:
    """An id that takes the place of another."""

    old: str
    new: str

    @classmethod
    def of(cls, old: str, source: str, target: str) -> NewId:
        """Return the id of the translation of the run ``old``: always the same for the same source and target."""
        digest = hashlib.blake2b("\0".join((old, source, target)).encode(), digest_size=8).digest()
        number, digits = int.from_bytes(digest, "big"), ""
        for _ in range(_LENGTH):
            number, digit = divmod(number, len(_DIGITS))
            digits += _DIGITS[digit]
        return cls(old, digits)

    def put_into(self, record: Any) -> bool:
        """Replace the old id in a record, and tell whether it was there."""
        changed = False
        if record._info.stream_id == self.old:
            record._info.stream_id = self.new
            changed = True
        if record.HasField("run") and record.run.run_id == self.old:
            record.run.run_id = self.new
            changed = True
        if record.HasField("artifact") and record.artifact.run_id == self.old:
            record.artifact.run_id = self.new
            # The artifact of a table is called after its run.
            record.artifact.name = record.artifact.name.replace(f"run-{self.old}-", f"run-{self.new}-", 1)
            changed = True
        return changed
