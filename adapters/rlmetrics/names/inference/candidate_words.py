"""Some of the sources that may have logged a run, in a few words."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

__all__ = ["candidate_words"]

_SOURCE = re.compile(r"(?P<framework>[\w.-]+)(?:\[(?P<component>[^\]]+)\])?==(?P<release>.+)")


def candidate_words(some: Collection[str], every: Sequence[str]) -> str:
    """Return some of several sources: ``RLOOTrainer``, or ``DPOTrainer 0.7.2–0.11.4`` where not all releases are meant.

    Args:
        some: The sources that are meant.
        every: All of them, those of a program in the order of their releases.
    """
    of_program: dict[str, list[tuple[str, bool]]] = {}
    for source in every:
        match = _SOURCE.fullmatch(source)
        program, release = (
            (source, "") if match is None else (match["component"] or match["framework"], match["release"])
        )
        of_program.setdefault(program, []).append((release, source in some))
    parts: list[str] = []
    for program, releases in of_program.items():
        if all(meant for _, meant in releases):
            parts.append(program)
            continue
        runs: list[list[str]] = [[]]
        for release, meant in releases:
            if meant:
                runs[-1].append(release)
            elif runs[-1]:
                runs.append([])
        parts += [f"{program} {_span(run)}" for run in runs if run]
    return " or ".join(parts)


def _span(releases: Sequence[str]) -> str:
    """Return releases that follow each other."""
    ends = sorted((releases[0], releases[-1]), key=lambda release: [int(part) for part in re.findall(r"\d+", release)])
    return ends[0] if len(releases) == 1 else f"{ends[0]}–{ends[1]}"
