"""From the spec to the tables that names, translation and health are driven by.

``build`` gives them in memory, ``render`` as JSON files; both hold the same values.
"""

from .data import Table
from .json_tables import FOLDER, render
from .table_build import build

__all__ = ["FOLDER", "Table", "build", "render"]
