"""What is read of runs, row by row: all of it, or what was logged since the last look."""

from .following import Follower, Whole
from .runs import Account, LoggedRow, Recorded, as_step

__all__ = ["Account", "Follower", "LoggedRow", "Recorded", "Whole", "as_step"]
