"""Fixtures of all tests of translation."""

import json
from pathlib import Path

import pytest
from rlmetrics.cli import main


@pytest.fixture
def translated(tmp_path, capsys):
    """Translate a file or a document through the command line: exit code, written text, report or error."""

    def run(given, source, target, *options):
        path = given
        if not isinstance(given, Path):
            path = tmp_path / "board.json"
            path.write_text(given if isinstance(given, str) else json.dumps(given), encoding="utf-8", newline="")
        out = tmp_path / "out.json"
        out.unlink(missing_ok=True)
        before = path.read_bytes()
        code = main(["translate", str(path), "--from", source, "--to", target, "-o", str(out), "--json", *options])
        captured = capsys.readouterr()
        assert path.read_bytes() == before
        text = out.read_bytes().decode() if out.exists() else None
        return code, text, json.loads(captured.out) if captured.out else captured.err

    return run
