"""Records whose variants cover every configuration have no meaning besides them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from names.small_spec import FOLDER
from rlmetrics.cli import main
from rlmetrics.codegen.loader import load
from rlmetrics.codegen.tables import build
from rlmetrics.names import Resolution, Tables, resolve, show

ONE, SEVERAL = ("one part", "parts == 1"), ("several", "parts != null and parts != 1")
AT = "alpha[NewTrainer]==1.0.0"


@pytest.fixture
def tables(tmp_path: Path) -> Tables:
    """The small spec; its clip_ratio is logged where there are parts, and means one thing or another then."""
    root = tmp_path / "spec"
    shutil.copytree(FOLDER, root)
    path = root / "frameworks/alpha/new_trainer.yaml"
    old = "variants:\n      - {when: level == 'sequence', name: per sequence, metric: policy/ratio/mean}\n"
    new = f"""when: parts != null
    exhaustive: true
    variants:
      - {{when: {ONE[1]}, name: {ONE[0]}, traits: [wrong_sum]}}
      - {{when: {SEVERAL[1]}, name: {SEVERAL[0]}, metric: policy/ratio/mean}}
"""
    text = path.read_text(encoding="utf-8")
    assert 1 == text.count(old)
    path.write_text(text.replace(old, new), encoding="utf-8")
    data = build(load(root))
    return Tables(lambda table: data[table].data)


def _resolved(tables: Tables, **config: int) -> Resolution:
    (found,) = resolve(["clip_ratio"], AT, config=config, spec=tables)
    return found


def test_the_alternatives_are_the_other_variants(tables: Tables) -> None:
    """What the record says without any of them is none."""
    for parts, picked, other, metric in (
        (1, ONE, SEVERAL, "policy/clip_fraction"),
        (3, SEVERAL, ONE, "policy/ratio/mean"),
    ):
        found = _resolved(tables, parts=parts)
        assert (picked[0], metric) == (found.variant, found.metric)
        assert [other] == [(item.variant, item.when) for item in found.alternatives]


def test_the_first_variant_answers_where_the_key_is_not_logged(tables: Tables) -> None:
    """A log that has the key was made with another configuration: one of the variants, never none."""
    found = _resolved(tables)
    assert (False, ONE[0]) == (found.logged_by_default, found.variant)
    assert found.signature is not None
    assert ("clamped", "wrong_sum") == found.signature.traits
    assert [SEVERAL] == [(item.variant, item.when) for item in found.alternatives]


def test_each_metric_is_shown_under_its_own_guard(tables: Tables) -> None:
    """That of the record too, where its variants mean several metrics."""
    for metric, (_, when) in (("policy/clip_fraction", ONE), ("policy/ratio/mean", SEVERAL)):
        (found,) = show(metric, spec=tables)
        conditions = [
            item.condition for item in found.spellings if item.key == "clip_ratio" and "1.0.0" in item.releases
        ]
        assert [f"parts != null; ({when})"] == conditions


@pytest.mark.parametrize(
    ("key", "at", "variants"),
    [
        ("loss", "trl[GKDTrainer]==0.15.2", 2),
        ("rollout_corr/rollout_is_max", "verl[rollout_correction]==0.9.1", 1),
        ("sampling/importance_sampling_ratio/mean", "trl[GRPOTrainer]==1.16.0", 3),
    ],
)
def test_real_keys_offer_no_meaning_that_never_occurs(
    key: str, at: str, variants: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the terminal every line that begins with "otherwise" names a variant and when it holds."""
    assert 0 == main(["resolve", key, "--at", at])
    lines = [line.split(maxsplit=1)[1] for line in capsys.readouterr().out.splitlines() if "otherwise " in line]
    assert variants == len(lines)
    assert all(", when " in line for line in lines)
