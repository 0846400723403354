"""Pages of keys that show another number than their metric: what is said is on their axis, or says whose it is."""

from __future__ import annotations

import pytest
from rlmetrics.codegen.site.key import page_of
from rlmetrics.codegen.site.key_facts import KeyFacts
from rlmetrics.codegen.site.lives import lives_of
from site_pages import outline, the_site


def text_of(framework: str, key: str) -> str:
    """What the page of a key says."""
    site = the_site()
    page = page_of(KeyFacts(site, framework, key, lives_of(site.tables).by_key[framework, key]))
    return " ".join(outline(page.body).text.split())


@pytest.mark.parametrize(
    ("framework", "key", "lead", "healthy"),
    [
        ("trl", "val/contain_eos_token", "token, logged as 1 minus that.", "Healthy: above 0.5."),
        ("trl", "val/model_contain_eos_token", "token, logged as 1 minus that.", "Healthy: above 0.5."),
        ("trl", "perf/mfu_wall_clock", "waiting included, logged in percent.", None),
        ("verl", "train/lr(1e-3)", "trained, logged times 1000.", "of the metric itself."),
        ("trl", "ppo/policy/policykl", "as the mean log-ratio old minus new.", "0.1 nat, of the metric itself."),
    ],
)
def test_what_is_said_of_the_metric_is_not_said_of_the_key(
    framework: str, key: str, lead: str, healthy: str | None
) -> None:
    """The first sentence, the healthy range and how to read the curve."""
    text = text_of(framework, key)
    assert lead in text
    assert healthy is None or healthy in text
    assert "Of the metric itself: " in text


@pytest.mark.parametrize(("framework", "key"), [("trl", "completions/clipped_ratio"), ("verl", "actor/lr")])
def test_a_key_that_shows_its_metric_says_nothing_of_it(framework: str, key: str) -> None:
    """Where both are one number there is nothing to tell apart."""
    assert "metric itself" not in text_of(framework, key)
