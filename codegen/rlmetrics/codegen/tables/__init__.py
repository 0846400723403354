"""From the spec to the tables that names, translation and health are driven by.

``build`` gives them in memory, ``render`` as JSON files; both hold the same values.
"""

from .build import build
from .data import Table
from .render import FOLDER, render

__all__ = ["FOLDER", "Table", "build", "render"]
