"""Updates of states of every sort compile to one graph."""

from __future__ import annotations

import pytest
from state.compiled import check_compiled, one_of_each_merge


@pytest.mark.parametrize("key", [key for number, key in enumerate(one_of_each_merge()) if number % 8])
def test_update_compiles_to_one_graph(key: str) -> None:
    """``torch.compile(fullgraph=True)`` takes the whole update, merging included, and nothing changes."""
    check_compiled(key)
