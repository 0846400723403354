"""The table of frameworks on the page of how things are verified, and the census behind it."""

from __future__ import annotations

import ast

import pytest
from programs.coverage_table import HEADS, PAGES, census, line, page, rows
from programs.key_census import is_described, names_in

ENOUGH = 0.99


@pytest.mark.parametrize("language", PAGES)
def test_the_table_is_what_the_data_say(language: str) -> None:
    """In each language; ``python -m programs.coverage_table`` writes it."""
    assert PAGES[language].read_text(encoding="utf-8") == page(language)
    assert line(HEADS[language]) in page(language)


def test_every_framework_has_a_row_of_its_own() -> None:
    """With its releases and keys; and what was found without the auditor is described but for one in a hundred."""
    cells = rows()
    assert len({row[0] for row in cells}) == len(cells) > 1
    assert all(int(row[1]) > 0 and row[2] != "0" for row in cells)
    for framework, found in census().items():
        assert len(found["missing"]) <= (1 - ENOUGH) * found["names"], (framework, found["missing"])


def test_the_census_reads_names_where_they_are_written() -> None:
    """Keys of dicts called like metrics, keys with a slash in any dict, keywords of a tracker; nothing else."""
    code = """
status["policy_loss"] = 1
options["seed"] = 1
logs = {"reward": 2}
f(**{"a/b": 3, "plain": 4})
all_metrics.update({f"x/{name}": 5})
stats_tracker.stat(kl=6, denominator="n")
"""
    assert set(names_in(ast.parse(code))) == {"policy_loss", "reward", "a/b", "x/{}", "kl"}


def test_a_placeholder_alone_describes_nothing() -> None:
    """So a key that users choose does not make every name described."""
    assert is_described("kl", {"train/kl/avg", "{}"})
    assert is_described("pass_at_{}", {"eval/{}/pass_at_{}"})
    assert not is_described("kl", {"{}", "{}/{}", "klm"})
