"""The one import name over three source roots, and what the project promises about its files."""

import ast

from folders import ROOT

ROOTS = ("generated", "adapters", "codegen")
PUBLIC_TWICE = {
    "Report": ["adapters/rlmetrics/health/report_records.py", "adapters/rlmetrics/translate/report.py"],
}
"""Names that two packages offer to everyone; to rename one would break who imports it."""


def test_each_class_has_a_name_of_its_own():
    """No two modules define classes of one name, so that a name leads to one place; private ones are local."""
    found: dict[str, list[str]] = {}
    for root in ROOTS:
        for path in sorted((ROOT / root / "rlmetrics").rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    found.setdefault(node.name, []).append(path.relative_to(ROOT).as_posix())
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == PUBLIC_TWICE
