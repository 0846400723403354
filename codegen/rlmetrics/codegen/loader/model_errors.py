"""Says in plain words, with a place and a remedy, what the model of the spec refuses."""

from __future__ import annotations

import difflib
import types
import typing
from typing import TYPE_CHECKING, Any, get_args, get_origin

from pydantic import BaseModel

from ..findings import SpecFinding
from ..model import LOCAL_PREFIX

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

    from ..findings import Location
    from .document import YamlPath

__all__ = ["Fault", "explain", "model_at"]

_EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "none_required": "nothing",
}
_BOUNDS = {
    "greater_than_equal": "at least {ge}",
    "too_short": "at least {min_length} long",
    "too_long": "at most {max_length} long",
}


class Fault(typing.NamedTuple):
    """One thing the model refuses.

    Attributes:
        path: Where, as a path into the data. A missing field's path ends with its name.
        finding: The same for people.
    """

    path: YamlPath
    finding: SpecFinding


def explain(
    error: ValidationError,
    model: type[BaseModel],
    data: Any,
    locate: Callable[[YamlPath, bool], Location],
    source: Callable[[YamlPath], str | None],
) -> list[Fault]:
    """Return findings for everything that a validation refused.

    Args:
        error: What pydantic reports.
        model: The model of the file.
        data: What was validated.
        locate: Gives the place of a path, of its key or (True) of its value.
        source: Gives a scalar as it is written.
    """
    groups: dict[YamlPath, list[ErrorDetails]] = {}
    alternatives: set[YamlPath] = set()
    for details in error.errors(include_url=False, include_context=True):
        path, chosen = _walk(details, data)
        groups.setdefault(path, []).append(details)
        if chosen is not None:
            alternatives.add(chosen)
    # An alternative that failed deeper down says more than one that failed at once.
    for path in alternatives:
        if any(len(other) > len(path) and other[: len(path)] == path for other in groups):
            groups.pop(path, None)
    return [Fault(path, _finding(path, errors, model, data, locate, source)) for path, errors in groups.items()]


def _walk(details: ErrorDetails, data: Any) -> tuple[YamlPath, YamlPath | None]:
    """Return the data path of an error, and where an alternative of several types was tried."""
    path: list[str | int] = []
    chosen: YamlPath | None = None
    node = data
    location = details["loc"]
    for index, step in enumerate(location):
        if _has(node, step):
            path.append(step)
            node = node[step]
        elif details["type"] == "missing" and index == len(location) - 1:
            path.append(step)
        elif step != "[key]":
            chosen = tuple(path)
    return tuple(path), chosen


def _has(node: Any, step: str | int) -> bool:
    if isinstance(node, dict):
        return step in node
    return isinstance(node, list) and isinstance(step, int) and step < len(node)


def _finding(
    path: YamlPath,
    errors: list[ErrorDetails],
    model: type[BaseModel],
    data: Any,
    locate: Callable[[YamlPath, bool], Location],
    source: Callable[[YamlPath], str | None],
) -> SpecFinding:
    # An alternative that failed for what it says tells more than those that expect another type.
    errors = [item for item in errors if item["type"] == "value_error"][:1] or errors
    details = errors[0]
    kind = details["type"]
    name = str(path[-1]) if path else ""
    if kind == "missing":
        return _missing(path, name, model, locate)
    if kind == "extra_forbidden":
        return _unknown(path, name, model, data, locate)
    if details["loc"][-1:] == ("[key]",):
        return _wrong_key(path, name, details, locate)
    value = _value_at(data, path)
    expected = list(dict.fromkeys(_expectation(item) for item in errors))
    is_text_wanted = "text" in expected
    shown = source(path)
    subject = _subject(path)
    if kind == "value_error":
        message = f"{subject} {details.get('ctx', {}).get('error', details['msg'])!s}"
        return SpecFinding("wrong-value", "error", locate(path, False), message, "write it out or remove the field")
    if is_text_wanted and shown is not None and isinstance(value, (bool, int, float)):
        message = f"{subject} must be text, but `{shown}` is read as {_describe(value)}"
        return SpecFinding("wrong-type", "error", locate(path, True), message, f"quote it: '{shown}'")
    wanted = _join(expected)
    if value is None:
        message = f"{subject} is empty but must be {wanted}"
        return SpecFinding("wrong-type", "error", locate(path, True), message, "give it a value or remove the field")
    check = "wrong-type" if all(item["type"] in _EXPECTED for item in errors) else "wrong-value"
    written = f"`{shown}`" if shown is not None and len(shown) <= 60 else _describe(value)
    fix = f"write {wanted}"
    if kind == "literal_error" and isinstance(value, str):
        near = difflib.get_close_matches(value, _literal_choices(details), n=1)
        fix = f"did you mean `{near[0]}`?" if near else fix
    return SpecFinding(check, "error", locate(path, True), f"{subject} must be {wanted}, not {written}", fix)


def _subject(path: YamlPath) -> str:
    if not path:
        return "the file"
    step = path[-1]
    return f"`{step}`" if isinstance(step, str) else f"item {step + 1}"


def _missing(
    path: YamlPath, name: str, model: type[BaseModel], locate: Callable[[YamlPath, bool], Location]
) -> SpecFinding:
    owner = model_at(model, path[:-1])
    message = f"`{name}` is missing in {_article(owner)}"
    description = _field_description(owner, name)
    fix = f"add `{name}:`" + (f" ({description})" if description else "")
    return SpecFinding("missing-field", "error", locate(path[:-1], False), message, fix)


def _unknown(
    path: YamlPath, name: str, model: type[BaseModel], data: Any, locate: Callable[[YamlPath, bool], Location]
) -> SpecFinding:
    owner = model_at(model, path[:-1])
    known = _field_names(owner)
    present = _value_at(data, path[:-1])
    free = [field for field in known if not (isinstance(present, dict) and field in present)]
    near = difflib.get_close_matches(name, free, n=3, cutoff=0.6)
    guess = f"did you mean {_join([f'`{field}`' for field in near])}?" if near else f"known: {', '.join(known)};"
    fix = f"{guess} Local facts go under names that start with `{LOCAL_PREFIX}`"
    if " " in name:
        fix = "quote the text before it: inside {…} a comma ends an unquoted text"
    return SpecFinding(
        "unknown-field", "error", locate(path, False), f"`{name}` is not a field of {_article(owner)}", fix
    )


def _wrong_key(
    path: YamlPath, name: str, details: ErrorDetails, locate: Callable[[YamlPath, bool], Location]
) -> SpecFinding:
    choices = _literal_choices(details)
    near = difflib.get_close_matches(name, choices, n=1)
    fix = f"did you mean `{near[0]}`?" if near else f"use one of: {', '.join(choices)}"
    return SpecFinding("wrong-value", "error", locate(path, False), f"`{name}` is not allowed as a name here", fix)


def _expectation(details: ErrorDetails) -> str:
    kind = details["type"]
    if kind in _EXPECTED:
        return _EXPECTED[kind]
    context = details.get("ctx", {})
    if kind == "literal_error":
        return f"one of {', '.join(_literal_choices(details))}"
    if kind in _BOUNDS:
        return _BOUNDS[kind].format(**context)
    return details["msg"].removeprefix("Input should be ").removeprefix("Value error, ")


def _literal_choices(details: ErrorDetails) -> list[str]:
    expected = str(details.get("ctx", {}).get("expected", ""))
    return [choice.strip().strip("'") for choice in expected.replace(" or ", ", ").split(",") if choice.strip()]


def _describe(value: Any) -> str:
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, (int, float)):
        return "a number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, list):
        return "a list"
    return "a mapping" if isinstance(value, dict) else "nothing"


def _join(words: Iterable[str]) -> str:
    items = list(words)
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} or {items[-1]}"


def _value_at(data: Any, path: YamlPath) -> Any:
    node = data
    for step in path:
        node = node[step]
    return node


def _article(model: type[BaseModel] | None) -> str:
    if model is None:
        return "this mapping"
    words = "".join(f" {c.lower()}" if c.isupper() else c for c in model.__name__).strip()
    return f"an {words}" if words[0] in "aeiou" and not words.startswith("un") else f"a {words}"


def _field_names(model: type[BaseModel] | None) -> list[str]:
    if model is None:
        return []
    return [field.alias or name for name, field in model.model_fields.items()]


def _field_description(model: type[BaseModel] | None, name: str) -> str:
    for key, field in model.model_fields.items() if model is not None else ():
        if name in {key, field.alias}:
            return (field.description or "").rstrip(".")
    return ""


def model_at(model: type[BaseModel], path: YamlPath) -> type[BaseModel] | None:
    """Return the model of the node at ``path``, or None if none describes it."""
    current: Any = model
    for step in path:
        current = _step(current, step)
        if current is None:
            return None
    return _as_model(current)


def _step(annotation: Any, step: str | int) -> Any:
    owner = None if isinstance(step, int) else _as_model(annotation)
    if owner is not None:
        for name, field in owner.model_fields.items():
            if step in {name, field.alias}:
                return field.annotation
        return None
    for part in _alternatives(annotation):
        origin = get_origin(part)
        if origin is dict:
            return get_args(part)[1]
        if origin is list:
            return get_args(part)[0]
    return None


def _as_model(annotation: Any) -> type[BaseModel] | None:
    for part in _alternatives(annotation):
        if isinstance(part, type) and issubclass(part, BaseModel):
            return part
    return None


def _alternatives(annotation: Any) -> tuple[Any, ...]:
    if get_origin(annotation) is typing.Annotated:
        return _alternatives(get_args(annotation)[0])
    if get_origin(annotation) in {typing.Union, types.UnionType}:
        return get_args(annotation)
    return (annotation,)
