"""The recorded extractions: what they hold, and that the auditor still extracts the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from audit.every_release import FOLDER, RECORDED, differences, load_recorded
from rlmetrics.codegen.audit.extract import ExtractedKey, Extraction
from rlmetrics.codegen.audit.recorded import pack
from rlmetrics.names.tables.loading import load_tables


def _extraction(release: str, *keys: tuple[str, str]) -> Extraction:
    found = tuple(ExtractedKey("A", "m", key, "a.py", 3, "A.f", text, ()) for key, text in keys)
    return Extraction("trl", release, found, (), {"A": ("loss",)})


def test_a_packed_extraction_can_be_read_back(tmp_path: Path) -> None:
    """Releases, keys, places and inherited keys survive; an expression is kept as a hash, so that a change shows."""
    extractions = [
        _extraction("1", ("kl", "x")),
        _extraction("2", ("kl", "y"), ("lr", "z")),
        _extraction("3", ("kl", "x")),
    ]
    path = tmp_path / "trl.json"
    path.write_text(pack(extractions))
    recorded = load_recorded(path)
    assert recorded.releases == ("1", "2", "3")
    assert [line for e in extractions for line in differences(recorded.extractions[e.release], e)] == []
    changed = differences(recorded.extractions["1"], extractions[1])
    assert [line[0] for line in changed] == ["-", "+", "+"]


@pytest.mark.parametrize("framework", RECORDED)
def test_every_release_is_recorded(framework: str) -> None:
    """No release of the spec lacks, and every one of them logs something."""
    recorded = load_recorded(FOLDER / f"{framework}.json")
    assert load_tables().framework(framework).releases.names == recorded.releases
    assert all(extraction.keys for extraction in recorded.extractions.values())
