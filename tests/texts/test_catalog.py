"""Sentences that answers put together are found in another language by their parts."""

from __future__ import annotations

import pytest
from rlmetrics.codegen.model import Glossary, Sentences
from rlmetrics.codegen.spec import LanguageTexts

CATALOG = LanguageTexts(
    Glossary(terms={}, names=["verl"]),
    {
        "signatures": Sentences(
            sentences={
                "plain mean": "普通均值",
                "micro-batches": "微批次",
                "epochs": "轮",
                "mini-batches": "小批次",
                "Waiting for all samples; the update is outside.": "等待所有样本；更新在外。",
                "Sending weights. Loading them is outside.": "发送权重。加载在外。",
                "padding is in the mean": "填充计入均值",
                "no response is padded": "没有响应被填充",
                "Divide by it.": "除以它。",
            }
        ),
        "interface": Sentences(sentences={"{count} of {total}": "{total} 个中的 {count} 个"}),
        "answers": Sentences(
            sentences={
                "{operation} over {parts}": "在 {parts} 上取 {operation}",
                "{what} (until {release})": "{what}（到 {release} 为止）",
                "no longer: {what}": "不再是：{what}",
                "{source} logs nothing.": "{source} 什么都不记录。",
                "{value} when {condition}": "在 {condition} 时为 {value}",
                "measures {what}": "测量 {what}",
                "{what}, was {before}": "{what}，以前是 {before}",
                "pooled": "汇总",
                "{first}, {second} and {third}": "{first}、{second} 和 {third}",
                "default of {name} {old} -> {new}": "{name} 的默认值 {old} -> {new}",
                "{parts}: {what} in {framework}, {rest} in {other}": "{parts}：{framework} {what}，{other} {rest}",
            }
        ),
    },
).catalog()


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("padding is in the mean", "填充计入均值"),
        ("Padding is in  the mean.", "填充计入均值。"),
        ("divide by it", "除以它"),
        ("Plain mean over micro-batches.", "在微批次上取普通均值。"),
        ("padding is in the mean (until 0.3.1)", "填充计入均值（到 0.3.1 为止）"),
        ("no longer: plain mean over micro-batches (until 1.0)", "不再是：在微批次上取普通均值（到 1.0 为止）"),
        ("padding is in the mean; plain mean over micro-batches", "填充计入均值；在微批次上取普通均值"),
        ("No response is padded. Divide by it.", "没有响应被填充。除以它。"),
        ("verl 0.9.1 logs nothing.", "verl 0.9.1 什么都不记录。"),
        ("Plain mean over mini-batches, micro-batches and epochs.", "在小批次、微批次和轮上取普通均值。"),
        ("plain mean over epochs, was pooled", "在轮上取普通均值，以前是汇总"),
        ("measures waiting for all samples …", "测量等待所有样本；更新在外"),
        ("Measures sending weights. Loading them is outside.", "测量发送权重。加载在外。"),
        ("default of rollout.mode sync -> async", "rollout.mode 的默认值 sync -> async"),
        ("epochs: plain mean in TRL, micro-batches in verl", "轮：TRL 普通均值，verl 微批次"),
        ("epochs: plain mean in 0.7.0, micro-batches in GRPOTrainer", "轮：0.7.0 普通均值，GRPOTrainer 微批次"),
        ("0 when num_iterations == 1 and beta == null", "在 num_iterations == 1 and beta == null 时为 0"),
    ],
)
def test_parts_are_put_together(english: str, chinese: str) -> None:
    """Case, full stops, rows of sentences and known parts, names, numbers or code in a sentence make no difference."""
    assert chinese == CATALOG[english]


@pytest.mark.parametrize(
    "english",
    [
        "padding is not in the mean",
        "plain mean over sessions",
        "no longer: something that nobody translated",
        "padding is in the mean; something else",
        "measures waiting for nobody …",
        "default of rollout.mode one word -> two words",
        "3 of 4",
        "0 when nothing happens",
    ],
)
def test_what_is_not_known_in_full_is_not_known(english: str) -> None:
    """A sentence of which a part is unknown stays English as a whole; sentences of the interface are no patterns."""
    assert english not in CATALOG
    assert CATALOG.get(english) is None


def test_the_catalog_lists_what_it_was_made_of() -> None:
    """It is a mapping over the sentences of the language."""
    assert len(CATALOG) == 21
    assert "plain mean" in list(CATALOG)
