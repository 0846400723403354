"""What the search of the real site reads."""

from __future__ import annotations

import json
from functools import lru_cache
from itertools import pairwise
from typing import Any

from folders import ROOT
from rlmetrics.codegen.loader import read
from rlmetrics.codegen.site.guides import guides_in
from rlmetrics.codegen.site.page_links import key_page, metric_page
from rlmetrics.codegen.site.search import logged_keys, search_index
from rlmetrics.codegen.site.site import Site
from rlmetrics.codegen.spec import Spec
from rlmetrics.names import load_tables


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
