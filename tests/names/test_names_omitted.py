"""Keys that a trainer does not log although the file that it extends describes them."""

from __future__ import annotations

from rlmetrics.names import resolve


def test_an_omitted_key_is_not_promised_for_another_release() -> None:
    """A key that every release of a trainer omits is unknown, and no release is named that would log it."""
    (found,) = resolve("epoch", at="trl[IterativeSFTTrainer]==0.18.2")
    assert found.metric is None
    assert "trl[IterativeSFTTrainer]==0.18.2 does not log it" == found.reason


def test_a_key_of_a_later_release_names_that_release() -> None:
    """A key that the trainer logs only later names the newest release that does."""
    (found,) = resolve("entropy", at="trl[KTOTrainer]==1.3.0")
    assert "trl[KTOTrainer]==1.3.0 does not log it; trl[KTOTrainer]==1.16.0 does" == found.reason
