"""Decides tests whose outcome the abstract values fix; None where they do not."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .abstract_values import (
    ChoiceValue,
    Constant,
    FunctionValue,
    Mapping,
    ObjectValue,
    Sequence,
    TextValue,
    UnknownValue,
    Value,
    text_of,
)

if TYPE_CHECKING:
    from .frames import Frame
    from .interpreter import Interpreter

_DICT_TYPES = {"dict", "Mapping", "MutableMapping", "defaultdict", "OrderedDict"}
_OTHER_TYPES = {"str", "list", "tuple", "int", "float", "bool", "Tensor", "ndarray", "number"}


def decide(interpreter: Interpreter, frame: Frame, test: ast.expr) -> bool | None:
    """Return the truth of a test, or None if it depends on the run."""
    if interpreter.facts and (known := interpreter.facts.get(text_of(test))) is not None:
        return known
    if isinstance(test, ast.BoolOp):
        outcomes = [decide(interpreter, frame, value) for value in test.values]
        if isinstance(test.op, ast.And):
            return False if False in outcomes else (True if all(o is True for o in outcomes) else None)
        return True if True in outcomes else (False if all(o is False for o in outcomes) else None)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        outcome = decide(interpreter, frame, test.operand)
        return None if outcome is None else not outcome
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        return _compare(interpreter, frame, test)
    if isinstance(test, ast.Call):
        return _call(interpreter, frame, test)
    if isinstance(test, ast.Attribute):
        return _attribute(interpreter, frame, test)
    if isinstance(test, (ast.Name, ast.Constant)):
        value = _evaluate(interpreter, frame, test)
        if isinstance(value, Constant):
            return bool(value.value)
        if isinstance(value, TextValue) and value.known:
            return bool(value.template)
    return None


def _attribute(interpreter: Interpreter, frame: Frame, test: ast.Attribute) -> bool | None:
    """``if self.tools:`` where constructors leave it empty and nothing else changes it: the branch is dead."""
    owner = _evaluate(interpreter, frame, test.value)
    if not (isinstance(owner, ObjectValue) and owner.info is not None and test.attr in owner.empty):
        return None
    return False if interpreter.program.only_constructed(owner.info, test.attr) else None


def _compare(interpreter: Interpreter, frame: Frame, test: ast.Compare) -> bool | None:
    left, right = _evaluate(interpreter, frame, test.left), _evaluate(interpreter, frame, test.comparators[0])
    operator = test.ops[0]
    if isinstance(operator, (ast.Is, ast.IsNot)):
        if isinstance(right, Constant) and right.value is None:
            if isinstance(left, Constant):
                return (left.value is None) is isinstance(operator, ast.Is)
            if isinstance(left, (Mapping, TextValue, Sequence, ObjectValue, FunctionValue)):
                return isinstance(operator, ast.IsNot)
        return None
    if isinstance(left, TextValue) and isinstance(right, TextValue) and left.known and right.known:
        if isinstance(operator, ast.Eq):
            return left.template == right.template
        if isinstance(operator, ast.NotEq):
            return left.template != right.template
        if isinstance(operator, ast.In):
            return left.template in right.template
        if isinstance(operator, ast.NotIn):
            return left.template not in right.template
    return _membership(left, right, operator)


def _membership(left: Value, right: Value, operator: ast.cmpop) -> bool | None:
    if not (isinstance(left, TextValue) and left.known and isinstance(right, Sequence) and right.exact):
        return None
    members = [item.template for item in right.items if isinstance(item, TextValue) and item.known]
    if len(members) != len(right.items):
        return None
    if isinstance(operator, ast.In):
        return left.template in members
    if isinstance(operator, ast.NotIn):
        return left.template not in members
    return None


def _call(interpreter: Interpreter, frame: Frame, test: ast.Call) -> bool | None:
    if isinstance(test.func, ast.Attribute) and test.func.attr in ("startswith", "endswith") and len(test.args) == 1:
        value, affix = _evaluate(interpreter, frame, test.func.value), _evaluate(interpreter, frame, test.args[0])
        if isinstance(value, TextValue) and isinstance(affix, TextValue) and affix.known:
            return _affix(value.template, affix.template, start=test.func.attr == "startswith")
        return None
    if isinstance(test.func, ast.Name) and test.func.id in ("any", "all") and len(test.args) == 1:
        return _quantified(interpreter, frame, test.func.id, test.args[0])
    if isinstance(test.func, ast.Name) and test.func.id == "hasattr" and len(test.args) == 2:
        return _has_attribute(interpreter, frame, test)
    if isinstance(test.func, ast.Name) and test.func.id == "isinstance" and len(test.args) == 2:
        value = _evaluate(interpreter, frame, test.args[0])
        names = {part.split(".")[-1].strip("() ") for part in text_of(test.args[1]).replace("|", ",").split(",")}
        names.discard("")
        if isinstance(value, Mapping):
            return True if names & _DICT_TYPES else (False if names <= _OTHER_TYPES else None)
        if isinstance(value, UnknownValue) and value.leaf and names <= _DICT_TYPES:
            return False
        if isinstance(value, TextValue):
            return True if "str" in names else (False if names <= _OTHER_TYPES | _DICT_TYPES else None)
        if isinstance(value, Sequence):
            return True if names >= {"list", "tuple"} else (False if names <= _DICT_TYPES | {"str"} else None)
    return None


def _has_attribute(interpreter: Interpreter, frame: Frame, test: ast.Call) -> bool | None:
    """``hasattr(self, "state")``: what a class of the package has, or a base class of another package gives it."""
    owner, name = _evaluate(interpreter, frame, test.args[0]), _evaluate(interpreter, frame, test.args[1])
    if not (isinstance(owner, ObjectValue) and owner.info is not None and isinstance(name, TextValue) and name.known):
        return None
    if name.template in owner.attributes or interpreter.program.lookup(owner.info, name.template) is not None:
        return True
    foreign = [base for base in interpreter.program.external_bases(owner.info) if base not in _EMPTY_BASES]
    if not foreign:
        return None if interpreter.settings.by_name else False
    given = {name for base in foreign for name in interpreter.settings.given_attributes.get(base, ())}
    return True if name.template in given else None


_EMPTY_BASES = {"abc.ABC", "ABC", "object", "typing.Generic", "Generic"}


def _quantified(interpreter: Interpreter, frame: Frame, name: str, node: ast.expr) -> bool | None:
    """``any(key.startswith(prefix) for prefix in [...])`` over known elements."""
    if not isinstance(node, (ast.GeneratorExp, ast.ListComp)):
        return None
    outcomes: list[bool | None] = []
    element = node.elt
    interpreter.comprehension(frame, node.generators, lambda: outcomes.append(decide(interpreter, frame, element)))
    wanted = name == "any"
    if wanted in outcomes:
        return wanted
    return None if None in outcomes or not outcomes else not wanted


def _affix(template: str, affix: str, *, start: bool) -> bool | None:
    if affix == "":
        return True
    literal = template.split("{")[0] if start else template.rsplit("}", 1)[-1]
    has = literal.startswith(affix) if start else literal.endswith(affix)
    if has:
        return True
    if "{" not in template:
        return False
    part = min(len(literal), len(affix))
    conflict = literal[:part] != affix[:part] if start else literal[-part:] != affix[-part:] if part else False
    return False if part and conflict else None


def _evaluate(interpreter: Interpreter, frame: Frame, node: ast.expr) -> Value:
    value = interpreter.evaluate(frame, node)
    return value if not isinstance(value, ChoiceValue) or len(value.options) != 1 else value.options[0]
