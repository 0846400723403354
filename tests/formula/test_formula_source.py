"""Generated source reads as if written by hand, and a formatter would not touch it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from formula.formula_support import (
    DEFAULTS,
    assert_same,
    compiled,
    define,
    expected,
    fused_results,
    make,
    run,
    update_function,
    used,
)
from formula.test_formula_values import FORMULAS, LET
from rlmetrics.codegen.formula import fuse
from rlmetrics.state.packing import Packing

CLIP = {
    "ratio": "exp(logprobs - old_logprobs)",
    "plain": "-advantages * ratio",
    "clipped": "-advantages * clamp(ratio, 1 - clip, 1 + clip)",
}


def test_source_of_a_clipped_loss() -> None:
    """``let`` names become variables, shared parts are computed once, padding is stopped before products and powers."""
    source = compiled("mean(maximum(plain, clipped))", CLIP, empty="nan")
    assert source.update_source == (
        "ops.same_shape(2, mask=mask, logprobs=logprobs, old_logprobs=old_logprobs, advantages=advantages)",
        "mask = mask.bool()",
        "logprobs = ops.as_float(logprobs)",
        "old_logprobs = ops.as_float(old_logprobs)",
        "advantages = ops.as_float(advantages)",
        "negative_advantages = ops.masked(-advantages, mask)",
        "ratio = torch.exp(ops.masked(logprobs - old_logprobs, mask))",
        "plain = negative_advantages * ratio",
        "clipped = negative_advantages * torch.clamp(ratio, 1 - clip, 1 + clip)",
        "greater_sum = ops.total(torch.maximum(plain, clipped), mask)",
        "token_count = ops.count(mask)",
    )
    assert source.finalize_source == ("return greater_sum / token_count",)
    assert source.inputs == ("logprobs", "old_logprobs", "advantages", "mask")
    assert source.parameters == ("clip",)
    assert source.empty_test == "token_count == 0"


def test_source_over_the_vocabulary() -> None:
    """What is computed per vocabulary entry becomes a function of rows that runs chunk by chunk."""
    source = compiled("mean(entropy(logits / limit))")
    assert source.update_source == (
        "ops.same_shape(3, logits=logits)",
        "ops.same_shape(2, mask=mask)",
        "ops.same_rows(logits=logits, mask=mask)",
        "mask = mask.bool()",
        "",
        "def entropy_rows(logits: torch.Tensor) -> torch.Tensor:",
        "    return ops.row_entropy(logits / limit)",
        "",
        "entropy_sum = ops.total(ops.in_chunks(entropy_rows, logits, mask=mask), mask)",
        "token_count = ops.count(mask)",
    )


def test_named_parts_over_the_vocabulary_stay_in_their_chunks() -> None:
    """What ``let`` names over the vocabulary is computed row by row only, and what a row gives has no second name."""
    found = compiled(
        "mean(loss)",
        let={
            "difference": "log_softmax(ref_logits) - log_softmax(logits)",
            "loss": "sum_vocab(softmax(logits) * difference)",
        },
    )
    assert not [line for line in found.update_source if line.startswith(("difference =", "loss = ops.sum_vocab"))]
    assert "    difference = torch.log_softmax(ref_logits, -1) - torch.log_softmax(logits, -1)" in found.update_source
    assert "    return (torch.softmax(logits, -1) * difference).sum(-1)" in found.update_source


@pytest.mark.parametrize(
    "name", ["id", "len", "torch", "ops", "l", "token_count", "entropy_rows", "ratio_sum", "type", "match"]
)
def test_names_never_collide(name: str) -> None:
    """A ``let`` name that Python, the generated code or a slot also uses gets out of the way."""
    let = {name: "logprobs * advantages", "ratio": f"exp({name}) + {name} + entropy(logits * 2)"}
    tensors = make(0)
    formula = "mean(ratio) + sum(ratio)"
    assert_same(expected(formula, tensors, let), run(compiled(formula, let), tensors))


@pytest.mark.parametrize(
    "formula",
    [
        "mean(logprobs - (old_logprobs - advantages))",
        "mean(logprobs / (old_logprobs / advantages))",
        "mean(-(logprobs + 1) * 2)",
        "mean(-logprobs ** 2)",
        "mean((-logprobs) ** 2)",
        "mean(~(logprobs > 0) & mask | special)",
        "mean(~((logprobs > 0) & (mask | special)))",
        "mean((logprobs > 0) == (advantages > 0))",
        "mean(2 ** -1 * logprobs - -advantages)",
        "mean(where((logprobs > 0) & flag, 1, 0) * (1 - clip))",
    ],
)
def test_brackets(formula: str) -> None:
    """Brackets are written where the tree needs them."""
    for seed in range(3):
        tensors = make(seed)
        assert_same(expected(formula, tensors), run(compiled(formula), tensors), formula)


def functions() -> str:
    """Return a module with a function for every formula of the tests."""
    parts = ["import torch\n\nfrom rlmetrics.state import ops\n"]
    for number, formula in enumerate(FORMULAS):
        source = compiled(formula, LET, empty=0)
        keywords = [f"{name}={value!r}" for name, value in DEFAULTS.items() if name in source.parameters]
        signature = ", ".join([*source.inputs, *(["*", *keywords] if keywords else [])])
        lines = [f"    {line}" if line else "" for line in (*source.update_source, *source.finalize_source)]
        parts.append("\n".join(["", f"def metric_{number}({signature}):", *lines, ""]))
    return "\n".join(parts)


@pytest.mark.parametrize("command", [["format", "--check", "--diff"], ["check"]])
def test_source_is_formatted(command: list[str]) -> None:
    """The formatter changes nothing in the generated functions, and the linter has nothing to say."""
    options = ["--line-length=120", "--isolated", "--no-cache", "--stdin-filename=generated.py", "-"]
    # A slot that is returned as it is: the generator of modules writes that in one line, and its files are checked.
    rules = [] if command[0] == "format" else ["--select=A,B,C4,E,F,N,PIE,RET,RUF,SIM,UP,W", "--ignore=RET504"]
    arguments = [sys.executable, "-m", "ruff", *command, *rules, *options]
    done = subprocess.run(arguments, input=functions(), text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout


def test_fused_formulas_share_work_and_slots() -> None:
    """Fused, formulas compute shared parts once, keep equal slots once, and give the results they give alone."""
    formulas = {
        "loss": compiled("mean(maximum(plain, clipped))", CLIP, empty=0),
        "fraction": compiled("mean(clipped > plain)", CLIP),
        "ratio": compiled("mean(ratio)", CLIP, empty="omit"),
        "spread": compiled("std(ratio)", CLIP),
    }
    whole = fuse(formulas)
    text = "\n".join(whole.update_source)
    assert text.count("torch.exp(") == 1
    assert text.count("torch.clamp(") == 1
    assert sorted(slot.kind for slot in whole.slots) == ["count", "count", "moments", "sum"]
    tensors = make(1)
    results = fused_results(whole, update_function(whole)(**used(whole, tensors)))
    assert list(formulas) == list(results)
    for name, formula in formulas.items():
        assert results[name] == pytest.approx(run(formula, tensors).item(), rel=1e-12)


def test_fused_formulas_skip_what_has_no_inputs() -> None:
    """A formula is over the updates that gave all its inputs; without any it has no result."""
    formulas = {
        "always": compiled("mean(logprobs)"),
        "one": compiled("mean(logprobs - old_logprobs)"),
        "other": compiled("max(scores)"),
        "both": compiled("mean(seq_sum(old_logprobs) * scores)"),
    }
    whole = fuse(formulas, optional={"old_logprobs", "scores"})
    lacking = {**used(whole, make(1)), "scores": None}

    results = fused_results(whole, update_function(whole)(**lacking))

    assert results.keys() == {"always", "one"}
    assert [block.inputs for block in whole.blocks] == [(), ("old_logprobs",), ("scores",), ("old_logprobs", "scores")]
    assert run(formulas["one"], make(1)).item() == results["one"]


def test_fused_parameters_can_be_told_apart() -> None:
    """Two formulas with a parameter of one name get two values."""
    formulas = {"near": compiled("mean(logprobs > clip)"), "far": compiled("mean(logprobs > clip)")}
    whole = fuse(formulas, {"far": {"clip": "far_clip"}})
    names = ", ".join(slot.name for slot in whole.slots)
    fill = define("logprobs, mask, clip, far_clip", [*whole.update_source, f"return [{names}]"])
    tensors = make(1)
    state = Packing(whole.slots).pack(fill(tensors["logprobs"], tensors["mask"], -9.0, 9.0), tensors["mask"])
    places = [place for place, slot in enumerate(whole.slots) if not slot.name.endswith("token_count")]
    assert state[places].tolist() == [tensors["mask"].sum().item(), 0]
