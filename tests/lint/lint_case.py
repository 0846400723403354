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


def new_record(key: str, more: str = "") -> str:
    """A valid record, to be put in the place of `shared:`."""
    return f"  {key}:\n    metric: policy/reward/mean\n{more}shared:\n"
