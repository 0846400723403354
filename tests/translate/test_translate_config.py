"""Configuration that names metrics, through the real command line: names change where they stand, all else stays."""

import json
import re
import sys
from decimal import Decimal
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from logs import kind_name
from rlmetrics.cli import main
from rlmetrics.logs import yamlevents
from rlmetrics.logs.kinds import KINDS
from rlmetrics.logs.yamlspans import Scalar, YamlError, json_scalars, respelled, scalars
from rlmetrics.names.tables.key_records import Transform
from rlmetrics.translate.thresholds import following

GRPO = "trl[GRPOTrainer]==0.18.2"

SWEEP = """\
# A sweep over the learning rate.
program: train.py
method:   bayes
metric:
  goal: maximize   # higher is better
  name: 'train/reward'   # logged by the trainer
early_terminate: {type: hyperband, min_iter: 3}
parameters:
  reward: {value: 0.5}          # a parameter, no metric
  loss_type: {values: [grpo, "loss"]}
notes: |
  metric: train/reward
panels:
- name: train/kl
- [train/reward_std, "train/my/own"]
"""


@pytest.fixture
def translated(tmp_path, capsys):
    """Translate a text through the command line and return the exit code, the written text and the report."""

    def run(name, text, source, target, *options):
        path, out = tmp_path / name, tmp_path / f"out-{name}"
        path.write_text(text, encoding="utf-8", newline="")
        code = main(["translate", str(path), "--from", source, "--to", target, "-o", str(out), "--json", *options])
        captured = capsys.readouterr()
        assert text == path.read_bytes().decode()
        written = out.read_bytes().decode() if out.exists() else None
        return code, written, json.loads(captured.out) if captured.out else captured.err

    return run


def test_a_sweep_keeps_comments_and_layout(translated):
    """Only the names change: comments, quotes, spaces, block texts and parameters of the same name stay."""
    code, new, report = translated("sweep.yaml", SWEEP, GRPO, "canonical")

    expected = SWEEP.replace("name: 'train/reward'", "name: 'reward/score/mean'")
    expected = expected.replace("name: train/kl", "name: kl/reference/k3")
    expected = expected.replace("[train/reward_std,", "[reward/group_std,")
    assert (code, report["kind"], report["records"]) == (0, "config", 4)
    assert new == expected
    assert any("sweep.yaml:6:9: metric.name: train/reward -> reward/score/mean" in note for note in report["notes"])
    assert report["unknown"] == ["train/my/own"]


def test_two_names_do_not_fit_one_place(translated):
    """``--both`` replaces the name, as a place can hold one only, and the report says so."""
    code, new, report = translated("sweep.yaml", "metric: train/reward\n", GRPO, "canonical", "--both")

    assert (code, new) == (0, "metric: reward/score/mean\n")
    assert "only one name can stand at each of these places" in report["notes"][-1]


def test_the_best_model_is_named_as_transformers_looks_it_up(translated):
    """``metric_for_best_model`` may leave out ``eval_``, which the trainer adds: the new name leaves it out too."""
    old = "metric_for_best_model: completion_length\nother: {metric_for_best_model: eval_completion_length}\n"

    code, new, report = translated("train.yml", old, "trl[GRPOTrainer]==0.16.1", "trl[GRPOTrainer]==1.16.0")

    assert code == 0
    assert [*report["translated"]] == ["eval_completion_length"]
    assert old.replace("completion_length", "completions/mean_length") == new


def test_json_is_rewritten_in_place(translated):
    """A JSON automation keeps its spacing and escapes."""
    old = '{"filter" : {"metric": {"name":"train\\/kl", "threshold":0.5}}, "caf\\u00e9": [1, 2]}\n'

    code, new, report = translated("automation.json", old, GRPO, "canonical")

    assert (code, report["records"]) == (0, 1)
    assert old.replace("train\\/kl", "kl/reference/k3") == new


def test_keys_that_are_names_are_rewritten_below_metrics(translated):
    """A mapping of metrics to thresholds has names as keys; keys elsewhere are no names."""
    old = "metrics:\n  train/kl: 0.2\n  train/reward: 1\ntrain/kl: 3\n"

    _, new, report = translated("limits.yaml", old, GRPO, "canonical")

    assert new == "metrics:\n  kl/reference/k3: 0.2\n  reward/score/mean: 1\ntrain/kl: 3\n"
    assert any("limits.yaml:4:1: train/kl: train/kl looks like a metric" in note for note in report["notes"])


def test_two_keys_of_one_new_name_stay(translated):
    """A mapping can't have one key twice: both stay as they are, reported, and the exit code is 1."""
    old = "metrics:\n  actor/lr: 1\n  train/lr: 2\n  actor/ppo_kl: 0.1\n"

    code, new, report = translated("limits.yaml", old, "verl==0.9.1", "canonical")

    assert code == 1
    assert old.replace("actor/ppo_kl", "kl/old/k1") == new
    assert report["collisions"] == {"optimizer/learning_rate": ["actor/lr", "train/lr"]}


LIMITS = """\
metric: {name: "actor/lr(1e-4)", goal: minimize, target: 0.1234567890123456789}   # in 1e-4
stop:
  monitor: actor/lr(1e-4)
  mode: min
  patience: 3
  stopping_threshold: '2.5e-3'
  min_delta: 1
automation:
  threshold_filter: {name: actor/lr(1e-4), threshold: -7, cmp_op: $gte, window_size: 2}
  zscore_filter: {name: actor/lr(1e-4), threshold: 3, change_dir: ANY}
two: {metric: actor/lr(1e-4), monitor: mine, threshold: 3}
"""


def test_thresholds_beside_a_rescaled_name_follow(translated):
    """What the metric is compared with is converted in decimal digits and comes back; all else stays."""
    code, there, report = translated("w.yaml", LIMITS, "verl==0.1", "verl==0.9.1")
    _, back, _ = translated("back.yaml", there, "verl==0.9.1", "verl==0.1")

    expected = LIMITS.replace("actor/lr(1e-4)", "actor/lr").replace(
        "0.1234567890123456789", "0.00001234567890123456789"
    )
    expected = expected.replace("2.5e-3", "0.00000025").replace("min_delta: 1", "min_delta: 0.0001")
    expected = expected.replace("threshold: -7", "threshold: -0.0007")
    assert (code, there) == (0, expected)
    assert LIMITS.replace("2.5e-3", "0.0025") == back
    assert any("w.yaml:6:23: stop.stopping_threshold: 2.5e-3 -> 0.00000025" in note for note in report["notes"])
    assert any("0.0001 * value + 0: adapt what is compared" in note for note in report["notes"])


def test_a_threshold_follows_the_name_of_its_own_document(translated):
    """Documents of one file are apart: what stands at the same place of another is not beside a name."""
    part = "metric: {{name: '{}', target: {}}}\n"
    old = "---\n".join([part.format("actor/lr(1e-4)", 1), part.format("mine", 2), part.format("actor/lr(1e-4)", 3)])

    code, new, report = translated("w.yaml", old, "verl==0.1", "verl==0.9.1")

    parts = part.format("actor/lr", "0.0001"), part.format("mine", 2), part.format("actor/lr", "0.0003")
    assert (code, new) == (0, "---\n".join(parts))
    assert any("w.yaml:5:42: 2.metric.target: 3 -> 0.0003" in note for note in report["notes"]), report["notes"]


def test_two_keys_of_one_new_name_may_stand_in_two_documents(translated):
    """They are no members of one mapping."""
    old = "metrics:\n  actor/lr: 1\n---\nmetrics:\n  train/lr: 2\n"

    code, new, report = translated("limits.yaml", old, "verl==0.9.1", "canonical")

    assert (code, report["collisions"]) == (0, {})
    assert old.replace("actor/lr", "optimizer/learning_rate").replace("train/lr", "optimizer/learning_rate") == new


def test_directions_turn_with_the_sign(translated):
    """Where more becomes less, goals, comparisons and thresholds turn around, and come back."""
    ways = "trl[OnlineDPOTrainer]==0.18.2", "canonical"
    old = """{"metric": {"name": "val/contain_eos_token", "goal": "maximize", "target": 0.9},
 "best": {"monitor": "val/contain_eos_token", "greater_is_better": true, "early_stopping_threshold": 0.1},
 "metric_filter": {"name": "val/contain_eos_token", "agg_op": "MAX", "cmp_op": "$gt", "threshold": 0.75}}"""

    _, there, _ = translated("w.json", old, *ways)
    _, back, _ = translated("back.json", there, *reversed(ways))

    name = "length/truncated_fraction"
    assert json.loads(there) == {
        "metric": {"name": name, "goal": "minimize", "target": 0.1},
        "best": {"monitor": name, "greater_is_better": False, "early_stopping_threshold": 0.1},
        "metric_filter": {"name": name, "agg_op": "MIN", "cmp_op": "$lt", "threshold": 0.25},
    }
    assert old == back


@given(number=st.decimals(allow_nan=False, allow_infinity=False), style=st.sampled_from(["{:f}", "{:e}"]))
def test_any_threshold_comes_back(number, style):
    """Multiplied by a scale and by its inverse, a number of any length is the same."""
    text = style.format(number)
    name, value = Scalar("x", ("name",), 0, 1, is_key=False), Scalar(text, ("threshold",), 2, 3, is_key=False)
    for transform, inverse in ((Transform(1e-4, 0.0), Transform(1e4, 0.0)), (Transform(-1.0, 1.0),) * 2):
        there = [new for _, new in following(name, transform, [name, value])] or [text]
        converted = value._replace(text=there[0])

        back = [new for _, new in following(name, inverse, [name, converted])] or there

        assert Decimal(text) == Decimal(back[0])


def test_code_is_reported_and_not_rewritten(translated):
    """Names in Python are told by file and line; no file is written."""
    code, new, report = translated(
        "train.py",
        'from x import y\nargs = Config(metric_for_best_model="eval_reward")\nwandb.define_metric("train/kl")\n',
        GRPO,
        "canonical",
    )

    assert (code, new, report["outputs"]) == (0, None, [])
    assert any("train.py:3: train/kl -> kl/reference/k3; code is not rewritten" in note for note in report["notes"])
    assert any("train.py:2: eval_reward -> " in note for note in report["notes"])


def test_broken_files_are_told_with_their_place(translated):
    """A bracket that is not closed, or code that does not parse, is one line with its place; nothing is written."""
    code, new, error = translated("a.yaml", "metric: x\nlist: [1,\n", GRPO, "canonical", "--kind", "config")
    assert (code, new) == (2, None)
    assert "a.yaml:2:7: " in error

    code, new, error = translated("a.py", "x = = 1\n", GRPO, "canonical", "--kind", "config")
    assert (code, new) == (2, None)
    assert "a.py:1: not Python" in error


def test_json_is_held_to_its_own_rules(translated):
    """What YAML would forgive, such as a stray comma, is told with its place in a JSON file."""
    code, new, error = translated(
        "a.json", '{"metric": "train/kl",\n "list": [,]}', GRPO, "canonical", "--kind", "config"
    )

    assert (code, new) == (2, None)
    assert "a.json:2:11: not JSON" in error


def test_anchors_tags_and_windows_line_ends_are_stepped_over(translated):
    """An anchor before a mapping or a name, a tag and an alias leave the structure readable."""
    old = "base: &base\r\n  metric: &best !!str train/kl # c\r\n  <<: *other\r\ncopy: *base\r\n"

    code, new, _ = translated("a.yaml", old, GRPO, "canonical")

    assert code == 0
    assert old.replace("train/kl", "kl/reference/k3") == new


@pytest.mark.parametrize(
    "old",
    [
        "x: &m\n  name: train/reward # c\n  goal: maximize\nmetric: *m\n",
        "x: &n reward\nmetric: {goal: maximize, name: *n}\n",
        "x:\n- &n {name: train/reward}\n- other\nmetrics: [*n]\n",
        "x:\n  - &n\n    name: reward\nmetrics:\n  - *n\n",
        "x: [&n reward, b]\nmetric: *n\n",
        "x: &m {name: reward}\nmetric:\n  <<: *m\n  goal: maximize\n",
        "x: &m {name: reward}\ny: &g {goal: minimize}\nmetric:\n  <<: [*m, *g]\n",
        "x: &m {metric: {name: reward}}\nsweeps:\n  a:\n    <<: *m\n",
    ],
)
def test_what_an_alias_puts_at_a_place_is_rewritten_where_it_stands(translated, old):
    """A name under any key is a metric's if an alias or a merge key puts it where metrics are named."""
    code, new, _ = translated("a.yaml", old, GRPO, "canonical")

    assert code == 0
    assert re.sub("(train/)?reward", "reward/score/mean", old) == new
    assert yaml.safe_load(new)


def test_an_alias_that_names_two_metrics_stays(translated):
    """The best model's ``reward`` is ``eval_reward``, that of a sweep is not: one text can't become both."""
    old = "x: &n reward\nmetric_for_best_model: *n\nmetric: *n\nmonitor: train/kl\n"

    code, new, report = translated("a.yaml", old, GRPO, "canonical")

    assert code == 0
    assert old.replace("train/kl", "kl/reference/k3") == new
    assert any("a.yaml:1:7: x: reward is eval_reward for the best model" in note for note in report["notes"])


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_block_scalar_that_is_one_name_is_rewritten(translated, end):
    """Its indentation, marks and comments stay, and an alias finds the new name; more lines than one are a text."""
    old = (
        "metric: |\n  train/reward\nother:\n  metric: &best >-  # folded\n      train/kl\n\n  monitor: *best\n"
        "metrics:\n- |+\n  train/reward\n\n- >2-\n   train/reward\n- |\n  train/reward\n  train/kl\n"
        "- |\n\n  train/kl\n# end\nmetric_name: >"
    ).replace("\n", end)

    code, new, report = translated("sweep.yaml", old, GRPO, "canonical")

    expected = old.replace("train/reward", "reward/score/mean", 2).replace("train/kl", "kl/reference/k3", 1)
    assert (code, report["records"]) == (0, 3)
    assert new == expected
    loaded = yaml.safe_load(new)
    assert loaded["metric"] == "reward/score/mean\n"
    assert loaded["other"] == {"metric": "kl/reference/k3", "monitor": "kl/reference/k3"}
    assert loaded["metrics"] == ["reward/score/mean\n\n", " train/reward", "train/reward\ntrain/kl\n", "\ntrain/kl\n"]
    code, back, _ = translated("sweep.yaml", new, "canonical", GRPO, "--force", "--surface", "wandb")
    assert (code, back) == (0, old)


def test_no_known_name_is_an_error(translated):
    """A file that names no metric of the source is refused."""
    code, new, error = translated("a.yaml", "metric: my/own\n", GRPO, "canonical")

    assert (code, new) == (2, None)
    assert "0 keys translated" in error


def test_only_files_that_name_metrics_are_of_this_kind(tmp_path):
    """Of a folder's files, those without a place for a name are none."""
    texts = {"a.yaml": "x: 1\n", "b.yaml": "metric: train/kl\n", "c.json": '{"x": 1}\n', "d.py": "x = 'a/b'\n"}
    for name, text in texts.items():
        Path(tmp_path, name).write_text(text)

    assert [kind_name(tmp_path / name) for name in texts] == [None, "config", "jsonl", None]


TEXTS = st.text(st.sampled_from("ab/:#-'\"{}[], \\é\n"), max_size=6)
TREES = st.recursive(
    TEXTS | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


def _leaves(tree, path=()):
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield (*path, key), key, True
            yield from _leaves(value, (*path, key))
    elif isinstance(tree, list):
        for index, value in enumerate(tree):
            yield from _leaves(value, (*path, index))
    else:
        yield path, str(tree), False


@given(tree=st.dictionaries(TEXTS, TREES, min_size=1), indent=st.sampled_from([None, 2]))
def test_every_scalar_of_json_is_found(tree, indent):
    """Path, text and span of each key and value are those of the standard parser."""
    text = json.dumps(tree, indent=indent, ensure_ascii=False)

    found = json_scalars(text)

    assert list(_leaves(tree)) == [(s.path, s.text, s.is_key) for s in found]
    for scalar in found:
        assert scalar.text == str(json.loads(text[scalar.start : scalar.end]))


WORDS = st.text("aé😀/_ #:'\"-", min_size=1, max_size=6).map(str.strip).filter(lambda w: w and not w.startswith("-"))
YAML_TREES = st.recursive(
    WORDS,
    lambda inner: st.lists(inner, min_size=1, max_size=3) | st.dictionaries(WORDS, inner, min_size=1, max_size=3),
    max_leaves=8,
)


@given(
    tree=st.dictionaries(WORDS, YAML_TREES, min_size=1),
    flow=st.sampled_from([True, False, None]),
    indent=st.integers(2, 4),
)
def test_every_scalar_of_yaml_is_found(tree, flow, indent):
    """What a YAML library writes, in block or flow style, is found scalar by scalar with its path."""
    text = yaml.safe_dump(tree, default_flow_style=flow, indent=indent, sort_keys=False, width=1_000_000)

    found = scalars(f"---\n# comment\n{text}# end\n")

    assert list(_leaves(tree)) == [(s.path, s.text, s.is_key) for s in found]


@given(TEXTS, st.sampled_from(["'a'", '"a"', "a"]))
def test_a_new_name_is_spelled_so_that_it_is_read_back(name, spelled):
    """Whatever the quotes were, the new name is read as itself."""
    if "\n" in name and spelled == "'a'":
        name = name.replace("\n", "")

    assert name == yaml.safe_load(f"k: {respelled(spelled, name)}")["k"]


NEARLY_YAML = st.text(st.sampled_from("aé😀:-#{}[],&*!|>'\"%?\x00 \n\r\ufeff"), max_size=40)


@given(NEARLY_YAML)
def test_any_text_is_read_or_refused(text):
    """No text makes the reader fail otherwise than by saying where, and spans lie in the text, in order."""
    found = []
    offset = 0
    try:
        found = scalars(text)
    except YamlError as error:
        offset = error.offset

    assert 0 <= offset <= len(text)
    assert all(s.start < s.end <= len(text) for s in found)
    assert sorted(s.start for s in found) == [s.start for s in found]


def _read(text, loader):
    try:
        return yamlevents.read(text, loader)
    except YamlError:
        return None


@given(
    tree=st.dictionaries(WORDS, YAML_TREES, min_size=1), flow=st.sampled_from([True, False, None]), bom=st.booleans()
)
def test_libyaml_counts_characters(tree, flow, bom):
    """Spans are those of the parser in pure Python, whatever characters come before."""
    text = "\ufeff" * bom + yaml.safe_dump(tree, default_flow_style=flow, allow_unicode=True)

    assert [] != yamlevents.read(text, yaml.SafeLoader) == yamlevents.read(text, yaml.CSafeLoader)


@given(NEARLY_YAML)
def test_what_both_parsers_take_is_the_same(text):
    """They may differ in what they refuse, such as ``>#``, and in nothing else."""
    found = [_read(text, loader) for loader in (yaml.CSafeLoader, yaml.SafeLoader)]

    assert None in found or found[0] == found[1]


def test_a_text_of_several_lines_is_one_scalar():
    """Plain or quoted, in block or flow style, it is read as YAML folds it, and its span is all of it."""
    text = "a: [x or\n    y, 'z\n    q']\nb: one\n  two\nc: 3\n"

    found = [
        (scalar.path, scalar.text, text[scalar.start : scalar.end]) for scalar in scalars(text) if not scalar.is_key
    ]

    assert found == [
        (("a", 0), "x or y", "x or\n    y"),
        (("a", 1), "z q", "'z\n    q'"),
        (("b",), "one two", "one\n  two"),
        (("c",), "3", "3"),
    ]


def test_keys_that_are_collections_hide_no_others():
    """What lies under a complex key is read; the key itself is left out, and a key without a value has none."""
    text = "? [a, {b: c}]\n: d\n? e\n: f\ng:\nh: {i, j: k}\n"

    assert [(scalar.path, scalar.text) for scalar in scalars(text)] == [
        (("?",), "d"),
        (("e",), "e"),
        (("e",), "f"),
        (("g",), "g"),
        (("h",), "h"),
        (("h", "i"), "i"),
        (("h", "j"), "j"),
        (("h", "j"), "k"),
    ]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("      actor/ppo_kl\nmonitor: actor/lr\n", "2:"),
        ("metric: 😀\n\tx: y\n", "2:1: "),
        ("metric: é\x7f\n", "1:10: "),
        ("metric: 'x\n", "1:9: "),
        ("metric: {name: x\n", "1:9: "),
        ("metric: @x\n", "1:9: "),
        ("metric: x: y\n", "1:10: "),
    ],
)
def test_text_that_is_no_yaml_is_told_in_one_line(translated, text, place):
    """With the place, counted in characters, what is wrong there and what to do, with exit code 2."""
    code, new, error = translated("a.yaml", text, GRPO, "canonical", "--kind", "config")

    assert (code, new) == (2, None)
    assert f"a.yaml:{place}" in error
    assert "not YAML: " in error
    assert error.endswith("; mend it here\n")
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("metric: " + "[" * 100_000, "1:208: "),
        ("metric: " + "{a: " * 100_000, "1:805: "),
        ("\ufeffmetric:\n" + "- " * 100_000 + "x", "2:399: "),
    ],
)
def test_nesting_without_end_is_told_in_one_line(translated, text, place):
    """The place of the first level too many is told, the same with any release of PyYAML, and nothing is written."""
    code, new, error = translated("a.yaml", text, GRPO, "canonical", "--kind", "config")

    assert (code, new) == (2, None)
    assert f"a.yaml:{place}not YAML: collections are nested more than 200 deep; mend it here\n" in error
    assert error.count("\n") == 1


def test_settings_in_yaml_are_named_as_missing_without_pyyaml(tmp_path, monkeypatch):
    """Where PyYAML is not installed, the report says that the arguments beside a state were not read, and why."""
    (tmp_path / "trainer_state.json").write_text("{}")
    (tmp_path / "args.yaml").write_text("beta: 0.1\n")
    monkeypatch.setitem(sys.modules, "yaml", None)
    monkeypatch.delitem(sys.modules, "rlmetrics.logs.yamlevents", raising=False)

    settings = KINDS["trainer-state"].open(tmp_path / "trainer_state.json").configuration[None]

    missing = 'YAML is read with PyYAML, which is missing; pip install "rlmetrics[yaml]"'
    assert settings.values == {}
    assert settings.problems == (f"args.yaml can't be read: {missing}; its settings are left out",)
