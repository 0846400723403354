"""Draws random (component, release, key) and prints the spec's claim beside the source lines, for readers to judge.

``PYTHONPATH=tests python -m programs.blind_check.draw --seed 1 --sources DIR -o draw.md``: DIR holds unpacked wheels as
``trl-1.16.0``, ``verl-0.9.1``. Two readers judge every claim without seeing each other's verdict; their verdicts go
into ``tests/programs/blind_check/rounds`` and, by ``python -m programs.blind_check.table``, into the documentation.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rlmetrics.names import Entry, Evidence, open_view, releases
from rlmetrics.names.meanings.view import FrameworkView
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.tables.tables import Tables
from rlmetrics.wording.metric_facts import metric_brief, variant_brief
from rlmetrics.wording.otherwise_words import otherwise_texts

COUNT = 60
_AROUND = 4


@dataclass(frozen=True, order=True)
class Place:
    """One key of one component in one release."""

    framework: str
    component: str
    release: str
    mode: str
    key: str

    @property
    def source(self) -> str:
        """The component as rlmetrics is asked for it."""
        return f"{self.framework}[{self.component}]=={self.release}"


@cache
def universe() -> tuple[Place, ...]:
    """Return every place that the spec describes, in a fixed order."""
    found: list[Place] = []
    for info in releases():
        for component in info.components:
            view = open_view(f"{info.framework}[{component}]=={info.release}")
            found += [Place(info.framework, component, info.release, entry.mode, entry.key) for entry in view.entries()]
    return tuple(sorted(found))


def draw(seed: int, count: int = COUNT) -> list[Place]:
    """Return that many places, the same ones for the same seed and spec."""
    return random.Random(seed).sample(universe(), count)


def claim(place: Place) -> Iterator[str]:
    """Yield what the spec says about a place, in words."""
    tables = load_tables()
    view = open_view(place.source)
    assert isinstance(view, FrameworkView)
    entry = next(item for item in view.entries() if (item.key, item.mode) == (place.key, place.mode))
    yield f"`{place.key}` of {place.source} ({place.mode})"
    yield ""
    if entry.metric is None:
        yield "- metric: depends on the configuration"
    else:
        yield from _metric(entry.metric, entry.signature.reproduced_by, tables)
    yield from _signature(entry, tables)
    component = view.components[entry.component]
    yield from (f"- otherwise, {text}" for text in otherwise_texts(entry.alternatives, entry.metric, component.config))
    yield from _logged(component.records(entry.key, entry.mode), entry)
    yield from (f"- constant: {text}" for text in entry.constant_when)
    yield from [] if entry.note is None else [f"- note: {entry.note}"]
    yield from (
        f"- cites {item.release} {item.path}:{item.line} ({item.symbol}), shows {item.shows}"
        f"{f': {item.note}' if item.note else ''}"
        for item in view.evidence(entry)
    )


def _logged(records: Sequence[Entry], entry: Entry) -> Iterator[str]:
    """Yield when a key is logged, once for each record that logs it."""
    for record in records:
        what = f" as {record.metric}" if len(records) > 1 else ""
        yield f"- logged{what}: {record.condition or 'always'}; by default {record.logged_by_default}"
    if len(records) > 1:
        yield f"- logged at all: {entry.logged_when or 'always'}; by default {entry.logged_by_default}"


def _metric(metric: str, variant: str | None, tables: Tables) -> Iterator[str]:
    """Yield what a metric is; where a variant of it is logged, how that is computed."""
    row, text = dict(tables.metrics[metric]), dict(tables.texts[metric])
    computed = text if variant is None else text["variants"][variant]
    differs = variant_brief(metric, variant, tables)
    yield f"- metric: {metric}: {metric_brief(metric, variant, tables)}"
    yield from [] if differs is None else [f"- variant: {metric}@{variant}: {differs}"]
    yield f"- unit: {row.get('unit', text.get('unit'))}"
    for name in ("let", "formula", "impl", "measured"):
        if computed.get(name):
            yield f"- {name}: {computed[name]}"


def _signature(entry: Entry, tables: Tables) -> Iterator[str]:
    signature = entry.signature
    populations = tables.signatures["POPULATIONS"]
    if signature.population in populations:
        yield f"- over: {populations[signature.population][1]}"
    if signature.snapshot is not None:
        yield f"- parameters in place: {signature.snapshot}"
    if signature.reduction:
        yield "- reduced: " + ", ".join(f"{level} {operation}" for level, operation in signature.reduction.items())
    yield from [] if signature.span is None else [f"- span: {signature.span}"]
    if signature.lag:
        yield f"- lag: {signature.lag} steps"
    if (signature.scale, signature.offset) != (1.0, 0.0):
        yield f"- logged = {signature.scale} * metric + {signature.offset}"
    yield from (
        f"- departs ({tables.traits[name]['grade']}): {tables.traits[name]['what']}" for name in signature.traits
    )


def cited(place: Place, folder: Path) -> Iterator[str]:
    """Yield the lines of the drawn release that the spec names as proof."""
    view = open_view(place.source)
    entry = next(item for item in view.entries() if (item.key, item.mode) == (place.key, place.mode))
    for item in view.evidence(entry):
        yield from _lines(folder / f"{item.path.partition('/')[0]}-{item.release}", item)


def _lines(root: Path, item: Evidence) -> Iterator[str]:
    path = root / item.path
    if not path.is_file():
        yield f"{root.name}/{item.path}:{item.line} is not in the folder of sources"
        return
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    first, last = max(0, item.line - 1 - _AROUND), min(len(lines), item.line + _AROUND)
    yield f"{root.name}/{item.path}:{item.line}"
    yield from (f"{number + 1:>6}  {lines[number]}" for number in range(first, last))


def main(arguments: list[str] | None = None) -> int:
    """Print a draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--sources", type=Path, required=True, help="folder of unpacked wheels")
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args(arguments)
    parts = []
    for number, place in enumerate(draw(options.seed, options.count), start=1):
        source = "\n".join(cited(place, options.sources))
        parts.append(f"## {number}\n\n" + "\n".join(claim(place)) + f"\n\n```text\n{source}\n```\n")
    text = "\n".join(parts)
    if options.output is None:
        sys.stdout.write(text)
    else:
        options.output.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
