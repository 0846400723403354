"""``rlmetrics generate`` on a small spec, from the shell to the files."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml
from generate_support import as_process, environment, files_of, make_checkout, rlmetrics
from rlmetrics.codegen.generate.schema import KINDS
from rlmetrics.codegen.output.store import MARKER


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Make a checkout with the small spec."""
    return make_checkout(tmp_path / "checkout")


def test_writes_every_kind_of_output(root: Path) -> None:
    """Functions, tests, tables, pages and schemas are written by the program, and each names its source in its head."""
    assert as_process(root, "generate").returncode == 0

    generated = {path: data for path, data in files_of(root).items() if not path.startswith(("spec/", "pyproject"))}
    for path in (
        "generated/rlmetrics/__init__.py",
        "generated/rlmetrics/py.typed",
        "generated/rlmetrics/functional/kl.py",
        "generated/rlmetrics/functional/return_.py",
        "generated/rlmetrics/functional/__init__.pyi",
        "generated/rlmetrics/functional/_registry.py",
        "generated/rlmetrics/tables/__init__.py",
        "tests/generated/test_kl.py",
        "docs/reference/inputs.md",
        "codegen/rlmetrics/codegen/schema/metrics.json",
    ):
        assert path in generated
    unmarked = {path for path, data in generated.items() if MARKER.encode() not in data[:400] and data}
    assert unmarked == {"generated/manifest.json"}


def test_second_run_changes_nothing(root: Path) -> None:
    """A second run writes nothing and says so; ``--check`` agrees."""
    rlmetrics(root, "generate")
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*") if path.is_file()}

    again, check = rlmetrics(root, "generate"), rlmetrics(root, "generate", "--check")

    assert (again.returncode, check.returncode) == (0, 0)
    assert again.stdout.startswith("nothing changed")
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*") if path.is_file()} == before


def test_unchanged_run_loads_no_library(root: Path) -> None:
    """With nothing to do, none of the slow libraries is imported."""
    rlmetrics(root, "generate")
    code = (
        "import sys; from rlmetrics.cli import main; code = main(['generate']);"
        "print(sorted({'pydantic', 'jinja2', 'yaml', 'torch'} & sys.modules.keys())); sys.exit(code)"
    )

    result = subprocess.run(
        [sys.executable, "-c", code], cwd=root, env=environment(), capture_output=True, text=True, check=True
    )

    assert result.stdout.splitlines()[-1] == "[]"


def test_generating_needs_no_torch(root: Path) -> None:
    """A full run works where torch cannot be imported."""
    code = "import sys; sys.modules['torch'] = None; from rlmetrics.cli import main; sys.exit(main(['generate']))"

    result = subprocess.run([sys.executable, "-c", code], cwd=root, env=environment(), check=False)

    assert result.returncode == 0


def test_check_lists_what_would_change(root: Path) -> None:
    """After an edit of the spec ``--check`` names the files and exits with 1; generating settles it."""
    rlmetrics(root, "generate")
    family = root / "spec" / "metrics" / "kl.yaml"
    family.write_text(family.read_text().replace("the plain estimator", "the simple estimator"))
    before = files_of(root)

    check = rlmetrics(root, "generate", "--check")

    assert check.returncode == 1
    assert "generated/rlmetrics/functional/kl.py: changed" in check.stdout.splitlines()
    assert files_of(root) == before
    assert rlmetrics(root, "generate").returncode == 0
    assert rlmetrics(root, "generate", "--check").returncode == 0


def test_hand_edit_is_reported_with_its_source(root: Path) -> None:
    """``--check`` says of a hand-edited file where the change belongs."""
    rlmetrics(root, "generate")
    module = root / "generated/rlmetrics/functional/kl.py"
    module.write_text(module.read_text() + "\n")

    check = rlmetrics(root, "generate", "--check")

    expected = "generated/rlmetrics/functional/kl.py: hand-edited; move the change to spec/metrics/kl.yaml"
    assert (check.returncode, check.stdout.splitlines()[0]) == (1, expected)


def test_all_errors_at_once_and_nothing_written(root: Path) -> None:
    """Errors of structure, of formulas and of references come together, each with its place; nothing is written."""
    family = root / "spec" / "metrics" / "kl.yaml"
    text = family.read_text()
    text = text.replace("formula: mean(old_logprobs - logprobs)", "formula: mean(old_logprobs - rewards)")
    family.write_text(text.replace("metric: kl/old/clipped", "metric: kl/old/nothing"))
    trainer = root / "spec" / "frameworks" / "demo" / "trainer.yaml"
    trainer.write_text(trainer.read_text().replace("brief: Trains.", "brief: Trains.\ntypo: 1"))

    result = rlmetrics(root, "generate")

    lines = result.stderr.splitlines()
    assert result.returncode == 2
    assert {"spec/metrics/kl.yaml:16:34", "spec/frameworks/demo/trainer.yaml:3:1"} <= {
        line.partition("--> ")[2] for line in lines
    }
    assert any(line.startswith("error[formula]") for line in lines)
    assert any(line.startswith("error[broken-reference]") and "kl/old/nothing" in line for line in lines)
    assert any(line.startswith("error[unknown-field]") and "typo" in line for line in lines)
    assert not (root / "generated").exists()


def test_outside_a_checkout(tmp_path: Path) -> None:
    """Without a checkout around, one line says so."""
    result = rlmetrics(tmp_path, "generate")

    assert (result.returncode, len(result.stderr.splitlines())) == (2, 1)
    assert "no checkout here" in result.stderr


def test_overlay_adds_metrics(root: Path, tmp_path: Path) -> None:
    """A folder given with ``--spec`` takes part in the output, and its changes are noticed."""
    overlay = tmp_path / "overlay" / "metrics"
    overlay.mkdir(parents=True)
    text = (root / "spec" / "metrics" / "return.yaml").read_text()
    own = text.replace("family: return", "family: own").replace("return/", "own/").replace("of: ", "of: own ")
    (overlay / "own.yaml").write_text(own.replace("quantity: time, of: own rewards", "quantity: time, of: own things"))

    result = rlmetrics(root, "generate", "--spec", str(overlay.parent))

    assert (result.returncode, result.stderr) == (0, "")
    assert (root / "generated/rlmetrics/functional/own.py").exists()
    assert rlmetrics(root, "generate", "--check").returncode == 1
    assert rlmetrics(root, "generate", "--check", "--spec", str(overlay.parent)).returncode == 0


def test_output_is_formatted_and_lint_free(root: Path) -> None:
    """``ruff format`` changes nothing and ``ruff check`` finds nothing, under the project's own settings."""
    project = Path(__file__).parents[2] / "pyproject.toml"
    (root / "pyproject.toml").write_bytes(project.read_bytes())
    rlmetrics(root, "generate")

    for command in (["format", "--diff"], ["check", "--output-format", "concise"]):
        result = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "generated", "tests"],
            cwd=root,
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 0, result.stdout


def test_a_schema_names_the_module_that_defines_it() -> None:
    """Somebody who wants to change a schema is led to a file that is there and holds the class of that title."""
    repository = Path(__file__).resolve().parents[2]
    for kind in KINDS:
        schema = json.loads((repository / f"codegen/rlmetrics/codegen/schema/{kind}.json").read_text())
        (module,) = re.findall(r"from (\S+\.py)\.", schema["$comment"])
        assert f"class {schema['title']}(" in (repository / module).read_text(), kind


def test_schemas_accept_the_spec_and_refuse_typos(root: Path) -> None:
    """The JSON Schemas accept each file of the spec, with local facts, and refuse unknown fields."""
    rlmetrics(root, "generate")
    schemas = {kind: json.loads((root / f"codegen/rlmetrics/codegen/schema/{kind}.json").read_text()) for kind in KINDS}
    files = {
        "spec": "spec.yaml",
        "inputs": "inputs.yaml",
        "signatures": "signatures.yaml",
        "metrics": "metrics/kl.yaml",
        "tracker": "trackers/demo.yaml",
        "health": "health/run.yaml",
        "framework": "frameworks/demo/framework.yaml",
        "component": "frameworks/demo/trainer.yaml",
    }
    for kind, name in files.items():
        data = yaml.safe_load((root / "spec" / name).read_text())
        jsonschema.validate({**data, "x-local": 1}, schemas[kind])
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**data, "typo": 1}, schemas[kind])
