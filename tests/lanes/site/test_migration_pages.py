"""Pages about moving say what ``map`` and ``diff`` say of the same two sources."""

from __future__ import annotations

import json
import posixpath
import random
import shlex
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from moved_pages import pages, tree
from rlmetrics.cli import main
from rlmetrics.codegen.site.moves import Move, moves_of
from rlmetrics.codegen.site.release_steps import components_of
from rlmetrics.names import diff, load_tables

pytestmark = pytest.mark.xdist_group("moves")


@cache
def moves() -> dict[str, Move]:
    """Every migration that has a page, by the page's path."""
    return {move.path: move for move in moves_of(load_tables())}


@cache
def famous() -> list[str]:
    """The paths of all but neighbouring releases."""
    return [path for path, move in moves().items() if move.kind != "minor"]


@cache
def looked_at() -> list[str]:
    """The famous ones and forty others."""
    return famous() + random.Random(19).sample([path for path, move in moves().items() if move.kind == "minor"], 40)


def answer(capsys: pytest.CaptureFixture[str], command: str, move: Move) -> Any:
    """Return what the command line says in JSON."""
    program = ["--program", move.program] if "[" not in move.from_ and move.kind != "crossing" else []
    assert main([command, "--from", move.from_, "--to", move.to, *program, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_counts_are_those_of_map(capsys: pytest.CaptureFixture[str]) -> None:
    """How many keys of each severity a page tells, in training and in evaluation, is what ``map --json`` tells."""
    for path in looked_at():
        rows = answer(capsys, "map", moves()[path])
        page = tree("migration", path)
        for mode, name in (("train", "data-count"), ("eval", "data-eval")):
            told: dict[str, int] = {}
            for row in rows:
                if (row["mode"] == "train") == (mode == "train"):
                    told[row["severity"]] = told.get(row["severity"], 0) + 1
            shown = {
                node.attributes[name]: int(node.attributes["data-number"])
                for node in page.all("span")
                if "data-number" in node.attributes and name in node.attributes
            }
            assert shown == told, path
        groups = {
            node.attributes["data-severity"]: int(node.attributes["data-count"])
            for node in page.all("details", "rlm-group")
        }
        assert groups == {key: int(value) for key, value in _counts(rows).items()}, path


def _counts(rows: list[dict[str, Any]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for row in rows:
        if row["mode"] == "train":
            found[row["severity"]] = found.get(row["severity"], 0) + 1
    return found


def test_every_key_stands_in_its_group(capsys: pytest.CaptureFixture[str]) -> None:
    """Each training key of the source stands in the group of the severity that ``map --json`` gives it, and once."""
    for path in looked_at():
        rows = answer(capsys, "map", moves()[path])
        told = sorted((row["severity"], row["from"]) for row in rows if row["mode"] == "train")
        shown = []
        for group in tree("migration", path).all("details", "rlm-group"):
            cells = [row.all("td")[0] for row in group.all("tr") if row.all("td")]
            kept = group.all("p", "rlm-kept")
            shown += [
                (group.attributes["data-severity"], code.text) for node in (*cells, *kept) for code in node.all("code")
            ]
        assert sorted(shown) == told, path


def test_causes_are_those_of_diff(capsys: pytest.CaptureFixture[str]) -> None:
    """A page numbers as many causes as ``diff --json`` has, and its keys cite no others."""
    for path in (path for path in looked_at() if moves()[path].found is not None):
        causes = answer(capsys, "diff", moves()[path])["causes"]
        page = tree("migration", path)
        numbers = {node.attributes["id"] for node in page.all("div", "rlm-cause")}
        assert len(numbers) == len(page.all("div", "rlm-cause")) == len(causes), path
        assert {node.attributes["href"][1:] for node in page.all("a", "rlm-cited")} <= numbers, path


def test_each_step_that_touches_training_has_a_page() -> None:
    """From the last patch of a minor release to the next minor release, wherever a training key moved."""
    tables = load_tables()
    for component, releases in components_of(tables, "trl").items():
        for before, after in pairwise(releases):
            if before.split(".")[:2] == after.split(".")[:2]:
                continue
            found = diff(f"trl[{component}]=={before}", f"trl[{component}]=={after}", spec=tables, evidence=False)
            told = (*found.changed, *found.renamed, *found.removed)
            moved = any(item.mode == "train" and not item.bookkeeping for item in told)
            assert (f"migrate/trl/{component}/{before}-{after}" in moves()) == moved


def test_famous_jumps_are_there() -> None:
    """The jumps that people make have pages, and those between the frameworks both ways."""
    for path in (
        "migrate/trl/PPOTrainer/0.11.4-0.12.0",
        "migrate/trl/DPOTrainer/0.7.11-0.11.4",
        "migrate/trl/SFTTrainer/0.12.2-0.18.2",
        "migrate/trl/GRPOTrainer/0.18.2-1.16.0",
        "migrate/verl/reinforcement-learning/0.3.0.post1-0.4.1",
        "migrate/verl/reinforcement-learning/0.4.1-0.6.1",
        "migrate/verl/reinforcement-learning/0.6.1-0.8.0",
        "migrate/verl/reinforcement-learning/0.8.0-0.9.1",
        "migrate/trl-GRPOTrainer/verl",
        "migrate/verl/trl-PPOTrainer",
        "migrate/trl-RLOOTrainer/verl",
        "migrate/verl-sft/trl-SFTTrainer",
        "migrate/verl-fsdp_sft/verl-sft",
        "migrate/trl-DPOTrainer/openrlhf-DPOTrainer",
        "migrate/openrlhf-PPOTrainer/verl",
        "migrate/trl-GRPOTrainer/ms-swift-GRPOTrainer",
        "migrate/axolotl-AxolotlDPOTrainer/trl-DPOTrainer",
    ):
        assert path in pages("migration")
    assert "migrate/ms-swift-GRPOTrainer/verl" not in pages("migration")


def test_the_command_of_a_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """What a page says to type in the terminal is understood."""
    for path in famous()[::6]:
        command = tree("migration", path).all("pre")[-1].text.replace("\\\n", " ")
        assert main(shlex.split(command)[1:]) == 0
        assert capsys.readouterr().out


def test_a_renamed_class_is_said() -> None:
    """Who comes from the old PPO trainer of TRL is told that its successor took its name."""
    lead = tree("migration", "migrate/trl/PPOTrainer/0.11.4-0.12.0").all("p", "rlm-lead")[0].text
    assert "PPOTrainer of 0.12.0 is what PPOv2Trainer was before." in lead
    assert "Of 44 training keys" in lead
    assert "Watch objective/kl and objective/entropy" in lead


def test_every_page_is_listed() -> None:
    """The index leads to every page: to those between a framework and its base by the page of the framework."""
    derived, reached, left = pages("derived"), {"migrate"}, ["migrate"]
    while left:
        path = left.pop()
        for link in tree("derived" if path in derived else "migration", path).all("a"):
            to = posixpath.normpath(posixpath.join("/", path, link.attributes["href"].partition("#")[0]))[1:]
            if to not in reached and (to in moves() or to in derived):
                reached.add(to)
                left.append(to)
    assert moves().keys() <= reached
