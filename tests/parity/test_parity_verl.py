"""Every number that verl's functions returned for the fixed inputs is reproduced or has a reason."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch
from rlmetrics.codegen.loader import read
from rlmetrics.codegen.releases import Releases

from . import verl_sections
from .verl_records import RELEASES, Value, records
from .verl_rows import Explained, Reproduced
from .verl_sections import MODULES

SPEC = Path(__file__).parents[2] / "spec"

every_module = pytest.mark.parametrize(
    ("release", "title"), [(release, title) for release in RELEASES for title in MODULES]
)


@pytest.mark.parametrize("release", RELEASES)
def test_every_output_has_one_row(release: str) -> None:
    """No output is left out or claimed twice, and no row is about something that was not recorded."""
    claimed = [output for title in MODULES for output in verl_sections.rows(release, title)]
    assert sorted(records(release)) == sorted(claimed)


@every_module
def test_functions_give_the_recorded_values(release: str, title: str) -> None:
    """On every batch the function differs from verl by float32 rounding at most."""
    wrong = {
        (output, result.where): result.difference
        for output, compared in verl_sections.results(release, title).items()
        for result in compared
        if not result.agrees
    }
    assert {} == wrong


@every_module
def test_constants_are_constant(release: str, title: str) -> None:
    """What is explained as a constant has that value on every batch."""
    constants = {
        output: row.constant
        for output, row in verl_sections.rows(release, title).items()
        if isinstance(row, Explained) and row.constant is not None
    }
    recorded = {output: set(records(release)[output].values()) for output in constants}
    assert {output: {constant} for output, constant in constants.items()} == recorded


@every_module
def test_exceptions_are_the_only_texts(release: str, title: str) -> None:
    """A reason that speaks of no number stands only where none was recorded."""
    rows = verl_sections.rows(release, title)
    texts = {output for output in rows if any(isinstance(value, str) for value in records(release)[output].values())}
    expected = {output for output in rows if output[1].endswith(("__exception__", "__partitions__"))}
    assert expected == texts


@pytest.mark.parametrize("release", RELEASES)
def test_padding_leaks_only_where_it_holds_nan(release: str) -> None:
    """The numbers that verl spoils are NaN; those of the functions are not."""
    leaked = [
        (output, result)
        for title in MODULES
        for output, compared in verl_sections.results(release, title).items()
        for result in compared
        if result.leaked
    ]
    assert leaked
    for output, result in leaked:
        assert "nan_pad" == result.where
        assert _is_nan(records(release)[output][result.where])


def _is_nan(value: Value) -> bool:
    return bool(torch.as_tensor(value).isnan().any()) if isinstance(value, torch.Tensor) else math.isnan(float(value))


@pytest.mark.parametrize("release", RELEASES)
def test_a_wrong_function_is_noticed(release: str) -> None:
    """A neighbouring metric in a row's place is off by more than rounding."""
    output = ("policy_loss_compute_policy_loss", "token-mean|actor/pg_loss")
    row = verl_sections.rows(release, "policy losses")[output]
    assert isinstance(row, Reproduced)
    plain = Reproduced("policy/loss", lambda batch: batch.compute("policy/loss", clip_low=0.2, clip_high=0.2))
    assert not verl_sections.compare(plain, records(release)[output]["mixed"], release, "mixed").agrees


def test_variants_that_emissions_name_are_compared() -> None:
    """Each ``reproduced_by`` of verl's emissions in a recorded release stands behind some row."""
    spec, _ = read(SPEC)
    assert spec is not None
    releases = Releases(tuple(release.release for release in spec.frameworks["verl"].framework.releases))
    named = {
        f"{variant.metric or emission.metric}@{variant.reproduced_by}"
        for file in spec.frameworks["verl"].files.values()
        for emission in file.emissions
        if emission.releases is None or releases.expand(emission.releases) & set(RELEASES)
        for variant in (emission, *emission.variants)
        if variant.reproduced_by
    }
    compared = {
        row.key
        for release in RELEASES
        for title in MODULES
        for row in verl_sections.rows(release, title).values()
        if isinstance(row, Reproduced)
    }
    assert named
    assert set() == named - compared
