"""Whatever is done to the files of a spec, lint answers with findings and never with an exception."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lint.spec_text import BASE
from rlmetrics.codegen.lint import lint

FILES = sorted(path.relative_to(BASE) for path in BASE.rglob("*.yaml"))
JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 10),
    st.floats(allow_nan=True),
    st.text(alphabet="a{}/[]()*+.: '_", max_size=12),
    st.lists(st.text(max_size=3), max_size=2),
    st.dictionaries(st.text(alphabet="abx-", min_size=1, max_size=3), st.integers(), max_size=2),
    st.sampled_from(
        ["policy/loss", "mean(x)", "beta != 0", "{source}", "1.0.0..", "2.0.0", "shared", "rank", "padded"]
    ),
)


def paths(node: object, prefix: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    """Every place in some data."""
    entries = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else []
    return [prefix, *(path for key, child in entries for path in paths(child, (*prefix, key)))]


def check(file: Path, content: bytes) -> None:
    """Lint a spec in which one file has been replaced."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "spec"
        shutil.copytree(BASE, root)
        (root / file).write_bytes(content)
        for finding in lint(root):
            assert finding.location.line >= 1
            assert finding.location.column >= 1
            assert "\n" not in finding.message
            assert finding.fix


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(FILES), st.data())
def test_any_value_anywhere(file: Path, data: st.DataObject) -> None:
    """One value of a file replaced by something else gives findings at most."""
    content = yaml.safe_load((BASE / file).read_text(encoding="utf-8"))
    path = data.draw(st.sampled_from(paths(content)))
    value = data.draw(JUNK)
    if path:
        node = content
        for step in path[:-1]:
            node = node[step]
        node[path[-1]] = value
    else:
        content = value
    check(file, yaml.safe_dump(content, allow_unicode=True, sort_keys=False).encode())


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(FILES), st.data())
def test_any_damage(file: Path, data: st.DataObject) -> None:
    """Lines deleted, doubled or swapped give findings at most."""
    lines = (BASE / file).read_bytes().splitlines(keepends=True)
    first = data.draw(st.integers(0, len(lines) - 1))
    second = data.draw(st.integers(0, len(lines) - 1))
    lines[first], lines[second] = lines[second], lines[first] * data.draw(st.integers(0, 2))
    check(file, b"".join(lines))
