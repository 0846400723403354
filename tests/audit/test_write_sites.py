"""What a scan by regular expressions finds is in the extraction, or in a short list of what is no metric."""

from __future__ import annotations

import pytest
from audit.wheels import SAMPLE, extraction_of, sources_of
from audit.write_sites import NOT_METRICS, is_covered, unexplained, write_sites
from rlmetrics.codegen.audit.frameworks import SETTINGS

SOURCE = '''
def log(self):
    """metrics["not/this"] = 1"""
    metrics["loss/policy"] = loss  # stats["nor/this"] = 2
    self._metrics[mode][f"rewards/{name}"].append(reward)
    self.log({"kl": kl, "nested": {"entropy": entropy}})
    with marked_timer("gen", timing_raw):
        pass
'''


def test_finds_every_way_of_writing_a_literal_key() -> None:
    """Subscripts, appends, dicts that are handed over and timers are seen; comments and docstrings are not."""
    found = [(site.template, site.line) for site in write_sites("a.py", SOURCE)]
    expected = {("loss/policy", 4), ("rewards/{}", 5), ("kl", 6), ("nested", 6), ("entropy", 6), ("gen", 7)}
    assert set(found) == expected


def test_a_key_that_was_not_extracted_is_reported() -> None:
    """A write site counts as covered only by a key of the same file and about the same line."""
    sites = list(write_sites("a.py", SOURCE))
    assert [site.template for site in unexplained(sites, {"a.py": [(4, "loss/policy"), (90, "kl")]})] == [
        "rewards/{}",
        "gen",
        "kl",
        "nested",
        "entropy",
    ]
    assert is_covered(sites[1], {"a.py": [(5, "eval_rewards/{name}")]})


@pytest.mark.network
@pytest.mark.parametrize(("framework", "release"), SAMPLE)
def test_every_literal_key_of_a_release_is_extracted(framework: str, release: str) -> None:
    """No literal key of a release is lost: each is extracted at its line, or known to reach no tracker."""
    sources = sources_of(framework, release)
    logged: dict[str, list[tuple[int, str]]] = {}
    for found in tuple(extraction_of(framework, release).keys):
        for path, line in ((found.path, found.line), *((site.path, site.line) for site in found.via)):
            logged.setdefault(path, []).append((line, found.key))
    excluded = SETTINGS[framework].excluded_paths
    sites = [
        site
        for path, text in sources.items()
        if path.startswith(f"{framework}/") and path.endswith(".py") and not path.startswith(excluded)
        for site in write_sites(path, text)
    ]
    assert sites
    assert unexplained(sites, logged) == []


def test_exceptions_say_why() -> None:
    """Every exception has a reason of its own."""
    reasons = [entry.reason for entry in NOT_METRICS]
    assert len(reasons) == len(set(reasons))
