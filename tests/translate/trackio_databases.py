"""Databases of Trackio: its own program in a folder of its own, and what a query gives."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing


def run_trackio(home, *arguments):
    """Run Python with arguments where Trackio keeps its databases in a folder; return what it prints."""
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "TRACKIO_DIR": str(home)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def cells_of(path, query):
    """Return what a query of a database gives."""
    with closing(sqlite3.connect(path)) as database:
        return database.execute(query).fetchall()
