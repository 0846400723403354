"""Grafana dashboards through the real command line; names are compared with what a Prometheus client exports."""

import json
from functools import cache
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from json_changes import changes
from logs import kind_name
from prometheus_client import CollectorRegistry, Gauge
from prometheus_client.exposition import choose_encoder
from rlmetrics.logs.kinds import KINDS
from rlmetrics.logs.kinds.grafana import PREFIX, classic
from rlmetrics.names import keys
from rlmetrics.translate import Report, Translator
from rlmetrics.translate.rewriting import rewriter_of
from rlmetrics.translate.rewriting.grafana.images import Images
from rlmetrics.translate.translation_options import Options

DASHBOARDS = Path(__file__).parents[1] / "fixtures" / "dashboards"
CLASSIC = DASHBOARDS / "verl-0.9.1.grafana.json"
SECOND = DASHBOARDS / "verl-0.9.1.grafana-v2.json"
OLD, NEW = "verl==0.1", "verl==0.9.1"


@cache
def _translator(source, target):
    return Translator(source, target)


def board(*expressions, **fields):
    """A dashboard with one panel that has some expressions."""
    targets = [{"expr": text} for text in expressions]
    return json.dumps({"schemaVersion": 39, "panels": [{"targets": targets, **fields}]}, ensure_ascii=False)


def expressions_of(text):
    """Return the expressions of such a dashboard."""
    return [target["expr"] for target in json.loads(text)["panels"][0]["targets"]]


def test_every_place_of_a_classic_dashboard_is_rewritten_and_nothing_else(translated):
    """Expressions, annotations, variables, legends, overrides and transformations follow; titles are told."""
    code, text, report = translated(CLASSIC, NEW, "canonical")

    score = ("rl_insight_monitor_critic_score_mean", "rl_insight_monitor_reward_score_mean")
    length = "rl_insight_monitor_response_length_max", "rl_insight_monitor_length_response_max"
    old = json.loads(CLASSIC.read_bytes())
    values = [f"label_values({name}, run)" for name in score]
    targets = [target["expr"] for target in old["panels"][0]["targets"]]
    best = "rl_insight_monitor_validation_mean_openai_gsm8k_reward_1"
    expected = {
        "/templating/list/0/definition": tuple(values),
        "/templating/list/0/query/query": tuple(values),
        "/annotations/list/0/expr": (
            "changes(rl_insight_monitor_training_epoch[1m]) > 0",
            "changes(rl_insight_monitor_progress_epoch[1m]) > 0",
        ),
        "/panels/0/targets/0/expr": (targets[0], targets[0].replace(*score)),
        "/panels/0/targets/0/legendFormat": tuple(f"{name} {{{{run}}}}" for name in score),
        "/panels/0/targets/1/expr": (targets[1], targets[1].replace("response_length", "length_response")),
        "/panels/0/targets/2/expr": (targets[2], f'{{"{best}", run="$run"}}'),
        "/panels/0/targets/4/expr": (targets[4], '{__name__="rl_insight_monitor_kl_loss_coefficient"}'),
        "/panels/0/fieldConfig/overrides/0/matcher/options": tuple(f"{name} a" for name in score),
        f"/panels/0/transformations/0/options/renameByName/{length[0]}": (length[0], None),
        f"/panels/0/transformations/0/options/renameByName/{length[1]}": (None, length[1]),
    }
    assert (code, report["kind"]) == (0, "grafana")
    assert changes(old, json.loads(text)) == expected
    assert report["unknown"] == ["rl_insight_monitor_my_own_number"]
    assert tuple(report["translated"][score[0]][field] for field in ("to", "relation")) == (score[1], "approximate")
    assert best == report["translated"]["rl_insight_monitor_val-core_openai_gsm8k_reward_mean@1"]["to"]
    notes = "\n".join(report["notes"])
    assert f"{CLASSIC}:2:12: a text mentions critic/score/mean (now reward/score/mean): left as it is" in notes
    assert "__name__ is matched with rl_insight_monitor_timing_s_.*: it stays" in notes
    assert "a text mentions critic_score_max (now reward_score_max)" in notes
    assert f"a text mentions {score[0]} (now {score[1]})" in notes
    assert text.count("\\u003e") == 1


def test_version_2_is_rewritten_likewise(translated):
    """Queries of elements, variables and transformations, however deep they stand."""
    code, text, _ = translated(SECOND, NEW, "canonical")

    names = ["rl_insight_monitor_response_length_mean", "rl_insight_monitor_actor_kl_coef"]
    new = ["rl_insight_monitor_length_response_mean", "rl_insight_monitor_kl_loss_coefficient"]
    expected = SECOND.read_text(encoding="utf-8")
    for pair in zip(names, new, strict=True):
        expected = expected.replace(*pair)
    assert (code, kind_name(SECOND)) == (0, "grafana")
    assert text == expected


def test_images_are_the_names_that_the_prometheus_client_exports():
    """Gauges named as verl names them, in both formats of the real exporter: every literal key is found again."""
    images = Images(_translator(NEW, "canonical"))
    names = [k.key for k in keys(NEW) if k.metric and "{" not in k.key] + ["val-core/openai/gsm8k/reward/mean@1"]
    for key in dict.fromkeys(names):
        registry = CollectorRegistry()
        Gauge(PREFIX + key.replace("/", "_"), "help", registry=registry).set(1)
        for accept, quoted in (
            ("text/plain; version=0.0.4", False),
            ("text/plain; version=1.0.0; escaping=allow-utf-8", True),
        ):
            encode, _ = choose_encoder(accept)
            sample = encode(registry).decode().splitlines()[-1].rpartition(" ")[0]
            shown = sample.removeprefix('{"').removesuffix('"}')
            image = images.find(shown, quoted=quoted)
            assert image is not None, shown
            assert image.prefix == PREFIX
            assert classic(key) in {classic(found) for found in image.keys}
            assert {image.of(found) if "@" not in key else shown for found in image.keys} == {shown}


def test_no_two_keys_of_verl_have_one_image():
    """Otherwise a name in a dashboard could be either."""
    for release in ("0.1", "0.5.0", "0.9.1"):
        found = {}
        for key in {k.key for k in keys(f"verl=={release}") if "{" not in k.key}:
            assert key == found.setdefault(classic(key), key)


def test_names_without_prefix_and_with_slashes_are_understood(translated):
    """Other exporters put nothing before a name, or keep its slashes in quotes; unknown metrics and labels stay."""
    text = board("critic_score_mean / up", '{"critic/score/mean", critic_score_mean="critic_score_max"}', "reward")

    _, new, _ = translated(text, NEW, "canonical")

    assert expressions_of(new) == [
        "reward_score_mean / up",
        '{"reward/score/mean", critic_score_mean="critic_score_max"}',
        "reward",
    ]


def test_ambiguous_images_stay(translated):
    """``train_loss`` may be the total of a run or the loss of a step: neither is guessed."""
    _, new, report = translated(board("train_loss + train_grad_norm"), "trl[GRPOTrainer]==0.18.2", "canonical")

    assert expressions_of(new) == ["train_loss + optimizer_gradient_norm"]
    assert any("train_loss may be train_loss or train/loss: it stays" in note for note in report["notes"])
    assert list(report["translated"]) == ["train_grad_norm"]


def test_both_names_are_joined_in_one_chart(translated):
    """``or`` shows old and new series in one panel; a range takes only one; variables list the values of both."""
    text = board(
        'sum(critic_kl_coeff{a="b"})',
        "rate(critic_kl_coeff[5m])",
        "actor_lr_1e_4_",
        '{"timing/ref"}',
        definition='label_values(critic_kl_coeff{a="b"}, run)',
    )

    code, new, report = translated(text, OLD, NEW, "--both")

    name = "actor_reward_kl_penalty_coeff"
    assert code == 0
    assert expressions_of(new) == [
        f'sum(({name}{{a="b"}} or critic_kl_coeff{{a="b"}}))',
        f"rate({name}[5m])",
        "((actor_lr / 0.0001) or actor_lr_1e_4_)",
        '({"timing_s/ref"} or {"timing/ref"})',
    ]
    assert (
        json.loads(new)["panels"][0]["definition"]
        == f'label_values({{__name__=~"{name}|critic_kl_coeff", a="b"}}, run)'
    )
    assert any("only one name can stand here: critic_kl_coeff is replaced" in note for note in report["notes"])


def test_converted_values_keep_their_scale(translated):
    """An expression draws what it drew, so that units, limits and thresholds of the panel stay right."""
    _, new, report = translated(board("2 * actor_lr_1e_4_{a='b'}", "rate(actor_lr_1e_4_[5m])"), OLD, NEW)

    assert expressions_of(new) == ["2 * (actor_lr{a='b'} / 0.0001)", "rate(actor_lr[5m])"]
    assert sum("the values of actor_lr_1e_4_ become 0.0001 * value + 0 here" in note for note in report["notes"]) == 1


def test_names_with_another_meaning_are_set_aside(translated):
    """What the target exports by the same name for something else is not shown in its place."""
    _, new, report = translated(board("critic_advantages_max + timing_ref"), OLD, NEW)

    assert expressions_of(new) == ["untranslated_verl_0_1_critic_advantages_max + timing_s_ref"]
    assert report["set_aside"] == {"critic_advantages_max": "untranslated_verl_0_1_critic_advantages_max"}


def test_bytes_outside_the_names_stay(translated):
    """Escapes, odd spaces, huge integers, NaN and fields nobody knows are copied as they are."""
    old = (
        '{"schemaVersion":39, "x": [1e400, 123456789012345678901234567890, NaN, "\\u00e9\\/ö"],\r\n\t'
        '"panels" :[{"targets": [{"expr" : "timing_ref \\u003c\\u0020 1 \\/ 2 # \\ud83d\\ude00 é"}]}]}\n\n'
    )

    _, new, _ = translated(old, OLD, NEW)

    assert old.replace("timing_ref", "timing_s_ref") == new


def test_broken_parts_are_told(translated):
    """Broken JSON is one line with its place; an expression that can't be followed stays and is told."""
    code, new, error = translated('{"panels": [}', OLD, NEW, "--kind", "grafana")
    assert (code, new) == (2, None)
    assert "board.json:1:13: not JSON" in error

    code, new, report = translated(board("sum(timing_ref", "timing_ref", "timing_$what"), OLD, NEW)
    assert (code, expressions_of(new)) == (0, ["sum(timing_ref", "timing_s_ref", "timing_$what"])
    notes = " ".join(report["notes"])
    assert "the expression can't be followed (')' is missing): it stays" in notes
    assert "a name is put together with a variable: it stays" in notes


def test_regular_expressions_of_overrides_and_filters_are_told(translated):
    """What chooses old series and not the new ones has no effect any more, so the report says where it stands."""
    override = {"matcher": {"id": "byRegexp", "options": "/monitor_critic_.*/"}, "properties": []}
    both = {"matcher": {"id": "byRegexp", "options": "mean"}, "properties": []}
    chosen = {"id": "filterFieldsByName", "options": {"include": {"pattern": "^rl_insight_monitor_critic"}}}
    broken = {"id": "filterFieldsByName", "options": {"include": {"pattern": "("}}}
    old = board(
        PREFIX + "critic_score_mean",
        fieldConfig={"overrides": [override, both]},
        transformations=[chosen, broken],
    )

    code, new, report = translated(old, NEW, "canonical")

    assert (code, new) == (0, old.replace("critic_score_mean", "reward_score_mean"))
    told = [note.partition(": the regular expression ")[2] for note in report["notes"]]
    change = f"matches {PREFIX}critic_score_mean (now {PREFIX}reward_score_mean): left as it is"
    assert set(told) - {""} == {f"/monitor_critic_.*/ {change}", f"^{PREFIX}critic {change}"}


def test_strict_and_unknown_hold_for_dashboards(translated):
    """``--strict`` leaves approximate names; ``--unknown error`` refuses metrics that only verl's exporter can have."""
    _, new, _ = translated(CLASSIC, NEW, "canonical", "--strict")
    assert "rl_insight_monitor_critic_score_mean" in expressions_of(new)[0]
    assert "rl_insight_monitor_length_response_max" in expressions_of(new)[1]

    code, new, error = translated(CLASSIC, NEW, "canonical", "--unknown", "error")
    assert (code, new) == (2, None)
    assert "rl_insight_monitor_my_own_number: not a key of verl==0.9.1" in error


def test_dashboards_are_recognised_and_their_source_inferred(translated, tmp_path):
    """Both schemas and exports of the API are told from other JSON; names of one release alone decide the source."""
    assert [kind_name(path) for path in (CLASSIC, SECOND)] == ["grafana", "grafana"]
    export = tmp_path / "export.json"
    export.write_text(json.dumps({"meta": {}, "dashboard": json.loads(CLASSIC.read_text())}))
    assert kind_name(export) == "grafana"
    other = tmp_path / "config.json"
    other.write_text('{"panels": ["train/kl"]}')
    assert kind_name(other) == "config"

    for name in ("actor_lr_1e_4_", PREFIX + "actor_lr_1e_4_"):
        code, new, report = translated(board(name), "auto", NEW)
        assert (code, report["from"].partition("[")[0].partition("=")[0]) == (0, "verl")
        assert expressions_of(new) == ["(" + name.replace("_1e_4_", "") + " / 0.0001)"]


def test_names_that_trackers_show_are_candidates_too(tmp_path):
    """Transformers puts ``train/`` before what TRL logs: both are looked for, whatever exporter mangled them."""
    path = tmp_path / "board.json"
    path.write_text(board("train_rewards_margins + train_loss + rl_insight_monitor_actor_lr"))

    expected = {"train/rewards/margins", "train/loss", "train_loss", "rl_insight_monitor_actor_lr"}
    assert KINDS["grafana"].open(path).names() == expected


EXACT = ["actor/kl_coef", "response_length/mean", "prompt_length/max", "response/aborted_ratio", "training/global_step"]
STYLES = {
    "classic": lambda name: classic(PREFIX + name),
    "bare": classic,
    "quoted": lambda name: f'{{"{PREFIX + name.replace("/", "_")}"}}',
    "slashes": lambda name: f'{{"{name}", a="b"}}',
}


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(EXACT), st.sampled_from(sorted(STYLES))), min_size=1, max_size=4))
def test_exact_names_come_back(tmp_path_factory, parts):
    """There and back gives the dashboard again, byte for byte, in every way that names are written."""
    folder = tmp_path_factory.mktemp("there")
    old = board(*(f"sum({STYLES[style](name)}) by (x)" for name, style in parts))
    (folder / "old.json").write_text(old, encoding="utf-8")
    steps = [("old.json", "new.json", (NEW, "canonical")), ("new.json", "back.json", ("canonical", NEW))]
    for source, target, way in steps:
        rewriter = rewriter_of(KINDS["grafana"].open(folder / source), Options())
        rewriter.rewrite(folder / target, _translator(*way), Report("", "", ""))

    assert old != (folder / "new.json").read_text(encoding="utf-8")
    assert old == (folder / "back.json").read_text(encoding="utf-8")


SCALED = [
    'actor_lr_1e_4_{a="b"}',
    "sum by (x) (actor_lr_1e_4_)",
    "abs(critic_lr_1e_4_) > bool actor_lr_1e_4_ and up",
    "2 * (actor_lr_1e_4_ / 10000.0) - (actor_lr_1e_4_ - (2.0))",
    "up * on (x) actor_lr_1e_4_",
    '{"actor/lr(1e-4)"} # (actor_lr / 0.0001)',
    "rate(actor_lr_1e_4_[5m]) + timing_ref",
]


def test_converted_expressions_come_back(translated):
    """There and back over a conversion gives every expression again, byte for byte."""
    old = board(*SCALED)

    _, there, _ = translated(old, OLD, NEW)
    _, back, _ = translated(there, NEW, OLD)

    assert set(expressions_of(there)).isdisjoint(SCALED)
    assert expressions_of(back) == SCALED


def test_one_minus_a_share_comes_back(translated):
    """What is subtracted from one is written as such, and is the plain share again on the way back."""
    ways = "trl[OnlineDPOTrainer]==0.18.2", "canonical"
    old = ["1 - val_contain_eos_token", "val_contain_eos_token / 2"]

    _, there, _ = translated(board(*old), *ways)
    _, back, _ = translated(there, *reversed(ways))

    share = "((length_truncated_fraction - (1.0)) / (-1.0))"
    assert expressions_of(there) == [f"1 - {share}", f"{share} / 2"]
    assert old == expressions_of(back)


def test_only_what_a_conversion_undoes_is_taken_back(translated):
    """Another factor stays, and so do the brackets of a function: its argument is converted in them."""
    old = ["(actor_lr / 0.001)", "sum(actor_lr / 0.0001)", "sum by (x) (actor_lr / 0.0001)", "(actor_lr / 0.0001)"]

    _, new, _ = translated(board(*old), NEW, OLD)

    converted = "(actor_lr_1e_4_ / 10000.0)"
    assert expressions_of(new) == [
        f"({converted} / 0.001)",
        f"sum({converted} / 0.0001)",
        f"sum by (x) ({converted} / 0.0001)",
        "actor_lr_1e_4_",
    ]


def test_a_bracket_after_a_grouping_is_not_taken_for_its_labels(translated):
    """``group_left`` without labels gets an empty list before a bracket that is written."""
    _, new, _ = translated(board("up * on (x) group_left actor_lr_1e_4_"), OLD, NEW)

    assert expressions_of(new) == ["up * on (x) group_left () (actor_lr / 0.0001)"]


def test_both_series_stand_beside_what_is_taken_back(translated):
    """With ``--both``, the old expression stays as a whole beside the plain new name."""
    _, new, _ = translated(board("2 + (actor_lr / 0.0001)"), NEW, OLD, "--both")

    assert expressions_of(new) == ["2 + (actor_lr_1e_4_ or (actor_lr / 0.0001))"]
