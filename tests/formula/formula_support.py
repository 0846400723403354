"""What the tests of the formula language share: inputs, running generated source, random data."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
from rlmetrics.codegen.formula import Compiled, Fused, compile_formula
from rlmetrics.codegen.model import Input, Parameter
from rlmetrics.oracle import evaluate
from rlmetrics.state import host, ops, parts, slots
from rlmetrics.state.packing import Packing
from rlmetrics.state.slot_layout import Layout, width
from torch import Tensor

INPUTS: dict[str, Input] = {
    name: Input(domain=domain, dtype=dtype, brief=name)  # type: ignore[arg-type]
    for name, domain, dtype in [
        ("logprobs", "token", "float"),
        ("old_logprobs", "token", "float"),
        ("advantages", "token", "float"),
        ("mask", "token", "bool"),
        ("special", "token", "bool"),
        ("tokens", "token", "int"),
        ("logits", "vocab", "float"),
        ("ref_logits", "vocab", "float"),
        ("scores", "sequence", "float"),
        ("lengths", "sequence", "int"),
        ("terminated", "sequence", "bool"),
        ("group_ids", "sequence", "int"),
        ("difficulty", "group", "float"),
        ("times", "batch", "float"),
        ("coefficient", "scalar", "float"),
    ]
}

PARAMETERS: dict[str, Parameter] = {
    "clip": Parameter(default=0.2, brief="clip"),
    "limit": Parameter(default=3, brief="limit"),
    "flag": Parameter(default=True, brief="flag"),
}

DEFAULTS: dict[str, Any] = {name: parameter.default for name, parameter in PARAMETERS.items()}

Tensors = dict[str, Tensor]


def compiled(formula: str, let: Mapping[str, str] | None = None, **more: Any) -> Compiled:
    """Compile over all inputs and parameters of these tests."""
    more.setdefault("inputs", INPUTS)
    return compile_formula(formula, let=let, parameters=PARAMETERS, **more)


def define(signature: str, lines: list[str]) -> Callable[..., Any]:
    """Execute a generated function body."""
    body = "\n".join(f"    {line}" for line in lines)
    names: dict[str, Any] = {"torch": torch, "ops": ops, "parts": parts, "host": host, "math": math}
    exec(f"def generated({signature}):\n{body}\n", names)
    function: Callable[..., Any] = names["generated"]
    return function


def metric_function(formula: Compiled) -> Callable[..., Tensor]:
    """Return the function that computes the metric at once."""
    keywords = [f"{name}={DEFAULTS[name]!r}" for name in formula.parameters]
    signature = ", ".join([*formula.inputs, *(["*", *keywords] if keywords else [])])
    return define(signature, [*formula.update_source, *formula.finalize_source])


def update_function(formula: Compiled | Fused) -> Callable[..., Tensor]:
    """Return the function from tensors to one packed state."""
    values = "".join(f"{slot.name}, " for slot in formula.slots)
    signature = ", ".join([*formula.inputs, *(f"{name}={value!r}" for name, value in DEFAULTS.items())])
    fill = define(signature, [*formula.update_source, f"return ({values})"])
    if isinstance(formula, Compiled):
        return lambda *args, **kwargs: slots.pack(fill(*args, **kwargs))
    packing, like = Packing(formula.slots), formula.like
    return lambda **tensors: packing.pack(fill(**tensors), tensors[like])


def fused_results(formula: Fused, state: Tensor) -> dict[str, float]:
    """Return the results of the packed state of fused formulas."""
    numbers = state.tolist()
    values = [numbers[place.start] if width(slot) == 1 else numbers[place] for slot, place in Layout(formula.slots)]
    signature = ", ".join([*(slot.name for slot in formula.slots), *(f"{n}={v!r}" for n, v in DEFAULTS.items())])
    results: dict[str, float] = define(signature, list(formula.results_source))(*values)
    return results


def finalize(formula: Compiled, state: Tensor) -> Tensor:
    """Return the result of a packed state."""
    signature = ", ".join([*(slot.name for slot in formula.slots), *(f"{n}={v!r}" for n, v in DEFAULTS.items())])
    result: Tensor = define(signature, list(formula.finalize_source))(*slots.unpack(formula.slots, state))
    return result


def make(seed: int, batch: int = 4, width: int = 5, vocab: int = 3, density: float = 0.7) -> Tensors:
    """Return random float64 inputs with a ragged mask and rounded values, so that ties happen."""
    generator = torch.Generator().manual_seed(seed)

    def numbers(*shape: int) -> Tensor:
        return ((torch.rand(shape, generator=generator, dtype=torch.float64) * 4 - 2) * 8).round() / 8

    group_ids = torch.randint(0, 3, (batch,), generator=generator) * 7
    return {
        "logprobs": numbers(batch, width),
        "old_logprobs": numbers(batch, width),
        "advantages": numbers(batch, width),
        "mask": torch.rand(batch, width, generator=generator) < density,
        "special": torch.rand(batch, width, generator=generator) < 0.5,
        "tokens": torch.randint(0, vocab, (batch, width), generator=generator),
        "logits": numbers(batch, width, vocab),
        "ref_logits": numbers(batch, width, vocab),
        "scores": numbers(batch),
        "lengths": torch.randint(0, 6, (batch,), generator=generator),
        "terminated": torch.rand(batch, generator=generator) < 0.5,
        "group_ids": group_ids,
        "difficulty": numbers(len(set(group_ids.tolist()))),
        "times": numbers(3),
        "coefficient": numbers(),
    }


def used(formula: Compiled | Fused, tensors: Tensors) -> Tensors:
    """Return the tensors a formula takes."""
    return {name: tensors[name] for name in formula.inputs}


def run(formula: Compiled, tensors: Tensors, **parameters: Any) -> Tensor:
    """Compute a metric at once."""
    return metric_function(formula)(**used(formula, tensors), **parameters)


def expected(
    formula: str,
    tensors: Tensors,
    let: Mapping[str, str] | None = None,
    parameters: Mapping[str, Any] = DEFAULTS,
    **more: Any,
) -> Any:
    """Return what the reference says."""
    lists = {name: tensor.tolist() for name, tensor in tensors.items()}
    return evaluate(formula, let or {}, lists, parameters, **more)


def flat(result: Any) -> list[float]:
    """Return a reference result as the list that the compiled function gives."""
    if isinstance(result, dict):
        return [*result["counts"], result["min"], result["max"]]
    return [float(result)]


def assert_same(reference: Any, actual: Tensor, message: str = "", tolerance: float = 1e-9) -> None:
    """Check that a compiled result is what the reference says."""
    wanted = torch.tensor(flat(reference), dtype=torch.float64)
    torch.testing.assert_close(
        actual.detach().double().reshape(-1),
        wanted,
        rtol=tolerance,
        atol=tolerance,
        equal_nan=True,
        msg=lambda text: f"{message}\n{text}",
    )
