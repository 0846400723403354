"""Records what all releases log, and how much of the spec's evidence holds in them.

``python -m rlmetrics.codegen.audit.record DIR OUT`` reads the wheels of all releases from DIR, packed or unpacked into
folders ``trl-0.0.1``, ``verl-0.9.1`` …, and writes ``trl.json``, ``verl.json`` and ``evidence.json`` into OUT. What the
spec cites of other packages is reopened too, in the wheels of the cited releases, and goes into ``foreign.json``.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from rlmetrics.names.tables import FrameworkTable, Tables, load_tables

from .described import describe
from .evidence import EvidenceChecker
from .extract import Extraction, extract
from .foreign import ForeignCitation, foreign_citations, problems_in
from .frameworks import SETTINGS
from .recorded import pack
from .sources import read_release

__all__ = ["evidence_counts", "find_source", "main", "record_foreign", "record_release"]


def find_source(folder: Path, package: str, release: str) -> Path | None:
    """Return the wheel of a release, or the folder that it was unpacked into."""
    name = f"{package}-{release}"
    unpacked = folder / name
    return unpacked if unpacked.is_dir() else next(iter(sorted(folder.glob(f"{name}-*.whl"))), None)


def record_release(folder: Path, framework: str, release: str) -> tuple[Extraction, dict[str, str | None]]:
    """Extract a release from its wheel, and reopen every line of it that the spec cites.

    Returns:
        What it logs; and for each citation, as :func:`_citation` names it, what is wrong with it or nothing.
    """
    sources = _read(folder, SETTINGS[framework].package, release)
    extraction = extract(framework, release, sources)
    checker = EvidenceChecker(sources, extraction)
    names = [found.key for found in extraction.keys]
    claims = describe(load_tables(), framework, release).claims
    return extraction, {
        _citation(claim.where.split(": ")[0], release, claim.path, claim.line): checker.problem(claim, names)
        for claim in claims
    }


def record_foreign(folder: Path, tables: Tables) -> dict[str, dict[str, str | None]]:
    """Reopen every line of other packages that the spec cites.

    Returns:
        For each release of a package, such as ``transformers==4.52.4``, citation to what is wrong with it or nothing.
    """
    releases: dict[tuple[str, str], list[ForeignCitation]] = {}
    for item in foreign_citations(tables):
        releases.setdefault((item.package, item.release), []).append(item)
    return {
        f"{package}=={release}": problems_in(_read(folder, package, release), cited)
        for (package, release), cited in releases.items()
    }


def _read(folder: Path, package: str, release: str) -> dict[str, str]:
    source = find_source(folder, package, release)
    wheel, unpacked = (None, source) if source is None or source.is_dir() else (source, None)
    return read_release(package, release, wheel=wheel, folder=unpacked, cache=folder)


def evidence_counts(tables: Tables, problems: Mapping[str, Mapping[str, str | None]]) -> dict[str, dict[str, int]]:
    """Count, for each framework, the spec's records and those whose evidence holds where their range begins and ends.

    Args:
        tables: The spec.
        problems: For each framework, citation to what is wrong with it.
    """
    counts: dict[str, dict[str, int]] = {}
    for framework, found in problems.items():
        table = tables.framework(framework)
        package = str(tables.frameworks[framework]["package"]) + "/"
        total = verified = elsewhere = 0
        for stem, ends, cited in _records(table):
            total += 1
            own = [(release, path, line) for release, path, line in cited if path.startswith(package)]
            if not own:
                elsewhere += 1
                continue
            holding = {
                release for release, path, line in own if found.get(_citation(stem, release, path, line), "-") is None
            }
            verified += set(ends) <= holding
        counts[framework] = {
            "records": total,
            "verified_in_first_and_last_release": verified,
            "of_other_packages": elsewhere,
            "citations": len(found),
            "citations_that_hold": sum(problem is None for problem in found.values()),
        }
    return counts


def _records(table: FrameworkTable) -> Iterator[tuple[str, tuple[str, str], list[tuple[str, str, int]]]]:
    """Yield file, first and last release, and citations of every emission that a component has."""
    described: dict[str, set[str]] = {}
    for _, stem, ranges, _ in table.components:
        for part in table.chain(stem):
            described.setdefault(part, set()).update(table.releases.expand(ranges))
    for stem, releases in described.items():
        for row in table.file(stem).get("emissions", ()):
            covered = releases & set(table.releases.expand(row["releases"])) if "releases" in row else releases
            ordered = sorted(covered, key=table.releases.index)
            if ordered:
                cited = table.evidence(row.get("evidence", ""))
                yield stem, (ordered[0], ordered[-1]), [(item.release, item.path, item.line) for item in cited]


def _citation(stem: str, release: str, path: str, line: int) -> str:
    return f"{stem} {release} {path}:{line}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the records; see the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", type=Path, help="folder with all wheels")
    parser.add_argument("out", type=Path, help="folder that the records are written into")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--foreign", action="store_true", help="only what the spec cites of other packages")
    options = parser.parse_args(arguments)
    tables = load_tables()
    named = {} if options.foreign else {name: tables.framework(name).releases.names for name in SETTINGS}
    wanted = [(SETTINGS[framework].package, release) for framework, releases in named.items() for release in releases]
    wanted += [(item.package, item.release) for item in foreign_citations(tables)]
    lacking = [
        f"{name}-{release}"
        for name, release in dict.fromkeys(wanted)
        if not find_source(options.sources, name, release)
    ]
    if lacking:
        parser.error(f"{options.sources} lacks the wheels of {', '.join(lacking)}; pip download --no-deps fetches them")
    problems: dict[str, dict[str, str | None]] = {}
    for framework, releases in named.items():
        results = []
        with ProcessPoolExecutor(options.jobs) as pool:
            recorded = pool.map(partial(record_release, options.sources, framework), releases)
            for release, result in zip(releases, recorded, strict=True):
                print(f"{framework} {release}: {len(result[0].keys)} places", file=sys.stderr, flush=True)
                results.append(result)
        (options.out / f"{framework}.json").write_text(pack([found for found, _ in results]), encoding="utf-8")
        problems[framework] = {citation: problem for _, checked in results for citation, problem in checked.items()}
    foreign = json.dumps(record_foreign(options.sources, tables), indent=1, ensure_ascii=False)
    (options.out / "foreign.json").write_text(foreign + "\n", encoding="utf-8")
    if options.foreign:
        return
    counts = evidence_counts(tables, problems)
    (options.out / "evidence.json").write_text(json.dumps(counts, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
