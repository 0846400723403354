"""Questions that people asked about these frameworks' logs, through the real command line at 80 columns."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import NamedTuple

import pytest
import yaml
from command_line import answered
from folders import FIXTURES, ROOT

QUESTIONS = yaml.safe_load((FIXTURES / "questions.yaml").read_text(encoding="utf-8"))
WIDTH, SCREEN = 80, 40
KINDS = {"odd value", "constant", "trend", "missing", "x or y", "other"}


class Answer(NamedTuple):
    """What a command printed."""

    exit: int
    lines: list[str]
    errors: str

    def first(self, count: int) -> str:
        """The first lines that are not empty, as one text."""
        return joined([line for line in self.lines if line.strip()][:count])


def joined(lines: list[str]) -> str:
    """Lines as one text: a line break counts as a space."""
    return " ".join(" ".join(lines).split())


def missing(facts: list[list[str]], text: str) -> list[list[str]]:
    """The facts of which the text has no pattern."""
    return [fact for fact in facts if not any(re.search(pattern, text, re.IGNORECASE) for pattern in fact)]


def value(question: dict) -> list[list[str]]:
    """The fact that the value asked about is named, if there is one."""
    key, found, logged = question["command"][1].partition("=")
    return [[re.escape(logged)]] if found and " " not in key else []


@cache
def _asked(command: tuple[str, ...]) -> Answer:
    done = answered(*command, folder=ROOT, COLUMNS=str(WIDTH), NO_COLOR="1")
    return Answer(done.code, done.out.splitlines(), done.err)


def ask(question: dict) -> Answer:
    """Run a question's command once; return its answer."""
    return _asked(tuple(question["command"]))


@pytest.fixture(params=QUESTIONS, ids=[question["id"] for question in QUESTIONS])
def question(request) -> dict:
    """Each question in turn."""
    return request.param


def test_the_first_lines_answer_the_question(question):
    """They state each fact that the question needs, and nothing that is untrue of it."""
    answer, first = ask(question), question["first"]
    text = answer.first(first["within"])
    shown = f"{text!r}\n{answer.errors}"
    assert missing([*first.get("line_one", []), *value(question)], answer.first(1)) == [], shown
    assert missing(first["must"], text) == [], shown
    said = [pattern for pattern in first.get("must_not", []) if re.search(pattern, text, re.IGNORECASE)]
    assert said == [], shown


def test_the_whole_answer_has_what_comes_next(question):
    """It ends with the promised exit code, without a traceback, and has the further facts."""
    answer = ask(question)
    assert question.get("exit", 0) == answer.exit, answer.errors
    assert "Traceback" not in answer.errors
    assert missing(question.get("anywhere", []), joined(answer.lines)) == [], answer.lines


def test_the_answer_fits_a_screen(question):
    """No line is wider than the terminal, and there are some lines, but not many."""
    answer = ask(question)
    assert [line for line in answer.lines if len(line) > WIDTH] == []
    assert 1 <= len(answer.lines) <= SCREEN


def test_the_questions_are_many_and_of_every_kind():
    """Their kinds occur about as often as they are asked; few name a release; each says where its answer stands."""
    kinds = Counter(question["kind"] for question in QUESTIONS)
    assert set(kinds) == KINDS
    assert len(QUESTIONS) >= 40
    assert len({question["id"] for question in QUESTIONS}) == len(QUESTIONS)
    assert min(kinds.values()) >= 5
    assert kinds["odd value"] >= kinds["trend"] >= 5 <= kinds["constant"]
    naming = [question["id"] for question in QUESTIONS if any("==" in part for part in question["command"])]
    assert len(naming) <= len(QUESTIONS) / 5, naming
    for question in QUESTIONS:
        assert re.fullmatch(r"[\w.-]+/[\w.-]+ \d+", question["asked"]["thread"]), question["id"]
        assert re.fullmatch(r"[\w/.]+\.py:\d+", question["read_from"]["at"]), question["id"]
        assert question["first"]["must"], question["id"]
