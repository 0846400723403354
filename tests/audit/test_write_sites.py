"""What a scan by regular expressions finds is in the extraction, or in a short list of what is no metric."""

from __future__ import annotations

from audit.write_sites import NOT_METRICS, is_covered, unexplained, write_sites

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


def test_exceptions_say_why() -> None:
    """Every exception has a reason of its own."""
    reasons = [entry.reason for entry in NOT_METRICS]
    assert len(reasons) == len(set(reasons))
