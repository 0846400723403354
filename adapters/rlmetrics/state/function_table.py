"""The metrics of a generated module: what makes each function of the code that its formula became.

That code takes the inputs of one batch, floats in float32 or better and conditions as bool, and returns the packed
state of it. Around it stand the checks and conversions of the inputs, and what computes the result from a state.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import torch
from torch import Tensor

from . import means
from ._inputs import as_float
from .bounds import check_parameters
from .input_checks import Dtype, Vocabulary, check_inputs
from .registry import MetricFunction
from .slot_layout import Slot

__all__ = ["FunctionTable"]

_CONVERSIONS: Final[Mapping[Dtype, Callable[[Tensor], Tensor]]] = {
    "float": as_float,
    "bool": Tensor.bool,
    "int": lambda x: x,
}
"""What brings an input of a kind of dtype into the dtype to compute in."""

_Code = TypeVar("_Code", bound=Callable[..., Tensor])


class FunctionTable(dict[str, MetricFunction]):
    """What is known about each function of a module, by the metric's id; decorators fill it."""

    def __init__(self, module: str, vocabulary: Vocabulary) -> None:
        """Read the facts of a module.

        Args:
            module: The path of the module; its facts are in ``facts`` beside it.
            vocabulary: Axes and dtype of each input.
        """
        super().__init__()
        path = Path(module)
        self._facts: Mapping[str, Any] = json.loads((path.parent / "facts" / f"{path.stem}.json").read_bytes())
        self._vocabulary = vocabulary

    def metric(self, key: str, result: Callable[..., Tensor], *needed: str) -> Callable[[_Code], _Code]:
        """Make the function of a metric of code that returns the state of its inputs.

        Args:
            key: The metric's id, followed by ``@variant`` for a variant.
            result: Takes a packed state, and the parameters that it needs by name, and returns the result.
            needed: The names of these parameters.
        """

        def decorate(code: _Code) -> _Code:
            update = self._checked(key, code, convert=True)
            defaults = code.__kwdefaults__ or {}

            @wraps(code)
            def function(*args: Tensor, **given: Any) -> Tensor:
                state = update(*args, **given)
                return result(state, **{name: given.get(name, defaults.get(name)) for name in needed})

            self._add(key, code, function, update, result, needed)
            return cast("_Code", function)

        return decorate

    def mean_over_groups(self, key: str) -> Callable[[_Code], _Code]:
        """Make the function of a metric of code that returns its result, the mean over groups, which count alike."""
        return self._mean_over(key, means.over_groups)

    def mean_over_batches(self, key: str) -> Callable[[_Code], _Code]:
        """Make the function of a metric of code that returns its result for one batch; batches count alike."""
        return self._mean_over(key, means.over_batches)

    def _mean_over(
        self, key: str, over: Callable[[Callable[..., Tensor]], Callable[..., Tensor]]
    ) -> Callable[[_Code], _Code]:
        def decorate(code: _Code) -> _Code:
            function = self._checked(key, code, convert=False)
            self._add(key, code, function, over(function), means.finalize, (), means.SLOTS)
            return cast("_Code", function)

        return decorate

    def _checked(self, key: str, code: Callable[..., Tensor], *, convert: bool) -> Callable[..., Tensor]:
        """Return the code with checks of its inputs and parameters before it, and conversions if asked to."""
        names, numbers, defaults = _inputs_of(code), _parameters_of(code), code.__kwdefaults__ or {}
        required, known = {*names, *numbers} - defaults.keys(), {*names, *numbers}
        conversions = {name: _CONVERSIONS[self._vocabulary[name][1]] for name in names if convert}
        # Logits are converted in chunks, where they are read.
        converted = {name: to for name, to in conversions.items() if "V" not in self._vocabulary[name][0]}

        @wraps(code)
        def checked(*args: Tensor, **given: Any) -> Tensor:
            named = {**dict(zip(names, args, strict=False)), **given}
            if not required <= named.keys() <= known or len(args) > len(names):
                return code(*args, **given)  # which says what is missing, unknown or given twice
            check_inputs(self._vocabulary, {name: named[name] for name in names})
            if numbers and not torch.compiler.is_compiling():
                check_parameters(key, {name: named.get(name, defaults.get(name)) for name in numbers})
            return code(**{name: converted[name](x) if name in converted else x for name, x in named.items()})

        return checked

    def _add(
        self,
        key: str,
        code: Callable[..., Tensor],
        function: Callable[..., Tensor],
        update: Callable[..., Tensor],
        finalize: Callable[..., Tensor],
        needed: tuple[str, ...],
        slots: tuple[Slot, ...] = (),
    ) -> None:
        facts = dict(self._facts[key])
        self[key] = MetricFunction(
            id=key,
            inputs=tuple((name, *self._vocabulary[name]) for name in _inputs_of(code)),
            parameters=facts.pop("parameters", {}),
            function=function,
            update=update,
            finalize=finalize,
            finalize_parameters=needed,
            slots=slots or tuple(Slot(*slot) for slot in facts.pop("slots")),
            **facts,
        )


def _inputs_of(code: Callable[..., Tensor]) -> tuple[str, ...]:
    return code.__code__.co_varnames[: code.__code__.co_argcount]


def _parameters_of(code: Callable[..., Tensor]) -> tuple[str, ...]:
    count = code.__code__.co_argcount
    return code.__code__.co_varnames[count : count + code.__code__.co_kwonlyargcount]
