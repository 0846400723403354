"""How tables of notebooks show keys, and back."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.logs.shown_names import are_shown, logged_key, shown_like

KEYS = st.from_regex(r"[a-z][a-z0-9]*(?:[_/@.-][a-z0-9]+){0,4}", fullmatch=True)


@pytest.mark.parametrize(
    ("title", "key"),
    [
        ("Training Loss", "loss"),
        ("Validation Loss", "eval_loss"),
        ("Step", "step"),
        ("Epoch", "epoch"),
        ("rewards / chosen", "rewards/chosen"),
        ("rewards / correctness_reward_func / mean", "rewards/correctness_reward_func/mean"),
        ("Rewards/chosen", "eval_rewards/chosen"),
        ("Mean Token Accuracy", "eval_mean_token_accuracy"),
        ("Held Out Loss", "eval_held_out_loss"),
        ("reward_std", "reward_std"),
        ("BLEU", "BLEU"),
    ],
)
def test_titles_stand_for_keys(title: str, key: str) -> None:
    """Each way of writing a title is undone; what none of them writes is the key itself."""
    assert logged_key(title) == key


@given(KEYS)
def test_what_unsloth_shows_is_read_back(key: str) -> None:
    """A key with blanks around its slashes is that key."""
    assert logged_key(key.replace("/", " / ")) == key


@given(KEYS)
def test_what_transformers_shows_of_an_evaluation_is_read_back(key: str) -> None:
    """Its parts begin with a capital, and the prefix is left out: both return for keys without capitals."""
    parts = f"eval_{key}".split("_")
    title = " ".join(part.capitalize() for part in parts[1:])
    title = "Validation Loss" if title == "Loss" else title
    if re.search(r"[A-Z]", title):
        assert logged_key(title) == f"eval_{key}"


@given(KEYS, st.sampled_from(["Training Loss", "rewards / chosen", "Rewards/chosen", "reward_std", "Validation Loss"]))
def test_what_is_shown_in_the_place_of_a_title_is_read_as_the_key(key: str, title: str) -> None:
    """Whatever stood there."""
    for one in (key, f"eval_{key}"):
        assert logged_key(shown_like(one, title)) == one


def test_plain_headers_are_not_taken_for_shown_ones() -> None:
    """Names as they are logged, and those of other trackers, stay as they are."""
    assert not are_shown(["step", "loss", "rewards/chosen"])
    assert not are_shown(["Step", "run - train/loss", "Value"])
    assert are_shown(["Step", "Training Loss"])
    assert are_shown(["Step", "rewards / chosen"])
