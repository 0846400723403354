"""The compute functions: one module for each family, the input vocabulary, and the lazy package around them."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rlmetrics.state.bounds import WHOLE
from rlmetrics.wording.step_numbers import TEN_NUMBERS

from ..formula import Slot
from ..formula.padding import looks_at_padding
from ..model import Parameter
from ..output import layout
from ..output.prose import header, module_name, wrap
from ..output.store import Output
from ..spec import Spec
from ..tables.health_table import all_rules, metrics_of_rule
from .docstring import docstring
from .functions import ComputeFunction
from .metric_code import private_result, shared_result, state_body
from .paper_examples import example_lines, read_examples
from .reference_pages import MetricKey
from .templating import template

FOLDER = "generated/rlmetrics/functional"

Examples = Mapping[str, Sequence[str]]
"""The lines of an example for each function that has one."""

_encode = json.JSONEncoder(ensure_ascii=False).encode

AXES = {
    "token": ("B", "T"),
    "vocab": ("B", "T", "V"),
    "sequence": ("B",),
    "group": ("G",),
    "batch": ("N",),
    "scalar": (),
}
"""The axes of an input of each domain."""


@dataclass(frozen=True)
class _View:
    """A function as the template shows it: laid-out source."""

    result: str
    """The function that computes the result from a state, where no other metric has the same."""
    decorator: str
    signature: str
    docstring: str
    body: str


def emit(
    spec: Spec, functions: Mapping[str, Sequence[ComputeFunction]], logged: Iterable[MetricKey]
) -> Iterator[Output]:
    """Yield the package ``rlmetrics.functional``.

    Args:
        spec: The spec.
        functions: All functions by family.
        logged: What every component logs, which decides what the package shows first.
    """
    filled = {family: members for family, members in functions.items() if members}
    examples = _examples(spec, filled)
    for family, members in filled.items():
        yield _family(spec, family, members, examples)
        yield _facts(family, members)
    vocabulary = [
        layout.tuple_of(
            [layout.tuple_of(map(layout.quote, AXES[word.domain])), layout.quote(word.dtype)], f"{layout.quote(name)}: "
        )
        for name, word in spec.inputs.items()
    ]
    inputs = layout.source(layout.dict_of(vocabulary, "INPUTS: Final[dict[str, tuple[tuple[str, ...], Dtype]]] = "))
    yield _output("_inputs.py", "spec/inputs.yaml", {"inputs": inputs})
    yield from _package(spec, filled, _first(spec, filled, logged))


def _examples(spec: Spec, families: Mapping[str, Sequence[ComputeFunction]]) -> dict[str, list[str]]:
    known = read_examples(spec.root.parent)
    functions = [function for members in families.values() for function in members]
    formulas = {function.key: (function.formula or "", function.let) for function in functions}
    return {function.key: example_lines(function, known, formulas) for function in functions} if known else {}


def _package(
    spec: Spec, families: Mapping[str, Sequence[ComputeFunction]], first: Mapping[str, Sequence[ComputeFunction]]
) -> Iterator[Output]:
    metrics = [layout.quote(function.key) for members in families.values() for function in members]
    shown = [layout.quote(function.name) for found in first.values() for function in found]
    names = sorted(function.name for members in families.values() for function in members)
    exported = ["REGISTRY", *sorted(["as_logged", *names])]
    public = layout.source(layout.list_of([*map(layout.quote, exported)], "__all__ = "))
    imports = [
        layout.source(layout.import_of(f".{module_name(family)}", sorted(function.name for function in members)))
        for family, members in sorted(families.items())
    ]
    source = "spec/metrics"
    topics = [
        line
        for topic, found in first.items()
        for line in wrap(f"- {topic}: {', '.join(function.name for function in found)}", 0, 2)
    ]
    plain = {
        function.metric_id: function.name for found in families.values() for function in found if not function.variant
    }
    ten = [
        line
        for number in TEN_NUMBERS
        if (known := [plain[metric] for metric in number.metrics if metric in plain])
        for line in wrap(f"- {number.title}: {', '.join(known)}", 0, 2)
    ]
    yield _output("__init__.py", source, {"topics": topics, "ten": ten})
    yield _output("__init__.pyi", source, {"imports": imports, "public": public})
    renamed = [
        f"{layout.quote(rename.from_ + variant)}: {layout.quote(rename.to + variant)}"
        for rename in spec.info.renamed
        for members in families.values()
        for function in members
        if function.metric_id == rename.to
        for variant in [function.key.removeprefix(rename.to)]
    ]
    context = {
        "metrics": layout.source(layout.tuple_of(metrics, "_METRICS: Final[tuple[str, ...]] = ")),
        "first": layout.source(layout.tuple_of(shown, "FIRST: Final[tuple[str, ...]] = ")),
    }
    yield _output("_index.py", source, context)
    text = layout.source(layout.dict_of(renamed, "_RENAMED: Final[dict[str, str]] = ")) if renamed else ""
    index = "{metric: module_of(metric) for metric in METRIC_OF.values()}"
    call = layout.call(
        "REGISTRY: Final = Registry", [layout.quote("rlmetrics.functional"), index, *(["_RENAMED"] if renamed else [])]
    )
    yield _output("_registry.py", source, {"renamed": text, "registry": layout.source(call)})


def _first(
    spec: Spec, families: Mapping[str, Sequence[ComputeFunction]], logged: Iterable[MetricKey]
) -> dict[str, list[ComputeFunction]]:
    """Return by topic the functions of metrics that several trainers log, a rule or a guide watches or a suite takes.

    Args:
        spec: The spec.
        families: All functions by family.
        logged: What every component logs.
    """
    trainers: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for key in logged:
        trainers[key.metric].add((key.framework, key.component))
    wanted = {metric for metric, found in trainers.items() if len(found) > 1}
    wanted.update(metric for metric, described in spec.metrics.items() if described.crucial)
    wanted.update(metric for rule in all_rules(spec) for metric in metrics_of_rule(rule, spec.metrics))
    wanted.update(name.partition("@")[0] for suite in spec.suites.values() for name in suite.metrics)
    by_topic = {
        spec.families[family].title: [one for one in members if one.variant is None and one.metric_id in wanted]
        for family, members in families.items()
    }
    return {topic: found for topic, found in sorted(by_topic.items()) if found}


def _output(name: str, source: str, context: Mapping[str, object]) -> Output:
    text = template(f"functional_{name.strip('_').replace('__', '')}.j2").render(source=source, **context)
    return Output(f"{FOLDER}/{name}", text, source)


def _family(spec: Spec, family: str, functions: Sequence[ComputeFunction], examples: Examples) -> Output:
    results: dict[str, str] = {}
    views = [_view(spec, function, examples, results) for function in functions]
    code = "\n".join(f"{view.result}\n{view.decorator}\n{view.body}" for view in views)
    described = spec.families[family]
    public = sorted(function.name for function in functions)
    source = f"spec/metrics/{family}.yaml"
    text = template("functional_family.py.j2").render(
        source=source,
        title=described.title,
        description=described.description,
        torch="torch." in code,
        modules=[name for name in ("keep", "ops", "results") if f"{name}." in code],
        pack="pack(" in code,
        impls=_imports_of_impls(functions),
        public=layout.source(layout.list_of([layout.quote("METRICS"), *map(layout.quote, public)], "__all__ = ")),
        functions=views,
    )
    return Output(f"{FOLDER}/{module_name(family)}.py", text, source)


def _view(spec: Spec, function: ComputeFunction, examples: Examples, results: dict[str, str]) -> _View:
    """Show a function.

    Args:
        spec: The spec.
        function: The function.
        examples: The lines of an example for each function that has one.
        results: The names of functions from states to results by what they do; new ones are added.
    """
    compiled = function.compiled
    parameters = [_parameter(name, parameter) for name, parameter in function.parameters.items()]
    result = ""
    if compiled is None:
        handed = [*function.inputs, *(f"{name}={name}" for name in function.parameters)]
        body = layout.source(layout.call(f"return {_alias(function)}", handed), 4)
        decorator = layout.call(f"@METRICS.mean_over_{function.mean_over}", [layout.quote(function.key)])
    else:
        body = state_body(compiled, function.let)
        needed: list[str] = []
        named = shared_result(compiled)
        if named is None:
            text = private_result(compiled)
            needed = [name for name in function.parameters if re.search(rf"\b{name}\b", text)]
            numbers = [_parameter(name, function.parameters[name], default=False) for name in needed]
            named = results.get(f"{numbers}{text}")
            if named is None:
                named = results[f"{numbers}{text}"] = f"_{function.name}_result"
                result = f"{_signature(named, ['state: Tensor'], numbers)}\n{text}\n\n\n"
        decorator = layout.call(
            "@METRICS.metric", [layout.quote(function.key), named, *(layout.quote(name) for name in needed)]
        )
    return _View(
        result=result,
        decorator=layout.source(decorator),
        signature=_signature(function.name, [f"{name}: Tensor" for name in function.inputs], parameters),
        docstring=docstring(spec, function, examples.get(function.key, ())),
        body=body,
    )


def _imports_of_impls(functions: Sequence[ComputeFunction]) -> list[str]:
    """Return the import of each hand-written function, in the order of the import sorter."""
    named = [
        (*function.impl.split(":"), _alias(function))
        for function in functions
        if function.compiled is None and function.impl
    ]
    return [f"from {module} import {name} as {alias}" for module, name, alias in sorted(named)]


def _alias(function: ComputeFunction) -> str:
    """Return what a hand-written function is called in the module, where a generated one may have its name."""
    return f"_{function.name}_impl"


def _signature(name: str, tensors: Sequence[str], parameters: Sequence[str]) -> str:
    starred = ["*", *parameters] if parameters else []
    return layout.source(layout.call(f"def {name}", [*tensors, *starred]), tail=" -> Tensor:")


def _parameter(name: str, parameter: Parameter, *, default: bool = True) -> str:
    kind = "bool" if isinstance(parameter.default, bool) else "int" if name in WHOLE else "float"
    if parameter.default is None or not default:
        return f"{name}: {kind}"
    return f"{name}: {kind} = {parameter.default!r}"


def _facts(family: str, functions: Sequence[ComputeFunction]) -> Output:
    """Return what is known about the functions of a family beside their code, a line for each."""
    source = f"spec/metrics/{family}.yaml"
    lines = (f" {_encode(function.key)}: {_encode(_facts_of(function))}" for function in functions)
    text = f' "$comment": {_encode(header(source))},\n' + ",\n".join(lines)
    return Output(f"{FOLDER}/facts/{module_name(family)}.json", f"{{\n{text}\n}}\n", source)


def _facts_of(function: ComputeFunction) -> dict[str, object]:
    metric = function.metric
    facts: dict[str, object] = {
        "brief": " ".join(function.brief.split()),
        "unit": metric.unit,
        "kind": metric.kind,
        "atom": function.atom,
        "empty": function.empty,
    }
    optional: dict[str, object] = {
        "formula": function.formula,
        "let": function.let,
        "nan": metric.nan if metric.nan != "propagate" else None,
        "own_reference": function.reference,
        "over_padding": function.compiled is not None and looks_at_padding(function.compiled.root),
        "parameters": {name: one.default for name, one in function.parameters.items()},
        "slots": [_slot(slot) for slot in function.slots],
    }
    return {**facts, **{name: value for name, value in optional.items() if value}}


def _slot(slot: Slot) -> list[object]:
    return [slot.name, slot.kind, *([slot.bins, slot.low, slot.high] if slot.kind == "bins" else [])]


def slot_entry(slot: Slot) -> str:
    """Return the expression that makes a slot."""
    bins = f", bins={slot.bins}, low={slot.low!r}, high={slot.high!r}" if slot.kind == "bins" else ""
    return f"Slot({layout.quote(slot.name)}, {layout.quote(slot.kind)}{bins})"
