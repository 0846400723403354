"""The index of the search: what it holds, what it leads to, and its size."""

from __future__ import annotations

import json
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from rlmetrics.codegen.loader import read
from rlmetrics.codegen.site.addresses import key_page, metric_page
from rlmetrics.codegen.site.guides import guides_in, slug
from rlmetrics.codegen.site.search import logged_keys, search_index
from rlmetrics.codegen.site.site import Site
from rlmetrics.codegen.site.symptoms import SYMPTOMS
from rlmetrics.codegen.site.texts import Texts
from rlmetrics.codegen.spec import Spec
from rlmetrics.names import load_tables

ROOT = Path(__file__).resolve().parent.parent.parent
MOST = 300_000
"""Bytes that the index may have, uncompressed."""


@lru_cache(maxsize=1)
def spec() -> Spec:
    """Return the repository's own spec."""
    found, findings = read(ROOT / "spec", ())
    assert found is not None, findings
    return found


@lru_cache(maxsize=1)
def english() -> Site:
    """Return the site of the repository's own spec."""
    return Site(spec(), {}, load_tables(), guides=guides_in(ROOT / "docs", ("zh", "reference", "theme")))


@lru_cache(maxsize=1)
def titles() -> dict[str, str]:
    """Return the pages of all metrics and keys, of all releases, and of each trainer's steps between them."""
    site = english()
    found = {metric_page(metric): metric for metric in site.tables.metrics}
    found |= {key_page(item.framework, item.key): item.key for item in logged_keys(site)}
    for framework in site.tables.frameworks:
        table = site.tables.framework(framework)
        names = table.releases.names
        found |= {f"{framework}/{name}": name for name in names}
        for component in dict.fromkeys(component for component, *_ in table.components):
            found[f"trainer/{framework}/{component}"] = component
            steps = pairwise(names)
            found |= {f"migrate/{framework}/{component}/{a}-{b}": "" for a, b in steps if a[:-1] != b[:-1]}
    return found


def data_of(site: Site, found: dict[str, str]) -> dict[str, Any]:
    """Return what the script reads."""
    text = search_index(site, found).text
    data: dict[str, Any] = json.loads(text.removeprefix("window.RLMETRICS_INDEX=").rstrip(";\n"))
    return data


@pytest.mark.slow
def test_the_index_is_small() -> None:
    """With every page that the spec could have, steps without any change included."""
    assert len(search_index(english(), titles()).text.encode()) < MOST


@pytest.mark.slow
def test_a_translated_index_is_small() -> None:
    """With each brief in Chinese beside the English one."""
    tables, catalog = english().tables, spec().texts["zh"].catalog()
    site = Site(spec(), {}, tables, Texts("zh", catalog), english().guides)
    assert all(str(row["brief"]) in catalog for row in tables.metrics.values())
    assert len(search_index(site, titles()).text.encode()) < MOST
    data = data_of(site, titles())
    assert all(row[5] == catalog[row[2]] for row in data["metrics"])
    assert ["解释方差", "explained variance"] in data["terms"]
    lengths = [len(word) for word, _ in data["terms"]]
    assert sorted(lengths, reverse=True) == lengths


def test_every_metric_alias_and_key_is_in_it() -> None:
    """Under its own name and with the address of its page."""
    data = data_of(english(), titles())
    tables = english().tables
    assert [row[0] for row in data["metrics"]] == [*tables.metrics]
    aliases = [" ".join(row.get("aliases", ())) for row in tables.metrics.values()]
    assert aliases == [row[1] for row in data["metrics"]]
    keys = [(item.framework, item.key) for item in logged_keys(english())]
    assert keys == [(row[0], row[1]) for row in data["keys"]]
    assert all(key_page(row[0], row[1]) == f"k/{row[0]}/{row[7] or row[1]}" for row in data["keys"])


def test_nothing_leads_to_a_page_that_is_not_made() -> None:
    """Of a site with few pages the index knows these alone."""
    few = {"m/kl/old/k2": "kl/old/k2", "k/trl/kl": "kl", "trl/0.12.0": "TRL 0.12.0", "sick": "My run is sick"}
    few |= {"trl": "Releases of TRL", "m/kl": "KL divergence", "k/trl": "Keys of TRL"}
    data = data_of(english(), few)
    assert [row[0] for row in data["metrics"]] == ["kl/old/k2"]
    assert [(row[0], row[1]) for row in data["keys"]] == [("trl", "kl")]
    assert data["releases"] == ["trl/0.12.0"]
    assert data["steps"] == {}
    pages = {row[1]: row[2] for row in data["pages"] if row[0] == "page"}
    assert {path: few[path] for path in ("sick", "trl", "m/kl", "k/trl")} == pages
    assert not [row for row in data_of(english(), {"trl": "Releases of TRL"})["pages"] if row[0] == "symptom"]


def test_what_is_seen_in_a_sick_run_is_in_it() -> None:
    """Each symptom with its place, the diagnoses that it shows and the words of the rules that look for it."""
    rows = {row[1]: row for row in data_of(english(), titles() | {"sick": ""})["pages"] if row[0] == "symptom"}
    assert {f"sick#{symptom.id}" for symptom in SYMPTOMS} == set(rows)
    _, _, name, behind, words = rows["sick#see-kl-odd"]
    assert name == "KL divergence: is negative, or not 0 at the start"
    assert "The divergence from the reference is negative" in behind
    assert {"impossible", "divergence"} <= set(words.split())


def test_words_that_stand_for_something_else_are_no_terms() -> None:
    """变成 is a turn of phrase, not a turn of a conversation; 打分 is a score wherever it stands."""
    chinese = Site(spec(), {}, english().tables, Texts("zh", spec().texts["zh"].catalog()))
    terms = dict(data_of(chinese, {})["terms"])
    assert "变成" not in terms
    assert (terms["轮"], terms["打分"], terms["熵"]) == ("turn", "score", "entropy")


def test_a_key_says_who_logs_it_and_when() -> None:
    """With the first and the last release in which any trainer does."""
    data = data_of(english(), titles())
    row = next(row for row in data["keys"] if row[1] == "policy/approxkl_avg")
    releases = data["frameworks"]["trl"][1]
    assert (releases[row[4]], releases[row[5]]) == ("0.9.2", "1.12.0")
    assert {"trl/PPOTrainer", "trl/RLOOTrainer"} <= {data["components"][at] for at in row[3]}
    assert "kl/old/k2" in {data["metrics"][at][0] for at in row[2]}


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [("How far to trust a finding", "how-far-to-trust-a-finding"), ("W&B, MLflow", "wb-mlflow"), ("读懂指标", "")],
)
def test_anchors_are_those_of_the_pages(heading: str, anchor: str) -> None:
    """As Python-Markdown makes them; a heading that it only counts is led to by its page alone."""
    assert anchor == slug(heading)


def test_guides_are_found_by_their_headings(tmp_path: Path) -> None:
    """Levels one to three, not those in blocks of code, not pages that were generated."""
    (tmp_path / "a.md").write_text(
        "# First\n\n## Same\n\n```bash\n# no heading\n```\n\n## Same\n\n### [Link](b.md) {#own}\n"
    )
    (tmp_path / "b.md").write_text(
        "---\n# Generated by `rlmetrics generate` from spec. Edit that, not this.\n---\n# B\n"
    )
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "index.md").write_text("# Deep\n")
    first, deep = guides_in(tmp_path)
    assert (
        first.path,
        first.title,
        first.headings,
    ) == ("a", "First", (("Same", "same"), ("Same", "same_1"), ("Link", "own")))
    assert (deep.path, deep.title, deep.headings) == ("deep", "Deep", ())
