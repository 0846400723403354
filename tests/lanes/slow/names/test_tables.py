"""Tables: in memory and as files they are the same, and little of them is loaded."""

from __future__ import annotations

import pytest
from rlmetrics.names import NamesError, load_tables, resolve
from rlmetrics.names.tables.tables import Overlays


def test_tables_are_passed_through_and_overlays_extend_the_real_ones(overlay, tables):
    """A private trainer is known next to those of the spec."""
    assert tables is load_tables(tables)
    found = resolve("our/approx_kl", "trl[PrivateTrainer]==1.16.0", spec=overlay)
    assert [item.metric for item in found] == ["kl/old/k2"]
    assert load_tables(str(overlay)) is load_tables([str(overlay)])
    assert "GRPOTrainer" in {item[0] for item in load_tables(overlay).framework("trl").components}


def test_a_wrong_overlay_is_explained(tmp_path):
    """A missing folder, and YAML with a mistake at its place."""
    wrong: list[tuple[Overlays, str]] = [(tmp_path / "missing", "no such folder")]
    folder = tmp_path / "frameworks" / "trl"
    folder.mkdir(parents=True)
    (folder / "broken.yaml").write_text("title: X\nbrief: Y\nemission: []\n", encoding="utf-8")
    wrong.append((tmp_path, r"broken\.yaml:3:1: .*emission"))
    reference = tmp_path / "other" / "frameworks" / "trl"
    reference.mkdir(parents=True)
    text = """\
title: Broken
brief: A trait that nobody knows.
components: [{name: Broken, releases: 1.16.0, module: ours}]
keys:
  a: {metric: kl/old/k2, traits: [unheard_of]}
"""
    (reference / "broken.yaml").write_text(text, encoding="utf-8")
    wrong.append((str(tmp_path / "other"), r"broken\.yaml:5:\d+: .*unheard_of"))
    for spec, part in wrong:
        with pytest.raises(NamesError, match=part):
            load_tables(spec)
