"""``rlmetrics where`` leads from every kind of symbol to the line that it comes from."""

from __future__ import annotations

from pathlib import Path

import pytest
from generate_support import make_checkout, rlmetrics
from rlmetrics.codegen.generate import symbol_origin
from rlmetrics.codegen.loader import load
from rlmetrics.codegen.spec import Spec


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a checkout in which everything was generated."""
    root = make_checkout(tmp_path_factory.mktemp("where") / "checkout")
    assert rlmetrics(root, "generate").returncode == 0
    return root


@pytest.fixture(scope="module")
def spec(root: Path) -> Spec:
    """Load its spec."""
    return load(root / "spec")


@pytest.mark.parametrize(
    ("symbol", "line"),
    [
        ("kl/old/k1", "  kl/old/k1:"),
        ("policykl", "  kl/old/k1:"),
        ("kl_old_k1", "  kl/old/k1:"),
        ("rlmetrics.functional.kl_old_k1", "  kl/old/k1:"),
        ("rlmetrics.functional.kl.kl_old_k1", "  kl/old/k1:"),
        ("_kl_old_k1_result", "  kl/old/k1:"),
        ("kl/old/k1@padded", "      padded:"),
        ("kl_old_k1_padded", "      padded:"),
        ("docs/m/kl/old/histogram.md", "  kl/old/histogram:"),
        ("m/kl/old/histogram/", "  kl/old/histogram:"),
        ("docs/k/demo/rewards/_name_/spread.md", "  rewards/{name}/spread:"),
        ("rewards/format/spread", "  rewards/{name}/spread:"),
        ("rewards/{name}/spread", "  rewards/{name}/spread:"),
        ("group_ids", "  group_ids: {domain: sequence"),
        ("padding_counted", "  padding_counted:"),
        ("response_positions", "  response_positions: {domain: token"),
        ("kl-drastic", "  - id: kl-drastic"),
        ("collapse", "  - id: collapse"),
        ("Trainer", "components: [{name: Trainer"),
    ],
)
def test_symbol_leads_to_its_line(root: Path, spec: Spec, symbol: str, line: str) -> None:
    """The line that is named starts with what defines the symbol."""
    (place,) = symbol_origin.find(spec, root, symbol)

    text = (root / place.location.file).read_text().splitlines()[place.location.line - 1]
    assert text.startswith(line)


def test_key_of_several_records(root: Path, spec: Spec) -> None:
    """A key that several entries describe leads to all of them."""
    places = symbol_origin.find(spec, root, "policy/kl")

    assert len(places) == 2
    assert {place.location.file for place in places} == {"spec/frameworks/demo/trainer.yaml"}


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("generated/rlmetrics/functional/return_.py", "spec/metrics/return.yaml"),
        ("tests/generated/test_kl.py", "spec/metrics/kl.yaml"),
        ("generated/rlmetrics/functional/_inputs.py", "spec/inputs.yaml"),
    ],
)
def test_generated_file_leads_to_its_source(root: Path, path: str, source: str) -> None:
    """A generated file leads to the file it is generated from, through the real command."""
    result = rlmetrics(root, "where", path)

    assert (result.returncode, result.stdout.split(": ")[0]) == (0, f"{source}:1:1")


def test_unknown_symbol_names_near_ones(root: Path) -> None:
    """An unknown symbol ends with 2 and one line that names what looks like it."""
    result = rlmetrics(root, "where", "kl/old/k2")

    assert (result.returncode, result.stdout, len(result.stderr.splitlines())) == (2, "", 1)
    assert "kl/old/k1" in result.stderr
