"""What becomes of values in W&B workspaces: thresholds, expressions, and the way back."""

import json
from functools import cache
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from rlmetrics.translate import Report, Translator
from rlmetrics.translate.rewriting.wandb_workspace_rewriter import rewrite
from workspaces import panels_of, spec_with

OLD_VERL, NEW_VERL = "verl==0.1", "verl==0.9.1"


def test_converted_values_are_followed_where_a_panel_can(translated):
    """Expressions keep their value, thresholds move with it, digit for digit; limits of axes are pointed out."""
    lr = "actor/lr(1e-4)"
    board = spec_with(
        ("Run History Line Plot", {"metrics": [lr], "yAxisMax": 2, "expressions": [f"${{{lr}}} + ${{mine}}"]}),
        runSets=[
            {
                "filters": {
                    "op": "AND",
                    "filters": [{"op": ">=", "key": {"section": "summary", "name": lr}, "value": 3}],
                },
                "sort": {"keys": [{"key": {"section": "summary", "name": lr}, "ascending": False}]},
            }
        ],
    )

    code, text, report = translated(board, OLD_VERL, NEW_VERL)

    runs = json.loads(text)["section"]["runSets"][0]
    assert code == 0
    assert panels_of(text)[0] == {
        "metrics": ["actor/lr"],
        "yAxisMax": 2,
        "expressions": ["(${actor/lr} / 0.0001) + ${mine}"],
    }
    assert (
        runs["filters"]["filters"][0]["key"]["name"],
        runs["filters"]["filters"][0]["value"],
    ) == ("actor/lr", 0.0003)
    assert runs["sort"]["keys"][0] == {"key": {"section": "summary", "name": "actor/lr"}, "ascending": False}
    assert any(
        "the values of actor/lr(1e-4) become 0.0001 * value + 0: adapt limits" in note for note in report["notes"]
    )


def test_a_turned_sign_turns_filters_and_orders(translated):
    """Where the sign of a metric changes, at least becomes at most, and the largest first the smallest first."""
    key = {"section": "summary", "name": "ppo/policy/policykl"}
    filters = {"filterFormat": "filterV2", "filters": [{"key": key, "op": ">=", "value": 0.25}]}
    board = spec_with(runSets=[{"filters": filters, "sort": {"keys": [{"key": key, "ascending": False}]}}])

    _, text, _ = translated(board, "trl[PPOTrainer]==0.2.1", "canonical")

    runs = json.loads(text)["section"]["runSets"][0]
    new = {"section": "summary", "name": "kl/old/k1"}
    assert runs["filters"]["filters"][0] == {"key": new, "op": "<=", "value": -0.25}
    assert runs["sort"]["keys"][0] == {"key": new, "ascending": True}


def test_both_brings_old_values_to_the_new_scale(translated):
    """A chart over a migration draws converted values: the old name goes into an expression."""
    config = {"metrics": ["actor/lr(1e-4)", "timing/ref"]}
    board = spec_with(
        ("Run History Line Plot", config), ("Run History Line Plot", {**config, "expressions": ["${mine}"]})
    )

    _, text, _ = translated(board, OLD_VERL, NEW_VERL, "--both")

    converted = "${actor/lr(1e-4)} * 0.0001"
    assert panels_of(text) == [
        {"metrics": ["actor/lr", "timing_s/ref", "timing/ref"], "expressions": [converted]},
        {"metrics": ["actor/lr", "timing_s/ref", "timing/ref"], "expressions": ["${mine}", converted]},
    ]


@cache
def _translator(source, target):
    return Translator(source, target)


EXACT = ["actor/kl_coef", "response_length/mean", "prompt_length/max", "response/aborted_ratio", "val/generations"]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(EXACT), min_size=1, max_size=5),
    st.lists(st.sampled_from([*EXACT, "mine", "ünicode/metric"]), max_size=5),
    st.sampled_from(["", "summary_metrics."]),
    st.booleans(),
    st.sampled_from([None, 1]),
)
def test_exact_names_come_back(first, second, prefix, ascii_only, indent):
    """There and back gives the file again, byte for byte, wherever the relations are exact."""
    there, back = _translator(NEW_VERL, "canonical"), _translator("canonical", NEW_VERL)
    board = spec_with(
        (
            "A",
            {
                "metrics": [prefix + name for name in first],
                "xAxis": first[0],
                "targetKey": second[-1] if second else "",
            },
        ),
        (
            "B",
            {"expressions": [f"${{{name}}} + 1" for name in second], "columnOrder": [f"summary:{n}" for n in second]},
        ),
        (
            "C",
            {
                "overrideMarks": {f"run:{name}": "solid" for name in second},
                "legendTemplate": f"${{summary:{first[0]}}}",
            },
        ),
    )
    text = json.dumps(board, ensure_ascii=ascii_only, indent=indent)
    nested = json.dumps({"spec": text}, ensure_ascii=ascii_only)

    for given_text in (text, nested):
        new = rewrite(given_text, Path("x"), there, Report("", "", ""))
        assert new != given_text
        assert given_text == rewrite(new, Path("x"), back, Report("", "", ""))


def test_a_conversion_comes_back(translated):
    """There and back, thresholds, names and expressions are the old ones, byte for byte."""
    lr = "actor/lr(1e-4)"
    key = {"section": "summary", "name": lr}
    expressions = [f"${{{lr}}}", f"2 * ${{summary:{lr}}} - (${{{lr}}} / 10000.0)", f"log(${{{lr}}}) / ${{mine}}"]
    old = spec_with(
        ("X", {"metrics": [lr], "expressions": expressions, "xExpression": expressions[1]}),
        runSets=[{"filters": {"filters": [{"key": key, "op": ">", "value": 2.5}]}}],
    )
    _, there, _ = translated(old, OLD_VERL, NEW_VERL)

    _, back, _ = translated(there, NEW_VERL, OLD_VERL)

    assert set(panels_of(there)[0]["expressions"]).isdisjoint(expressions)
    assert old == json.loads(back)


def test_what_a_function_divides_is_converted_within_it(translated):
    """The brackets of a function are none that a translation wrote, and another factor is none that it undoes."""
    old = ["log(${actor/lr} / 0.0001)", "(${actor/lr} / 0.001)", "(${actor/lr} / 0.0001)"]

    _, text, _ = translated(spec_with(("X", {"expressions": old})), NEW_VERL, OLD_VERL)

    new = "${actor/lr(1e-4)}"
    assert panels_of(text)[0]["expressions"] == [
        f"log(({new} / 10000.0) / 0.0001)",
        f"(({new} / 10000.0) / 0.001)",
        new,
    ]
