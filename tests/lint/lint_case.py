"""What a test case of the linter is made of."""

from __future__ import annotations

from typing import NamedTuple

P, T, F, S, G, H = (
    "metrics/policy",
    "frameworks/acme/trainer",
    "frameworks/acme/framework",
    "signatures",
    "trackers/board",
    "health/basics",
)
SHARED = "frameworks/acme/shared"
EVIDENCE = "    evidence: [{release: 1.0.0, path: acme/x.py, line: 1, symbol: f, shows: value}]\n"
ENDS = (
    "    evidence:\n"
    "      - {release: 1.0.0, path: acme/x.py, line: 1, symbol: f, shows: value}\n"
    "      - {release: 1.2.0, path: acme/x.py, line: 1, symbol: f, shows: value}\n"
)
OMITS = (
    "omits:\n  - key: {}\n    reason: Nothing is timed here.\n"
    "    evidence: [{{release: 1.0.0, path: acme/trainer.py, line: 3, symbol: f}}]\nunlogged:"
)
AMENDS = (
    "amends:\n  - keys: [{}]\n    traits: [{}]\n    note: Timed twice.\n"
    "    evidence: [{{release: 1.0.0, path: acme/trainer.py, line: 3, symbol: f, shows: value}}]\nunlogged:"
)
METRIC = """
  {name}:
    brief: A number named {name}.
    description: Something nobody has described before {name}, high or low.
    unit: "1"
    identity: {{quantity: "{name}"}}
    measured: Somewhere.
"""

Edit = tuple[str, str, str]


class Case(NamedTuple):
    """Edits that trigger a check at the mark, edits that look alike and do not, and words of the message."""

    check: str
    bad: list[Edit]
    good: list[Edit]
    says: str


def metric(name: str) -> str:
    """A valid measured metric."""
    return METRIC.format(name=name)


def new_emission(key: str, more: str = "") -> str:
    """A valid emission, to be inserted before ``unlogged``."""
    return f"  - key: {key}\n    metric: policy/reward/mean\n{more}{ENDS}unlogged:"
