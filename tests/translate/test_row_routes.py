"""Rows one after another: what a translator remembers of earlier rows changes nothing of what becomes of later ones."""

import tracemalloc
from functools import cache

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from rlmetrics.translate import InputError, Translator

OLD_PPO, GRPO = "trl[PPOTrainer]==0.11.4", "trl[GRPOTrainer]==0.18.2"
RIVALS = ["ppo/mean_scores", "env/reward_mean", "ppo/std_scores", "env/reward_std"]
NAMES = {
    (OLD_PPO, "canonical"): [*RIVALS, "objective/kl", "mine", "score/mean", "untranslated/trl-0.11.4/env/reward_mean"],
    (GRPO, "trl[GRPOTrainer]==1.16.0"): ["reward_std", "reward", "clip_ratio", "clip_ratio/region_mean", "mine", "kl"],
    ("verl==0.1", "verl==0.9.1"): ["actor/lr(1e-4)", "critic/lr(1e-4)", "actor/lr", "actor/pg_loss", "mine"],
    ("trl[PPOTrainer]==0.7.10", "trl[PPOTrainer]==0.18.2"): ["policy/approxkl_avg", "ppo/policy/approxkl"],
}
VALUES = st.sampled_from([0.5, 1, 1.0, True, float("nan"), 2.5, None, "0.5", float("inf")])
PAIRS = st.sampled_from(sorted(NAMES))


@cache
def translators(pair, *, both, unknown):
    """Return two translators of the same names: one for rows, one for the thorough way."""
    return tuple(Translator(*pair, both=both, unknown=unknown) for _ in range(2))


def rows_of(pair):
    """Draw rows that are logged one after another."""
    return st.lists(st.dictionaries(st.sampled_from(NAMES[pair]), VALUES), min_size=2, max_size=6)


@settings(max_examples=150, deadline=None)
@given(data=st.data(), pair=PAIRS, both=st.booleans(), unknown=st.sampled_from(["keep", "drop"]))
def test_a_row_becomes_the_same_after_any_others(data, pair, both, unknown):
    """Whatever rows went before, the next one has the names, order and values of the thorough way."""
    quick, thorough = translators(pair, both=both, unknown=unknown)
    quick.new_report("rows")

    for row in data.draw(rows_of(pair)):
        try:
            entries = {entry.name: entry.value for entry in thorough.entries(row)}
        except InputError:
            with pytest.raises(InputError, match="can't be converted"):
                quick.row(row)
        else:
            assert repr(quick.row(row)) == repr(entries)


@settings(max_examples=80, deadline=None)
@given(data=st.data(), pair=PAIRS)
def test_the_account_is_that_of_the_thorough_way(data, pair):
    """What is reported of keys does not hang on which rows were translated quickly."""
    quick, thorough = translators(pair, both=False, unknown="keep")
    quick.new_report("rows")
    thorough.new_report("rows")
    for row in data.draw(rows_of(pair)):
        try:
            thorough.entries(row)
        except InputError:
            reject()
        quick.row(row)

    for what in ("translated", "kept", "duplicates", "set_aside"):
        assert getattr(quick.report, what) == getattr(thorough.report, what)
    for what in ("unknown", "unchanged", "collisions"):
        assert sorted(getattr(quick.report, what)) == sorted(getattr(thorough.report, what))


def test_a_value_that_cannot_be_converted_is_refused_in_every_row():
    """The first row of some keys and a later one are judged alike."""
    translator = Translator("verl==0.1", "verl==0.9.1")
    translator.row({"actor/lr(1e-4)": 1.0})

    with pytest.raises(InputError, match="actor/lr"):
        translator.row({"actor/lr(1e-4)": {"a": 1}})


def test_unknown_keys_are_refused_after_rows_without_them():
    """``error`` holds for a key that turns up late."""
    translator = Translator(OLD_PPO, "canonical", unknown="error")
    translator.row({"objective/kl": 1.0})

    with pytest.raises(InputError, match="mine"):
        translator.row({"objective/kl": 1.0, "mine": 1.0})


def test_names_that_are_never_seen_again_are_forgotten(monkeypatch):
    """A run that makes up names is translated in bounded memory, also where its account begins anew."""
    for bound in ("translator._MAX_KEYS", "row_routes._MOST"):
        monkeypatch.setattr(f"rlmetrics.translate.{bound}", 300)
    translator = Translator(OLD_PPO, "canonical")
    sizes = []
    tracemalloc.start()
    for part in range(3):
        for number in range(600):
            translator.row({"objective/kl": 0.5, f"mine/{part}/{number}": 1.0})
        translator.new_report("rows")
        sizes.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()

    assert sizes[2] < sizes[1] + 100_000


@pytest.mark.parametrize(
    ("source", "target", "both"),
    [(GRPO, "canonical", True), ("verl==0.9.1", "canonical", False)],
)
def test_an_account_of_rows_ends_where_names_do_not(source, target, both, monkeypatch):
    """It tells of so many keys, and rows are translated as before, whether the source takes the names or not."""
    for bound in ("translator._MAX_KEYS", "row_routes._MOST"):
        monkeypatch.setattr(f"rlmetrics.translate.{bound}", 300)
    translator = Translator(source, target, both=both)
    known = "kl" if source == GRPO else "actor/pg_loss"
    name = translator.key(known).output
    sizes = []
    tracemalloc.start()
    for part in range(3):
        for number in range(100):
            renamed = translator.row({known: 0.5, **{f"mine/{part}/{number}/{at}": 1.0 for at in range(10)}})
            assert renamed[name] == 0.5
            assert sum(value == 1.0 for value in renamed.values()) >= 10
        sizes.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()

    assert sizes[2] < sizes[1] + 100_000
    assert translator.report.keys < 320
    assert translator.report.translated[known]["to"] == name
