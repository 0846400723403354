"""What people told the authors of a framework about its numbers: in answers where it holds, and by itself."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from rlmetrics.answers.asked import answer_at
from rlmetrics.answers.bug_answer import bug_lines
from rlmetrics.cli.main import main
from rlmetrics.names import load_tables, open_view, resolve
from rlmetrics.names.tables.tables import Tables


@pytest.fixture(scope="module")
def tables() -> Tables:
    """The spec."""
    return load_tables()


def rows(tables: Tables) -> Iterator[tuple[str, str, dict[str, object]]]:
    """Yield every report of every component: framework, component, what it says."""
    for framework in tables.frameworks:
        table = tables.framework(framework)
        for name, stem, _, _ in table.components:
            for row in table.component(stem).reports:
                yield framework, name, dict(row)


@pytest.mark.parametrize(
    ("key", "source", "number", "holds", "fixed"),
    [
        ("objective/entropy", "trl[PPOTrainer]==1.9.2", 2022, True, "1.10.0"),
        ("objective/entropy", "trl[PPOTrainer]==1.10.0", 2022, False, "1.10.0"),
        ("clip_ratio", "trl[GRPOTrainer]==0.16.1", 3144, True, "0.17.0"),
        ("reward_std", "trl[GRPOTrainer]==0.29.1", 5352, True, "1.0.0"),
        ("eval_reward", "trl[GRPOTrainer]==0.27.0", 5352, True, "1.0.0"),
        ("logits/chosen", "trl[KTOTrainer]==1.8.0", 6424, True, "1.9.0"),
        ("objective/kl", "trl[OnlineDPOTrainer]==1.16.0", 6809, True, None),
        ("actor/pg_loss", "verl==0.6.1", 3129, True, "0.7.0"),
        ("response_length/clip_ratio", "verl==0.9.1", 7817, True, None),
    ],
)
def test_a_key_knows_who_reported_it(key: str, source: str, number: int, holds: bool, fixed: str | None) -> None:
    """Each report says whether it holds in the release, and since which release it no longer does."""
    (found,) = resolve([key], source)
    (report,) = [report for report in found.reports if report.number == number]
    assert (holds, fixed) == (report.holds, report.fixed)
    assert report.url.endswith(f"/{number}")


def test_the_trust_of_a_number_names_the_report_that_holds() -> None:
    """With what became of it; one that is mended by then is not named."""
    told = {release: _text("objective/entropy", f"trl[PPOTrainer]=={release}") for release in ("1.9.2", "1.10.0")}
    assert "Reported: huggingface/trl#2022 (fixed in 1.10.0 by #6121)." in told["1.9.2"]
    assert "Reported" not in told["1.10.0"]
    assert "Reported: huggingface/trl#6809 (open)." in _text("objective/kl", "trl[OnlineDPOTrainer]==1.16.0")


def _text(key: str, source: str) -> str:
    return " ".join(" ".join(answer_at(open_view(source), key).lines).split())


def test_heirs_with_a_record_of_their_own_are_not_meant() -> None:
    """What was said of a trainer's code holds for those that run that code, and for no other."""
    (own,) = resolve(["logps/chosen"], "trl[XPOTrainer]==1.13.0")
    (other,) = resolve(["logps/chosen"], "trl[OnlineDPOTrainer]==1.13.0")
    assert [report.number for report in own.reports] == [6809]
    assert other.reports == ()


def test_reports_name_keys_of_the_spec_and_the_release_that_follows(tables: Tables) -> None:
    """Where a release mends a number, it is the first one after those in which it was so."""
    for framework, _, row in rows(tables):
        releases = tables.framework(framework).releases
        covered = releases.covered(row["releases"])  # type: ignore[arg-type]
        assert row["keys"]
        assert covered
        fixed = row.get("fixed")
        if fixed in releases.names:
            last = max(map(releases.index, covered))
            assert releases.names[last + 1] == fixed, row


def test_every_report_of_the_spec_reaches_an_answer(tables: Tables) -> None:
    """None names a key that its file does not have."""
    numbers = {row["number"] for _, _, row in rows(tables)}
    assert numbers >= {2022, 2281, 3144, 5352, 3991, 6380, 6809, 5620, 6424, 7041, 3129, 7817, 7823}


def test_bugs_are_told_alone(tables: Tables) -> None:
    """Reports with their address and state, those that hold first; then faults of which no report is known."""
    lines = bug_lines("reward_std", resolve(["reward_std"], "trl[GRPOTrainer]==0.29.1"), tables)
    text = "\n".join(lines)
    assert text.index("huggingface/trl#5352  fixed in 1.0.0 by #5353") < text.index("huggingface/trl#3991")
    assert "  https://github.com/huggingface/trl/issues/5352" in lines
    assert all(len(line) <= 80 for line in lines)


def test_without_reports_that_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """No report is no proof that the number is right."""
    assert main(["resolve", "completions/max_length", "--at", "trl[grpo]==1.16.0", "--bugs"]) == 0
    assert "nothing that was reported upstream" in " ".join(capsys.readouterr().out.split())


def test_bugs_without_a_source_tell_of_all_who_log_the_key(capsys: pytest.CaptureFixture[str]) -> None:
    """Each report stands once, with whom it is about."""
    assert main(["resolve", "objective/entropy", "--bugs"]) == 0
    out = capsys.readouterr().out
    assert {"huggingface/trl#2022", "huggingface/trl#2281", "huggingface/trl#6809"} <= set(out.split())


def test_programs_get_all_of_a_report(capsys: pytest.CaptureFixture[str]) -> None:
    """JSON has the same with every field."""
    assert main(["resolve", "clip_ratio", "--at", "trl[grpo]==0.16.0", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert found["reports"][0] == {
        "number": 3144,
        "url": "https://github.com/huggingface/trl/issues/3144",
        "says": "The comparison is the wrong way round; it marks tokens that are not clipped.",
        "state": "closed",
        "holds": True,
        "releases": ["0.16.0..0.16.1"],
        "fixed": "0.17.0",
        "by": 3175,
        "read": "2026-09-17",
    }
