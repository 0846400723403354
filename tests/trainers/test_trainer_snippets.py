"""The snippets of the page about trainers, put to work in verl's worker; TRL's are tested in its own trainer."""

from __future__ import annotations

import inspect
import json
import re
from importlib import import_module
from typing import Any

import pytest
import torch
from folders import FIXTURES, ROOT, TESTS
from rlmetrics.functional import REGISTRY

PAGE = ROOT / "docs" / "trainers.md"
SIGNATURES = json.loads((FIXTURES / "trainer_signatures.json").read_text())
"""Argument names of what the snippets override or call, as they stand in the releases that the page names."""


@pytest.fixture(autouse=True)
def _stand_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let TRL and verl be found where they are not installed."""
    monkeypatch.syspath_prepend(str(TESTS / "stand_ins"))


def snippet(heading: str) -> dict[str, Any]:
    """Return the names that the first snippet below a heading defines."""
    section = PAGE.read_text().partition(f"## {heading}\n")[2]
    code = re.search(r"^```python\n(.*?)^```$", section, re.S | re.M)
    assert code is not None
    names: dict[str, Any] = {}
    exec(compile(code[1], f"{PAGE.name}: {heading}", "exec"), names)
    return names


@pytest.mark.parametrize("name", list(SIGNATURES))
def test_stand_ins_take_what_the_originals_take(name: str) -> None:
    """Each function of the stand-ins has the arguments that it has in the release."""
    module, _, path = name.partition(":")
    found: Any = import_module(module)
    for part in path.split("."):
        found = getattr(found, part)

    assert SIGNATURES[name] == list(inspect.signature(found).parameters)


def test_in_a_verl_worker() -> None:
    """The metrics of an update are those of all its micro-batches, and the next update starts anew."""
    names = snippet("In a verl worker")
    worker = names["MeasuredWorker"]("measured")
    generator = torch.Generator().manual_seed(0)
    data = []
    for rows in (1, 3):
        old, new, advantages = torch.randn(3, rows, 6, generator=generator).unbind()
        mask = torch.arange(6) < torch.randint(1, 7, (rows, 1), generator=generator)
        data.append({"old_log_prob": old, "log_prob": new, "advantages": advantages, "response_mask": mask})

    metrics = [worker.update_actor(data)["metrics"] for _ in range(2)]

    new, old, mask = (
        torch.cat([batch[name] for batch in data]) for name in ("log_prob", "old_log_prob", "response_mask")
    )
    assert metrics[0]["exact/kl/old/k1"] == pytest.approx(REGISTRY["kl/old/k1"](new, old, mask).item())
    assert len(metrics[0]["pg_loss"]) == 2
    assert metrics[0] == metrics[1]


def test_every_promised_snippet_is_there() -> None:
    """The page shows a plain loop, TRL, verl, several ranks, and what to use in place of one's own masked mean."""
    headings = re.findall(r"^## (.+)$", PAGE.read_text(), re.M)

    for heading in (
        "A plain PyTorch loop",
        "In a TRL trainer",
        "In a verl worker",
        "Replace your own masked_mean",
        "Several ranks",
    ):
        assert heading in headings
        assert "```python" in PAGE.read_text().partition(f"## {heading}\n")[2].partition("\n## ")[0]
