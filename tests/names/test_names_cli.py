"""The commands about names: every format, every exit code."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from rlmetrics.cli import COMMANDS
from rlmetrics.cli.parsing import parser_of
from rlmetrics.cli.plain import FORMS, plain_command
from rlmetrics.names import Evidence, keys, map_names, releases

DERIVED = ("llamafactory", "axolotl", "ms-swift", "unsloth")
"""Frameworks that are described on top of TRL."""
OLD, NEW, GRPO = "trl[PPOTrainer]==0.7.10", "trl[PPOTrainer]==0.18.2", "trl[GRPOTrainer]==1.16.0"


def test_resolve_prints_what_a_key_means(call, document):
    """As text and as JSON with the promised fields."""
    code, out, err = call("resolve", "ppo/policy/approxkl", "--at", OLD)
    assert (code, err) == (0, "")
    assert out.startswith("KL divergence from the policy before the update to the one being updated")
    assert "kl.kl_old_k2" in out
    (found,) = document("resolve", "ppo/policy/approxkl", "--at", OLD)
    promised = (
        "key metric rev component template placeholders surface condition logged_by_default constant_when variant"
    )
    assert {*promised.split(), "signature", "defects", "function", "evidence"} <= set(found)
    assert (found["metric"], found["component"], found["surface"]) == ("kl/old/k2", "PPOTrainer", "logged")
    assert set(found["evidence"][0]) == {"release", "path", "line", "symbol", "shows", "note", "program"}


def test_resolve_reads_keys_from_standard_input(call, document, monkeypatch):
    """One a line; blank lines do not count."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("objective/kl\n\nppo/loss/value\n"))
    found = document("resolve", "-", "--at", OLD)
    assert [item["key"] for item in found] == ["objective/kl", "ppo/loss/value"]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff/kl\n"), encoding="utf-8"))
    assert [item["metric"] for item in document("resolve", "-", "--at", OLD)] == [None]
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n"))
    code, out, err = call("resolve", "-", "--at", OLD)
    assert (code, out) == (2, "")
    assert "no keys on the standard input" in err


def test_resolve_gives_a_reason_for_an_unknown_key(call, document):
    """And the nearest known ones; that is an answer and no error."""
    (found,) = document("resolve", "ppo/policy/aproxkl", "--at", OLD)
    assert (found["metric"], found["nearest"][0]) == (None, "ppo/policy/approxkl")
    assert found["reason"]
    code, out, _ = call("resolve", "ppo/policy/aproxkl", "--at", OLD)
    assert code == 0
    assert "Did you mean\n`ppo/policy/approxkl`?" in out


@pytest.mark.parametrize("at", [OLD, GRPO, "verl==0.5.0", "verl==0.9.1"])
def test_resolve_has_a_text_for_every_key(call, at):
    """Under the key, in the order that was asked for: what it measures, how that is computed and where it stands."""
    listed = list(dict.fromkeys(item.key for item in keys(at) if "{" not in item.key))
    code, out, err = call("resolve", *listed, "--at", at)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    places = [lines.index(key) for key in listed]
    assert sorted(places) == places
    for start, end in zip(places, [*places[1:], len(lines)], strict=True):
        block = "\n".join(lines[start:end])
        assert any(label in block for label in ("\nsource ", "\nlogged ", "meanings in")), block
        assert not lines[start + 1].startswith((" ", "source"))


def test_map_shows_how_values_are_converted(call):
    """As a formula in every table."""
    for form in ([], ["--md"], ["--csv"]):
        code, out, _ = call("map", "--from", "verl==0.9.1", "--to", "verl==0.5.0", *form)
        assert code == 0
        converted = [row for row in map_names("verl==0.9.1", "verl==0.5.0").rows if row.transform is not None]
        assert all(f"{row.transform.scale:g} * x" in out for row in converted if row.transform is not None)


def test_resolve_takes_configuration_into_account(document):
    """Kl is not logged by default in 1.16.0; with a penalty it is."""
    (default,) = document("resolve", "kl", "--at", GRPO)
    (given,) = document("resolve", "kl", "--at", GRPO, "--config", "beta=0.1")
    assert (default["logged_by_default"], default["logged"]) == (False, False)
    assert (given["logged_by_default"], given["logged"]) == (False, True)


def test_keys_lists_everything_that_is_logged(call, document):
    """The same as in Python."""
    found = document("keys", "--at", NEW)
    assert [item.key for item in keys(NEW)] == [item["key"] for item in found]
    assert {"component", "key", "metric", "kind", "condition", "logged_by_default", "evidence"} <= set(found[0])
    shown = document("keys", "--at", NEW, "--surface", "wandb")
    assert "train/policy/approxkl_avg" in {item["key"] for item in shown}
    code, out, _ = call("keys", "--at", NEW)
    assert code == 0
    assert {item["key"] for item in found if item["mode"] == "train"} <= set(out.split())


def test_releases_lists_what_is_described(call, document):
    """For all frameworks or one."""
    found = document("releases")
    assert set(found[0]) == {"framework", "release", "date", "components"}
    assert {item["framework"] for item in found} == {"trl", "verl", "openrlhf", "areal", "skyrl", *DERIVED}
    described = {item["release"]: item["components"] for item in document("releases", "trl")}
    assert "PPOTrainer" in described["0.7.10"]
    code, out, _ = call("releases", "verl")
    assert code == 0
    assert "0.9.1" in out


@pytest.mark.parametrize("framework", [None, "trl", "verl", "openrlhf", "areal", "skyrl", *DERIVED])
def test_releases_stay_on_a_screen(call, framework):
    """However many pairs with releases of another framework there are; --full has a line for each."""
    named = [framework] if framework else []
    code, out, _ = call("releases", *named)
    assert code == 0
    lines = out.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    _, full, _ = call("releases", *named, "--full")
    assert len(full.splitlines()) == 1 + len(releases(framework))


def test_releases_say_what_came_and_went(call):
    """By changes of components, the newest first; of a derived framework also on what a release runs."""
    lines = call("releases", "trl")[1].splitlines()
    assert lines[0].startswith("trl 1.16.0 has GRPOTrainer, ")
    history = [line.split() for line in lines[lines.index("") + 2 :]]
    assert history[0][0] == "1.16.0"
    assert "+GMPOTrainer" in next(row for row in history if row[0] == "1.7.0")
    of_swift = call("releases", "ms-swift")[1]
    assert "4.6.0     2026-10-13  trl 0.15.0 to 0.29.1  =" in of_swift


def test_show_prints_a_metric_on_one_screen(call, document):
    """By canonical name, by alias and by key; --full adds the rest of the entry, --all every release."""
    for name in (["kl/old/k2"], ["approx_kl"], ["policy/approxkl_avg", "--at", NEW]):
        code, out, err = call("show", *name)
        assert (code, err) == (0, "")
        assert out.startswith("kl/old/k2: ")
        for part in ("formula ", "healthy ", "Logged as", "policy/approxkl_avg", "compute "):
            assert part in out
        full = call("show", *name, "--full")[1]
        for part in ("Inputs", "Health", "References", "Spellings", "ppo/policy/approxkl", "aliases"):
            assert part in full
    (found,) = document("show", "kl/old/k2")
    assert "formula" in found["entry"]
    every = call("show", "kl/old/k2", "--all")[1]
    assert len(every) > len(call("show", "kl/old/k2", "--full")[1]) > len(call("show", "kl/old/k2")[1])


def test_show_all_is_the_index_of_every_metric(call, document):
    """A line for each metric and component, as in JSON; without a name and without --all it is a wrong command line."""
    code, out, err = call("show", "--all")
    assert (code, err) == (0, "")
    listed = document("show", "--all")
    assert len(listed) + 1 == len(out.splitlines())
    row = next(item for item in listed if (item["metric"], item["component"]) == ("kl/old/k2", "PPOTrainer"))
    assert "ppo/policy/approxkl" in row["keys"]
    assert call("show")[0] == 2


def test_map_prints_the_table_in_every_format(call, document):
    """JSON, YAML and CSV hold the same rows; Markdown has a line for each."""
    rows = document("map", "--from", OLD, "--to", NEW)
    promised = {
        "from",
        "from_component",
        "to",
        "to_component",
        "relation",
        "differs_by",
        "transform",
        "note",
        "related",
        "severity",
    }
    assert promised <= set(rows[0])
    assert rows == yaml.safe_load(call("map", "--from", OLD, "--to", NEW, "--yaml")[1])
    table = list(csv.DictReader(io.StringIO(call("map", "--from", OLD, "--to", NEW, "--csv")[1])))
    assert [(row["from"], row["to"] or "", row["relation"]) for row in rows] == [
        (row["from"], row["to"], row["relation"]) for row in table
    ]
    lines = call("map", "--from", OLD, "--to", NEW, "--md")[1].splitlines()
    assert len(rows) + 2 == len(lines)
    assert all(line.startswith("| ") and line.endswith(" |") for line in lines)
    text = call("map", "--from", OLD, "--to", NEW, "--full")[1]
    assert all(row["from"] in text and (row["to"] or row["from"]) in text for row in rows)


def test_map_has_one_row_for_each_key_and_says_what_differs(document):
    """A related row has no target and explains the look-alikes."""
    rows = {row["from"]: row for row in document("map", "--from", OLD, "--to", NEW)}
    assert [item.key for item in keys(OLD)] == list(rows)
    assert {"what", "grade", "vanishes_when"} <= set(rows["ppo/policy/approxkl"]["differs_by"][0])
    related = [row for row in rows.values() if row["relation"] == "related"]
    assert related
    assert all(row["to"] is None for row in related)
    assert set(related[0]["related"][0]) == {"to", "to_component", "why", "short"}


def test_map_binds_placeholders_and_shows_surfaces(document):
    """--bind and --surface reach the table."""
    arguments = ("map", "--from", "verl==0.9.1", "--to", "verl==0.9.1", "--surface", "mlflow")
    key = "val-core/{data_source}/{variable}/mean@{n}"
    rows = {row["from"]: row["to"] for row in document(*arguments)}
    assert key.replace("@", "_at_") == rows[key]
    to_canonical = {row["from"]: row["to"] for row in document("map", "--from", "verl==0.9.1", "--to", "canonical")}
    source = to_canonical[key]
    back = document("map", "--from", "canonical", "--to", "verl==0.9.1", "--bind", "n=8")
    assert key == {row["from"]: row["to"] for row in back}[source]


def test_diff_lists_four_kinds_of_changes(call, document):
    """As JSON and as text."""
    found = document("diff", "--from", "trl[GRPOTrainer]==0.18.2", "--to", GRPO)
    assert {"added", "removed", "renamed", "changed", "fallbacks", "causes", "taken_back", "defaults"} <= set(found)
    assert {"key", "component", "what", "since", "evidence"} <= set(found["changed"][0])
    renamed = document("diff", "--from", OLD, "--to", NEW)["renamed"]
    assert {"from", "to", "relation"} <= set(renamed[0])
    code, out, _ = call("diff", "--from", OLD, "--to", NEW)
    assert code == 0
    assert re.findall(r"^(Changed meaning|Renamed|Removed|New)\b", out, re.MULTILINE) == [
        "Changed meaning",
        "Renamed",
        "Removed",
        "New",
    ]


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["bogus"], "no command 'bogus'"),
        (["reslove"], "did you mean resolve?"),
        (["--json", "resolve"], "stand after it"),
        (["--bogus"], "unrecognized arguments: --bogus"),
        (["resolve"], "KEY"),
        (["resolve", "x", "--bogus"], "unrecognized arguments: --bogus"),
        (["resolve", "x", "--at", "tlr==1"], "did you mean trl"),
        (["resolve", "x", "--at", GRPO, "--config", "beta"], "write NAME=VALUE"),
        (
            ["resolve", "x", "--at", GRPO, "--config", "betta=1"],
            "trl 1.16.0 has no setting 'betta'; did you mean beta or ",
        ),
        (["resolve", "x", "--at", GRPO, "--spec", "/no/such/folder"], "no such folder"),
        (["keys"], "--at"),
        (["keys", "--at", "auto"], "infers the source from keys"),
        (["releases", "tlr"], "did you mean trl?"),
        (["show", "approxxkl"], "did you mean"),
        (["map", "--from", OLD], "--to"),
        (["map", "--from", OLD, "--to", NEW, "--bind", "n"], "write NAME=VALUE"),
        (["map", "--from", OLD, "--to", NEW, "--bind", "n=1"], "has no placeholder 'n'"),
        (["map", "--from", OLD, "--to", NEW, "--surface", "wand"], "did you mean wandb"),
        (["map", "--from", OLD, "--to", NEW, "--json", "--csv"], "not allowed with"),
        (["diff", "--from", OLD, "--to", "trl[PPOTrainer]==1.16.0"], "the last release that has it is 1.12.0"),
    ],
)
def test_a_wrong_command_line_is_one_line_and_exits_with_2(call, arguments, part):
    """Nothing is printed on the standard output, and there is no traceback."""
    code, out, err = call(*arguments)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert part in err


def test_a_fallback_is_a_warning_on_the_error_stream(call):
    """The answer is given all the same, and JSON stays alone on the standard output."""
    code, out, err = call("keys", "--at", "trl[GRPOTrainer]==99.0", "--json")
    assert (code, len(err.splitlines())) == (0, 1)
    assert "rlmetrics: warning: trl 99.0 is not in the spec; the names of 1.16.0 are used" in err
    fallback = {"asked": "trl==99.0", "used": "trl==1.16.0"}
    assert all([fallback] == row["fallbacks"] for row in json.loads(out))


@pytest.mark.parametrize(
    ("asked", "used"), [("verl==0.8.0.dev0", "verl==0.8.0"), ("verl==0.1rc2", "verl==0.1"), ("verl==0.9.1", None)]
)
def test_json_names_the_release_that_answers_in_the_place_of_another(call, asked, used):
    """A preview is answered by the release that it led to; every command that takes a source says so."""
    expected = [] if used is None else [{"asked": asked, "used": used}]
    for arguments in (
        ["resolve", "actor/pg_loss", "no/such/key", "--at", asked],
        ["show", "actor/pg_loss", "--at", asked],
        ["keys", "--at", asked],
        ["map", "--from", asked, "--to", "canonical"],
    ):
        rows = json.loads(call(*arguments, "--json")[1])
        assert [expected] * len(rows) == [row["fallbacks"] for row in rows]
    found = json.loads(call("diff", "--from", asked, "--to", "verl==0.9.1", "--json")[1])
    assert found["fallbacks"] == expected


def test_the_overview_offers_every_command_that_is_there(call):
    """Help on request lists every command; without a command the six that users need come first, with examples."""
    code, out, _ = call("--help")
    assert code == 0
    for name in ("resolve", "keys", "releases", "show", "map", "diff"):
        assert COMMANDS[name].help in out
    code, out, err = call()
    assert (code, err) == (0, "")
    named = [line.split()[0] for line in out.splitlines() if line.startswith("  ") and line[2] != " "]
    assert named == ["resolve", "diff", "why", "map", "translate", "check"]
    assert all(f"rlmetrics {name} " in out for name in named)
    assert max(map(len, out.splitlines())) <= 80
    code, out, _ = call("map", "--help")
    assert code == 0
    assert "--from SOURCE" in out


def test_a_missing_package_names_the_extra(call, monkeypatch):
    """And nothing is printed but that line."""
    module = ModuleType("rlmetrics.cli.keys")

    def fail(args):
        msg = "No module named 'yaml'"
        raise ModuleNotFoundError(msg, name="yaml")

    vars(module).update(__spec__=ModuleSpec("keys", None), add=lambda parsers: parsers.add_parser("keys"), run=fail)
    monkeypatch.setitem(sys.modules, "rlmetrics.cli.keys", module)
    assert call("keys") == (2, "", 'rlmetrics keys: needs yaml; pip install "rlmetrics[codegen]"\n')


def test_the_version_names_package_and_spec(call):
    """Both, since they move apart."""
    code, out, _ = call("--version")
    assert code == 0
    assert re.fullmatch(r"rlmetrics \S+, spec \S+\n", out)


def test_names_need_neither_torch_nor_the_generator():
    """The runtime core is the standard library: a fresh interpreter imports nothing else."""
    code = (
        "import sys; from rlmetrics.cli import main; "
        f"code = main(['resolve', 'ppo/policy/approxkl', '--at', '{OLD}', '--json']); "
        "heavy = {'torch', 'yaml', 'pydantic', 'jinja2', 'numpy', 'rlmetrics.codegen'} & set(sys.modules); "
        "sys.exit(code or len(heavy))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "kl/old/k2" in done.stdout


def test_a_reader_that_stops_early_is_no_error():
    """As `head` does; run as a module."""
    code = f"{sys.executable} -m rlmetrics.cli map --from {GRPO!r} --to canonical --json | head -c 10"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_records_become_json_with_the_names_of_the_interface():
    """from_ is from; nested records and tuples are plain."""
    from rlmetrics.cli.output import plain

    assert plain(Evidence("1", "p", 2, "s")) == {
        "release": "1",
        "path": "p",
        "line": 2,
        "symbol": "s",
        "shows": "key",
        "note": None,
        "program": None,
    }
    row = map_names(OLD, NEW).rows[0]
    assert row.from_ == plain(row)["from"]
    assert isinstance(plain(row)["differs_by"], list)


WORDS = st.sampled_from([
    "kl", "actor/kl_loss", "loss=0.0", "a key", "é", GRPO, "verl", "-", "@file", "", "beta=1",
    "--at", "--from", "--to", "--full", "--json", "--", "-h", "--at=verl", "--fro", "--config",
])  # fmt: skip


@given(command=st.sampled_from(sorted(FORMS)), words=st.lists(WORDS, max_size=6))
@example(command="map", words=["kl", "--from", GRPO, "--to", "verl"])
@example(command="resolve", words=["kl", "--at", GRPO, "entropy"])
@example(command="show", words=["kl"])
def test_a_plain_command_line_says_what_its_parser_finds(command, words):
    """Name by name; the parser refuses only words on both sides of an option, which are understood all the same."""
    plain = plain_command([command, *words])
    if plain is None:
        return
    run, said = plain
    places = [at for at, word in enumerate(words) if word.startswith("--")]
    options = [words[at + more] for at in places for more in (0, 1)]
    others = [word for at, word in enumerate(words) if at not in places and at - 1 not in places]
    parsed = vars(parser_of(command)[0].parse_args([command, *others, *options]))

    assert vars(said) == {name: value for name, value in parsed.items() if name != "run"}
    assert run is parsed["run"]


@pytest.mark.parametrize(
    "line",
    [
        ["resolve", "kl"],
        ["resolve", "kl", "--at", GRPO],
        ["show", "approxkl"],
        ["map", "kl", "--from", GRPO, "--to", "verl"],
        ["diff", "--to", "trl", "--from", "trl==0.18.2"],
    ],
)
def test_what_people_type_is_plain(line):
    """Words and sources in any order are read without argparse."""
    assert plain_command(line) is not None
