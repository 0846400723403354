"""What guards and arithmetic over configuration keys consist of, and what they are worth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

__all__ = [
    "And",
    "Arithmetic",
    "Compare",
    "Expression",
    "GuardError",
    "GuardLiteral",
    "ListOf",
    "Negative",
    "Not",
    "Or",
    "SettingName",
    "UnknownValueError",
    "Value",
]

Value = bool | int | float | str | None | list["Value"]
"""What a configuration key can hold and an expression can yield."""


class GuardError(ValueError):
    """An expression that cannot be read or evaluated.

    Attributes:
        message: What is wrong and how to fix it.
        column: Where in the expression, counted from 1.
    """

    def __init__(self, message: str, column: int) -> None:
        super().__init__(f"{message} (column {column})")
        self.message = message
        self.column = column


class UnknownValueError(GuardError):
    """The expression needs a configuration key whose value is not known."""

    def __init__(self, message: str, column: int, name: str) -> None:
        super().__init__(message, column)
        self.name = name


class Expression:
    """A node of a parsed expression; ``column`` is where it starts, counted from 1."""

    __slots__ = ("_names", "column")
    _names: frozenset[str]

    def __init__(self, column: int) -> None:
        self.column = column

    def evaluate(self, config: Mapping[str, Value]) -> Value:
        """Return the expression's value.

        Args:
            config: Every configuration key with its value.

        Raises:
            UnknownValueError: A key is not in ``config``, or is null where a number is needed.
            GuardError: An operation does not fit its values, such as ``'a' < 1`` or a division by zero.
        """
        raise GuardError("an expression of no kind cannot be evaluated", self.column)

    def holds(self, config: Mapping[str, Value]) -> bool:
        """Return whether the value is true, as Python understands truth."""
        return bool(self.evaluate(config))

    def names(self) -> frozenset[str]:
        """Return the configuration keys that occur in the expression."""
        if not hasattr(self, "_names"):
            self._names = frozenset([node.name for node in self.walk() if isinstance(node, SettingName)])
        return self._names

    def parts(self) -> tuple[Expression, ...]:
        """Return the expressions that this one is made of."""
        return ()

    def walk(self) -> Iterator[Expression]:
        """Yield this node and all below it."""
        yield self
        for part in self.parts():
            yield from part.walk()


class GuardLiteral(Expression):
    """A number, a string, true, false or null."""

    __slots__ = ("value",)

    def __init__(self, column: int, value: bool | int | float | str | None) -> None:
        self.column = column
        self.value = value

    def evaluate(self, config: Mapping[str, Value]) -> Value:
        """Return the constant."""
        return self.value


class SettingName(Expression):
    """A configuration key."""

    __slots__ = ("name",)

    def __init__(self, column: int, name: str) -> None:
        self.column = column
        self.name = name

    def evaluate(self, config: Mapping[str, Value]) -> Value:
        """Return the key's value."""
        if self.name not in config:
            msg = f"the configuration key {self.name!r} has no known value; give it one"
            raise UnknownValueError(msg, self.column, self.name)
        return config[self.name]


class ListOf(Expression):
    """A list of expressions, for ``in``."""

    __slots__ = ("items",)

    def __init__(self, column: int, items: tuple[Expression, ...]) -> None:
        self.column = column
        self.items = items

    def evaluate(self, config: Mapping[str, Value]) -> Value:
        """Return the values of the items."""
        return [item.evaluate(config) for item in self.items]

    def parts(self) -> tuple[Expression, ...]:
        """Return the items."""
        return self.items


class Not(Expression):
    """The opposite of its operand."""

    __slots__ = ("operand",)

    def __init__(self, column: int, operand: Expression) -> None:
        self.column = column
        self.operand = operand

    def evaluate(self, config: Mapping[str, Value]) -> Value:
        """Return the operand's negation."""
        return not self.operand.evaluate(config)

    def parts(self) -> tuple[Expression, ...]:
        """Return the operand."""
        return (self.operand,)


class Negative(Expression):
    """A number with its sign turned."""

    __slots__ = ("operand",)

    def __init__(self, column: int, operand: Expression) -> None:
        self.column = column
        self.operand = operand

    def evaluate(self, config: Mapping[str, Value]) -> Value:
        """Return minus the operand."""
        return -_number(self.operand, config)

    def parts(self) -> tuple[Expression, ...]:
        """Return the operand."""
        return (self.operand,)


class And(Expression):
    """True if all operands are; those after the first false one are not looked at."""

    __slots__ = ("operands",)

    def __init__(self, column: int, operands: tuple[Expression, ...]) -> None:
        self.column = column
        self.operands = operands

    def evaluate(self, config: Mapping[str, Value]) -> Value:
        """Return whether every operand holds; a false one decides even if another is unknown."""
        return not _any(self.operands, False, config)

    def parts(self) -> tuple[Expression, ...]:
        """Return the operands."""
        return self.operands


class Or(Expression):
    """True if any operand is; those after the first true one are not looked at."""

    __slots__ = ("operands",)

    def __init__(self, column: int, operands: tuple[Expression, ...]) -> None:
        self.column = column
        self.operands = operands

    def evaluate(self, config: Mapping[str, Value]) -> Value:
        """Return whether some operand holds; a true one decides even if another is unknown."""
        return _any(self.operands, True, config)

    def parts(self) -> tuple[Expression, ...]:
        """Return the operands."""
        return self.operands


class _Binary(Expression):
    """An operator between two sides."""

    __slots__ = ("left", "operator", "right")

    def __init__(self, column: int, operator: str, left: Expression, right: Expression) -> None:
        self.column = column
        self.operator = operator
        self.left = left
        self.right = right

    def parts(self) -> tuple[Expression, ...]:
        """Return both sides."""
        return (self.left, self.right)


class Compare(_Binary):
    """A comparison; ``operator`` is ``==``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, ``in`` or ``not in``."""

    __slots__ = ()

    def evaluate(self, config: Mapping[str, Value]) -> Value:
        """Return whether the comparison holds."""
        if self.operator in ("==", "!="):
            return _equal(self.left.evaluate(config), self.right.evaluate(config)) == (self.operator == "==")
        if self.operator in ("in", "not in"):
            value, options = self.left.evaluate(config), self.right.evaluate(config)
            if isinstance(options, list):
                is_in = any(_equal(value, option) for option in options)
            elif isinstance(self.left, GuardLiteral) and isinstance(value, str):
                is_in = isinstance(options, str) and value in options
            else:
                msg = "'in' needs a list on its right, such as ['a', 'b'], or a quoted text on its left"
                raise GuardError(msg, self.right.column)
            return is_in == (self.operator == "in")
        left, right = _number(self.left, config), _number(self.right, config)
        return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[self.operator]


class Arithmetic(_Binary):
    """A sum, difference, product or quotient of numbers."""

    __slots__ = ()

    def evaluate(self, config: Mapping[str, Value]) -> Value:
        """Return the result."""
        left, right = _number(self.left, config), _number(self.right, config)
        try:
            if self.operator == "+":
                return left + right
            if self.operator == "-":
                return left - right
            if self.operator == "*":
                return left * right
            return left / right
        except ArithmeticError:
            what = "divides by zero" if right == 0 else "is too large"
            msg = f"this {what}"
            raise GuardError(msg, self.column) from None


def _any(operands: tuple[Expression, ...], wanted: bool, config: Mapping[str, Value]) -> bool:
    unknown = None
    for operand in operands:
        try:
            if operand.holds(config) == wanted:
                return True
        except UnknownValueError as error:
            unknown = unknown or error
    if unknown is not None:
        raise unknown
    return False


def _equal(left: Value, right: Value) -> bool:
    # A flag and a number are never equal, as in YAML; Python would say that true equals 1.
    return isinstance(left, bool) == isinstance(right, bool) and left == right


def _number(node: Expression, config: Mapping[str, Value]) -> int | float:
    value = node.evaluate(config)
    if value is None and isinstance(node, SettingName):
        msg = f"the configuration key {node.name!r} is null; give it a number"
        raise UnknownValueError(msg, node.column, node.name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        msg = f"a number is needed here, not {value!r}"
        raise GuardError(msg, node.column)
    return value
