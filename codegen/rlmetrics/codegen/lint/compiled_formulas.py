"""Every formula of the spec, compiled once, with the places of its parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..formula import Compiled, FormulaError, compile_formula

if TYPE_CHECKING:
    from ..loader import YamlPath
    from ..model import FormulaVariant, Metric, Parameter
    from ..spec import Spec

__all__ = ["FormulaProgram", "programs"]


@dataclass(frozen=True)
class FormulaProgram:
    """A formula of a metric or of one of its variants.

    Attributes:
        name: ``metric`` or ``metric@variant``.
        ref: The file.
        path: The metric or the variant.
        formula: The expression.
        formula_path: Where it stands; a variant may take it from its metric.
        let: Named sub-expressions.
        let_path: Where they stand.
        own_let: Whether they stand at ``path`` itself.
        inputs: Declared inputs.
        inputs_path: Where they stand, None if a variant takes them from its metric.
        parameters: Declared parameters.
        parameters_path: Where they stand, None if a variant takes them from its metric.
        atom: The declared atom.
        atom_is_inherited: Whether a variant takes it from its metric.
        kind: The metric's kind.
        compiled: What the compiler made of it.
    """

    name: str
    ref: str
    path: YamlPath
    formula: str
    formula_path: YamlPath
    let: Mapping[str, str]
    let_path: YamlPath
    own_let: bool
    inputs: tuple[str, ...]
    inputs_path: YamlPath | None
    parameters: Mapping[str, Parameter]
    parameters_path: YamlPath | None
    atom: str | None
    atom_is_inherited: bool
    kind: str
    compiled: Compiled | FormulaError

    @property
    def base(self) -> str:
        """The metric."""
        return self.name.partition("@")[0]

    def source_path(self, source: str) -> YamlPath | None:
        """Return where an expression stands that an error names: ``formula`` or an entry of ``let``."""
        if source == "formula":
            return self.formula_path
        return (*self.let_path, source) if source in self.let else None

    def text(self, source: str) -> str:
        """Return an expression by the name that an error gives it."""
        return self.formula if source == "formula" else self.let[source]


class _UnreadError(Exception):
    """A formula refers to a metric that exists but could not be read."""


def programs(spec: Spec) -> Iterator[FormulaProgram]:
    """Yield every formula whose declared inputs exist."""

    def lookup(metric: str) -> tuple[str | None, Mapping[str, str]]:
        if metric not in spec.metrics and spec.is_unread("metrics", metric):
            raise _UnreadError
        inserted = spec.metrics[metric]
        return inserted.formula, inserted.let

    for name, metric in spec.metrics.items():
        for variant_name, variant in [(None, None), *metric.variants.items()]:
            program = _program(spec, name, metric, variant_name, variant, lookup)
            if program is not None:
                yield program


def _program(
    spec: Spec,
    name: str,
    metric: Metric,
    variant_name: str | None,
    variant: FormulaVariant | None,
    lookup: object,
) -> FormulaProgram | None:
    top: YamlPath = ("metrics", name)
    place: YamlPath = top if variant_name is None else (*top, "variants", variant_name)
    if variant is not None and variant.impl is not None:
        return None

    def pick(field: str) -> tuple[object, YamlPath, bool]:
        if variant is not None:
            own = getattr(variant, field)
            if own is not None:
                return own, (*place, field), True
        return getattr(metric, field), (*top, field), variant is None

    formula, formula_path, _ = pick("formula")
    let, let_path, own_let = pick("let")
    inputs, inputs_path, own_inputs = pick("inputs")
    parameters, parameters_path, own_parameters = pick("parameters")
    empty, _, _ = pick("empty")
    atom, _, own_atom = pick("atom")
    assert isinstance(let, Mapping)
    assert isinstance(inputs, list)
    assert isinstance(parameters, Mapping)
    if not isinstance(formula, str) or any(word not in spec.inputs for word in inputs):
        return None
    compiled: Compiled | FormulaError
    try:
        compiled = compile_formula(
            formula,
            let=let,
            inputs={word: spec.inputs[word] for word in inputs},
            parameters=parameters,
            empty=empty,  # type: ignore[arg-type]
            metrics=lookup,  # type: ignore[arg-type]
            nan=metric.nan,
            metric=name,
        )
    except _UnreadError:
        return None
    except FormulaError as error:
        compiled = error
    return FormulaProgram(
        name=name if variant_name is None else f"{name}@{variant_name}",
        ref=f"metrics/{spec.family_of[name]}",
        path=place,
        formula=formula,
        formula_path=formula_path,
        let=let,
        let_path=let_path,
        own_let=own_let,
        inputs=tuple(inputs),
        inputs_path=inputs_path if own_inputs else None,
        parameters=parameters,
        parameters_path=parameters_path if own_parameters else None,
        atom=atom if isinstance(atom, str) else None,
        atom_is_inherited=not own_atom,
        kind=metric.kind,
        compiled=compiled,
    )
