"""Which compute functions the spec asks for, with everything that the emitters need to know about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from ..findings import SpecFinding
from ..formula import Compiled, FormulaError, Slot
from ..lint.compiled_formulas import FormulaProgram
from ..model import FormulaVariant, Input, Metric, Parameter
from ..output.prose import function_name, registry_key
from ..spec import Spec

__all__ = ["ComputeFunction", "resolve"]


@dataclass(frozen=True)
class ComputeFunction:
    """A compute function: a metric that has one, or a variant of it.

    Attributes:
        key: The metric's id, followed by ``@variant`` for a variant.
        name: The function's name.
        metric_id: The metric that it computes.
        metric: That metric.
        variant: The variant's name, or None.
        brief: What it computes.
        inputs: The tensors it takes, in order.
        parameters: Its keyword arguments.
        let: Named sub-expressions of the formula.
        formula: The expression, or None where ``impl`` names hand-written code.
        impl: ``module:function`` of hand-written code, or None.
        reference: ``module:function`` that hand-written code is compared with, or None.
        population: The population's name in the signature vocabulary, or None.
        atom: What must not be cut when data is split.
        empty: The value over an empty population.
        compiled: The compiled formula, or None where ``impl`` stands in.
    """

    key: str
    name: str
    metric_id: str
    metric: Metric
    variant: str | None
    brief: str
    inputs: Mapping[str, Input]
    parameters: Mapping[str, Parameter]
    let: Mapping[str, str]
    formula: str | None
    impl: str | None
    reference: str | None
    population: str | None
    atom: Literal["token", "sequence", "group", "batch"]
    empty: Literal["nan", "omit", 0]
    compiled: Compiled | None

    @property
    def slots(self) -> tuple[Slot, ...]:
        """What the state of a formula keeps; nothing for hand-written code, which has that of a mean."""
        return () if self.compiled is None else self.compiled.slots

    @property
    def mean_over(self) -> Literal["groups", "batches"] | None:
        """Over what hand-written code gives a mean, which makes its state; None for a formula, which has its own."""
        if self.compiled is not None:
            return None
        return "groups" if self.atom == "group" else "batches"

    @property
    def ignores_padding(self) -> bool:
        """Whether tokens outside the mask cannot change the result."""
        texts = (self.formula or "", *self.let.values())
        return "mask" in self.inputs and not any("everything" in text for text in texts)


def resolve(
    spec: Spec, programs: Iterable[FormulaProgram]
) -> tuple[dict[str, list[ComputeFunction]], list[SpecFinding]]:
    """Work out every compute function.

    Args:
        spec: A spec without errors.
        programs: Its compiled formulas.

    Returns:
        The functions of each family in the order of its file, and what is wrong with their names.
    """
    compiled = {program.name: program.compiled for program in programs}
    named: dict[str, str] = {}
    families: dict[str, list[ComputeFunction]] = {}
    findings = []
    for family, described in spec.families.items():
        families[family] = []
        for metric_id, metric in described.metrics.items():
            for variant in (None, *metric.variants):
                function = _function(spec, metric_id, metric, variant, compiled)
                if function is None:
                    continue
                families[family].append(function)
                other = named.setdefault(function.name, function.key)
                if other != function.key:
                    findings.append(
                        SpecFinding(
                            "function-name",
                            "error",
                            spec.locate_metric(metric_id),
                            f"{function.key} and {other} would both have the function {function.name}",
                            "rename one of the two",
                        )
                    )
    return families, findings


def _function(
    spec: Spec, metric_id: str, metric: Metric, name: str | None, programs: Mapping[str, Compiled | FormulaError]
) -> ComputeFunction | None:
    """Return the function of a metric (``name`` is None) or of one of its variants, if there is one."""
    key = registry_key(metric_id, name)
    variant = FormulaVariant(brief=metric.brief) if name is None else metric.variants[name]
    formula = variant.formula or (None if variant.impl else metric.formula)
    impl = variant.impl or (None if formula else metric.impl)
    if formula is None and impl is None:
        return None
    inputs = metric.inputs if variant.inputs is None else variant.inputs
    parameters = metric.parameters if variant.parameters is None else variant.parameters
    let = metric.let if variant.let is None else variant.let
    empty = metric.empty if variant.empty is None else variant.empty
    compiled = programs.get(key) if formula is not None else None
    if isinstance(compiled, FormulaError) or (formula is not None and compiled is None):
        # Someone allowed the finding that says so.
        return None
    if compiled is not None:
        inputs = list(compiled.inputs)
        parameters = {used: parameters[used] for used in compiled.parameters}
        let = {step: " ".join(text.split()) for step, text in let.items()}
    return ComputeFunction(
        key=key,
        name=function_name(metric_id, name),
        metric_id=metric_id,
        metric=metric,
        variant=name,
        brief=variant.brief,
        inputs={word: spec.inputs[word] for word in inputs},
        parameters=parameters,
        let=let,
        formula=None if formula is None else " ".join(formula.split()),
        impl=impl,
        reference=variant.reference or metric.reference,
        population=variant.population or metric.population,
        atom=variant.atom or metric.atom or "batch",
        empty="nan" if empty is None else empty,
        compiled=compiled,
    )
