"""What the reference pages and the generated functions say."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import yaml
from folders import ROOT
from generate_support import environment, make_checkout
from rlmetrics.codegen.generate.functions import resolve
from rlmetrics.codegen.generate.reference_pages import emit, logged_keys
from rlmetrics.codegen.lint import Context
from rlmetrics.codegen.loader import read

PROJECT = ROOT


def test_documentation_build_writes_the_pages_of_a_fresh_clone(tmp_path: Path) -> None:
    """``mkdocs build`` with the project's own settings, but for its guides, brings pages that a clone does not have."""
    clone = make_checkout(tmp_path / "clone")
    settings = yaml.safe_load((PROJECT / "mkdocs.yml").read_text())
    del settings["nav"]
    for hook in settings["hooks"]:
        (clone / hook).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PROJECT / hook, clone / hook)
    (clone / "mkdocs.yml").write_text(yaml.safe_dump(settings))
    shutil.copytree(PROJECT / "docs" / "theme", clone / "docs" / "theme")
    (clone / "docs" / "index.md").write_text("[The metrics](m.md)\n")

    result = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"],
        cwd=clone,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )

    assert result.returncode == 0, result.stdout + result.stderr
    assert "kl_old_k1" in (clone / "site" / "m" / "kl" / "old" / "k1" / "index.html").read_text()
    assert "policy/kl" in (clone / "site" / "k" / "demo" / "policy" / "kl" / "index.html").read_text()


def test_no_page_of_the_real_spec_is_large() -> None:
    """Every reference page is below 400 kB, and none of them is about a family: metrics have pages of their own."""
    spec, _ = read(PROJECT / "spec", [])
    assert spec is not None
    functions, _ = resolve(spec, Context(spec).programs)

    pages = {output.path: output.text for output in emit(spec, functions, list(logged_keys(spec)))}

    assert {path: len(text) for path, text in pages.items() if len(text.encode()) > 400_000} == {}
    alone = {Path(path).stem for path in pages if Path(path).parent.name == "reference"}
    assert alone == {"coverage", "not_computed", "inputs", "conventions", "health", "checks"}
    assert {Path(path).stem for path in pages} - alone == {*spec.health, "diagnoses"}
