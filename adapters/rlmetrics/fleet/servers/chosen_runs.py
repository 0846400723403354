"""Which runs of a project are meant."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.names.tables.user_errors import UserError

__all__ = ["Selection"]


@dataclass(frozen=True, slots=True)
class Selection:
    """Which runs of a project are meant: those of which all that is given is true.

    Attributes:
        condition: A filter as W&B's interface takes it, a JSON object.
        tags: Tags of which a run has one.
        sweep: The id of a sweep.
        since: The day, or the moment, from which on it was begun.
    """

    condition: str = ""
    tags: tuple[str, ...] = ()
    sweep: str = ""
    since: str = ""

    def __bool__(self) -> bool:
        return bool(self.condition or self.tags or self.sweep or self.since)

    def filters(self) -> dict[str, Any]:
        """Return it as a filter of W&B's interface.

        Raises:
            UserError: The filter is no JSON object, or the time none.
        """
        parts: list[dict[str, Any]] = []
        if self.condition:
            try:
                given = json.loads(self.condition)
            except ValueError as error:
                msg = f'--filter: is no JSON: {error}; write a filter such as {{"state": "finished"}}'
                raise UserError(msg) from None
            if not isinstance(given, dict):
                msg = '--filter: is no object; write a filter such as {"state": "finished"}'
                raise UserError(msg)
            parts.append(given)
        if self.tags:
            parts.append({"tags": {"$in": [*self.tags]}})
        if self.sweep:
            parts.append({"sweep": self.sweep})
        if self.since:
            try:
                moment = datetime.fromisoformat(self.since)
            except ValueError:
                msg = f"--since: {self.since!r} is no day; write it as 2026-01-31"
                raise UserError(msg) from None
            parts.append({"createdAt": {"$gte": moment.isoformat()}})
        return parts[0] if len(parts) == 1 else {"$and": parts} if parts else {}
