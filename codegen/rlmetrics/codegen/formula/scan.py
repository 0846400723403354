"""A linear scan that refuses what the parser should never see.

Python's own parser gives up on deep nesting with errors that differ from release to release, up to a crash. So length,
depth and vocabulary are checked here first, token by token, without recursion.
"""

from __future__ import annotations

import keyword
import re
from typing import Final

from .formula_errors import ExpressionSource

__all__ = ["MAX_DEPTH", "MAX_LENGTH", "MAX_NUMBER", "scan"]

MAX_LENGTH: Final = 4000
MAX_DEPTH: Final = 60
MAX_NUMBER: Final = 1e30

_TOKEN: Final = re.compile(
    r"(?P<space>[ \t\r\n]+)"
    r"|(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(?P<tail>\w*)"
    r"|(?P<word>\w+)"
    r"|(?P<string>'[^'\n]*'|\"[^\"\n]*\")"
    r"|(?P<open>\()|(?P<close>\))"
    r"|(?P<prefix>[-~])"
    r"|(?P<operator>\*\*|<=|>=|==|!=|[+*/<>&|,=])",
    re.ASCII,
)

_WORDS: Final = {
    "and": ("`and` does not work element by element", "write & between booleans, each comparison in parentheses"),
    "or": ("`or` does not work element by element", "write | between booleans, each comparison in parentheses"),
    "not": ("`not` does not work element by element", "write ~ before the boolean"),
    "if": ("a conditional does not work element by element", "write where(condition, then, otherwise)"),
    "else": ("a conditional does not work element by element", "write where(condition, then, otherwise)"),
    "lambda": ("a formula cannot define functions", "name the sub-expression under `let` or use `impl`"),
    "None": ("None is not a value of the language", "use a number, True or False"),
    "in": ("`in` is not part of the language", "compare with == and join the comparisons with |"),
    "is": ("`is` is not part of the language", "write =="),
}
_KEYWORDS: Final = frozenset(keyword.kwlist) - {"True", "False"}
_SIGNS: Final = {
    ".": ("attributes are not part of the language", "use the functions of the table, such as exp(x)"),
    "[": ("subscripts and lists are not part of the language", "use seq_first, seq_last, where or `over=`"),
    "]": ("subscripts and lists are not part of the language", "use seq_first, seq_last, where or `over=`"),
    "{": ("dictionaries and sets are not part of the language", "name sub-expressions under `let`"),
    "}": ("dictionaries and sets are not part of the language", "name sub-expressions under `let`"),
    "^": ("`^` is not part of the language", "write ** for powers, != for exclusive or"),
    "%": ("`%` is not part of the language", "use `impl` for a remainder"),
    "#": ("comments are not part of an expression", "put the comment into the YAML"),
    ":": ("`:` is not part of the language", "name sub-expressions under `let`"),
    "@": ("`@` is not part of the language", "write * and a sum"),
    "!": ("`!` is not part of the language", "write ~ before a boolean or != between values"),
    "'": ("the string does not end", "close the quote; strings stand only in metric('id')"),
    '"': ("the string does not end", "close the quote; strings stand only in metric('id')"),
}


def scan(source: ExpressionSource) -> None:
    """Check length, characters, words, numbers, brackets and depth.

    Raises:
        FormulaError: At the first place that breaks a rule.
    """
    text = source.text
    if len(text) > MAX_LENGTH:
        message = f"the expression has {len(text)} characters, more than {MAX_LENGTH}"
        raise source.error(MAX_LENGTH, message, "name parts of it under `let` or use `impl`")
    if not text.strip():
        raise source.error(0, "the expression is empty", "write a formula, such as mean(logprobs)")
    position, prefixes = 0, 0
    brackets: list[int] = []
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            message, fix = _SIGNS.get(
                text[position], (f"the character {text[position]!a} is not part of the language", "delete it")
            )
            raise source.error(position, message, fix)
        kind = match.lastgroup if match.lastgroup != "tail" else "number"
        if kind == "number":
            _check_number(source, match)
        elif kind == "word":
            _check_word(source, match)
        elif kind == "open":
            brackets.append(position)
        elif kind == "close":
            if not brackets:
                raise source.error(position, "this bracket was never opened", "delete it or open it earlier")
            brackets.pop()
        prefixes = prefixes + 1 if kind == "prefix" else prefixes if kind == "space" else 0
        if len(brackets) + prefixes > MAX_DEPTH:
            raise source.error(position, f"nested deeper than {MAX_DEPTH} levels", "name parts of it under `let`")
        position = match.end()
    if brackets:
        raise source.error(brackets[-1], "this bracket is never closed", "add the closing bracket")


def _check_number(source: ExpressionSource, match: re.Match[str]) -> None:
    number, tail = match["number"], match["tail"]
    if tail:
        message = f"`{number[:20]}{tail[:20]}` is not a number of the language"
        raise source.error(match.start(), message, "write plain decimals, such as 0.5 or 1e-8")
    if len(number) > 40 or not float(number) <= MAX_NUMBER:
        raise source.error(match.start(), f"the number is too long or greater than {MAX_NUMBER:g}", "use a smaller one")


def _check_word(source: ExpressionSource, match: re.Match[str]) -> None:
    word = match["word"]
    if match.string[match.end() : match.end() + 1] in ("'", '"'):
        message = "strings with a prefix are not part of the language"
        raise source.error(match.start(), message, "strings stand only in metric('id')")
    if word in _WORDS:
        raise source.error(match.start(), *_WORDS[word])
    if word in _KEYWORDS:
        raise source.error(match.start(), f"`{word}` is not part of the language", "a formula is one expression")
    if word.startswith("_"):
        message = f"`{word[:40]}` starts with an underscore, which no name may"
        raise source.error(match.start(), message, "use a declared input, parameter or `let` name")
