"""Draws sentences for somebody to read against the source: what no step of a run can show, such as texts on code.

``python tests/programs/sentence_draw.py 0.1.0`` prints 60 sentences, the same for the same release of the project.
Under each stand the lines of the framework's source that prove its key: whoever reads sees these and nothing else, and
writes ``right``, ``wrong`` or ``misleading`` behind the number. Releases behind the seed are the only ones then. What
was read is in ``docs/results/sentences.md``.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence

from rlmetrics.names.meanings.view import FrameworkView, open_view
from rlmetrics.names.tables.key_records import Entry
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.tables.tables import Tables
from rlmetrics.wording.key_words import key_brief

COUNT = 60


def drawn(seed: str, count: int = COUNT, among: Sequence[str] = ()) -> list[tuple[str, str, list[str]]]:
    """Return sentences, each with its key and source, and the lines that prove that.

    Args:
        seed: The release of the project.
        count: How many.
        among: The releases, such as ``trl==1.16.0``; without any all of them.
    """
    draws = random.Random(seed)
    tables = load_tables(None)
    releases = among or [
        f"{framework}=={name}" for framework in tables.frameworks for name in tables.framework(framework).releases.names
    ]
    found: list[tuple[str, str, list[str]]] = []
    while len(found) < count:
        view = open_view(draws.choice(releases))
        assert isinstance(view, FrameworkView)
        entry = draws.choice(view.entries())
        said = [
            *entry.notes,
            *entry.constant_when,
            *(reading.says for reading in entry.reads),
            *(tables.traits[trait]["what"] for trait in entry.signature.traits),
            *_brief(entry, tables),
        ]
        if said:
            lines = [f"{line.path}:{line.line} in {line.release}" for line in view.evidence(entry)]
            found.append((draws.choice(said), f"{view.source} [{entry.component}] {entry.key}", lines))
    return found


def _brief(entry: Entry, tables: Tables) -> list[str]:
    """Return what the key is said to measure, and over what."""
    if entry.metric is None:
        return []
    brief = str(tables.metrics[entry.metric]["brief"])
    text, over = key_brief(brief, entry.signature, entry.metric, tables, entry.mode)
    return [f"{text}{f', here over {over}' if over else ''}."]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("release", help="the release of the project, from which the draw starts")
    parser.add_argument("among", nargs="*", help="releases of frameworks, such as trl==1.16.0")
    asked = parser.parse_args()
    for number, (sentence, key, lines) in enumerate(drawn(asked.release, among=asked.among), 1):
        print(f"{number}.", key, sentence, *lines, "", sep="\n   ")
