"""`rlmetrics rename`: a metric gets another name everywhere, and the old one keeps working."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from codegen.renamed_checkout import checkout_that_names_metrics
from generate_support import files_of, rlmetrics


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Make a checkout with the small spec, a page and a test that name its metrics."""
    return checkout_that_names_metrics(tmp_path)


def test_every_place_has_the_new_name(root: Path) -> None:
    """Definition, records, pages, tests and modules change, in all forms of the name, and nothing else does."""
    before = {path: data.decode() for path, data in files_of(root).items()}

    done = rlmetrics(root, "rename", "kl/old/k1", "kl/old/plain", "--why", 'Says "how".')

    assert done.returncode == 0, done.stderr
    after = {path: data.decode() for path, data in files_of(root).items()}
    expected = """\
# kl/old/plain, "kl/old/plain@padded"; not kl/old/k1_more, kl/old/k1/more
from rlmetrics.functional import kl_old_plain, kl_old_plain_padded, kl_old_k1_other
F.kl_old_plain(x)
[link](reference/kl.md#kl-old-plain) [variant](kl.md#kl-old-plain--padded) exact/kl/old/k1
"""
    assert {after[path] for path in ("docs/page.md", "tests/test_it.py", "adapters/rlmetrics/own.py")} == {expected}
    record = '  - {from: kl/old/k1, to: kl/old/plain, since: "0.0.1", why: "Says \\"how\\"."}'
    assert record in after["spec/spec.yaml"].splitlines()
    for path in ("spec/metrics/kl.yaml", "spec/frameworks/demo/trainer.yaml"):
        assert before[path].replace("kl/old/k1", "kl/old/plain") == after[path]
        assert before[path] != after[path]
    assert "docs/page.md:4: left alone" in done.stderr
    assert rlmetrics(root, "lint").returncode == 0


def test_a_key_of_a_framework_keeps_its_name(root: Path) -> None:
    """Where a framework logs a key of the metric's name, keys stay, and pages and tests are left to a person."""
    trainer = root / "spec/frameworks/demo/trainer.yaml"
    trainer.write_text(trainer.read_text().replace("  policy/kl:\n", "  kl/old/k1:\n"))

    done = rlmetrics(root, "rename", "kl/old/k1", "kl/old/plain")

    assert trainer.read_text().count("  kl/old/k1:\n") == 1
    assert len(re.findall(r"metric: kl/old/plain\b", trainer.read_text())) == 3
    assert "# kl/old/k1, " in (root / "docs/page.md").read_text()
    assert "F.kl_old_plain(x)" in (root / "docs/page.md").read_text()
    assert "docs/page.md:1: left alone" in done.stderr


def test_a_dry_run_writes_nothing(root: Path) -> None:
    """It prints the files and how many names change in each."""
    before = files_of(root)

    done = rlmetrics(root, "rename", "kl/old/k1", "kl/old/plain", "--dry-run")

    assert (done.returncode, files_of(root)) == (0, before)
    assert "docs/page.md: 7 places" in done.stdout.splitlines()


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("kl/old/nothing", "kl/old/plain", "there is no metric kl/old/nothing"),
        ("kl/old/k1", "kl/old/clipped", "kl/old/clipped is another metric, at spec/metrics/kl.yaml:"),
        ("kl/old/k1", "KL", "KL is not lower snake case with slashes"),
        ("kl/old/k1", "return/plain", "return/plain does not begin with its family kl/"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(root: Path, old: str, new: str, says: str) -> None:
    """Nothing is written then."""
    before = files_of(root)

    done = rlmetrics(root, "rename", old, new)

    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert says in done.stderr
    assert files_of(root) == before
