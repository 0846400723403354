"""Some of the sources that may have logged a run are named shortly, and no others with them."""

import pytest
from rlmetrics.health.judged_keys import SourceNames
from rlmetrics.names.inference.candidate_words import candidate_words

DPO = [f"trl[DPOTrainer]=={release}" for release in ("0.28.0", "0.17.0", "0.13.0", "0.9.6")]
TPO = ["trl[TPOTrainer]==1.16.0"]


@pytest.mark.parametrize(
    ("some", "words"),
    [
        (TPO, "TPOTrainer"),
        (DPO, "DPOTrainer"),
        (DPO[2:], "DPOTrainer 0.9.6–0.13.0"),
        (DPO[1:2], "DPOTrainer 0.17.0"),
        ([DPO[0], DPO[2]], "DPOTrainer 0.28.0 or DPOTrainer 0.13.0"),
        ([*DPO[:2], *TPO], "DPOTrainer 0.17.0–0.28.0 or TPOTrainer"),
    ],
)
def test_a_span_holds_only_what_is_meant(some, words):
    """Releases between which one is not meant are told apart; a program of which all are meant needs none."""
    assert candidate_words(some, [*DPO, *TPO]) == words


def test_a_fault_of_one_candidate_is_said_of_that_one():
    """A release that adds up the losses of micro-batches is named where others may have logged the run, too."""
    alone = SourceNames("trl[DPOTrainer]==0.13.0").meaning("loss").defects
    other = SourceNames("trl[DPOTrainer]==0.28.0").meaning("loss").defects
    fault = next(iter(set(alone) - set(other)))

    both = SourceNames("trl[DPOTrainer]==0.28.0", others=["trl[DPOTrainer]==0.13.0"]).meaning("loss").defects

    assert f"if DPOTrainer 0.13.0 logged it: {fault}" in both
    assert fault not in both
