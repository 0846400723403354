"""The generator's driver: what it writes, when, and what it notices."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from generate_support import files_of
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.codegen.generate.driver import run
from rlmetrics.codegen.output import store
from rlmetrics.codegen.output.store import MARKER, Output, Rendered

HEAD = f"# {MARKER}spec/metrics/kl.yaml.\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Make a checkout with a spec that the stand-in renderer below takes as it is."""
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec" / "spec.yaml").write_text("version: '1'\n")
    return tmp_path


@given(st.data())
def test_a_run_is_never_skipped_wrongly(data: st.DataObject) -> None:
    """Whatever is edited, deleted, interrupted or merged between runs, a run leaves what a run from nothing leaves."""
    with TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "pyproject.toml").touch()
        (root / "spec" / "metrics").mkdir(parents=True)
        for name in "ab":
            (root / "spec" / "metrics" / f"{name}.yaml").write_text("0")
        (root / "spec" / "spec.yaml").write_text("version: '1'\n")

        def render(root: Path, overlays: Sequence[Path]) -> Rendered:
            """Render one module and one page for each file."""
            texts = {path.stem: path.read_text() for path in (root / "spec" / "metrics").glob("*.yaml")}
            modules = [Output(f"generated/rlmetrics/{name}.py", HEAD + text, "s") for name, text in texts.items()]
            pages = [Output(f"docs/reference/{name}.md", HEAD + text, "s") for name, text in texts.items()]
            return Rendered((*modules, *pages))

        for _ in range(data.draw(st.integers(1, 5))):
            change = data.draw(st.sampled_from(["edit", "add", "remove", "lose", "damage", "halves", "journal"]))
            files = sorted((root / "spec" / "metrics").glob("*.yaml"))
            if change == "edit" and files:
                data.draw(st.sampled_from(files)).write_text(data.draw(st.sampled_from("0123")))
            elif change == "add":
                (root / "spec" / "metrics" / f"{data.draw(st.sampled_from('abcd'))}.yaml").write_text("1")
            elif change == "remove" and files:
                data.draw(st.sampled_from(files)).unlink()
            elif change == "lose":
                for path in sorted(root.glob("generated/rlmetrics/*.py"))[:1]:
                    path.unlink()
            elif change == "damage" and (root / store.MANIFEST).exists():
                text = (root / store.MANIFEST).read_text()
                (root / store.MANIFEST).write_text(text[: data.draw(st.integers(0, len(text)))])
            elif change == "halves" and (root / store.MANIFEST).exists():
                lines = (root / store.MANIFEST).read_text().splitlines(keepends=True)
                (root / store.MANIFEST).write_text("".join(line for one in lines for line in (one, one)))
            elif change == "journal":
                store.write_journal(root, store.Journal({"generated/rlmetrics/a.py": ("0",)}, ()))
            run(root, docs=data.draw(st.booleans()), render=render)

            wanted = {output.path: output.text for output in render(root, ()).outputs}
            found = {path: content.decode() for path, content in files_of(root).items()}
            assert {path: text for path, text in wanted.items() if path.startswith("generated/")} == {
                path: text for path, text in found.items() if path.endswith(".py")
            }
            assert {path: text for path, text in found.items() if path.endswith(".md")}.items() <= wanted.items()
            assert run(root, check=True, anew=True, render=render).changes == ()
