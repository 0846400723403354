"""From the spec to the tables that names, translation and health are driven by.

``build`` gives them in memory, ``build_meanings`` only those that say what keys mean, ``render`` as JSON files; all
have the same values.
"""

from .data import Table
from .json_tables import FOLDER, render
from .table_build import Definitions, build, build_meanings

__all__ = ["FOLDER", "Definitions", "Table", "build", "build_meanings", "render"]
