"""The sentences that the site and the command line say by themselves, read from code, templates and scripts."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator
from pathlib import Path

from ..cache import kept

__all__ = ["SPOKEN", "answer_phrases", "interface_sentences", "interface_texts"]

SPOKEN = frozenset({"t", "plain", "later"})
"""Functions whose first argument is a sentence of the interface; ``later`` marks one that is looked up elsewhere."""

_PHRASES = frozenset({"phrase", "later", "begun", "labelled", "_labelled"})
"""Functions of answers whose first argument is a sentence of their own, or a label."""
_ANSWERS = tuple(
    f"adapters/rlmetrics/{folder}"
    for folder in ("answers", "charts", "cli", "comparison", "fleet", "health", "translate", "wording")
)
_CODE = "codegen/rlmetrics/codegen/site"
_TEMPLATES = "codegen/rlmetrics/codegen/templates/site"
_SCRIPTS = "docs/assets"
_MADE = "generated"
"""Scripts below it are made, and hold data."""
_QUOTED = re.compile(r'"([^"\n]*)"|\'([^\'\n]*)\'')
_SCRIPT_CALL = re.compile(r"""\b(?:t|plain|later)\(\s*("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')""")


def interface_sentences(root: Path) -> dict[str, str]:
    """Return every sentence of the interface with the file that says it first.

    Args:
        root: A checkout; where it holds no site, there is no sentence.
    """
    sentences: dict[str, str] = {}
    for path, source in _sources(root):
        for sentence in _spoken(path.suffix, source):
            sentences.setdefault(" ".join(sentence.split()), path.relative_to(root).as_posix())
    return sentences


def answer_phrases(root: Path) -> dict[str, str]:
    """Return every sentence that answers say by themselves with the file that says it first.

    Args:
        root: A checkout; where it holds no answers, there is no sentence.
    """
    sentences: dict[str, str] = {}
    for path in sorted(path for folder in _ANSWERS for path in (root / folder).rglob("*.py")):
        for sentence in _phrases(path.read_text(encoding="utf-8")):
            sentences.setdefault(" ".join(sentence.split()), path.relative_to(root).as_posix())
    return sentences


def interface_texts(root: Path) -> frozenset[str]:
    """Return everything that stands in quotes in the code of the site: also sentences that reach it by a variable."""
    texts: set[str] = set()
    for path, source in _sources(root):
        texts.update(_quoted(path.suffix, source))
    return frozenset(" ".join(text.split()) for text in texts)


def _sources(root: Path) -> Iterator[tuple[Path, str]]:
    for folder, ending in ((_CODE, "*.py"), (_TEMPLATES, "*.j2"), (_SCRIPTS, "*.js")):
        for path in sorted((root / folder).rglob(ending)):
            if _MADE not in path.parts:
                yield path, path.read_text(encoding="utf-8")


# To parse all these files takes a second, and an edit concerns one of them: what each says is kept under its text.


def _spoken(suffix: str, source: str) -> list[str]:
    return kept("spoken", (suffix, source), lambda: list(_READERS[suffix](source)))


def _phrases(source: str) -> list[str]:
    return kept("phrases", (source,), lambda: list(_in_python(source, _PHRASES)))


def _quoted(suffix: str, source: str) -> list[str]:
    """Return what stands in quotes in a file."""

    def read() -> list[str]:
        if suffix != ".py":
            return [part for pair in _QUOTED.findall(source) for part in pair]
        nodes = ast.walk(ast.parse(source))
        return [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]

    return kept("quoted", (suffix, source), read)


def _in_python(source: str, functions: Container[str] = SPOKEN) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and node.args and _name(node.func) in functions:
            first = node.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield first.value


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _in_template(source: str) -> Iterator[str]:
    from jinja2 import Environment
    from jinja2.nodes import Call, Const, Name

    for call in Environment().parse(source).find_all(Call):
        first = call.args[0] if call.args else None
        is_spoken = isinstance(call.node, Name) and call.node.name in SPOKEN
        if is_spoken and isinstance(first, Const) and isinstance(first.value, str):
            yield first.value


def _in_script(source: str) -> Iterator[str]:
    return (str(ast.literal_eval(call.group(1))) for call in _SCRIPT_CALL.finditer(source))


_READERS = {".py": _in_python, ".j2": _in_template, ".js": _in_script}
