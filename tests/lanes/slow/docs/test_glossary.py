"""One word for one thing: what the glossary calls a thing, pages, messages and docstrings call it, too."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import yaml
from docs.glossary import rejected_in
from folders import ROOT

_DOCTEST = re.compile(r"^ *(?:>>>|\.\.\.) .*$", re.MULTILINE)
_COMMAND = re.compile(r"\brlmetrics(?: [a-z]+\b|\[[a-z]+\])")


@cache
def input_names() -> re.Pattern[str]:
    """Return a pattern for the names of all inputs."""
    inputs = yaml.safe_load((ROOT / "spec" / "inputs.yaml").read_text(encoding="utf-8"))["inputs"]
    return re.compile(rf"\b(?:{'|'.join(inputs)})\b")


def sentences(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the texts of a module: docstrings, messages and help, without examples and names of inputs."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, input_names().sub("`", _COMMAND.sub("`", _DOCTEST.sub("", node.value)))


@pytest.mark.parametrize("root", ["adapters", "codegen"])
def test_messages_and_docstrings_use_the_words_of_the_glossary(root: str) -> None:
    """Neither help and messages of the command line nor docstrings use a word that the glossary rejects."""
    assert [
        f"{path.relative_to(ROOT)}:{line}: {word}"
        for path in sorted((ROOT / root).rglob("*.py"))
        for line, text in sentences(path)
        for word in rejected_in(text)
    ] == []
