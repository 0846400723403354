"""The generator's driver: what it writes, when, and what it notices."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from generate_support import environment, files_of, make_checkout
from rlmetrics.codegen.findings import Location, SpecFinding
from rlmetrics.codegen.generate.driver import FileChange, GenerateReport, run
from rlmetrics.codegen.output import store
from rlmetrics.codegen.output.input_digest import digest, digest_of, find_root, source_files
from rlmetrics.codegen.output.store import MARKER, Output, Rendered

HEAD = f"# {MARKER}spec/metrics/kl.yaml.\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Make a checkout with a spec that the stand-in renderer below takes as it is."""
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec" / "spec.yaml").write_text("version: '1'\n")
    return tmp_path


class Renderer:
    """Stands in for the emitters; counts its calls."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts
        self.calls = 0
        self.findings: tuple[SpecFinding, ...] = ()

    def __call__(self, root: Path, overlays: Sequence[Path]) -> Rendered:
        """Return the texts as outputs."""
        self.calls += 1
        outputs = tuple(Output(path, text, "spec/metrics/kl.yaml") for path, text in self.texts.items())
        return Rendered(outputs, self.findings)


@pytest.fixture
def renderer() -> Renderer:
    """Render two modules and a page."""
    return Renderer(
        {
            "generated/rlmetrics/a.py": HEAD + "a = 1\n",
            "generated/rlmetrics/b.py": HEAD + "b = 1\n",
            "docs/reference/a.md": HEAD + "a\n",
        }
    )


def changes_of(report: GenerateReport) -> dict[str, str]:
    """Return how each changed file differed."""
    return {change.path: change.what for change in report.changes}


def test_first_run_writes_every_file(root: Path, renderer: Renderer) -> None:
    """A first run writes all files as rendered and says that they are new."""
    report = run(root, render=renderer)

    assert dict.fromkeys(renderer.texts, "new") == changes_of(report)
    assert (HEAD + "a = 1\n").encode() == files_of(root)["generated/rlmetrics/a.py"]
    assert report.total == 3


def test_unchanged_run_renders_nothing(root: Path, renderer: Renderer) -> None:
    """With nothing changed, nothing is rendered and nothing is written."""
    run(root, render=renderer)
    before = files_of(root)

    report = run(root, render=renderer)

    assert (renderer.calls, report.changes) == (1, ())
    assert files_of(root) == before


@pytest.mark.parametrize("name", ["spec/metrics/new.yaml", "codegen/rlmetrics/codegen/x.py", "codegen/rlmetrics/t.j2"])
def test_every_source_triggers_a_run(root: Path, renderer: Renderer, name: str) -> None:
    """A new spec file, a changed generator module and a changed template each make the next run render again."""
    run(root, render=renderer)
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text("x")

    run(root, render=renderer)

    assert renderer.calls == 2


def test_fresh_clone_renders_nothing(root: Path, renderer: Renderer) -> None:
    """What is committed tells that it is up to date: a clone without local bookkeeping has nothing to do."""
    run(root, render=renderer)
    without_pages(root)

    assert (renderer.calls, run(root, render=renderer).changes) == (1, ())
    assert (renderer.calls, run(root, check=True, render=renderer).changes) == (1, ())


def test_anew_trusts_nothing(root: Path, renderer: Renderer) -> None:
    """With ``anew`` everything is rendered and compared, whatever the manifest says."""
    run(root, render=renderer)
    renderer.texts["generated/rlmetrics/a.py"] = HEAD + "a = 2\n"

    assert run(root, check=True, render=renderer).changes == ()
    assert changes_of(run(root, check=True, anew=True, render=renderer)) == {"generated/rlmetrics/a.py": "changed"}


def test_check_wants_the_manifest_up_to_date(root: Path, renderer: Renderer) -> None:
    """Sources that changed without changing any output are in the manifest, so that fresh clones need not render."""
    run(root, render=renderer)
    (root / "spec" / "spec.yaml").write_text("version: '1' # a remark\n")

    assert changes_of(run(root, check=True, render=renderer)) == {store.MANIFEST: "changed"}
    run(root, render=renderer)
    assert run(root, check=True, render=renderer).changes == ()


def test_everything_that_a_run_reads_decides_whether_it_is_skipped(tmp_path: Path) -> None:
    """Every module of this project that a run loads, and every file that it reads, is among the digested sources."""
    make_checkout(tmp_path / "checkout")
    code = (
        "import sys; read = set(); sys.addaudithook(lambda event, args: event == 'open' and read.add(str(args[0])));"
        "from rlmetrics.cli import main; code = main(['generate', '--no-cache']);"
        "loaded = {getattr(module, '__file__', None) or '' for module in sys.modules.values()};"
        "print(*sorted(read | loaded), sep='\\n')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path / "checkout",
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    project = Path(__file__).parents[2]
    read = {Path(line).resolve() for line in done.stdout.splitlines() if line.endswith((".py", ".j2", ".yaml"))}
    own = {path.relative_to(project) for path in read if path.is_relative_to(project) and path.suffix != ".pyc"}
    own = {path for path in own if path.parts[0] in ("spec", "codegen", "adapters", "generated")}
    digested = {Path(label) for label, _ in source_files(project)}

    assert len(own) > 60
    # What asks for the run and prints what it did, and the introduction of the package.
    outside = ("answers", "cli", "wording", "__init__.py")
    around = {path for path in own if path.parts[0] == "adapters" and path.parts[2] in outside}
    assert set() == own - digested - around


def test_overlay_counts_as_source(root: Path, renderer: Renderer, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A changed file of an overlay makes the next run render again; an unchanged one does not."""
    overlay = tmp_path_factory.mktemp("overlay")
    (overlay / "metrics").mkdir()
    (overlay / "metrics" / "own.yaml").write_text("a: 1\n")
    run(root, [overlay], render=renderer)
    run(root, [overlay], render=renderer)
    (overlay / "metrics" / "own.yaml").write_text("a: 2\n")
    run(root, [overlay], render=renderer)

    assert renderer.calls == 2


def test_digest_does_not_depend_on_the_place(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Two checkouts with equal files have equal digests, wherever they lie."""
    other = tmp_path_factory.mktemp("elsewhere") / "deeper"
    (other / "spec").mkdir(parents=True)
    (other / "spec" / "spec.yaml").write_text("version: '1'\n")

    assert digest(root) == digest(other)


def test_only_changed_files_are_touched(root: Path, renderer: Renderer) -> None:
    """A file whose text stays the same keeps its modification time."""
    run(root, render=renderer)
    before = (root / "docs/reference/a.md").stat().st_mtime_ns
    renderer.texts["generated/rlmetrics/a.py"] = HEAD + "a = 2\n"
    (root / "spec" / "spec.yaml").write_text("version: '2'\n")

    report = run(root, render=renderer)

    assert changes_of(report) == {"generated/rlmetrics/a.py": "changed"}
    assert (root / "docs/reference/a.md").stat().st_mtime_ns == before


def test_file_that_is_no_longer_asked_for_is_removed(root: Path, renderer: Renderer) -> None:
    """A generated file goes when the spec no longer asks for it."""
    run(root, render=renderer)
    del renderer.texts["docs/reference/a.md"]
    (root / "spec" / "spec.yaml").write_text("version: '2'\n")

    report = run(root, render=renderer)

    assert changes_of(report) == {"docs/reference/a.md": "removed"}
    assert not (root / "docs/reference/a.md").exists()


def test_stale_file_is_found_without_a_manifest(root: Path, renderer: Renderer) -> None:
    """Without a manifest, generated files are known by their heads; hand-written neighbours stay."""
    stale = root / "generated/rlmetrics/stale.py"
    own = root / "docs/reference/own.md"
    for path, text in ((stale, HEAD), (own, "# Written by hand\n")):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    report = run(root, render=renderer)

    assert changes_of(report)["generated/rlmetrics/stale.py"] == "removed"
    assert (stale.exists(), own.exists()) == (False, True)


def test_hand_edit_is_reported_and_kept_aside(root: Path, renderer: Renderer) -> None:
    """A hand-edited file is restored, and what was written by hand survives as a copy."""
    run(root, render=renderer)
    edited = root / "generated/rlmetrics/a.py"
    edited.write_text("a = 99\n")

    report = run(root, render=renderer)

    copy = ".rlmetrics/hand-edited/generated/rlmetrics/a.py"
    assert report.changes == (FileChange("generated/rlmetrics/a.py", "hand-edited", "spec/metrics/kl.yaml", copy),)
    assert (root / copy).read_text() == "a = 99\n"
    assert edited.read_text() == HEAD + "a = 1\n"


def test_check_names_hand_edits_without_rendering(root: Path, renderer: Renderer) -> None:
    """With unchanged sources, ``check`` finds edited and missing files from the manifest alone."""
    run(root, render=renderer)
    (root / "generated/rlmetrics/a.py").write_text("a = 99\n")
    (root / "generated/rlmetrics/b.py").unlink()

    report = run(root, check=True, render=renderer)

    assert changes_of(report) == {"generated/rlmetrics/a.py": "hand-edited", "generated/rlmetrics/b.py": "missing"}
    assert renderer.calls == 1


def without_pages(root: Path) -> None:
    """Leave what a fresh clone holds: neither pages nor local bookkeeping."""
    shutil.rmtree(root / "docs")
    shutil.rmtree(root / ".rlmetrics", ignore_errors=True)


@pytest.mark.parametrize("clone", [False, True])
def test_check_ignores_pages_that_are_absent(root: Path, renderer: Renderer, clone: bool) -> None:
    """``check`` does not ask for reference pages, neither where they were deleted nor on a fresh clone."""
    run(root, render=renderer)
    without_pages(root) if clone else (root / "docs/reference/a.md").unlink()

    assert run(root, check=True, render=renderer).changes == ()


def test_check_names_pages_that_are_out_of_date(root: Path, renderer: Renderer) -> None:
    """A page that is there and no longer says what the spec says is a difference."""
    run(root, render=renderer)
    renderer.texts["docs/reference/a.md"] = HEAD + "other\n"
    (root / "spec" / "spec.yaml").write_text("version: '2'\n")

    assert changes_of(run(root, check=True, render=renderer)) == {"docs/reference/a.md": "changed"}


@pytest.mark.parametrize("clone", [False, True])
def test_docs_writes_absent_pages(root: Path, renderer: Renderer, clone: bool) -> None:
    """With ``docs``, pages that are not there are written although nothing changed; without, they are not."""
    run(root, render=renderer)
    without_pages(root) if clone else (root / "docs/reference/a.md").unlink()

    run(root, check=True, render=renderer)
    assert not (root / "docs/reference/a.md").exists()

    report = run(root, docs=True, render=renderer)
    assert set(changes_of(report)) == {"docs/reference/a.md"}
    assert (HEAD + "a\n").encode() == files_of(root)["docs/reference/a.md"]


def test_pages_are_not_in_the_committed_manifest(root: Path, renderer: Renderer) -> None:
    """The committed manifest names committed files only."""
    run(root, render=renderer)

    assert store.read_manifest(root).files.keys() == {"generated/rlmetrics/a.py", "generated/rlmetrics/b.py"}


def test_check_writes_nothing(root: Path, renderer: Renderer) -> None:
    """``check`` on a checkout where nothing was generated reports every file and leaves the folder as it was."""
    before = sorted(root.rglob("*"))

    report = run(root, check=True, render=renderer)

    assert set(changes_of(report).values()) == {"new"}
    assert sorted(root.rglob("*")) == before


def test_spec_error_writes_nothing(root: Path, renderer: Renderer) -> None:
    """With an error in the spec, the findings come back and every file stays as it was."""
    run(root, render=renderer)
    before = files_of(root)
    renderer.texts["generated/rlmetrics/a.py"] = "broken"
    renderer.findings = (SpecFinding("x", "error", Location("spec/spec.yaml"), "wrong", "put it right"),)
    (root / "spec" / "spec.yaml").write_text("version: '2'\n")

    report = run(root, render=renderer)

    assert (report.failed, report.findings) == (True, renderer.findings)
    assert before | {"spec/spec.yaml": b"version: '2'\n"} == files_of(root)


def test_damaged_manifest_is_written_anew(root: Path, renderer: Renderer) -> None:
    """A manifest with merge markers in it is replaced, and no file counts as hand-edited because of it."""
    run(root, render=renderer)
    whole = (root / store.MANIFEST).read_bytes()
    (root / store.MANIFEST).write_text("<<<<<<< HEAD\n")

    report = run(root, render=renderer)

    assert ((root / store.MANIFEST).read_bytes(), report.changes) == (whole, ())


def test_journal_of_interrupted_run_is_noticed(root: Path, renderer: Renderer) -> None:
    """What an interrupted run wrote is not mistaken for a hand edit; the next run finishes and says so."""
    run(root, render=renderer)
    half = HEAD + "a = 2\n"
    (root / "generated/rlmetrics/a.py").write_text(half)
    store.write_journal(root, store.Journal({"generated/rlmetrics/a.py": (digest_of(half.encode()),)}, ()))

    checked = run(root, check=True, render=renderer)
    finished = run(root, render=renderer)
    again = run(root, check=True, render=renderer)

    assert [report.interrupted for report in (checked, finished, again)] == [True, True, False]
    assert changes_of(finished) == {"generated/rlmetrics/a.py": "changed"}
    assert (root / "generated/rlmetrics/a.py").read_text() == HEAD + "a = 1\n"


def test_damaged_journal_counts_as_interruption(root: Path, renderer: Renderer) -> None:
    """A journal that cannot be read still tells that a run did not finish."""
    (root / ".rlmetrics").mkdir()
    (root / store.JOURNAL).write_text("{")

    assert run(root, check=True, render=renderer).interrupted


def test_leftovers_of_a_killed_run_are_removed(root: Path, renderer: Renderer) -> None:
    """Temporary files next to generated ones do not outlive the next run."""
    run(root, render=renderer)
    leftover = root / "docs/reference/.a.md.123.rlmetrics-tmp"
    leftover.write_text("half")
    store.write_journal(root, store.Journal({"docs/reference/a.md": ("0",)}, ()))

    run(root, render=renderer)

    assert not leftover.exists()


def test_find_root_looks_upwards(root: Path) -> None:
    """The checkout is found from any folder below it, and nothing is found outside."""
    deep = root / "spec" / "metrics" / "x"
    deep.mkdir(parents=True)

    assert root == find_root(deep)
    assert find_root(root.parent) is None
