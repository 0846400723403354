"""What other packages, whose source is not read, do with dicts: the settings say which keys they write or return."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .abstract_values import Mapping, TextValue, UnknownValue, mappings, options, text_of

if TYPE_CHECKING:
    from .call_arguments import Arguments
    from .frames import Frame
    from .interpreter import Interpreter

__all__ = ["returned_elsewhere", "written_elsewhere"]


def written_elsewhere(
    interpreter: Interpreter, frame: Frame, node: ast.Call, keys: tuple[str, ...], arguments: Arguments
) -> None:
    """Write the keys that a function of another package puts into a dict that it is given."""
    for argument in arguments.all():
        for mapping in mappings(argument):
            for key in keys:
                mapping.write(TextValue(key), UnknownValue(key), interpreter.place(frame, node), text_of(node))


def returned_elsewhere(interpreter: Interpreter, frame: Frame, node: ast.Call, arguments: Arguments) -> Mapping | None:
    """Return the dict that a method of another package's object makes, where the settings know its keys."""
    method = getattr(node.func, "attr", "")
    for place, keys in interpreter.settings.returned.items():
        made_by, _, name = place.partition(".")
        if name == method and made_by in _makers(interpreter, frame, node, arguments):
            made = Mapping()
            for key in keys:
                made.write(TextValue(key), UnknownValue(key), interpreter.place(frame, node), text_of(node))
            return made
    return None


def _makers(interpreter: Interpreter, frame: Frame, node: ast.Call, arguments: Arguments) -> set[str]:
    """Return what may have made the object that a method is called on.

    Either that was followed, or the class assigns it to the attribute in a method that was not run.
    """
    texts = [option.text for option in options(arguments.receiver) if isinstance(option, UnknownValue)]
    receiver = node.func.value if isinstance(node.func, ast.Attribute) else node
    if isinstance(receiver, ast.Attribute) and frame.owner is not None and frame.owner.info is not None:
        texts += [
            text_of(assignment.value)
            for info in interpreter.program.base_classes(frame.owner.info)
            for function in info.methods.values()
            for assignment in ast.walk(function.node)
            if isinstance(assignment, ast.Assign)
            and isinstance(assignment.value, ast.Call)
            and any(text_of(target) == text_of(receiver) for target in assignment.targets)
        ]
    return {text.partition("(")[0].rpartition(".")[2] for text in texts}
