"""Counts the names of metrics in the source code of releases without the auditor, and which of them are described.

``python -m programs.key_census TREES``, with ``tests`` on the path, writes ``docs/results/census.json``. TREES holds
the unpacked wheel of each framework in a folder of its name. What is read and what was found to be no metric, with the
reason, stands in ``key_census.yaml``.

Nothing is followed: a name counts where a file writes it as the key of a dict that is called like one of metrics, as a
keyword of a statistics tracker, or, with a slash in it, as a key of any dict. It is described where a key of the spec
holds it as whole parts between slashes.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from folders import ROOT
from rlmetrics.names import keys

SETTINGS = Path(__file__).with_suffix(".yaml")
RESULT = ROOT / "docs" / "results" / "census.json"
HOLDERS = re.compile(r"\w*(metrics|stats|status|logs|log_dict|logs_dict|timing_raw)|info")
TRACKERS = frozenset({"stat", "scalar"})
NAME = re.compile(r"[A-Za-z_{][\w{}@.-]*(/[\w{}@. -]+)*")
HOLE = re.compile(r"\{[^{}]*\}")


def text_of(node: ast.expr | None) -> str | None:
    """Return a name as the source writes it, with {} for what is put in."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return None


def holder_of(node: ast.expr) -> str:
    """Return the last name of what a dict is called."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def names_in(tree: ast.AST) -> Iterator[str]:
    """Find the names of metrics in a file."""
    for node in ast.walk(tree):
        named: list[tuple[str, ast.expr | None]] = []
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Subscript):
                    named.append((holder_of(target.value), target.slice))
                if isinstance(node.value, ast.Dict):
                    named += [(holder_of(target), key) for key in node.value.keys]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "update" and node.args and isinstance(node.args[0], ast.Dict):
                named += [(holder_of(node.func.value), key) for key in node.args[0].keys]
            if node.func.attr in TRACKERS and "tracker" in ast.unparse(node.func.value):
                yield from (word.arg for word in node.keywords if word.arg not in (None, "denominator", "reduce_type"))
        elif isinstance(node, ast.Dict):
            named += [("", key) for key in node.keys]
        for holder, key in named:
            text = text_of(key)
            if text is not None and NAME.fullmatch(text) and ("/" in text or HOLDERS.fullmatch(holder)):
                yield text


def holes(name: str) -> str:
    """Return a key with {} for each placeholder."""
    return HOLE.sub("{}", name)


def census(tree: Path, settings: dict[str, Any], described: set[str]) -> dict[str, Any]:
    """Count the names of one framework."""
    paths = sorted({path for pattern in settings["paths"] for path in tree.glob(pattern)})
    found = {name for path in paths for name in names_in(ast.parse(path.read_text(encoding="utf-8")))}
    no_metrics = settings.get("no_metrics", {})
    names = {name for one in found if (name := told(one))}
    counted = {name for name in names if not any(re.fullmatch(pattern, name) for pattern in no_metrics)}
    missing = sorted(name for name in counted if not is_described(name, described))
    return {"release": settings["release"], "files": len(paths), "names": len(counted), "missing": missing}


def told(name: str) -> str:
    """Return a name without the placeholders at its ends; empty where no letter is left."""
    parts = name.split("/")
    while parts and not re.search(r"[A-Za-z]", HOLE.sub("", parts[0])):
        parts = parts[1:]
    while parts and parts[-1] == "{}":
        parts = parts[:-1]
    return "/".join(parts)


def is_described(name: str, described: set[str]) -> bool:
    """Tell whether some key holds a name as whole parts between slashes; a placeholder alone stands for nothing."""
    if any(f"/{name}/" in f"/{key}/" for key in described):
        return True
    wanted = name.split("/")
    for key in described:
        parts = key.split("/")
        for at in range(len(parts) - len(wanted) + 1):
            pairs = list(zip(parts[at:], wanted, strict=False))
            if all(part == "{}" or _fits(part, one) for part, one in pairs) and any(_fits(*pair) for pair in pairs):
                return True
    return False


def _fits(part: str, name: str) -> bool:
    """Tell whether a part of a key, with placeholders beside letters, may be a name's."""
    return part == name or _stands_for(part, name) or _stands_for(name, part)


def _stands_for(pattern: str, name: str) -> bool:
    """Tell whether a part with placeholders beside letters may be another one."""
    expression = re.escape(pattern).replace(re.escape("{}"), "[^/]*")
    return pattern != "{}" and name != "{}" and re.fullmatch(expression, name) is not None


def main() -> None:
    """Write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trees", type=Path)
    options = parser.parse_args()
    result = {}
    for framework, settings in yaml.safe_load(SETTINGS.read_text(encoding="utf-8")).items():
        described = {holes(item.key) for item in keys(f"{framework}=={settings['release']}")}
        result[framework] = census(options.trees / framework, settings, described)
    RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
