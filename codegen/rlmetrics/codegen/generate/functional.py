"""The compute functions: one module for each family, the input vocabulary, and the lazy package around them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rlmetrics.state.bounds import WHOLE

from ..formula import Compiled, Slot, width
from ..formula.padding import looks_at_padding
from ..model import Parameter
from ..output import layout
from ..output.layout import Node
from ..output.prose import module_name
from ..output.store import Output
from ..spec import Spec
from .docstring import docstring
from .functions import ComputeFunction
from .templating import template

FOLDER = "generated/rlmetrics/functional"

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

    name: str
    signature: str
    docstring: str
    body: str
    update_signature: str
    update_body: str
    finalize_signature: str
    finalize_body: str
    entry: str
    compiled: bool


def emit(spec: Spec, functions: Mapping[str, Sequence[ComputeFunction]]) -> Iterator[Output]:
    """Yield the package ``rlmetrics.functional``."""
    filled = {family: members for family, members in functions.items() if members}
    for family, members in filled.items():
        yield _family(spec, family, members)
    vocabulary = [
        layout.tuple_of(
            [layout.tuple_of(map(layout.quote, AXES[word.domain])), layout.quote(word.dtype)], f"{layout.quote(name)}: "
        )
        for name, word in spec.inputs.items()
    ]
    inputs = layout.source(layout.dict_of(vocabulary, "INPUTS: Final[dict[str, tuple[tuple[str, ...], Dtype]]] = "))
    yield _output("_inputs.py", "spec/inputs.yaml", {"inputs": inputs})
    yield from _package(spec, filled)


def _package(spec: Spec, families: Mapping[str, Sequence[ComputeFunction]]) -> Iterator[Output]:
    index = [
        f"{layout.quote(function.key)}: {layout.quote(module_name(family))}"
        for family, members in families.items()
        for function in members
    ]
    home = [
        f"{layout.quote(function.name)}: {layout.quote(module_name(family))}"
        for family, members in families.items()
        for function in members
    ]
    names = sorted(function.name for members in families.values() for function in members)
    exported = ["REGISTRY", *sorted(["as_logged", *names])]
    public = layout.source(layout.list_of([*map(layout.quote, exported)], "__all__ = "))
    imports = [
        layout.source(layout.import_of(f".{module_name(family)}", sorted(function.name for function in members)))
        for family, members in sorted(families.items())
    ]
    source = "spec/metrics"
    yield _output(
        "__init__.py", source, {"home": layout.source(layout.dict_of(home, "_HOME: Final[dict[str, str]] = "))}
    )
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
        "index": layout.source(layout.dict_of(index, "_INDEX: Final[dict[str, str]] = ")),
        "renamed": layout.source(layout.dict_of(renamed, "_RENAMED: Final[dict[str, str]] = ")) if renamed else "",
    }
    yield _output("_registry.py", source, context)


def _output(name: str, source: str, context: Mapping[str, object]) -> Output:
    text = template(f"functional_{name.strip('_').replace('__', '')}.j2").render(source=source, **context)
    return Output(f"{FOLDER}/{name}", text, source)


def _family(spec: Spec, family: str, functions: Sequence[ComputeFunction]) -> Output:
    views = [_view(spec, function) for function in functions]
    code = "\n".join(f"{view.update_body}\n{view.finalize_body}" for view in views)
    described = spec.families[family]
    public = sorted(function.name for function in functions)
    source = f"spec/metrics/{family}.yaml"
    text = template("functional_family.py.j2").render(
        source=source,
        title=described.title,
        description=described.description,
        torch="torch." in code,
        ops="ops." in code,
        means=any(function.mean_over for function in functions),
        compiled=any(view.compiled for view in views),
        impls=_imports_of_impls(functions),
        public=layout.source(layout.list_of([layout.quote("METRICS"), *map(layout.quote, public)], "__all__ = ")),
        functions=views,
        parameters=any(function.parameters for function in functions),
    )
    return Output(f"{FOLDER}/{module_name(family)}.py", text, source)


def _view(spec: Spec, function: ComputeFunction) -> _View:
    tensors = [f"{name}: Tensor" for name in function.inputs]
    parameters = [_parameter(name, parameter) for name, parameter in function.parameters.items()]
    handed = [f"{name}={name}" for name in function.parameters]
    compiled = function.compiled
    private = f"_{function.name}"
    needed: tuple[str, ...] = ()
    update_signature = update_body = finalize_signature = finalize_body = ""
    if compiled is None:
        body = [*_checks(function), *_returned(layout.call(_alias(function), [*function.inputs, *handed]))]
    else:
        finalize = "\n".join(compiled.finalize_source)
        needed = tuple(name for name in function.parameters if re.search(rf"\b{name}\b", finalize))
        body = layout.lines(layout.call(f"state = {private}_update", [*function.inputs, *handed]), 4)
        body += _returned(layout.call(f"{private}_finalize", ["state", *(f"{name}={name}" for name in needed)]))
        update_signature = _signature(f"{private}_update", tensors, [text.partition(" = ")[0] for text in parameters])
        lines = [
            *_checks(function),
            *(f"    {line}" if line else "" for line in _unchecked(compiled.update_source)),
        ]
        packed = layout.call("    return pack", [layout.list_of(slot.name for slot in compiled.slots)])
        update_body = "\n".join([*lines, layout.source(packed)])
        finalize_signature = _signature(
            f"{private}_finalize",
            ["state: Tensor"],
            [_parameter(name, function.parameters[name], default=False) for name in needed],
        )
        finalize_body = "\n".join(_finalize_lines(compiled))
    return _View(
        name=function.name,
        signature=_signature(function.name, tensors, parameters),
        docstring=docstring(spec, function),
        body="\n".join(body),
        update_signature=update_signature,
        update_body=update_body,
        finalize_signature=finalize_signature,
        finalize_body=finalize_body,
        entry=layout.source(_entry(function, needed), 4, ","),
        compiled=compiled is not None,
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


def _unchecked(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines without the compiler's checks of shapes, which ``check`` makes already, and in other words."""
    return (line for line in lines if not line.startswith(("ops.same_shape(", "ops.same_rows(")))


def _signature(name: str, tensors: Sequence[str], parameters: Sequence[str]) -> str:
    starred = ["*", *parameters] if parameters else []
    return layout.source(layout.call(f"def {name}", [*tensors, *starred]), tail=" -> Tensor:")


def _parameter(name: str, parameter: Parameter, *, default: bool = True) -> str:
    kind = "bool" if isinstance(parameter.default, bool) else "int" if name in WHOLE else "float"
    if parameter.default is None or not default:
        return f"{name}: {kind}"
    return f"{name}: {kind} = {parameter.default!r}"


def _checks(function: ComputeFunction) -> Iterator[str]:
    """Yield the calls that check inputs and parameters."""
    yield layout.source(layout.call("check", [f"{name}={name}" for name in function.inputs]), 4)
    if function.parameters:
        given = [layout.quote(function.key), *(f"{name}={name}" for name in function.parameters)]
        yield layout.source(layout.call("check_numbers", given), 4)


def _returned(call: layout.Bracket) -> list[str]:
    return layout.lines(layout.Bracket(f"return {call.head}", call.items, call.close), 4)


def _finalize_lines(compiled: Compiled) -> Iterator[str]:
    """Yield the body of a finaliser: each slot's name is bound to its part of the packed state, then the result."""
    slots = compiled.slots
    if compiled.finalize_source == (f"return {slots[0].name}",):
        yield "    return state[0]"
        return
    if len(slots) > 1 and all(width(slot) == 1 for slot in slots):
        yield from layout.lines(f"{', '.join(slot.name for slot in slots)} = state.unbind()", 4)
    else:
        start = 0
        for slot in slots:
            stop = start + width(slot)
            # What has no fixed width takes the rest.
            place = f"state[{start}]" if stop == start + 1 else f"state[{start}:{'' if stop == start else stop}]"
            yield f"    {slot.name} = {place}"
            start = stop
    *lines, last = compiled.finalize_source
    result = last.removeprefix("return ")
    if lines and lines[-1].startswith(f"{result} = "):
        lines[-1] = f"return {lines[-1].removeprefix(f'{result} = ')}"
    else:
        lines.append(last)
    yield from (f"    {line}" if line else "" for line in lines)


def _entry(function: ComputeFunction, needed: Sequence[str]) -> Node:
    metric = function.metric
    literal = layout.quote
    items: list[Node] = [
        f"id={literal(function.key)}",
        layout.string(" ".join(function.brief.split()), 8, "brief="),
        f"unit={literal(metric.unit)}",
        f"kind={literal(metric.kind)}",
        f"atom={literal(function.atom)}",
        f"empty={literal(function.empty) if isinstance(function.empty, str) else function.empty}",
        layout.call("inputs=named", map(literal, function.inputs)),
        layout.dict_of(
            (f"{literal(name)}: {one.default!r}" for name, one in function.parameters.items()), "parameters="
        ),
        f"function={function.name}",
    ]
    if function.compiled is not None:
        items += [f"update=_{function.name}_update", f"finalize=_{function.name}_finalize"]
    else:
        items += [f"update=means.over_{function.mean_over}({function.name})", "finalize=means.finalize"]
    if needed:
        items.append(layout.tuple_of(map(literal, needed), "finalize_parameters="))
    if function.formula is not None:
        items.append(layout.string(function.formula, 8, "formula="))
    if function.let:
        items.append(
            layout.dict_of(
                (layout.string(text, 12, f"{literal(name)}: ") for name, text in function.let.items()), "let="
            )
        )
    if metric.nan != "propagate":
        items.append(f"nan={literal(metric.nan)}")
    slots = layout.tuple_of(map(slot_entry, function.slots), "slots=") if function.slots else "slots=means.SLOTS"
    items.append(slots)
    if function.reference is not None:
        items.append(f"own_reference={literal(function.reference)}")
    if function.compiled is not None and looks_at_padding(function.compiled.root):
        items.append("over_padding=True")
    return layout.call(f"{literal(function.key)}: MetricFunction", items)


def slot_entry(slot: Slot) -> str:
    """Return the expression that makes a slot."""
    bins = f", bins={slot.bins}, low={slot.low!r}, high={slot.high!r}" if slot.kind == "bins" else ""
    return f"Slot({layout.quote(slot.name)}, {layout.quote(slot.kind)}{bins})"
