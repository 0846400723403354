"""Functions that use every operation compile to one graph."""

from __future__ import annotations

import pytest
from functional.compiled import check_compiled
from metric_selection import REPRESENTATIVES


@pytest.mark.parametrize("key", REPRESENTATIVES[8:])
def test_compiles_to_one_graph(key: str) -> None:
    """``torch.compile(fullgraph=True)`` traces the function without a break, and the result stays the same."""
    check_compiled(key)
