"""Sources that are written in short: without a release, by a series of releases, or with half a name."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from rlmetrics.names import FallbackWarning, NamesError, diff, load_tables, map_names, open_view, parse_source
from rlmetrics.translate import Translator


@pytest.fixture
def installed(tmp_path: Path, monkeypatch):
    """Install a release of TRL that consists of nothing but its name and version."""

    def install(version: str) -> None:
        (tmp_path / "trl").mkdir()
        (tmp_path / "trl" / "__init__.py").touch()
        metadata = tmp_path / f"trl-{version}.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: trl\nVersion: {version}\n", encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)

    return install


@pytest.mark.parametrize(
    ("text", "meant", "chosen"),
    [
        ("trl", "trl==1.16.0", "the newest known"),
        ("verl", "verl==0.9.1", "the newest known"),
        ("trl[grpo]", "trl[GRPOTrainer]==1.16.0", "the newest known"),
        ("trl[PPOTrainer]", "trl[PPOTrainer]==1.12.0", "the last with PPOTrainer"),
        ("trl==0.12", "trl==0.12.0", ""),
        ("trl==0.12.*", "trl==0.12.2", "the newest of 0.12"),
        ("trl[PPOTrainer]==0.12", "trl[PPOTrainer]==0.12.0", ""),
        ("trl==0.9", "trl==0.9.6", "the newest of 0.9"),
        ("trl==0.10", "trl==0.10.1", "the newest of 0.10"),
        ("trl[ppo]==1.*", "trl[PPOTrainer]==1.12.0", "the newest of 1 with PPOTrainer"),
        ("verl==0.1", "verl==0.1", ""),
        ("verl==0.3", "verl==0.3.0.post1", "the newest of 0.3"),
    ],
)
def test_a_release_may_be_left_out_or_given_as_a_series(text, meant, chosen):
    """It is said which one is meant, and nothing is replaced: there is no warning and no fallback."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        source = parse_source(text, load_tables())
    assert (str(source), source.chosen, source.fallbacks) == (meant, chosen, ())


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("grpo", "GRPOTrainer"),
        ("GRPO", "GRPOTrainer"),
        ("grpotrainer", "GRPOTrainer"),
        ("ppo", "PPOTrainer"),
        ("online-dpo", "OnlineDPOTrainer"),
        ("online_dpo", "OnlineDPOTrainer"),
        ("nash", "NashMDTrainer"),
        ("gspo", "gspo_token.GRPOTrainer"),
    ],
)
def test_a_class_may_be_called_in_short(asked, name):
    """Without regard to case, without Trainer, or by the beginning of its name."""
    assert name == parse_source(f"trl[{asked}]", load_tables()).component


def test_a_short_name_of_two_classes_is_refused_with_both():
    """On one line."""
    with pytest.raises(NamesError, match=r"trl\[async\] may be AsyncGRPOTrainer or AsyncDistillationTrainer"):
        parse_source("trl[async]", load_tables())


def test_a_class_that_the_release_lacks_is_told_with_where_it_is():
    """Of a class that ended, the last release; of one that came later, those that have it."""
    with pytest.raises(NamesError, match=r"^trl 1\.16\.0 has no PPOTrainer any more; .* is 1\.12\.0$"):
        parse_source("trl[ppo]==1.16.0", load_tables())
    with pytest.raises(NamesError, match=r"described: trl\[GRPOTrainer\] 54 from 0\.14\.0 to 1\.16\.0$"):
        parse_source("trl[grpo]==0.12", load_tables())


@pytest.mark.parametrize("text", ["trl==0.40.*", "trl==7.*", "trl[grpo]==7.*"])
def test_a_series_without_releases_is_refused(text):
    """With the nearest releases."""
    with pytest.raises(NamesError, match=r"is no release of trl; did you mean"):
        parse_source(text, load_tables())


def test_the_installed_release_is_meant_where_the_spec_has_it(installed):
    """Unless it lacks the class that is asked for."""
    installed("0.18.2")
    tables = load_tables()
    assert _told("trl", tables) == ("trl==0.18.2", "installed here")
    assert _told("trl[grpo]", tables) == ("trl[GRPOTrainer]==0.18.2", "installed here")
    assert _told("trl[AsyncGRPOTrainer]", tables) == ("trl[AsyncGRPOTrainer]==1.16.0", "the newest known")


def test_an_installed_release_that_the_spec_lacks_is_replaced_with_a_warning(installed):
    """By the one that answers for it."""
    installed("1.17.0.dev0")
    with pytest.warns(FallbackWarning, match=r"trl 1\.17\.0\.dev0 is not in the spec; the names of 1\.16\.0 are used"):
        source = parse_source("trl", load_tables())
    assert [(item.asked, item.used) for item in source.fallbacks] == [("trl==1.17.0.dev0", "trl==1.16.0")]


def test_every_question_takes_sources_in_short():
    """Maps, differences and translators as well as what is logged."""
    assert str(open_view("trl[ppo]==0.12").source) == "trl[PPOTrainer]==0.12.0"
    assert map_names("trl[ppo]==0.11.*", "trl[ppo]").translate("ppo/policy/approxkl").target == "policy/approxkl_avg"
    assert {"completion_length"} <= {item.from_ for item in diff("trl[grpo]==0.16", "trl[grpo]==0.17").renamed}
    assert Translator("trl[ppo]==0.11.4", "trl[ppo]==0.18.*").key("ppo/policy/approxkl").target == "policy/approxkl_avg"


def test_components_begin_with_those_that_people_use():
    """In the order that the spec declares."""
    names = [item.name for item in parse_source("trl==0.16.1", load_tables()).components]
    assert names[:5] == ["GRPOTrainer", "DPOTrainer", "SFTTrainer", "PPOTrainer", "RLOOTrainer"]
    assert parse_source("verl==0.9.1", load_tables()).components[0].name == "actor"


def _told(text: str, tables) -> tuple[str, str]:
    source = parse_source(text, tables)
    return str(source), source.chosen
