"""The command line finds what the site's search finds, in the same order."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from folders import ROOT
from rlmetrics.names.lookup.ranked_search import search_of
from search_data import data_of, english, titles

_SCRIPTS = [ROOT / "docs" / "assets" / name for name in ("search-spelling.js", "search-question.js", "search-rank.js")]
_ASKED = [
    *("clip_fraction", "approx_kl", "explained variance", "explained_varience", "reward std grpo", "kl", "KL", "loss"),
    *("what is pg_clipfrac in verl", "policy/approxkl_avg", "train/rewards/chosen", "entropy", "entropi", "grad norm"),
    *("response length", "completions/mean_length", "rewards/my_func/mean", "critic/vf_loss", "vf loss", "value loss"),
    *("objective/kl trl 0.12", "tokens per second", "mfu", "how is the advantage computed", "logps/rejected", "margin"),
    *("truncated", "clipped ratio verl 0.5", "actor/entropy_loss", "importance sampling ratio", "score mean verl"),
    *("learning rate", "lr", "train/lr", "kl divergence from reference", "frac_reward_zero_std", "pass@4", "zzzz", "a"),
    *("accuracy of preferences dpo", "val-core/x/y/mean@4", "timing", "gpu memory", "throughput", "ratio/mean", "std"),
]
_PROGRAM = """
const window = {};
%s
const data = %s;
const search = new window.RlmetricsSearch(data);
const asked = %s;
console.log(JSON.stringify(asked.map(text => search.find(text, 8).map(one => [one.entry.kind, one.entry.name]))));
"""


@pytest.fixture(scope="module")
def on_the_site(tmp_path_factory: pytest.TempPathFactory) -> list[list[list[str]]]:
    """Ask the script of the site over all metrics and keys, without pages and releases, which have no answer here."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node")
    named = {path: title for path, title in titles().items() if path.startswith(("m/", "k/"))}
    data = data_of(english(), named) | {"pages": [], "releases": [], "steps": {}}
    scripts = "\n".join(script.read_text(encoding="utf-8") for script in _SCRIPTS)
    program = Path(tmp_path_factory.mktemp("search"), "ask.js")
    program.write_text(_PROGRAM % (scripts, json.dumps(data), json.dumps(_ASKED)), encoding="utf-8")
    done = subprocess.run([node, str(program)], check=True, capture_output=True, text=True)
    found: list[list[list[str]]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("at", range(len(_ASKED)), ids=_ASKED)
def test_both_rank_alike(on_the_site: list[list[list[str]]], at: int) -> None:
    """The first eight results of each question are the same, in the same order."""
    found = search_of(english().tables).find(_ASKED[at], 8)
    assert [[one.kind, one.name] for one in found] == on_the_site[at]
