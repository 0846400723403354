"""Records what all releases log.

``python -m rlmetrics.codegen.audit.record DIR OUT`` reads the wheels of all releases from DIR, packed or unpacked into
folders ``trl-0.0.1``, ``verl-0.9.1`` …, and writes ``trl.json`` and ``verl.json`` into OUT.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from rlmetrics.names.tables.loading import load_tables

from .extract import Extraction, extract
from .frameworks import SETTINGS
from .recorded import pack
from .release_sources import read_release

__all__ = ["find_source", "main", "record_release"]


def find_source(folder: Path, package: str, release: str) -> Path | None:
    """Return the wheel of a release, or the folder that it was unpacked into."""
    name = f"{package}-{release}"
    unpacked = folder / name
    return unpacked if unpacked.is_dir() else next(iter(sorted(folder.glob(f"{name}-*.whl"))), None)


def record_release(folder: Path, framework: str, release: str) -> Extraction:
    """Extract a release from its wheel."""
    return extract(framework, release, _read(folder, SETTINGS[framework].package, release))


def _read(folder: Path, package: str, release: str) -> dict[str, str]:
    source = find_source(folder, package, release)
    wheel, unpacked = (None, source) if source is None or source.is_dir() else (source, None)
    return read_release(package, release, wheel=wheel, folder=unpacked, cache=folder)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the records; see the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", type=Path, help="folder with all wheels")
    parser.add_argument("out", type=Path, help="folder that the records are written into")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    options = parser.parse_args(arguments)
    tables = load_tables()
    named = {name: tables.framework(name).releases.names for name in SETTINGS}
    wanted = [(SETTINGS[framework].package, release) for framework, releases in named.items() for release in releases]
    lacking = [f"{name}-{release}" for name, release in wanted if not find_source(options.sources, name, release)]
    if lacking:
        parser.error(f"{options.sources} lacks the wheels of {', '.join(lacking)}; pip download --no-deps fetches them")
    for framework, releases in named.items():
        results = []
        with ProcessPoolExecutor(options.jobs) as pool:
            recorded = pool.map(partial(record_release, options.sources, framework), releases)
            for release, result in zip(releases, recorded, strict=True):
                print(f"{framework} {release}: {len(result.keys)} places", file=sys.stderr, flush=True)
                results.append(result)
        (options.out / f"{framework}.json").write_text(pack(results), encoding="utf-8")


if __name__ == "__main__":
    main()
