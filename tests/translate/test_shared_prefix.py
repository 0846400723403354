"""A log whose keys all stand below the name of a run, as one of several in a tracker: read, judged and translated."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import answered
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.names.inference.shared_prefix import shared_prefixes
from rlmetrics.translate import Translator

RUNS = Path(__file__).parents[1] / "fixtures" / "runs"
BARE, WAYS = RUNS / "verl-0.9.1-tracking.jsonl", ["exp1/", "team/exp1/"]


def prefixed(folder: Path, prefix: str) -> Path:
    """The recorded run with a beginning before every key, steps in keys and all."""
    path = folder / "below.jsonl"
    rows = [json.loads(line)["data"] for line in BARE.read_text().splitlines()]
    path.write_text("".join(json.dumps({prefix + key: value for key, value in row.items()}) + "\n" for row in rows))
    return path


def judged(path: Path, *words: str) -> dict:
    """The report on a run."""
    return json.loads(answered("check", path, "--json", *words).out)


@pytest.mark.parametrize("prefix", WAYS)
@pytest.mark.parametrize("words", [(), ("--at", "verl==0.9.1")])
def test_the_run_is_judged_as_without_the_prefix(tmp_path, prefix, words):
    """Source, steps and findings are those of the same run without it, and a note says what stands before the keys."""
    below, bare = judged(prefixed(tmp_path, prefix), *words), judged(BARE, *words)

    for name in ("at", "rows", "steps", "findings", "diagnoses", "verdict"):
        assert below[name] == bare[name], name
    assert f"all keys stand below '{prefix}'" in answered("check", tmp_path / "below.jsonl", *words).out


@pytest.mark.parametrize("prefix", WAYS)
@pytest.mark.parametrize("words", [(), ("--from", "verl==0.9.1")])
def test_names_stay_below_the_prefix(tmp_path, prefix, words):
    """Whether the source is named or found, every translated key stands below it, with the value that it had."""
    told = answered("translate", prefixed(tmp_path, prefix), "--to", "canonical", "-o", tmp_path / "out.jsonl", *words)
    old, new = (json.loads((tmp_path / name).read_text().splitlines()[0]) for name in ("below.jsonl", "out.jsonl"))

    assert told.code == answered("translate", BARE, "--to", "canonical", "-o", tmp_path / "bare.jsonl", *words).code
    assert f"all keys stand below '{prefix}'" in told.out
    assert new[prefix + "policy/clip_fraction"] == old[prefix + "actor/pg_clipfrac"]
    assert not [key for key in new if not key.startswith((prefix, "untranslated/"))]


def test_what_is_translated_is_recognised_again(tmp_path):
    """The copy is read as any log of the spec's own names, still below the prefix."""
    answered("translate", prefixed(tmp_path, "exp1/"), "--to", "canonical", "-o", tmp_path / "out.jsonl")

    assert judged(tmp_path / "out.jsonl")["at"].startswith("canonical")


def test_curves_and_lists_of_keys_know_the_run(tmp_path):
    """Comparing with the run that has no prefix finds equal numbers, and the list of keys names what each measures."""
    path = prefixed(tmp_path, "exp1/")

    assert answered("compare", path, BARE).out.startswith("The runs are equal")
    assert json.loads(answered("keys", path, "--json").out)[0]["keys"]["actor/pg_clipfrac"] == "policy/clip_fraction"


def test_a_growing_run_is_watched(tmp_path):
    """What watch tells of the run is what it tells of the one without a prefix."""
    said = [
        answered("watch", path, "--idle", "0", "--interval", "0.1").out for path in (prefixed(tmp_path, "a/"), BARE)
    ]

    assert said[0]
    assert said[0] == said[1]


@pytest.mark.parametrize("keys", [["mine/a", "mine/b"], ["actor/pg_loss", "mine/loss"]])
def test_no_prefix_is_made_up(tmp_path, keys):
    """Keys that mean nothing below their beginning either, or that do not share it, are told nothing about one."""
    path = tmp_path / "own.jsonl"
    path.write_text("".join(json.dumps(dict.fromkeys(keys, 0.5 + at)) + "\n" for at in range(5)))

    assert "stand below" not in answered("check", path).out


def test_a_translator_takes_the_prefix():
    """The class of one logged dict after another does the same where it is told."""
    translator = Translator("verl==0.9.1", "canonical", prefix="exp1/")

    assert translator.row({"exp1/actor/pg_clipfrac": 0.1, "step": 3}) == {"exp1/policy/clip_fraction": 0.1, "step": 3}


@given(st.lists(st.text("ab/", max_size=8), max_size=6))
def test_all_names_have_each_prefix(names):
    """Whatever the names, each beginning ends a part, stands before all of them and leaves something of each."""
    for prefix in shared_prefixes(names):
        assert prefix.endswith("/")
        assert all(name.startswith(prefix) for name in names)
