"""Sources: how they are written, and what is said about wrong ones."""

from __future__ import annotations

import warnings

import pytest
from rlmetrics.names import FallbackWarning, NamesError, open_view, parse_source


def test_a_component_can_be_named_or_left_out(tables):
    """Without one, all components of the release are meant."""
    one = parse_source("beta[actor]==0.5", tables)
    every = parse_source(" beta == 0.5 ", tables)
    assert [component.name for component in one.components] == ["actor"]
    assert [component.name for component in every.components] == ["actor", "data"]
    assert (str(one), str(every)) == ("beta[actor]==0.5", "beta==0.5")


def test_a_component_can_be_given_with_its_module(tables):
    """For two classes of one name; any part of the module will do."""
    for asked in ("alpha.new.NewTrainer", "new.NewTrainer", "alpha.NewTrainer"):
        assert parse_source(f"alpha[{asked}]==1.0.0", tables).components[0].module == "alpha.new"
    with pytest.raises(NamesError, match=r"unknown component 'old\.NewTrainer'"):
        parse_source("alpha[old.NewTrainer]==1.0.0", tables)


def test_a_component_that_ended_is_told_with_its_last_release(tables):
    """One that has not come yet is told with the releases that describe it."""
    with pytest.raises(NamesError, match=r"alpha 1\.0\.0 has no OldTrainer any more; .* is 0\.2\.0$"):
        parse_source("alpha[OldTrainer]==1.0.0", tables)
    with pytest.raises(NamesError, match=r"NewTrainer\] is not described for release 0\.1\.0; described: .*0\.3\.0"):
        parse_source("alpha[NewTrainer]==0.1.0", tables)


def test_canonical_is_a_source_with_and_without_the_version(tables):
    """Another version of the spec falls back to this one."""
    assert str(parse_source("canonical", tables)) == "canonical==0.2.0"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parse_source("canonical==0.2.0", tables).is_canonical
    with pytest.warns(FallbackWarning, match=r"names of 0\.2\.0"):
        parse_source("canonical==0.1.0", tables)


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("alpha[NewTrainer]==1.0.1", "1.0.0"),
        ("alpha[NewTrainer]==2.0.0.dev0", "1.0.0"),
        ("alpha[NewTrainer]==1.0.0.dev0", "1.0.0"),
        ("alpha[NewTrainer]==1.0rc1", "1.0.0"),
        ("alpha[NewTrainer]==0.9.0rc1", "0.4.1"),
        ("alpha[OldTrainer]==0.1rc2", "0.1.0"),
        ("alpha[NewTrainer]==1.0.0+gabc123", "1.0.0"),
        ("alpha[NewTrainer]==git", "1.0.0"),
        ("alpha[NewTrainer]==main", "1.0.0"),
        ("alpha[NewTrainer]==0.4.5", "0.4.1"),
    ],
)
def test_a_release_that_is_not_known_falls_back_with_a_warning(tables, text, release):
    """A preview by the release that it led to, newer and in-between releases by the nearest older one."""
    with pytest.warns(FallbackWarning, match=release):
        source = parse_source(text, tables)
    asked = text.partition("]")[2]
    assert [(item.asked, item.used) for item in source.fallbacks] == [(f"alpha{asked}", f"alpha=={release}")]
    assert release == source.release


def test_another_spelling_of_a_known_release_needs_no_warning(tables):
    """1.0 is 1.0.0."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        source = parse_source("alpha[NewTrainer]==1.0", tables)
    assert (source.release, source.fallbacks) == ("1.0.0", ())


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("alpah==1.0.0", "did you mean alpha?"),
        ("gamma==1", "known frameworks: alpha, beta, canonical"),
        ("alpha[newtrainr]==1.0.0", "did you mean NewTrainer or"),
        ("beta[critic]==0.5", "known components: actor, data"),
        ("alpha[NewTrainer]==2.*", "'2.*' is no release of alpha"),
        ("alpha[NewTrainer]==0.4.0", "described: alpha[NewTrainer] 0.3.0, 0.4.1, 1.0.0"),
        ("alpha[NewTrainer]==0.2.0", "described: alpha[NewTrainer] 0.3.0, 0.4.1, 1.0.0"),
        ("alpha[OldTrainer]==1.5.0", "the nearest to 1.5.0"),
        ("alpha==0.0.1", "older than every release"),
        ("alpha==new", "is no release of alpha"),
        ("canonical[actor]", "has no components"),
        ("alpha NewTrainer 1.0", "is no source"),
        ("", "is no source"),
        ("auto", "there are none here"),
    ],
)
def test_a_wrong_source_is_explained(tables, text, part):
    """On one line, with the nearest known names or with what is described."""
    with pytest.raises(NamesError) as error:
        open_view(text, spec=tables)
    assert part in str(error.value)
    assert "\n" not in str(error.value)
