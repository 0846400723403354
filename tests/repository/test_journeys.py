"""The journeys of docs/architecture.md are those that the program makes."""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from repository.journeys import PROJECT, Journey, traced
from rlmetrics.cli import main
from rlmetrics.codegen.formula import compile_formula
from rlmetrics.codegen.site import key
from rlmetrics.codegen.site.key_facts import KeyFacts
from rlmetrics.codegen.site.lives import lives_of
from rlmetrics.health import Monitor
from rlmetrics.logs.kinds import kind_of
from rlmetrics.names import resolve
from rlmetrics.translate import Translator
from site_pages import the_site

_GRPO = "trl[GRPOTrainer]==1.16.0"
_MOST_STOPS = 12
_CLIMBS = {
    "a formula": {("calls", "type_check"), ("torch_code", "line_scope")},
    "a log": {("bounded_curve", "series"), ("log", "jsonl")},
}
"""What climbs back: an argument is checked like any expression, whoever lays out lines asks for each operand's text,
one kind of curve is read through the other, and a log of rows parses them as its kind does."""


def _printed() -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        assert main(["resolve", "kl", "--at", _GRPO]) == 0


def _asked() -> None:
    assert [match.metric for match in resolve("kl", at="trl[GRPOTrainer]==1.15.0")] == ["kl/reference/k3"]


def _compiled() -> None:
    functions = (one for family in the_site().functions.values() for one in family)
    found = next(one for one in functions if one.metric_id == "kl/old/k3")
    assert found.formula is not None
    compile_formula(found.formula, let=found.let, inputs=found.inputs, parameters=found.parameters)


def _renamed() -> Callable[[], None]:
    translator = Translator(_GRPO, "verl==0.9.1")

    def rename() -> None:
        assert "actor/kl_loss" in translator.row({"kl": 0.1, "loss": 0.2})

    return rename


def _judged(folder: Path) -> Callable[[], None]:
    log = folder / "log.jsonl"
    rows = [
        {"step": step, "kl": 0.1, "loss": 0.2, "grad_norm": 1.0 if step < 14 else float("nan")} for step in range(30)
    ]
    log.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    kind, monitor = kind_of(log), Monitor(_GRPO)
    assert kind is not None

    def judge() -> None:
        for run in kind.open(log).read():
            for row in run.rows:
                monitor.observe(row.step, row.values)
        assert "grad_norm" in {finding.key for finding in monitor.findings()}

    return judge


def _made() -> None:
    site = the_site()
    page = key.page_of(KeyFacts(site, "trl", "kl", lives_of(site.tables).by_key["trl", "kl"]))
    assert page.path == "k/trl/kl"


def _told(heading: str) -> list[str]:
    """Return the files that the page lists under a bold heading."""
    text = (PROJECT / "docs/architecture.md").read_text(encoding="utf-8")
    section = text.partition("\n## Five journeys\n")[2].partition("\n## ")[0]
    (listed,) = [part for part in section.split("\n- ") if part.startswith(f"**{heading}**")]
    return re.findall(r"`([\w/]+/\w+\.py)`", listed)


@pytest.mark.parametrize("heading", ["A record, printed", "A record, asked", "A formula", "A row", "A log", "A key"])
def test_the_journey_is_as_told(heading: str, tmp_path: Path) -> None:
    """The files that hand the work on are those that the page lists, in that order; there are few, and none climbs."""
    journeys: dict[str, Callable[[], Journey]] = {
        "A record, printed": lambda: traced(_printed),
        "A record, asked": lambda: traced(_asked),
        "A formula": lambda: traced(_compiled),
        "A row": lambda: traced(_renamed()),
        "A log": lambda: traced(_judged(tmp_path)),
        "A key": lambda: traced(_made, within="codegen/site/"),
    }
    journey = journeys[heading]()
    assert [stop.partition("/rlmetrics/")[2] for stop in journey.stops] == _told(heading)
    assert len(journey.stops) <= _MOST_STOPS
    climbs = {(Path(one).stem, Path(other).stem) for one, other in journey.climbs}
    assert climbs <= _CLIMBS.get(heading.lower(), set())
