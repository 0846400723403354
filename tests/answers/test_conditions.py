"""When a key is logged, as sentences: true ones, in English and Chinese."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

import pytest
from rlmetrics.answers.asked import answer_at
from rlmetrics.cli.main import main
from rlmetrics.names import open_view
from rlmetrics.names.meanings.view import FrameworkView
from rlmetrics.names.settings.configuration import Configuration
from rlmetrics.names.settings.guards import GuardLiteral, Value, parse
from rlmetrics.names.settings.key_condition import either_condition
from rlmetrics.names.settings.simplification import truth
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.wording.condition_words import condition_texts, condition_words
from rlmetrics.wording.metric_facts import quantity

TABLES = load_tables()
NEWEST = [f"{name}=={TABLES.framework(name).releases.names[-1]}" for name in TABLES.frameworks]


def conditions(source: str) -> Iterator[tuple[str, Configuration]]:
    """Every condition of a source once, with the settings that it is asked of."""
    view = open_view(source)
    assert isinstance(view, FrameworkView)
    for component in view.components.values():
        for text in dict.fromkeys(entry.condition for entry in component.entries() if entry.condition):
            yield text, component.config


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What the command line says, in one line."""
    main([*arguments])
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("source", NEWEST)
def test_a_sentence_of_every_condition(source):
    """No "needs" stands before words that are no settings, nothing is said twice, and each clause is one of "only"."""
    faults = []
    for condition, config in conditions(source):
        words = condition_words(condition, config, full=True)
        told = words.missing(False), words.logged(False, False)
        comparisons = re.findall(r"[\w.]+ (?:=|!=|set|contains) [^ ]+", words.settings)
        if (
            any(re.search(r"\b(only only|needs (only|with|without|for|in|on|the|a)\b)", text) for text in told)
            or len(comparisons) != len(set(comparisons))
            or any(not text.startswith(("only ", "never")) for text in words.only)
        ):
            faults.append(told)

    assert faults == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("resolve", "critic/vf_loss", "--at", "verl==0.9.0"),
            'by default; only if critic.enable = true (null) or (algorithm.adv_estimator = "gae" ("gae") and '
            "critic.enable = null)",
        ),
        (
            ("resolve", "actor/entropy", "--at", "verl==0.9.1"),
            "by default; only if algorithm.rollout_correction.bypass_mode = false (off by default) ",
        ),
        (
            ("resolve", "val-aux/gsm8k/acc/std@4", "--at", "verl==0.8.0"),
            "Not logged by default, only with more than one sample per validation prompt (rollout.val_kwargs.n, 1 by "
            "default).",
        ),
        (
            ("resolve", "timing_s/sync_rollout_weights", "--at", "verl==0.9.1"),
            "Not logged by default, only in the one-step-off-policy trainer.",
        ),
        (
            ("resolve", "tool_call_counts/mean", "--at", "verl==0.9.1"),
            "needs trainer.use_v1 = false (on by default), and then only with a custom agent loop",
        ),
        (
            (
                *("resolve", "rollout_corr/rollout_is_seq_mean", "--at", "verl==0.8.0"),
                *("--config", "algorithm.rollout_correction.rollout_is=token"),
            ),
            "needs actor_rollout_ref.rollout.calculate_log_probs (off by default).",
        ),
        (
            ("resolve", "timing_s/sync_rollout_weights", "--at", "verl==0.9.1", "--lang", "zh"),
            "默认不记录，仅在单步异策略训练器中。",
        ),
    ],
)
def test_sentences(capsys, arguments, said):
    """As people read them at the release that they ask about."""
    assert said in answer(capsys, *arguments)


def test_a_given_value_is_told_as_given(capsys):
    """Behind a setting stands what was given for it, not its default."""
    said = answer(capsys, "resolve", "kl", "--at", "trl[GRPOTrainer]==1.16.0", "--config", "beta=0.0")
    given = answer(capsys, "resolve", "actor/kl_loss", "--at", "verl==0.8.0", "--config", "use_kl_loss=false")
    other = answer(capsys, "resolve", "kl", "--at", "trl[GRPOTrainer]==0.18.0", "--config", "beta=0")

    assert "needs beta != 0 (0.0)" in said
    assert "needs actor_rollout_ref.actor.use_kl_loss (off by default)" in given
    assert "Not logged with these settings: needs beta != 0 (given: 0.0)" in other


def test_where_no_settings_are_known():
    """The same clauses without values in brackets."""
    assert condition_texts("not bypass_mode and (bypass_mode or beta != 0); if a tool was called") == [
        "only if bypass_mode = false and beta != 0",
        "only if a tool was called",
    ]


def several_records() -> Iterator[tuple[str, str, str]]:
    """Every key that several records of one component log in one release, with the last such release."""
    for framework in TABLES.frameworks:
        table = TABLES.framework(framework)
        for name, stem, ranges, _ in table.components:
            own, seen = table.component(stem), dict[tuple[str, str], list[set[str]]]()
            known = table.releases.covered(ranges)
            for row in own.rows:
                seen.setdefault((row.key, row.mode), []).append(set(own.releases_of(row, known)))
            for (key, mode), found in seen.items():
                both = set().union(*(one & other for one, other in itertools.combinations(found, 2)))
                if both:
                    yield f"{framework}[{name}]=={max(both, key=table.releases.index)}", key, mode


def settings_of(guards: list[str]) -> Iterator[dict[str, Value]]:
    """Settings that decide guards: each with the values that these name, and with others."""
    values: dict[str, dict[Value, None]] = {}
    for guard in map(parse, guards):
        literals = [node.value for node in guard.walk() if isinstance(node, GuardLiteral)]
        for name in guard.names():
            values.setdefault(name, dict.fromkeys([True, False, None])).update(dict.fromkeys(literals))
    for each in itertools.product(*values.values()):
        yield dict(zip(values, each, strict=True))


SEVERAL = sorted(several_records())


def test_several_records_log_one_key_somewhere():
    """Else the next test holds of nothing."""
    assert len({(source.partition("==")[0], key) for source, key, _ in SEVERAL}) > 20


@pytest.mark.parametrize(("source", "key", "mode"), SEVERAL)
def test_a_key_of_several_records_is_logged_where_any_of_them_logs_it(source, key, mode, monkeypatch):
    """Its condition holds where one of theirs does, and an answer tells under which one it has which meaning."""
    monkeypatch.setenv("COLUMNS", "160")
    view = open_view(source)
    assert isinstance(view, FrameworkView)
    (component,) = view.components.values()
    records, entry = component.records(key, mode), component.entry(key, mode)
    guards = [str(record.condition).partition("; ")[0] for record in records]
    whole = str(entry.logged_when).partition("; ")[0]
    for settings in settings_of(guards):
        assert (truth(parse(whole), settings) is True) == any(truth(parse(each), settings) is True for each in guards)
    said = " ".join(" ".join(answer_at(view, key).lines).split())
    for record in records:
        if record.metric != entry.metric:
            words = condition_words(str(record.condition), component.config).only
            assert f"as {quantity(str(record.metric), TABLES)}: {'; '.join(words)}" in said


def test_what_is_said_beside_guards_stays_said():
    """Records that say different words beside their guards have no condition in common."""
    assert either_condition(["a == 1 and b; if a tool was called", "a == 2 and b; if a tool was called"]) == (
        "b and (a == 1 or a == 2); if a tool was called"
    )
    assert either_condition(["a == 1; if a tool was called", "a == 2"]) is None
    assert either_condition(["a == 1", None]) is None
