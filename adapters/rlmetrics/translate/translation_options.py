"""What a translation is asked to do, gathered once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.names.tables.tables import Overlays, Tables

__all__ = ["Options"]


@dataclass(frozen=True)
class Options:
    """What ``translate_file`` was given, but for the input, the place of the output, and how it is written.

    Copies on a server get a tag and a group by patterns that hold ``{from}``, ``{to}``, ``{group}``, ``{run}`` and
    ``{name}``; their originals are linked to them only where that is asked for.
    """

    target: str = "canonical"
    source: str = "auto"
    kind: str | None = None
    config: Mapping[str, Any] | None = None
    bind: Mapping[str, str] | None = None
    spec: Overlays | Tables = None
    strict: bool = False
    both: bool = False
    unknown: Literal["keep", "drop", "error"] = "keep"
    surface: str | None = None
    program: str | None = None
    new_run_id: bool = False
    keep_alerts: bool = False
    copy_others: bool = True
    dry_run: bool = False
    copy_tag: str = ""
    copy_group: str = ""
    link_originals: bool = False

    def of_names(self) -> dict[str, Any]:
        """Return those that ``Translator`` takes, but for the surface, which may follow from the kind of input."""
        names = ("config", "bind", "spec", "strict", "both", "unknown", "program")
        return {name: getattr(self, name) for name in names}
