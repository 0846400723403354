"""The suites: for each file of ``spec/suites`` a class with two fused functions, and the lazy package around them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..formula import Compiled, Fused, FusedBlock, fuse, width
from ..model import Parameter, SuiteFile
from ..output import layout
from ..output.layout import Node
from ..output.prose import sentence, wrap
from ..output.store import Output
from ..spec import Spec
from .docstring import AXES_TEXT, source_text
from .functional import slot_entry
from .functions import ComputeFunction
from .templating import template

FOLDER = "generated/rlmetrics/suites"

_CU_SEQLENS = (
    "Where each response begins in tensors of tokens that stand one after the other, ``[N]`` or ``[1, N]``, and where "
    "the last one ends: int tensor ``[B + 1]`` from 0 to N."
)
_POSITION_IDS = (
    "In place of cu_seqlens the position of each token in its response, int tensor ``[N]`` or ``[R, L]``, where rows "
    "may hold several whole responses."
)
_OF_RESPONSES = (
    "A row of tokens is taken as one response. Packed rows need cu_seqlens or position_ids: without them a row "
    "``[1, N]`` of several responses is refused where more scores, lengths or the like are given than rows, and "
    "nothing else tells it from one response with tools between its tokens, so that {metrics} would be wrong."
)
_OF_TOKENS = (
    "Metrics of tokens here are of single tokens, so a packed row ``[1, N]`` may come as it is; beside inputs with one "
    "value per response it needs cu_seqlens or position_ids."
)
_IDS_RESTART = (
    "ids_restart: Whether group ids start anew in every update, so that equal ids of two updates are two groups; else "
    "they are one group that was cut, which is refused."
)


@dataclass(frozen=True)
class _Suite:
    """A suite with everything that is worked out for it.

    Attributes:
        stem: The file's name.
        file: What it says.
        functions: Its metrics by the names of their results.
    """

    stem: str
    file: SuiteFile
    functions: Mapping[str, ComputeFunction]

    @cached_property
    def fused(self) -> Fused:
        """The formulas, lowered together."""
        compiled: dict[str, Compiled] = {}
        for name, function in self.functions.items():
            assert function.compiled is not None
            compiled[name] = function.compiled
        taken = {word for function in self.functions.values() for word in function.inputs}
        return fuse(compiled, optional=taken)

    @property
    def groups(self) -> bool:
        """Whether some metrics are of groups."""
        return any(function.atom == "group" for function in self.functions.values())

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters with the defaults of this suite."""
        parameters: dict[str, Parameter] = {}
        for function in self.functions.values():
            for name, parameter in function.parameters.items():
                if name in self.file.parameters:
                    parameters[name] = Parameter(default=self.file.parameters[name], brief=parameter.brief)
                else:
                    parameters.setdefault(name, parameter)
        return parameters


def emit(spec: Spec, functions: Mapping[str, Sequence[ComputeFunction]]) -> Iterator[Output]:
    """Yield the package ``rlmetrics.suites``."""
    by_key = {function.key: function for members in functions.values() for function in members}
    suites = [
        _Suite(stem, file, {file.names.get(key, key): by_key[key] for key in file.metrics if key in by_key})
        for stem, file in spec.suites.items()
    ]
    for suite in suites:
        yield _module(spec, suite)
    names = {suite.file.name: suite.stem for suite in suites}
    home = layout.dict_of(
        (f"{layout.quote(name)}: {layout.quote(f'.{stem}')}" for name, stem in names.items()),
        "_HOME: Final[dict[str, str]] = ",
    )
    listed = layout.list_of(map(layout.quote, [*sorted(names), "make_suite"]), "__all__ = ")
    for name in ("__init__.py", "__init__.pyi"):
        text = template(f"suites_{name.replace('__', '')}.j2").render(
            source="spec/suites",
            home=layout.source(home),
            public=layout.source(listed),
            imports=[f"from .{stem} import {name} as {name}" for name, stem in sorted(names.items(), key=_by_stem)],
        )
        yield Output(f"{FOLDER}/{name}", text, "spec/suites")


def _by_stem(item: tuple[str, str]) -> str:
    return item[1]


def _module(spec: Spec, suite: _Suite) -> Output:
    fused = suite.fused
    source = f"spec/suites/{suite.stem}.yaml"
    packed = layout.call("return pack", [layout.list_of(slot.name for slot in fused.slots), _breakable(fused.like)])
    update = f"{_body(fused.update_source)}\n{layout.source(packed, 4)}"
    results = [*_unpacked(fused), *fused.results_source]
    used = _used_in_results(suite)
    marks = {"cu_seqlens": _CU_SEQLENS, "position_ids": _POSITION_IDS} if _has_tokens(spec, fused) else {}
    keywords = [f"{name}: {_kind(parameter)}" for name, parameter in suite.parameters.items()]
    text = template("suites_module.py.j2").render(
        source=source,
        name=suite.file.name,
        brief=suite.file.brief,
        description=suite.file.description,
        slots=layout.source(layout.tuple_of(map(slot_entry, fused.slots), "_SLOTS: Final = ")),
        update_signature=_signature(
            "_update",
            ["pack: Pack", *(f"{name}: Tensor{' | None' if name in fused.optional else ''}" for name in fused.inputs)],
            keywords,
            "Tensor",
        ),
        update_body=update,
        results_signature=_signature(
            "_results",
            ["state: Sequence[float]"],
            [text for text, name in zip(keywords, suite.parameters, strict=True) if name in used],
            "dict[str, float]",
        ),
        results_body=_body(results),
        docstring=_docstring(spec, suite),
        fusion=layout.source(_fusion(spec, suite, used), 4),
        init_signature=layout.source(layout.call("def __init__", ["self", "*", *_keywords(suite)]), 4, " -> None:"),
        init_body=layout.source(
            layout.call(
                "super().__init__",
                [
                    layout.dict_of(f"{layout.quote(name)}: {name}" for name in suite.parameters),
                    "device",
                    *(["ids_restart=ids_restart"] if suite.groups else []),
                ],
            ),
            8,
        ),
        init_docstring="\n".join(_init_docstring(suite)),
        method_signature=layout.source(
            layout.call(
                "def update", ["self", "*", *(f"{name}: Tensor | None = None" for name in (*fused.inputs, *marks))]
            ),
            4,
            " -> Self:",
        ),
        method_docstring="\n".join(_method_docstring(spec, fused, marks)),
        method_body=layout.source(
            layout.call(
                "return self._add",
                [layout.dict_of(f"{layout.quote(name)}: {name}" for name in (*fused.inputs, *marks))],
            ),
            8,
        ),
    )
    return Output(f"{FOLDER}/{suite.stem}.py", text, source)


def _unpacked(fused: Fused) -> Iterator[str]:
    """Yield lines that give every slot's name its numbers; those of width one come first."""
    narrow = [slot.name for slot in fused.slots if width(slot) == 1]
    if len(narrow) == 1:
        yield f"{narrow[0]} = state[0]"
    elif narrow:
        line = f"{', '.join(narrow)} = state[:{len(narrow)}]"
        if len(line) + 4 <= layout.WIDTH:
            yield line
        else:
            yield from ["(", *(f"    {name}," for name in narrow), f") = state[:{len(narrow)}]"]
    start = len(narrow)
    for slot in fused.slots[len(narrow) :]:
        stop = start + width(slot)
        yield f"{slot.name} = state[{start}:{stop}]"
        start = stop


def _used_in_results(suite: _Suite) -> tuple[str, ...]:
    text = "\n".join(suite.fused.results_source)
    return tuple(name for name in suite.parameters if re.search(rf"\b{name}\b", text))


def _signature(name: str, tensors: Sequence[str], keywords: Sequence[str], result: str) -> str:
    starred = ["*", *keywords] if keywords else []
    return layout.source(layout.call(f"def {name}", [*tensors, *starred]), tail=f" -> {result}:")


def _body(lines: Sequence[str]) -> str:
    return "\n".join(text for line in lines for text in _indented(line))


def _indented(line: str) -> list[str]:
    stripped = line.lstrip()
    return layout.lines(_breakable(stripped), 4 + len(line) - len(stripped)) if line else [""]


def _breakable(text: str) -> Node:
    """Return code that may be broken between arguments, if it ends with a call that has no brackets inside."""
    call = re.fullmatch(r"(.*?[\w.]+)\(([^()]+)\)", text)
    return layout.call(call[1], call[2].split(", ")) if call else text


def _kind(parameter: Parameter) -> str:
    return "bool" if isinstance(parameter.default, bool) else "float"


def _keywords(suite: _Suite) -> Iterator[str]:
    for name, parameter in suite.parameters.items():
        default = "" if parameter.default is None else f" = {parameter.default!r}"
        yield f"{name}: {_kind(parameter)}{default}"
    yield "device: torch.device | str | None = None"
    if suite.groups:
        yield "ids_restart: bool = False"


def _fusion(spec: Spec, suite: _Suite, used: Sequence[str]) -> Node:
    fused, literal = suite.fused, layout.quote
    items: list[Node] = [
        layout.tuple_of(map(literal, suite.functions), "metrics="),
        layout.dict_of(
            (
                layout.tuple_of(
                    [layout.tuple_of(map(literal, axes)), literal(spec.inputs[name].dtype)], f"{literal(name)}: "
                )
                for name, axes in fused.inputs.items()
            ),
            "inputs=",
        ),
        layout.tuple_of(map(_block, fused.blocks), "blocks="),
        layout.dict_of(
            (f"{literal(name)}: {parameter.default!r}" for name, parameter in suite.parameters.items()), "parameters="
        ),
        "packing=_PACKING",
        "update=_update",
        "results=_results",
    ]
    if used:
        items.append(layout.tuple_of(map(literal, used), "results_parameters="))
    if fused.histograms:
        pairs = (f"{literal(name)}: {pair!r}".replace("'", '"') for name, pair in fused.histograms.items())
        items.append(layout.dict_of(pairs, "histograms="))
    return layout.call("fusion = Fusion", items)


def _block(block: FusedBlock) -> Node:
    literal = layout.quote
    padding = [literal(block.over_padding)] if block.over_padding else []
    return layout.call("Block", [layout.tuple_of(map(literal, block.inputs)), literal(block.atom), *padding])


def _init_docstring(suite: _Suite) -> Iterator[str]:
    for name, parameter in suite.parameters.items():
        origin = f" Default from {source_text(parameter.source)}." if parameter.source else ""
        yield from wrap(f"{name}: {sentence(parameter.brief)}{origin}", 12, 4)
    yield from wrap("device: Where the state lives; it follows its first update if left out.", 12, 4)
    if suite.groups:
        yield from wrap(_IDS_RESTART, 12, 4)


def _method_docstring(spec: Spec, fused: Fused, marks: Mapping[str, str]) -> Iterator[str]:
    for name in fused.inputs:
        yield from wrap(_input_text(spec, name), 12, 4)
    for name, text in marks.items():
        yield from wrap(f"{name}: {text}", 12, 4)


def _input_text(spec: Spec, name: str) -> str:
    word = spec.inputs[name]
    unit = f" in {word.unit}" if word.unit and word.unit != "1" else ""
    return f"{name}: {word.dtype.capitalize()} tensor ``{AXES_TEXT[word.domain]}``{unit}. {sentence(word.brief)}"


def _has_tokens(spec: Spec, fused: Fused) -> bool:
    return any(spec.inputs[name].domain in ("token", "vocab") for name in fused.inputs)


def _of_rows(spec: Spec, suite: _Suite) -> str:
    """Return what a suite makes of packed rows."""
    of_tokens = [
        name
        for block in suite.fused.blocks
        if any(spec.inputs[word].domain in ("token", "vocab") for word in block.inputs)
        for name in block.metrics
    ]
    whole = [name for name in of_tokens if suite.functions[name].atom != "token"]
    listed = " and ".join(filter(None, [", ".join(whole[:-1]), *whole[-1:]]))
    return _OF_RESPONSES.format(metrics=listed) if whole else _OF_TOKENS


def _docstring(spec: Spec, suite: _Suite) -> str:
    fused = suite.fused
    lines = [
        f'    """{sentence(suite.file.brief)}',
        "",
        *wrap(_of_rows(spec, suite), 4),
        "",
        *wrap(suite.file.description, 4),
        "",
    ]
    lines.append("    Results, with the inputs that each needs in one update:")
    needed = {name: block.inputs for block in fused.blocks for name in block.metrics}
    for name, function in suite.functions.items():
        unit = "" if function.metric.unit == "1" else f" In {function.metric.unit}."
        inputs = ", ".join(needed[name])
        lines += wrap(f"{name}: {sentence(function.brief)}{unit} Needs {inputs}.", 8, 4)
    return "\n".join([*lines, '    """'])
