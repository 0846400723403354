"""Reads what runs logged, row by row, from every kind of file that translation rewrites."""

from .following import Follower, follower_of
from .runs import Account, LoggedRow, Recorded
from .whole import READERS, read_runs

__all__ = ["READERS", "Account", "Follower", "LoggedRow", "Recorded", "follower_of", "read_runs"]
