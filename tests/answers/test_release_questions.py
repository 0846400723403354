"""Questions about releases and their settings, through the real command line at 80 columns."""

import re
from pathlib import Path

import pytest
import yaml
from rlmetrics.cli import main

QUESTIONS = yaml.safe_load((Path(__file__).parents[1] / "fixtures/release_questions.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: " ".join(question["command"][:2]))
def test_the_first_lines_say_what_the_source_shows(capsys, monkeypatch, question):
    """They state each fact, and nothing that the source refutes."""
    monkeypatch.setenv("COLUMNS", "80")
    assert main(question["command"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.strip()]

    text = " ".join(" ".join(lines[: question["within"]]).split())

    assert [fact for fact in question["must"] if not re.search(fact, text, re.IGNORECASE)] == [], text
    assert [fact for fact in question.get("must_not", ()) if re.search(fact, text, re.IGNORECASE)] == [], text
