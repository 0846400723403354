"""What a scan by regular expressions finds is in the extraction, or in a short list of what is no metric."""

from __future__ import annotations

import pytest
from audit.wheels import SAMPLE, extraction_of, sources_of
from audit.write_sites import unexplained, write_sites
from rlmetrics.codegen.audit.release_audit import settings_of
from rlmetrics.names.tables.loading import load_tables


@pytest.mark.parametrize(("framework", "release"), SAMPLE)
def test_every_literal_key_of_a_release_is_extracted(framework: str, release: str) -> None:
    """No literal key of a release is lost: each is extracted at its line, or known to reach no tracker."""
    sources = sources_of(framework, release)
    logged: dict[str, list[tuple[int, str]]] = {}
    for found in tuple(extraction_of(framework, release).keys):
        for path, line in ((found.path, found.line), *((site.path, site.line) for site in found.via)):
            logged.setdefault(path, []).append((line, found.key))
    excluded = settings_of(load_tables(), framework).excluded_paths
    sites = [
        site
        for path, text in sources.items()
        if path.startswith(f"{framework}/") and path.endswith(".py") and not path.startswith(excluded)
        for site in write_sites(path, text)
    ]
    assert sites
    assert unexplained(sites, logged) == []
