"""Names that people bring from other libraries are found, say where they differ, and work in Python."""

import pytest
import torch
from rlmetrics import functional
from rlmetrics.cli import main
from rlmetrics.names.lookup.code_names import metrics_called
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.suites import make_suite


@pytest.mark.parametrize(
    ("name", "library", "says"),
    [
        ("approx_kl", "Stable-Baselines3", "k3"),
        ("train/approx_kl", "Stable-Baselines3", "over the mini-batches of the last epoch"),
        ("clip_fraction", "Stable-Baselines3", "either side, whatever the advantage"),
        ("rollout/ep_rew_mean", "Stable-Baselines3", "last 100 episodes"),
        ("train/value_loss", "Stable-Baselines3", "without the factor 1/2"),
        ("train/entropy_loss", "Stable-Baselines3", "minus the mean entropy"),
        ("policy_gradient_loss", "Stable-Baselines3", "clipped surrogate"),
        ("losses/clipfrac", "CleanRL", "either side"),
        ("losses/old_approx_kl", "CleanRL", "k1"),
        ("charts/episodic_return", "CleanRL", "one episode"),
    ],
)
def test_a_librarys_name_is_found(capsys, name, library, says):
    """The answer names the library, says what the number is there, and what comes nearest here."""
    assert main(["resolve", name]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert library in said
    assert says in said
    assert "nearest: " in said


@pytest.mark.parametrize("name", ["loss", "entropy", "policy_loss"])
def test_a_name_that_is_common_here_is_meant_as_it_is_here(capsys, name):
    """Nothing of other libraries stands in its answer."""
    assert main(["resolve", name]) == 0
    said = capsys.readouterr().out
    assert "Stable-Baselines3" not in said
    assert "CleanRL" not in said


def test_a_librarys_name_at_a_source_is_no_key_of_it(capsys):
    """It is told as what it is elsewhere."""
    main(["resolve", "clip_fraction", "--at", "trl[PPOTrainer]==1.9.0"])
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith("TRL PPOTrainer 1.9.0 does not log `clip_fraction`. Stable-Baselines3 PPO calls")


@pytest.mark.parametrize("source", ["cleanrl", "stable_baselines3"])
def test_a_library_is_no_target(capsys, source):
    """Its names are for searching: how they differ is not told by signatures."""
    assert main(["map", "--from", "trl[PPOTrainer]==1.9.0", "--to", source]) == 2
    assert "is not described" in capsys.readouterr().err


def test_a_name_of_one_metric_finds_its_function():
    """Through the registry, as if its id had been written."""
    assert functional.REGISTRY["explained_variance"].id == "value/explained_variance"
    assert functional.REGISTRY["clip_fraction"].id == "policy/outside_region_fraction"


def test_a_name_of_several_metrics_names_them():
    """TRL's approxkl is k2, that of other libraries k3."""
    with pytest.raises(KeyError, match="write kl/old/k2 or kl/old/k3"):
        functional.REGISTRY["approx_kl"]


def test_every_name_leads_to_metrics_of_the_spec():
    """No library's name points to what there is not."""
    tables = load_tables()
    names = [row["name"] for item in tables.conventions.values() if item.get("search") for row in item["names"]]
    assert len(names) >= 20
    assert [name for name in names if not set(metrics_called(name)) <= set(tables.metrics)] == []


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("approx_kl", "write kl_old_k2 (kl/old/k2) or kl_old_k3 (kl/old/k3)"),
        ("clip_fraction", "write policy_outside_region_fraction (policy/outside_region_fraction)"),
        ("policy_clip_fractoin", "did you mean policy_clip_fraction"),
    ],
)
def test_a_function_that_there_is_not_names_the_right_one(name, hint):
    """In the AttributeError."""
    with pytest.raises(AttributeError) as raised:
        getattr(functional, name)
    assert hint in str(raised.value)


def test_a_suite_takes_aliases():
    """The number is given back under the metric's id."""
    returns, values = torch.tensor([[1.0, 2.0, 4.0]]), torch.tensor([[1.0, 2.5, 3.0]])
    suite = make_suite(["explained_variance"])
    suite.update(returns=returns, old_values=values, mask=torch.ones_like(returns, dtype=torch.bool))
    assert list(suite.compute()) == ["value/explained_variance"]


def test_an_alias_beside_its_metric_stands_twice():
    """Which would be computed twice under one name."""
    with pytest.raises(ValueError, match="stands twice"):
        make_suite(["explained_variance", "value/explained_variance"])
