"""What the keys of a source are, for runs that have settings of their own and for those that have none."""

from __future__ import annotations

from rlmetrics.health.judged_keys import SourceNames
from rlmetrics.health.key_meanings import KeyMeaning, LoggedAs

GRPO = "trl[GRPOTrainer]==1.16.0"
KEYS = ("kl", "reward", "clip_ratio/region_mean", "my/own", "eval_reward", "rewards/accuracy/mean", "exact/kl/k3")


def _told(names: SourceNames) -> tuple[list[KeyMeaning], dict[str, LoggedAs], bool | None]:
    return [names.meaning(key) for key in KEYS], dict(names.logged), names.holds("beta != 0")


def test_settings_of_one_run_are_those_of_no_other() -> None:
    """A run without settings is told the same before and after one that has them, and these decide what it logs."""
    before = _told(SourceNames(GRPO))
    with_kl = _told(SourceNames(GRPO, {"beta": 0.1}))
    without = _told(SourceNames(GRPO, {"beta": 0.0, "unheard_of": 1}))

    assert _told(SourceNames(GRPO)) == before
    assert _told(SourceNames(GRPO, {"beta": 0.1})) == with_kl
    assert (with_kl[2], without[2]) == (True, False)
    assert with_kl[1] != without[1]


def test_more_names_than_are_remembered_keep_their_meaning() -> None:
    """Users name reward functions; whatever came between, each is what it was."""
    names = SourceNames(GRPO)
    keys = [f"rewards/function_{number}/mean" for number in range(5000)]

    told = [names.meaning(key) for key in keys]

    assert {meaning.metric for meaning in told} == {"reward/function/mean"}
    assert [meaning.key for meaning in told] == keys
    assert names.meaning(keys[0]) == told[0]
    assert SourceNames(GRPO).meaning(keys[-1]) == told[-1]


def test_what_is_measured_beside_the_trainer_is_of_none_of_its_programs() -> None:
    """A number of rlmetrics' own stands in no program of the source, and what the source logs stays the same."""
    names = SourceNames(GRPO)
    assert names.meaning("exact/kl/reference/k3").metric == "kl/reference/k3"
    assert names.meaning("kl/reference/k3").metric in (None, "kl/reference/k3")
    assert "reward/score/mean" in names.logged
