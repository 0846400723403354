"""Names whose slashes a store replaced are read as the keys that they stand for, where that is certain."""

from __future__ import annotations

import json
import pickle
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.cli import main
from rlmetrics.names import keys, load_tables
from rlmetrics.names.inference import Clues, find_source, names_read
from rlmetrics.names.inference.flat_names import flat_names

RELEASES = ["trl[grpo]==1.16.0", "trl[dpo]==1.16.0", "trl[ppo]==0.18.2", "verl==0.9.1"]


def plain_keys(release):
    """Return the keys of a release without placeholders."""
    return [one.key for one in keys(release) if "{" not in one.key and "/" in one.key]


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("sign", ["_", "."])
def test_every_key_comes_back_or_stays_as_it_is_spelled(release, sign):
    """A name is never taken for a key of another spelling; most are taken for their own."""
    framework = release.partition("[")[0].partition("==")[0]
    spelling = flat_names(load_tables(), framework=framework)
    names = {key: key.replace("/", sign) for key in plain_keys(release)}
    back = {key: spelling(name) for key, name in names.items()}
    assert all(
        found in (key, names[key]) or re.sub(r"\W", "_", found) == re.sub(r"\W", "_", key)
        for key, found in back.items()
    )
    assert sum(found == key for key, found in back.items()) >= 0.9 * len(back)


@given(name=st.from_regex(r"[a-z_.]{1,20}", fullmatch=True))
def test_what_stands_for_a_key_becomes_the_name_again(name):
    """With its slashes replaced, the key is the name, whatever the name."""
    found = flat_names(load_tables())(name)
    assert (
        re.sub(r"[^0-9a-z]+", "_", found.lower()).strip("_") == re.sub(r"[^0-9a-z]+", "_", name).strip("_")
        or found == name
    )


def test_a_name_that_is_a_key_stays_one():
    """And names with slashes are none that a store replaced."""
    spelling = flat_names(load_tables())
    for key in ("loss", "grad_norm", "frac_reward_zero_std", "actor/pg_loss", "mine"):
        assert spelling(key) == key


def test_placeholders_keep_what_they_hold():
    """Names of rewards, and their letters, are the user's."""
    spelling = flat_names(load_tables(), framework="trl")
    assert spelling("rewards_My_Reward_mean") == "rewards/My_Reward/mean"


def test_ready_made_answers_go_to_other_processes():
    """There, the same is made of each name."""
    spelling = flat_names(load_tables())
    assert spelling("actor_pg_loss") == "actor/pg_loss"


VERL = {"actor/pg_loss": 0.1, "actor/ppo_kl": 0.01, "critic/rewards/mean": 0.5, "response_length/mean": 100.0}


@pytest.mark.parametrize("sign", ["_", "."])
def test_a_run_with_such_names_is_read_and_translated(tmp_path, capsys, sign):
    """Its source is known, the answer says how names were read, and a copy has the target's."""
    path, out = tmp_path / "run.jsonl", tmp_path / "out.jsonl"
    flat = {key.replace("/", sign): value for key, value in VERL.items()}
    path.write_text("".join(f"{json.dumps({'step': step} | flat)}\n" for step in range(1, 9)))

    assert main(["check", str(path), "--fail-on", "never"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "verl" in said
    assert f"actor{sign}pg_loss as actor/pg_loss" in said
    main(["translate", str(path), "--to", "canonical", "-o", str(out)])
    assert "names have no slashes" in " ".join(capsys.readouterr().out.split())
    assert json.loads(out.read_text().splitlines()[0])["length/response/mean"] == 100.0


def test_words_that_only_look_alike_are_left_alone():
    """A run of another program is none of a described one because a name or two fit."""
    answer = find_source(Clues(("my_loss", "my_score", "actor_pg_loss", "alpha_beta", "other_thing", "one_more")))
    assert answer.spelling is None
    assert find_source(Clues(tuple(VERL))).spelling is None


def test_an_answer_with_such_names_can_be_sent_to_another_process():
    """As a translation of a folder by several processes does."""
    spelling = find_source(Clues(tuple(key.replace("/", "_") for key in VERL))).spelling
    assert spelling is not None
    assert pickle.loads(pickle.dumps(spelling))("actor_pg_loss") == "actor/pg_loss"


@pytest.mark.parametrize("sign", ["_", "."])
def test_a_named_source_reads_such_names_as_an_inferred_one_does(tmp_path, capsys, sign):
    """With ``--at`` and ``--from``, too, names are read as keys, and the answer says so."""
    path, out = tmp_path / "run.jsonl", tmp_path / "out.jsonl"
    flat = {key.replace("/", sign): value for key, value in VERL.items()}
    path.write_text("".join(f"{json.dumps({'step': step} | flat)}\n" for step in range(1, 9)))
    said = f"actor{sign}pg_loss as actor/pg_loss"

    main(["keys", str(path), "--at", "verl==0.9.1"])
    told = " ".join(capsys.readouterr().out.split())
    assert "4 keys, 4 known" in told
    assert said in told
    main(["check", str(path), "--at", "verl==0.9.1", "--fail-on", "never", "--json"])
    report = json.loads(capsys.readouterr().out)
    assert report["source"]["respelled"] == dict(zip(flat, VERL, strict=True))
    assert main(["translate", str(path), "--from", "verl==0.9.1", "--to", "canonical", "-o", str(out)]) == 0
    assert "names have no slashes" in " ".join(capsys.readouterr().out.split())
    assert json.loads(out.read_text().splitlines()[0])["length/response/mean"] == 100.0


def test_of_a_name_that_two_frameworks_have_the_named_one_is_meant():
    """Where a name may stand for a key of each, the source that somebody named decides."""
    names = ("rewards_chosen", "rewards_rejected", "rewards_margins", "logps_chosen")
    read = names_read(Clues(names), framework="trl")
    assert read.spelling is not None
    assert [read.spelling(name) for name in names] == [name.replace("_", "/") for name in names]
    assert names_read(Clues(("loss", "my_own")), framework="trl").spelling is None
