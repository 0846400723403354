"""Regular expressions in W&B workspaces: what they match is added, and taken out again."""

import json
import re

import pytest
from workspaces import panels_of, spec_with

OLD_VERL, NEW_VERL = "verl==0.1", "verl==0.9.1"


def test_a_workspace_of_regular_expressions_alone_is_translated(translated):
    """What they choose counts as translated; nothing else is named."""
    code, text, report = translated(spec_with(("X", {"metricRegex": "^timing/ref$"})), OLD_VERL, NEW_VERL)

    assert (code, list(report["translated"])) == (0, ["timing/ref"])
    assert panels_of(text) == [{"metricRegex": "^timing/ref$|^(?:timing_s/ref)$"}]


def test_regexes_are_widened_by_what_they_match(translated):
    """Literal names are added exactly, templates as patterns; nothing is added that matches already."""
    source, target = "trl[GRPOTrainer]==0.18.2", "canonical"
    expressions = ["^train/rewards/.*/mean$", "train/kl", "mine/.*", "(", "kl|reward"]
    board = spec_with(("X", {"metrics": ["train/kl"]}), *(("X", {"metricRegex": text}) for text in expressions))

    _, text, report = translated(board, source, target)

    new = [panel.get("metricRegex") for panel in panels_of(text)[1:]]
    assert new[0] == "^train/rewards/.*/mean$|^(?:reward/function/mean/[^/]+)$"
    assert new[1] == "train/kl|^(?:kl/reference/k3)$"
    assert new[2:4] == ["mine/.*", "("]
    assert re.search(str(new[0]), "reward/function/mean/accuracy")
    assert new[4] == "kl|reward", "it matches the new names already"
    notes = " ".join(report["notes"])
    assert "mine/.* stays: nothing it matches is renamed" in notes
    assert "( can't be followed" in notes


WIDENED = {
    ("trl[GRPOTrainer]==0.18.2", "canonical"): (
        ["^train/rewards/.*/mean$", "train/kl$", "mine/.*", "(", "[|^(?:y)$"],
        2,
    ),
    ("verl==0.9.1", "canonical"): (["^(critic|actor)/", r"response_length/(mean|max)", "^timing_s/", "^val"], 4),
    ("trl[PPOTrainer]==0.7.10", "trl[PPOTrainer]==0.18.2"): (["^ppo/policy/.*", "^ppo/", "ppo/policy/approxkl$"], 3),
}


@pytest.mark.parametrize("way", WIDENED, ids=lambda way: way[0])
def test_widened_regexes_are_narrowed_again(translated, way):
    """There and back gives every expression again; with ``--both`` it stays wide."""
    old, count = WIDENED[way]
    board = spec_with(
        ("X", {"metrics": ["train/loss", "ppo/loss/value"]}), *(("X", {"metricRegex": text}) for text in old)
    )

    _, there, _ = translated(board, *way)
    code, back, report = translated(json.loads(there), *reversed(way))
    _, both, _ = translated(json.loads(there), *reversed(way), "--both")

    wide = [panel["metricRegex"] for panel in panels_of(there)[1:]]
    assert count == sum(first != second for first, second in zip(old, wide, strict=True))
    assert (code, [panel["metricRegex"] for panel in panels_of(back)[1:]]) == (0, old)
    assert count == sum(" is narrowed to " in note for note in report["notes"])
    assert all(
        new.startswith(text)
        for text, new in zip(wide, [panel["metricRegex"] for panel in panels_of(both)[1:]], strict=True)
    )


def test_what_a_person_added_to_a_regex_is_not_taken_out(translated):
    """If the rest lacks one of the names from before, nothing is taken out."""
    regex = "^ppo/policy/.*|^(?:policy/entropy_avg|loss/policy_avg)$"
    board = spec_with(("X", {"metrics": ["objective/kl"]}), ("X", {"metricRegex": regex}))

    _, new, _ = translated(board, "trl[PPOTrainer]==0.18.2", "trl[PPOTrainer]==0.7.10")

    assert panels_of(new)[1]["metricRegex"].startswith(regex)
