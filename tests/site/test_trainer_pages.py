"""The matrix of a trainer says of every release what ``keys --at`` says, and where ``diff`` sees another number."""

from __future__ import annotations

from rlmetrics.codegen.site.matrix import matrix_of
from rlmetrics.codegen.site.release_steps import components_of
from rlmetrics.names import load_tables

COMPONENTS = [(name, part) for name in ("trl", "verl") for part in components_of(load_tables(), name)]


def test_a_column_begins_only_where_something_changed() -> None:
    """Neighbouring columns differ in at least one key."""
    for framework, component in COMPONENTS:
        lines = matrix_of(load_tables(), framework, component).lines
        columns = len(matrix_of(load_tables(), framework, component).columns)
        starts = {cell.start for line in lines for cell in line.cells}
        assert starts == set(range(columns))
