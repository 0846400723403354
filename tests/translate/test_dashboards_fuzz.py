"""Dashboards of any shape: fields hold what they should not, and nothing but names is ever touched."""

import json
from functools import cache
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from json_changes import changes
from rlmetrics.logs.kinds import KINDS
from rlmetrics.translate import Report, Translator
from rlmetrics.translate.rewriting import rewriter_of
from rlmetrics.translate.rewriting.wandb_workspace_rewriter import rewrite
from rlmetrics.translate.translation_options import Options

WORDS = [
    "timing/ref",
    "timing_ref",
    "actor/lr(1e-4)",
    "summary:timing/ref",
    "run:timing/ref",
    "${timing/ref}",
    "sum(timing_ref)",
    "critic/advantages/max",
    "summary",
    "byName",
    "history",
    "mine",
    "",
    'é😀\\"',
]
FIELDS = [
    *(
        "metrics",
        "xAxis",
        "yAxis",
        "expressions",
        "xExpression",
        "legendTemplate",
        "metricRegex",
        "columns",
        "accessor",
    ),
    *(
        "overrideColors",
        "columnVisible",
        "columnOrder",
        "key",
        "section",
        "name",
        "value",
        "op",
        "ascending",
        "groupBy",
    ),
    *("userQuery", "queryFields", "args", "fields", "fieldSettings", "panelConfigOverrides", "mediaKeys", "targetKey"),
    *("expr", "query", "definition", "legendFormat", "transformations", "options", "renameByName", "matcher", "id"),
    *("datasource", "group", "text", "timing/ref", "timing_ref", "new field"),
]
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(WORDS)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=5),
    max_leaves=25,
)


@cache
def _translator(both, unknown):
    return Translator("verl==0.1", "verl==0.9.1", both=both, unknown=unknown)


def _words(value):
    """Return every string of a JSON value."""
    if isinstance(value, dict):
        return [*value, *(word for inner in value.values() for word in _words(inner))]
    if isinstance(value, list):
        return [word for inner in value for word in _words(inner)]
    return [value] if isinstance(value, str) else []


@settings(max_examples=150, deadline=None)
@given(TREES, st.booleans(), st.sampled_from(["keep", "drop"]), st.booleans())
def test_any_workspace_is_translated(tree, both, unknown, ascii_only):
    """No shape is an error; what comes out is JSON, has no name with another meaning, and differs only in names."""
    spec = {"section": {"panelBankConfig": tree, "x": tree}}
    text = json.dumps(spec, ensure_ascii=ascii_only)

    new = json.loads(rewrite(text, Path("x"), _translator(both, unknown), Report("", "", "")))

    for old, now in changes(spec, new).values() if unknown == "keep" else ():
        assert _is_named(old) or _is_named(now), (old, now)
    if not both and unknown == "keep":
        assert changes(new["section"]["panelBankConfig"], new["section"]["x"]) == {}


def _is_named(value):
    """Tell whether a changed part is, or holds, a name of a metric, or follows the values of one."""
    known = ("timing", "actor/lr", "critic/adv", "mine", "summary:", "run:")
    return isinstance(value, int | float) or any(mark in word for word in _words(value) for mark in known)


@settings(max_examples=150, deadline=None)
@given(TREES, st.booleans(), st.booleans())
def test_any_grafana_dashboard_is_translated(tmp_path_factory, tree, both, ascii_only):
    """No shape is an error; what comes out is JSON and differs only in names."""
    board = {"schemaVersion": 39, "panels": tree, "x": [tree]}
    folder = tmp_path_factory.mktemp("any")
    (folder / "old.json").write_text(
        json.dumps(board, ensure_ascii=ascii_only), encoding="utf-8", errors="surrogatepass"
    )

    rewriter = rewriter_of(KINDS["grafana"].open(folder / "old.json"), Options())
    rewriter.rewrite(folder / "new.json", _translator(both, "keep"), Report("", "", ""))

    new = json.loads((folder / "new.json").read_text(encoding="utf-8"))
    for old, now in changes(board, new).values():
        assert any(part in str(old) + str(now) for part in ("timing", "actor", "critic"))
    assert changes(new["panels"], new["x"][0]) == {}
