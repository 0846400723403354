"""What people read of the spec stays short: the frameworks that most of it is about, and each single file."""

from __future__ import annotations

from pathlib import Path

from folders import ROOT

SPEC = ROOT / "spec"
LARGEST = ("trl", "verl")
LINES = 19_000
MEGABYTES = 1.15
LINES_OF_A_FILE = 1_600


def _written(folder: Path) -> list[Path]:
    """Every file below a folder that people write; locks are the machine's."""
    found = sorted(folder.rglob("*.yaml"))
    assert found, f"no YAML in {folder}"
    return found


def test_trl_and_verl_are_said_in_19000_lines():
    """And in 1.15 MB, so that no line is saved by longer ones: what is said twice is a group, a profile or `like`."""
    texts = [path.read_bytes() for name in LARGEST for path in _written(SPEC / "frameworks" / name)]
    assert sum(text.count(b"\n") for text in texts) <= LINES
    assert sum(map(len, texts)) <= MEGABYTES * 1e6


def test_no_file_of_the_spec_has_more_than_1600_lines():
    """Longer ones go on in a folder of their name; translations, which follow the English, apart."""
    lengths = {
        path.relative_to(SPEC).as_posix(): path.read_bytes().count(b"\n")
        for path in _written(SPEC)
        if "texts" not in path.relative_to(SPEC).parts
    }
    assert {name: lines for name, lines in lengths.items() if lines > LINES_OF_A_FILE} == {}
