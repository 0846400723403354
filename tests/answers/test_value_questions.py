"""Values and rows that people ask about, through the command line at 80 columns."""

from __future__ import annotations

import io
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from rlmetrics.cli.main import main

ROOT = Path(__file__).parents[2]
QUESTIONS: list[dict[str, Any]] = yaml.safe_load(
    (ROOT / "tests/fixtures/value_questions.yaml").read_text(encoding="utf-8")
)
WIDTH, FIRST = 80, 8


@pytest.mark.parametrize("question", QUESTIONS, ids=[question["id"] for question in QUESTIONS])
def test_the_first_lines_answer_the_question(
    question: dict[str, Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They state each fact that the release's source shows, and nothing that is untrue of it."""
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr("sys.stdin", io.StringIO(question.get("row", "")))

    assert main(["resolve", *question["resolve"]]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.strip()]
    text = " ".join(" ".join(lines[: question.get("within", FIRST)]).split())

    lacking = [fact for fact in question["must"] if not any(re.search(one, text, re.IGNORECASE) for one in fact)]
    said = [one for one in question.get("must_not", []) if re.search(one, text, re.IGNORECASE)]
    assert (lacking, said) == ([], []), text
    # A name that is longer than a line stands alone in its own.
    assert [line for line in lines if len(line) > WIDTH and len(line.split()) > 2] == []


def test_every_question_has_a_name_and_a_source() -> None:
    """Names are unique, and each answer says where it was read."""
    assert Counter(question["id"] for question in QUESTIONS).most_common(1)[0][1] == 1
    assert [question["id"] for question in QUESTIONS if not question["read_from"]] == []
