"""Pictures that explain metrics: their numbers are those of the functions, and they can be read by everybody."""

from __future__ import annotations

import importlib
import math
import re
import time
from typing import Any
from xml.etree import ElementTree

import pytest
import torch
from rlmetrics import functional
from rlmetrics.advantages import group_relative
from rlmetrics.codegen.site.pictures.clipping import clipping_of
from rlmetrics.codegen.site.pictures.drawing import number
from rlmetrics.codegen.site.pictures.estimators import FIRST, SECOND, estimator_of, sampled
from rlmetrics.codegen.site.pictures.group_advantages import GROUPS, REWARDS, groups_of
from rlmetrics.codegen.site.pictures.which import pictures_of
from rlmetrics.names import load_tables

TABLES = load_tables()
METRICS = list(TABLES.metrics)
CLIPPED = [metric for metric in METRICS if clipping_of(TABLES, metric) is not None]
ESTIMATED = [metric for metric in METRICS if estimator_of(TABLES, metric) is not None]
SVG = "{http://www.w3.org/2000/svg}"


def texts_of(svg):
    """The lines of text in a drawing."""
    return [node.text or "" for node in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def kind_of(metric):
    """Return of which kind the first picture of a metric is."""
    found: Any = next(pictures_of(TABLES, metric), None)
    return None if found is None else found.kind


def function_of(metric):
    """The compute function of a metric."""
    module, _, name = TABLES.metrics[metric]["function"].rpartition(".")
    return getattr(importlib.import_module(module), name)


def computed(metric, inputs):
    """What the compute function of a metric makes of numbers in lists."""
    names = TABLES.texts[metric]["inputs"]
    given = [torch.tensor(inputs[name], dtype=None if name == "mask" else torch.float64) for name in names]
    return function_of(metric)(*given).item()


def all_pictures(metric, t=lambda text, **values: text.format(**values)):
    """Every drawing of a metric's page."""
    return [(picture.kind, picture.svg) for picture in pictures_of(TABLES, metric, t, t)]


@pytest.mark.parametrize("metric", CLIPPED)
def test_clip_fractions_count_what_their_function_counts(metric):
    """The dots that are filled are the tokens that count, and the share below them is the function's."""
    clipping: Any = clipping_of(TABLES, metric)
    shown = sum(counts for _, _, counts in clipping.tokens)
    drawn = clipping.draw(lambda text, **values: text.format(**values), "picture")
    assert drawn.count("<circle") == len(clipping.tokens) == 8
    assert 0 < shown < 8
    if clipping.value() is not None:
        value = computed(metric, clipping.example())
        assert value == pytest.approx(shown / 8)
        assert any(text.endswith(f": {number(value)}") for text in texts_of(drawn))
    elif clipping.counted is None:
        for ratio, sign, flat in clipping.tokens:
            logprobs = torch.tensor([[math.log(ratio)]], dtype=torch.float64, requires_grad=True)
            inputs = {
                "logprobs": logprobs,
                "old_logprobs": torch.zeros(1, 1, dtype=torch.float64),
                "advantages": torch.full((1, 1), float(sign), dtype=torch.float64),
                "sequence_advantages": torch.full((1,), float(sign), dtype=torch.float64),
                "mask": torch.ones(1, 1, dtype=torch.bool),
            }
            loss = function_of(metric)(*[inputs[name] for name in TABLES.texts[metric]["inputs"]])
            (gradient,) = torch.autograd.grad(loss, logprobs)
            assert (gradient.item() == 0) is flat


def test_the_objective_is_the_loss_of_ppo():
    """The curve is minus the policy loss of a single token, on either side of its bounds."""
    clipping: Any = clipping_of(TABLES, "policy/clip_fraction")
    assert clipping.edges == (0.8, 1.2)
    for ratio in (0.5, 0.79, 1.0, 1.21, 2.0):
        for sign in (1, -1):
            mask = torch.ones(1, 1, dtype=torch.bool)
            new, old, advantage = (torch.full((1, 1), value) for value in (math.log(ratio), 0.0, float(sign)))
            assert clipping.loss(ratio, sign) == pytest.approx(functional.policy_loss(new, old, advantage, mask).item())


@pytest.mark.parametrize("metric", ESTIMATED)
def test_estimators_print_what_their_functions_give(metric):
    """Averages and smallest tokens in the table are those of the functions, of every estimator drawn."""
    estimator: Any = estimator_of(TABLES, metric)
    first, second = sampled()
    drawn = texts_of(estimator.draw(lambda text, **values: text.format(**values), "picture"))
    functions = {
        "k1": functional.kl_old_k1,
        "k2": functional.kl_old_k2,
        "k3": functional.kl_old_k3,
        "abs": functional.kl_old_reference_abs,
    }
    for name in estimator.formulas:
        old, new = (torch.tensor([row], dtype=torch.float64) for row in (first, second))
        pair = (old, new) if name == "abs" else (new, old)
        mean = functions[name](*pair, torch.ones_like(new, dtype=torch.bool)).item()
        least = min(
            functions[name](*[side[:, [place]] for side in pair], torch.ones(1, 1, dtype=torch.bool)).item()
            for place in range(len(first))
        )
        low, average = estimator.of_example(name)
        assert (least, mean) == pytest.approx((low, average))
        assert number(mean, places=3) in drawn
        assert (number(least, places=3) if least else "0") in drawn


def test_estimators_are_told_apart_truly():
    """In the example k1 and k3 average to the divergence and k2 does not; only k1 has a token below 0."""
    estimator: Any = estimator_of(TABLES, "kl/old/k2")
    first, second = (torch.tensor([[list(row)]], dtype=torch.float64).log() for row in (FIRST, SECOND))
    truth = functional.kl_old_reference_full(first, second, torch.ones(1, 1, dtype=torch.bool)).item()
    assert estimator.truth == pytest.approx(truth)
    average = {name: estimator.of_example(name)[1] for name in ("k1", "k2", "k3")}
    assert average["k1"] == pytest.approx(truth)
    assert average["k3"] == pytest.approx(truth)
    assert average["k2"] > 1.01 * truth
    assert [name for name in average if estimator.of_example(name)[0] < 0] == ["k1"]


def test_group_advantages_are_those_of_the_estimator():
    """The bars are the advantages that GRPO computes, and both metrics below are those of the functions."""
    rewards, groups = torch.tensor(REWARDS), torch.tensor(GROUPS)
    picture: Any = groups_of(TABLES)
    drawn = texts_of(picture.draw(lambda text, **values: text.format(**values), "picture"))
    for advantage in group_relative(rewards, groups).tolist():
        assert number(advantage, 2) in drawn
    spread = functional.reward_group_std(rewards, groups).item()
    zero = functional.reward_zero_std_fraction(rewards, groups).item()
    assert f"mean std {number(spread)}, share of groups with std 0: {number(zero)}" in drawn


def test_pictures_stand_with_the_metrics_that_they_explain():
    """By formulas and estimators, not by names."""
    assert kind_of("kl/old/k2") == "estimators"
    assert kind_of("policy/ratio/mean") is None
    assert kind_of("reward/zero_std_fraction") == "groups"
    assert kind_of("objective/gspo_clip_fraction") == "clipping"
    for metric in ("timing/step", "objective/cispo_loss", "value/clip_fraction", "kl/old_reference/full"):
        assert "clipping" not in [picture.kind for picture in pictures_of(TABLES, metric)]
        assert "estimators" not in [picture.kind for picture in pictures_of(TABLES, metric)]


def test_every_drawing_is_sound_and_small():
    """Well-formed, with a title and a description first, below 8 kB, ids apart, and colours that follow the page."""
    for metric in METRICS:
        drawings = all_pictures(metric)
        ids = re.findall(r' id="([^"]+)"', "".join(svg for _, svg in drawings))
        assert len(ids) == len(set(ids))
        for kind, svg in drawings:
            assert len(svg.encode()) < 8000, (metric, kind)
            root = ElementTree.fromstring(svg)
            title, description, *_ = root
            assert (title.tag, description.tag) == (f"{SVG}title", f"{SVG}desc")
            assert title.text
            assert description.text
            assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
            assert not re.search(r'(?:fill|stroke)="#', svg)


def test_texts_of_drawings_fit_and_are_large_enough():
    """No line of text leaves its drawing, and letters are at least 11 pixels high on a phone 360 pixels wide."""
    for metric in METRICS:
        for kind, svg in all_pictures(metric):
            root = ElementTree.fromstring(svg)
            width, height = (float(text) for text in root.attrib["viewBox"].split()[2:])
            parents = {child: parent for parent in root.iter() for child in parent}
            for node in root.iter(f"{SVG}text"):
                look = {**parents[node].attrib, **node.attrib}
                size = float(look["font-size"] if "font-size" in look else root.attrib["font-size"])
                assert size * 328 / width >= 10.5, (metric, kind)
                wide = len(node.text or "") * size * (0.6 if "font-weight" in look else 0.54)
                left = float(look["x"]) - {None: 0, "middle": 0.5, "end": 1}[look.get("text-anchor")] * wide
                assert left >= -1, (metric, kind, node.text)
                assert left + wide <= width + 1, (metric, kind, node.text)
                assert 0 < float(look["y"]) < height


def test_every_word_in_a_drawing_can_be_translated():
    """What is no number and no name has come from the texts of the language."""
    asked = []

    def t(text, **values):
        asked.append(text)
        return f"⟦{text.format(**values)}⟧"

    for metric in ("kl/old/k2", "policy/clip_fraction", "reward/zero_std_fraction", "entropy/policy", "loss/total"):
        for kind, svg in all_pictures(metric, t):
            for text in texts_of(svg):
                assert "⟦" in text or not re.search(r"[A-Za-z]{3}", text), (metric, kind, text)
    assert "average" in asked


def test_all_drawings_together_take_little_time():
    """Less than three seconds of one processor for every picture of the site."""
    before = time.process_time()
    drawn = sum(len(all_pictures(metric)) for metric in METRICS)
    assert drawn >= 54
    assert time.process_time() - before < 3
