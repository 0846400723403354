"""What locks say of the anchors and defaults of a file is held against it, offline."""

from __future__ import annotations

import re
import shutil

import pytest
from lint.spec_text import SpecText
from rlmetrics.codegen.loader import read

LOCK = """\
# Kept by `rlmetrics release add` and `rlmetrics anchor add`. Do not edit.
package acme
releases 1.0.0 1.1.0 1.2.0rc1 1.2.0

[anchors acme/trainer.py]
loss\tTrainer.loss 000000000001 +1\t1.0.0..
rewards\tTrainer.rewards 000000000002 +1\t1.0.0..
score\tTrainer.rewards 000000000003 +1\t{}

[defaults Trainer]
beta\t{}\t1.0.0..1.1.0
"""
DEFAULT = "{releases: 1.0.0..1.1.0, value: 0.1, symbol: Trainer}"


def locked(spec: SpecText, score: str, default: str) -> None:
    """Give the base spec's trainer a lock, and its settings the class in which their defaults stand."""
    folder = spec.root / "locks" / "acme"
    folder.mkdir(parents=True)
    (folder / "trainer.lock").write_text(LOCK.format(score, default), encoding="utf-8")
    spec.edit("frameworks/acme/trainer", "{releases: 1.0.0..1.1.0, value: 0.1}", DEFAULT)


def test_an_anchor_must_be_found_in_every_release_of_a_claim(spec: SpecText) -> None:
    """A record, and a shared fact, whose only anchor is lost in a release are warnings that name the release."""
    locked(spec, "1.0.0..1.2.0rc1", "0.1")

    found = [each for each in spec.findings("unproven") if "shared" not in each.location.file]

    assert [finding.location.line for finding in found] == [44, 51]
    assert all("1.2.0" in finding.message for finding in found)


def test_a_claim_whose_anchors_are_found_is_proven(spec: SpecText) -> None:
    """No finding where each anchor stands in the lock for all releases of the claim."""
    locked(spec, "1.0.0..", "0.1")

    assert [each for each in spec.findings("unproven") if "shared" not in each.location.file] == []


def test_a_default_is_that_of_its_class(spec: SpecText) -> None:
    """A default other than the one that the lock has read from the class is an error at the default."""
    locked(spec, "1.0.0..", "0.5")

    (finding,) = spec.findings("default-differs")

    assert (finding.location.file.partition("/")[2], finding.location.line) == ("frameworks/acme/trainer.yaml", 13)
    assert "`beta` is 0.5 in 1.0.0" in finding.message


def test_an_equal_default_is_no_finding(spec: SpecText) -> None:
    """The default that the class has is right."""
    locked(spec, "1.0.0..", "0.1")

    assert spec.findings("default-differs") == []


def test_a_default_that_the_lock_has_is_not_said_again(spec: SpecText) -> None:
    """An equal one is an error at the default, which names the release."""
    locked(spec, "1.0.0..", "0.1")

    (finding,) = spec.findings("default-repeated")

    assert (finding.location.file.partition("/")[2], finding.location.line) == ("frameworks/acme/trainer.yaml", 13)
    assert finding.message == "the locks have the default of `beta` in 1.0.0"


def test_a_setting_without_defaults_has_those_of_its_class(spec: SpecText) -> None:
    """What a person states stays, in its releases; the lock says all others, and where the value stands."""
    locked(spec, "1.0.0..", "0.25")
    spec.edit("frameworks/acme/trainer", DEFAULT, "{releases: 1.0.0, value: 0.1}")

    read_spec, _ = read(spec.root)

    assert read_spec is not None
    defaults = read_spec.frameworks["acme"].files["trainer"].config["beta"].defaults
    assert [(item.releases, item.value, item.symbol) for item in defaults] == [
        ("1.0.0", 0.1, None),
        (["1.1.0"], 0.25, "Trainer"),
        ("1.2.0rc1..", 0.0, None),
    ]
    assert len(read_spec.frameworks["acme"].stated["trainer"].config["beta"].defaults) == 2


@pytest.mark.parametrize("default", ["field(default_factory=list)", "'text'", "[0.1]"])
def test_what_no_setting_can_be_is_no_default(spec: SpecText, default: str) -> None:
    """An expression, which only a run evaluates, and a value of another type leave the setting without a default."""
    locked(spec, "1.0.0..", default)
    later = "      - {releases: 1.2.0rc1.., value: 0.0}\n"
    spec.edit("frameworks/acme/trainer", f"    defaults:\n      - {DEFAULT}\n{later}", "")

    read_spec, _ = read(spec.root)

    assert read_spec is not None
    assert read_spec.frameworks["acme"].files["trainer"].config["beta"].defaults == []


def test_an_anchor_that_the_lock_has_is_not_declared(spec: SpecText) -> None:
    """Each one is an error at the entry that declares it; without the entry, the lock's is the anchor."""
    locked(spec, "1.0.0..", "0.1")
    found = [each.message for each in spec.findings("anchor-repeated")]
    assert found == ["the lock has `loss`", "the lock has `rewards`", "the lock has `score`"]
    text = (spec.root / "frameworks/acme/trainer.yaml").read_text(encoding="utf-8")
    (entries,) = re.findall(r"^anchors:\n(?:  .*\n)+", text, re.M)

    spec.edit("frameworks/acme/trainer", entries, "")

    assert spec.findings("anchor-repeated") == []
    assert [each for each in spec.findings("broken-reference") if "anchor" in each.message] == []


def test_an_anchor_of_the_lock_that_nothing_names_is_to_be_dropped(spec: SpecText) -> None:
    """Nobody edits a lock: the finding says which command takes the anchor out of it."""
    locked(spec, "1.0.0..", "0.1")
    path = spec.root / "locks" / "acme" / "trainer.lock"
    spare = "spare\tTrainer.score 000000000004 +1\t1.0.0..\n"
    path.write_text(
        path.read_text(encoding="utf-8").replace("\n\n[defaults", f"\n{spare}\n[defaults"), encoding="utf-8"
    )

    (finding,) = [each for each in spec.findings("unused-name") if "spare" in each.message]

    assert finding.fix == "run `rlmetrics anchor drop`, which takes it out of the lock"


def test_releases_of_other_packages_have_dates(spec: SpecText) -> None:
    """One that a lock knows and nobody dated is told; without `beside` nothing is asked for."""
    folder = spec.root / "locks" / "acme" / "torch"
    folder.mkdir(parents=True)
    (folder / "trainer.lock").write_text("# Kept.\npackage torch\nreleases 2.0.0 2.1.0\n", encoding="utf-8")
    assert spec.findings("undated-package") == []
    spec.edit("frameworks/acme/framework", "config:\n", "beside: {torch: {2.0.0: '2023-03-15'}}\nconfig:\n")

    (found,) = spec.findings("undated-package")

    assert found.message == "`torch` 2.1.0, which locks know, has no date"


def _without_entries(spec: SpecText) -> None:
    """Leave the anchors of a file to its lock."""
    text = (spec.root / "frameworks/acme/trainer.yaml").read_text(encoding="utf-8")
    (entries,) = re.findall(r"^anchors:\n(?:  .*\n)+", text, re.M)
    spec.edit("frameworks/acme/trainer", entries, "")


def test_a_lock_that_is_missing_is_one_finding(spec: SpecText) -> None:
    """At the file, however many anchors it names; none of them is told as unknown."""
    locked(spec, "1.0.0..", "0.1")
    _without_entries(spec)
    folder = spec.root / "locks" / "acme"
    (folder / "trainer.lock").rename(folder / "framework.lock")

    (finding,) = [each for each in spec.findings() if each.level == "error"]

    assert (finding.id, finding.location.file.partition("/")[2]) == ("missing-lock", "frameworks/acme/trainer.yaml")
    assert "acme/trainer.lock" in finding.message


def test_a_framework_whose_locks_are_missing_is_one_finding(spec: SpecText) -> None:
    """At its own file, and nothing else is said of proof."""
    locked(spec, "1.0.0..", "0.1")
    _without_entries(spec)
    shutil.rmtree(spec.root / "locks" / "acme")
    allowed = "allow: [{check: unproven-framework, reason: A small one for tests of lint.}]\n"
    spec.edit("frameworks/acme/framework", allowed, "")

    (finding,) = [each for each in spec.findings() if "lock" in each.message or "anchor" in each.message]

    assert (finding.id, finding.location.file.partition("/")[2]) == ("missing-lock", "frameworks/acme/framework.yaml")


def test_a_framework_without_a_lock_is_unproven(spec: SpecText) -> None:
    """A warning at its file that says what is missing; none once there is a lock."""
    allowed = "allow: [{check: unproven-framework, reason: A small one for tests of lint.}]\n"
    spec.edit("frameworks/acme/framework", allowed, "")

    (finding,) = spec.findings("unproven-framework")

    assert (finding.level, finding.location.line) == ("warning", 1)
    assert finding.message == "nothing proves what `acme` logs: it has no lock"

    locked(spec, "1.0.0..", "0.1")

    assert spec.findings("unproven-framework") == []
