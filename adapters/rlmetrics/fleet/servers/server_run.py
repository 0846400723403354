"""What can be done with a run that lies on a server, or with what names the metrics of runs there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from rlmetrics.health.report_records import Report as Judgement
from rlmetrics.logs.reading import LoggedRow
from rlmetrics.names.inference import SourceAnswer
from rlmetrics.names.tables.tables import Tables
from rlmetrics.translate.origins import Decision, Origin
from rlmetrics.translate.report import Report
from rlmetrics.translate.translation_options import Options

__all__ = ["Chooser", "ServerItem", "ServerRun", "ServerView"]

Chooser = Callable[[Callable[[Sequence[LoggedRow]], SourceAnswer], Sequence[LoggedRow]], SourceAnswer]
"""Says where a run comes from, given what infers it and its first rows."""


class ServerItem(ABC):
    """Something on a server that names metrics.

    Attributes:
        address: Where it is, as a plan names it.
        kind: What keeps it.
        packages: What the work on it imports, which takes long enough to be done once for all processes.
        left_behind: What a copy lacks, in a sentence.
        is_only_told: Whether nothing is copied, and the account's notes say what a person has to do.
    """

    kind: ClassVar[str]
    packages: ClassVar[tuple[str, ...]] = ()
    left_behind: ClassVar[str] = ""
    is_only_told: ClassVar[bool] = False

    def __init__(self, address: str) -> None:
        self.address = address

    @abstractmethod
    def state(self) -> str:
        """Return a digest of what the server holds of it, which is another one when it has changed."""

    @abstractmethod
    def carry(self, options: Options, decide: Decision, copies: Mapping[str, str]) -> Report:
        """Put a translated copy beside it; the account's ``outputs`` name the copy.

        Args:
            options: How names are translated.
            decide: Says where they come from.
            copies: The addresses of the copies of runs, by those of the runs.
        """

    @abstractmethod
    def is_there(self, outputs: Sequence[str]) -> bool:
        """Tell whether the copies that an account names are still there, and complete."""


class ServerRun(ServerItem):
    """A run on a server."""

    @abstractmethod
    def judged(self, choose: Chooser, config: Mapping[str, Any], tables: Tables) -> Iterator[Judgement]:
        """Yield what health says of it, without a copy."""


class ServerView(ServerItem):
    """What shows runs or works on them, and names their metrics for that."""

    @abstractmethod
    def inferred(self) -> Origin:
        """Return where its names come from by themselves."""
