"""The matrix of a trainer says of every release what ``keys --at`` says, and where ``diff`` sees another number."""

from __future__ import annotations

import random

import pytest
from moved_pages import tree
from rlmetrics.codegen.site.matrix import matrix_of
from rlmetrics.codegen.site.release_steps import components_of
from rlmetrics.names import diff, keys, load_tables

pytestmark = pytest.mark.xdist_group("moves")

COMPONENTS = [(name, part) for name in ("trl", "verl") for part in components_of(load_tables(), name)]
IDS = [f"{framework}-{component}" for framework, component in COMPONENTS]
Shown = dict[str, list[tuple[str, bool] | None]]


def shown(framework: str, component: str) -> tuple[list[str], Shown]:
    """Return the first releases of the columns, and for each key letter and whether it is logged by default."""
    (table,) = tree("trainer", f"trainer/{framework}/{component}").all("table", "rlm-matrix")
    columns = [
        (head.all("a") or [head])[0].text.split("…")[0].strip()
        for head in table.all("th")[1:]
        if head.attributes.get("scope") == "col"
    ]
    found: Shown = {}
    for row in table.all("tr")[1:]:
        if row.has("rlm-section"):
            continue
        head = row.all("th")[0]
        key = "".join(part if isinstance(part, str) else part.text if part.tag == "a" else "" for part in head.children)
        cells: list[tuple[str, bool] | None] = []
        for cell in row.all("td"):
            classes = cell.attributes.get("class", "").split()
            letter = (cell.text.removesuffix("≈"), "o" not in classes) if classes else None
            cells += [letter] * int(cell.attributes.get("colspan", 1))
        found[key.strip()] = cells
        if head.all("em"):
            found[f"eval_{key.strip()}"] = cells
    return columns, found


@pytest.mark.parametrize(("framework", "component"), COMPONENTS, ids=IDS)
def test_each_column_has_the_keys_of_its_releases(framework: str, component: str) -> None:
    """For every release the matrix has exactly the keys of ``keys --at``, and marks those logged by default."""
    tables = load_tables()
    columns, found = shown(framework, component)
    matrix = matrix_of(tables, framework, component)
    assert columns == [releases[0] for releases in matrix.columns]
    assert [release for releases in matrix.columns for release in releases] == [
        *components_of(tables, framework)[component]
    ]
    for index, releases in enumerate(matrix.columns):
        logged = {key: cell[1] for key, cells in found.items() if (cell := cells[index]) is not None}
        for release in releases:
            told = {
                item.key: bool(item.logged_by_default)
                for item in keys(f"{framework}[{component}]=={release}", spec=tables)
            }
            assert logged == told, release


@pytest.mark.parametrize(("framework", "component"), random.Random(7).sample(COMPONENTS, 16))
def test_letters_change_where_diff_sees_another_number(framework: str, component: str) -> None:
    """From one column to the next a key gets another letter where ``diff`` says that the two must not share a plot."""
    tables = load_tables()
    columns, found = shown(framework, component)
    ends = [releases[-1] for releases in matrix_of(tables, framework, component).columns]
    for index in range(1, len(columns)):
        step = diff(
            f"{framework}[{component}]=={ends[index - 1]}",
            f"{framework}[{component}]=={columns[index]}",
            spec=tables,
            evidence=False,
        )
        moved = {item.key for item in step.changed if item.severity in ("look-alike", "biased")}
        for key, cells in found.items():
            before, after = cells[index - 1], cells[index]
            if before is not None and after is not None and key in moved:
                assert before[0] != after[0], f"{key} in {columns[index]}"
            if before is not None and after is not None and before[0] != after[0]:
                assert key in {item.key for item in step.changed}, f"{key} in {columns[index]}"
