"""When releases came out: a lock of one line each, beside what a framework's own file lists."""

from __future__ import annotations

from pathlib import Path

import pytest
from meaning.test_fact_groups import framework
from rlmetrics.codegen.locks.dates_lock import FILE, add_date, read_dates, with_dates
from rlmetrics.codegen.locks.lock_text import LockError


def test_dates_are_read_as_they_were_added(tmp_path: Path) -> None:
    """Package by package, each with its releases from the oldest on."""
    assert read_dates(tmp_path) == {}
    for package, release, day in (("acme", "1.0.0", "2025-01-02"), ("other", "4.1", "2024-12-31")):
        add_date(tmp_path, package, release, day)
    add_date(tmp_path, "acme", "1.1.0", "2025-02-03")
    assert read_dates(tmp_path) == {
        "acme": {"1.0.0": "2025-01-02", "1.1.0": "2025-02-03"},
        "other": {"4.1": "2024-12-31"},
    }


def test_a_framework_has_the_releases_of_its_lock_and_then_those_that_it_lists(tmp_path: Path) -> None:
    """As an overlay that adds a release of its own has; other packages stand beside it."""
    for package, release, day in (("acme", "0.9.0", "2025-01-02"), ("other", "4.1", "2024-12-31")):
        add_date(tmp_path, package, release, day)
    dated = with_dates(framework(beside={"third": {"2.0": "2024-01-01"}}), tmp_path)
    assert [item.release for item in dated.releases] == ["0.9.0", "1.0.0", "1.1.0", "1.2.0", "1.3.0"]
    assert dated.beside == {"third": {"2.0": "2024-01-01"}, "other": {"4.1": "2024-12-31"}}
    assert with_dates(framework(), tmp_path / "none") == framework()


def test_another_line_is_refused_with_its_place(tmp_path: Path) -> None:
    """Nothing of such a file is taken."""
    (tmp_path / FILE).write_text("# A comment\nacme 1.0.0 yesterday\n")
    with pytest.raises(LockError, match=rf"{FILE}:2:1: neither a comment nor"):
        read_dates(tmp_path)
