"""The corpus and its judge: runs are written as described, labels can be read, and right and wrong answers are told."""

import json
from pathlib import Path

import pytest
from programs.corpus.corpus_runs import CORPUS, Entry, Sick
from programs.corpus.judge import Answer, Figures, answers, ask, same_verdicts
from programs.corpus.log_kinds import KINDS, write
from programs.corpus.trainers import rows_of

BY_NAME = {entry.name: entry for entry in CORPUS}
STATE = BY_NAME["grpo18-one-group"]


def _answer(entry: Entry, kind: str, source: str, cause: str | None = None, step: int = 0, verdict: str = "warning"):
    found = [] if cause is None else [{"cause": cause, "level": "warning", "onset_step": step, "title": "made"}]
    said = {"at": source, "verdict": verdict, "diagnoses": found}
    return Answer(entry, kind, Path(__file__), 0, said, "")


def test_each_entry_is_of_known_kinds_with_labels_that_can_be_read():
    """Names are unique, halves are two, kinds exist, and an onset lies within the run."""
    assert len(BY_NAME) == len(CORPUS)
    for entry in CORPUS:
        assert entry.half in ("dev", "held")
        assert {kind.rstrip("+") for kind in entry.kinds.split()} <= set(KINDS)
        assert entry.sick is None or 0 <= entry.sick.first <= entry.sick.last <= entry.run.course.steps


def test_a_run_is_the_same_each_time():
    """Two drawings of one run give the same rows, so that figures can be compared between days."""
    assert repr(rows_of(STATE.run)) == repr(rows_of(STATE.run))


@pytest.mark.parametrize("name", ["grpo18-one-group", "dpo18-reference", "verl4-wrapped"])
def test_the_judge_gets_an_answer_without_a_traceback(name, tmp_path):
    """``check`` of a log ends with 0, 1 or 2, and what it says is read."""
    for answer in answers(tmp_path, (BY_NAME[name],), frozenset({"state", "jsonl", "verl"})):
        assert answer.judged()["no crash"] is True


def test_what_is_no_log_is_not_answered(tmp_path):
    """An answer of exit code 2 counts as refused."""
    path = tmp_path / "metrics.jsonl"
    path.write_text("nothing\n", encoding="utf-8")

    answer = Answer(STATE, "jsonl", path, *ask(path))

    assert (answer.answered(), answer.verdict) == (False, "refused")


def test_settings_stand_beside_the_log_where_they_are_recorded(tmp_path):
    """The card names the release, the state itself does not."""
    path = write("state", STATE.run, rows_of(STATE.run), tmp_path, True)

    assert "- TRL: 0.18.2" in (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "0.18.2" not in path.read_text(encoding="utf-8")
    assert json.loads(path.read_text(encoding="utf-8"))["log_history"][0]["step"] == 1


@pytest.mark.parametrize(
    ("source", "kind", "right"),
    [
        ("trl[GRPOTrainer]==0.18.0..0.19.1", "state", True),
        ("trl[GRPOTrainer]==0.19.0 to 0.19.1", "state", True),
        ("trl[GRPOTrainer]==0.26.0..1.16.0", "state", False),
        ("trl[RLOOTrainer]==0.18.2", "state", False),
        ("verl==0.5.0", "state", False),
        ("trl[GRPOTrainer]==0.19.1", "state+", False),
        ("trl[GRPOTrainer]==0.18.2", "state+", True),
    ],
)
def test_a_source_is_right_if_its_releases_log_the_same(source, kind, right):
    """A range is right where it meets the range of the entry; beside a model card only the release on it."""
    assert _answer(STATE, kind, source).right_source() is right


def test_a_cause_counts_with_its_step_only():
    """The cause may be right while the step is not; both are told."""
    entry = Entry("made", "dev", STATE.run, "state", STATE.source, Sick(("truncation",), 40, 60))

    late = _answer(entry, "state", "trl[GRPOTrainer]==0.18.2", "truncation", 90).judged()
    right = _answer(entry, "state", "trl[GRPOTrainer]==0.18.2", "truncation", 50).judged()
    other = _answer(entry, "state", "trl[GRPOTrainer]==0.18.2", "non_finite", 50).judged()

    assert [one["cause right"] for one in (late, right, other)] == [True, True, False]
    assert [one["cause and step right"] for one in (late, right, other)] == [False, True, False]


def test_kinds_of_one_run_are_told_apart_where_verdicts_differ():
    """A console may give another step, no other cause."""
    same = [_answer(STATE, kind, "", "truncation", step) for kind, step in (("state", 50), ("console", 5))]
    other = [_answer(STATE, kind, "", cause, 50) for kind, cause in (("state", "truncation"), ("csv", "non_finite"))]

    assert [name for name, _ in same_verdicts(same)] == []
    assert [name for name, _ in same_verdicts(other)] == [STATE.name]


def test_figures_count_what_was_asked():
    """A share is of what was asked, not of all logs."""
    figures = Figures()
    for holds in (True, True, False):
        figures.add("answered", holds)

    assert str(figures) == "  answered                      2 of    3   66.7 %"
