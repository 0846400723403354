"""Sources of releases for tests: wheels that pip fetches once into ``.cache/wheels``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from rlmetrics.codegen.audit.extract import Extraction, extract
from rlmetrics.codegen.audit.release_audit import settings_of
from rlmetrics.codegen.locks.fetch import installed_place, open_release
from rlmetrics.names.tables.loading import load_tables

__all__ = ["SAMPLE", "extraction_of", "read", "sources_of"]

SAMPLE = (
    ("trl", "0.0.1"),
    ("trl", "0.4.7"),
    ("trl", "0.11.4"),
    ("trl", "0.18.2"),
    ("trl", "1.16.0"),
    ("verl", "0.3.0.post1"),
    ("verl", "0.9.1"),
)
"""The newest release of each framework, and older ones of each layout."""

_CACHE = Path(__file__).parents[2] / ".cache" / "wheels"


@cache
def sources_of(framework: str, release: str) -> Mapping[str, str]:
    """Return a release's sources; where neither the cache nor pip has them, the test that asked fails and says so."""
    return open_release(framework, release, installed_place(framework, release), _CACHE).texts


@cache
def extraction_of(framework: str, release: str) -> Extraction:
    """Return what a release logs, extracted once for all tests that ask."""
    return read(framework, release, sources_of(framework, release))


def read(framework: str, release: str, sources: Mapping[str, str]) -> Extraction:
    """Return what sources log, read as a framework of the spec is."""
    return extract(framework, release, sources, settings_of(load_tables(), framework))
