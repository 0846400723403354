"""What is read of runs, row by row: all of it, or what was logged since the last look."""

from .following import Follower, Whole
from .runs import Account, LoggedRow, RecordedRun, as_step

__all__ = ["Account", "Follower", "LoggedRow", "RecordedRun", "Whole", "as_step"]
