"""A metric on one screen, through the command line."""

from __future__ import annotations

import pytest
from rlmetrics.cli import main
from rlmetrics.names.tables.loading import load_tables


@pytest.fixture
def show(capsys, monkeypatch):
    """Run the command at 80 columns; return its lines."""
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments):
        assert main(("show", *arguments)) == 0
        out, err = capsys.readouterr()
        assert err == ""
        return out.splitlines()

    return run


@pytest.mark.parametrize("name", ["approxkl", "kl/reference/k3", "reward/total/mean", "entropy/policy", "loss/total"])
def test_a_metric_fits_a_screen(show, name):
    """However many trainers log it."""
    lines = show(name)
    assert len(lines) <= 55
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("name", ["action_present_fraction", "valid_json_fraction"])
def test_a_function_with_a_long_name_is_an_import(show, name):
    """Its full name is wider than a line, and names are not cut."""
    lines = show(f"self_distillation/tool_evaluation/{name}")
    text = " ".join(" ".join(lines).split())
    assert max(map(len, lines)) <= 80
    module = "rlmetrics.functional.self_distillation"
    assert f"from {module} import self_distillation_tool_evaluation_{name}" in text


def test_names_are_one_row_for_a_trainer_and_key(show):
    """With their releases, gaps kept; a framework that does not log the metric says what is nearest."""
    text = "\n".join(show("approxkl"))
    for part in ("0.0.1..0.11.4", "0.12.0..1.12.0", "not logged. Closest: actor/ppo_kl"):
        assert part in text
    assert text.count("ppo/policy/approxkl  ") == 1
    assert "padding" in text


def test_no_row_is_told_twice_in_full(show):
    """The whole list has each name, span and condition once."""
    lines = show("approxkl", "--full")
    rows = lines[lines.index("Spellings") + 1 :]
    assert len(rows) == len(set(rows)) >= 3
    assert any("0.12.0..1.12.0" in row for row in rows)


def test_a_name_of_several_metrics_lists_them(show):
    """A line each, the most used first, and how to pick one."""
    lines = show("kl")
    assert "9 metrics" in lines[0]
    listed = [line.split()[0] for line in lines if line.startswith("  ") and "/" in line.split()[0]]
    assert listed[0] == "kl/reference/k3"
    assert {"kl/old_reference/k1", "kl/old/k3", "unpaired/kl"} <= set(listed)
    assert any(line.startswith("Next: rlmetrics show kl/reference/k3") for line in lines)
    assert len(lines) <= 30


def test_a_source_narrows_everything(show):
    """Only its trainer, only its framework."""
    text = "\n".join(show("kl/reference/k3", "--at", "trl[GRPOTrainer]==0.18.2"))
    assert "GRPOTrainer" in text
    for other in ("verl", "AsyncGRPOTrainer", "OnlineDPOTrainer"):
        assert other not in text.partition("Not the same")[0]


def test_a_metric_that_no_release_logs_says_so(show):
    """Under each framework."""
    lines = show("reward/std")
    assert sum("not logged" in line for line in lines) == len(load_tables().frameworks)


VARIANTS = [(name, variant) for name, row in load_tables().metrics.items() for variant in row.get("variants", ())]


@pytest.mark.parametrize(("metric", "variant"), VARIANTS)
def test_a_variant_has_its_own_formula_and_function(show, metric, variant):
    """Who asks for it by name is not told those of its metric."""
    told = " ".join(" ".join(show(f"{metric}@{variant}")).split())
    words, row = load_tables().texts[metric]["variants"][variant], load_tables().metrics[metric]
    assert row["variants"][variant].rstrip(".") in told
    assert " ".join(str(words.get("formula", "")).split()).replace(" ** ", "**") in told
    assert f"{row.get('function', row.get('variant_functions'))}_{variant}".rpartition(".")[2] in told
