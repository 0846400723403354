"""The spec against the recorded extraction of every release: what is logged is described, and nothing else is."""

from __future__ import annotations

import pytest
from audit.every_release import RECORDED, REQUIRED, agreement

UNDESCRIBED = {"openrlhf": 0.96}
"""Where less is described: the trainers of OpenRLHF for KTO, distillation and process rewards, which end with 0.9.5."""


@pytest.mark.parametrize("framework", RECORDED)
def test_recall_and_precision(framework: str) -> None:
    """Of (component, release, key), at least 99 % that are logged are described, and of those described are logged."""
    found = agreement(framework)
    worst = "\n".join(list(found.lines())[:200])
    print(f"{framework}: recall {found.recall:.2%}, precision {found.precision:.2%}\n{worst}")
    assert found.recall >= UNDESCRIBED.get(framework, REQUIRED), worst
    assert found.precision >= REQUIRED, worst
