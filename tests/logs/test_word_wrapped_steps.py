"""Steps of a console whose lines were wrapped between words, as text boxes and pretty printers do."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest
from rlmetrics.cli import main

FIXTURE = Path(__file__).parent.parent / "fixtures" / "runs" / "verl-0.9.1-ray.console.log"


def _judged(capsys: Any, path: Path) -> tuple[Any, Any, Any]:
    main(["check", str(path), "--json", "--fail-on", "never"])
    said = json.loads(capsys.readouterr().out)
    said = said[0] if isinstance(said, list) else said
    return said["at"], said["rows"], said["inferred_from"]


@pytest.mark.parametrize("width", [80, 100, 160])
def test_a_step_is_read_whole(tmp_path, capsys, width):
    """Whether the dash ends a line or begins the next one, at any width."""
    steps = [line[line.index("step:") :] for line in FIXTURE.read_text().splitlines() if " - " in line]
    plain, wrapped = tmp_path / "plain.log", tmp_path / "wrapped.log"
    plain.write_text("".join(f"{step}\n" for step in steps))
    lines = (
        part for step in steps for part in textwrap.wrap(step, width, break_long_words=False, break_on_hyphens=False)
    )
    wrapped.write_text("".join(f"{line}\n" for line in lines) + "done\n")

    assert _judged(capsys, wrapped) == _judged(capsys, plain)
