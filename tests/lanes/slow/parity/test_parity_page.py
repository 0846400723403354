"""The page that lists all captured numbers."""

from __future__ import annotations

from parity import table
from programs.parity_page import PAGE, all_sections


def test_the_page_is_up_to_date() -> None:
    """The page in the repository has the lines that would be written now; figures are compared by size."""
    written, expected = PAGE.read_text(encoding="utf-8"), table.page(all_sections())
    hint = "run `PYTHONPATH=tests python -m programs.parity_page`"
    assert table.without_figures(expected) == table.without_figures(written), hint
    for line, other in zip(expected.splitlines(), written.splitlines(), strict=True):
        assert _same_size(table.FIGURE.findall(line), table.FIGURE.findall(other)), other


def _same_size(expected: list[str], written: list[str]) -> bool:
    """Machines round differently, by about one unit; figures differ more only after a change."""
    sizes = zip(map(float, expected), map(float, written), strict=True)
    return all(abs(one - other) <= max(one, other, 1.2e-7) for one, other in sizes)


def test_every_line_has_a_function_with_a_difference_or_a_reason() -> None:
    """Nothing in the tables is left open."""
    for section in all_sections():
        assert section.rows, section.title
        for row in section.rows:
            assert bool(row.function) != bool(row.why), row
            assert not row.function or row.difference < 1e-5, row
