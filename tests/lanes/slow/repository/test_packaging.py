"""What users install: small, complete, typed, and usable without any dependency."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import rlmetrics
from folders import ROOT

MEGABYTE = 1_000_000
ROOTS = ("adapters", "codegen", "generated")
SUBPACKAGES = {path.parent.name for root in ROOTS for path in ROOT.glob(f"{root}/rlmetrics/*/__init__.py")}
AT_THE_TOP = {*SUBPACKAGES, "py.typed", "spec.tar.xz", *(path.name for path in ROOT.glob("adapters/rlmetrics/*.py"))}
INSTALLED = pytest.mark.parametrize("way", ["standard", "editable"])
"""Installed as users do, and as those who change the code do."""

USER = """\
import rlmetrics
import rlmetrics.translate
from rlmetrics import functional, suites
from rlmetrics.codegen.spec import Spec
from rlmetrics.functional import REGISTRY, kl_old_k2
from rlmetrics.names import Resolution
from rlmetrics.suites import GRPOSuite
from rlmetrics.tables import SPEC_VERSION

found: list[Resolution] = rlmetrics.resolve("kl", "trl[GRPOTrainer]==1.16.0")
row: dict[str, object] = rlmetrics.Translator("verl==0.5.0", "verl==0.9.1").row({})
version: str = rlmetrics.__version__ + SPEC_VERSION
levels: list[str | None] = [report.level for report in rlmetrics.check("run.jsonl")]
steps: int = rlmetrics.translate("run.jsonl", target="canonical").records
keys: list[str] = [known.key for known in rlmetrics.keys("verl==0.9.1")]
same = (kl_old_k2 is functional.kl_old_k2, GRPOSuite is suites.GRPOSuite, REGISTRY["kl/old/k2"].function, Spec)
rlmetrics.resolve(1)  # wrong
rlmetrics.translate("run.jsonl")  # wrong
rlmetrics.Monitor().observe(1, {}).nothing  # wrong
rlmetrics.transaltor  # wrong
functional.kl_old_k2(1, 2, 3, 4)  # wrong
rlmetrics.translate.Translator("verl==0.5.0", "verl==0.9.1").row(1)  # wrong
rlmetrics.translate.translate_file("run.jsonl", "canonical")  # wrong
GRPOSuite().nothing()  # wrong
"""
"""What a program says of the package; type checkers are to find what is wrong, and nothing else."""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """The wheel of this checkout, and the one that leads back to it."""
    folder = tmp_path_factory.mktemp("wheels")
    for way in ("standard", "editable"):
        command = [sys.executable, "-m", "hatchling", "build", "-t", f"wheel:{way}", "-d", str(folder / way)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
        assert done.returncode == 0, done.stderr
    return {way: next((folder / way).glob("*.whl")) for way in ("standard", "editable")}


@pytest.fixture(scope="module")
def wheel(wheels):
    """The wheel of this checkout."""
    return wheels["standard"]


@pytest.fixture(scope="module")
def environments(wheels, tmp_path_factory):
    """Environments that hold nothing but one of the wheels."""
    made = {}
    for way, wheel in wheels.items():
        made[way] = folder = tmp_path_factory.mktemp(f"environment-{way}")
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        command = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-index", str(wheel)]
        subprocess.run(command, capture_output=True, check=True)
    return made


@pytest.fixture(scope="module")
def installed(environments):
    """The command of an environment that holds nothing but the wheel."""
    return environments["standard"] / "bin" / "rlmetrics"


def test_the_wheel_is_small(wheel):
    """Names of every release of nine frameworks, ready answers, functions and templates; and the spec for overlays."""
    spec = zipfile.ZipFile(wheel).getinfo("rlmetrics/spec.tar.xz").compress_size
    assert spec < 0.8 * MEGABYTE
    assert wheel.stat().st_size - spec < 5.6 * MEGABYTE


def test_the_wheel_holds_everything_and_nothing_else(wheel):
    """All three roots are merged into one package with one introduction; neither spec nor tests are inside."""
    names = zipfile.ZipFile(wheel).namelist()
    top = {name.split("/")[1] for name in names if name.startswith("rlmetrics/")}

    assert {"cli", "codegen", "functional", "names", "state", "suites", "tables", "translate"} <= SUBPACKAGES
    assert top == AT_THE_TOP
    assert len(names) == len(set(names))
    introduction = (ROOT / "adapters" / "rlmetrics" / "__init__.py").read_text(encoding="utf-8")
    assert zipfile.ZipFile(wheel).read("rlmetrics/__init__.py").decode() == introduction
    assert {f"rlmetrics/cli/demo_runs/{name}" for name in ("trl-0.7.10-ppo.jsonl", "recorded.json")} <= {*names}
    assert not [name for name in names if name.startswith(("spec/", "tests/"))]


@INSTALLED
def test_an_installed_package_introduces_itself(environments, tmp_path, way):
    """However it is installed, it has a version, a docstring, and the parts of every root."""
    code = (
        "import rlmetrics, rlmetrics.names, rlmetrics.tables, rlmetrics.codegen, rlmetrics.functional\n"
        "print(rlmetrics.__version__, rlmetrics.__doc__, sep='\\n', end='')"
    )
    command = [str(environments[way] / "bin" / "python"), "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.stdout, done.stderr) == (f"{rlmetrics.__version__}\n{rlmetrics.__doc__}", "")


def test_a_new_module_is_seen_at_once(tmp_path):
    """What is added to any root of a checkout needs no new installation."""
    for root in ROOTS:
        package = tmp_path / root / "rlmetrics" / f"part_of_{root}"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("from rlmetrics import __version__ as version\n")
        (package.parent / "__init__.py").write_bytes((ROOT / root / "rlmetrics" / "__init__.py").read_bytes())
    code = f"import rlmetrics.part_of_{', rlmetrics.part_of_'.join(ROOTS)}; print(rlmetrics.part_of_codegen.version)"
    command = [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(tmp_path / 'generated')!r}); {code}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (f"{rlmetrics.__version__}\n", "")


@INSTALLED
@pytest.mark.parametrize(
    "checker", [("mypy", "--strict", "--no-incremental", "--python-executable"), ("pyright", "--pythonpath")]
)
def test_type_checkers_see_through_the_introduction(environments, tmp_path, way, checker):
    """Mypy and pyright know the types of every name at the top and below, in a program of somebody else."""
    (tmp_path / "program.py").write_text(USER, encoding="utf-8")
    command = [str(Path(sys.executable).parent / checker[0]), *checker[1:], str(environments[way] / "bin" / "python")]
    done = subprocess.run([*command, "program.py"], capture_output=True, text=True, check=False, cwd=tmp_path)
    told = {int(line) for line in re.findall(r"program\.py:(\d+):(?:\d+)?(?: -)? error", done.stdout)}
    assert told == {number for number, line in enumerate(USER.splitlines(), 1) if line.endswith("# wrong")}, done.stdout


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["resolve", "ppo/policy/approxkl", "--at", "trl[PPOTrainer]==0.7.10"], "kl.kl_old_k2"),
        (["show", "kl/old/k2"], "mean(0.5 * (logprobs - old_logprobs)**2)"),
        (["map", "--from", "trl[PPOTrainer]==0.7.10", "--to", "verl==0.9.1"], "actor/ppo_kl"),
        (["demo"], "ppo/mean_scores -> objective/scores"),
        (
            ["dashboard", "--at", "trl[GRPOTrainer]==1.16.0", "--kind", "wandb-workspace", "-o", "board.json"],
            "32 charts in 8 sections",
        ),
    ],
)
def test_names_work_without_any_dependency(installed, tmp_path, arguments, expected):
    """An installed wheel answers questions about names outside of any checkout."""
    done = subprocess.run([str(installed), *arguments], capture_output=True, text=True, check=False, cwd=tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
    assert expected in done.stdout


@pytest.mark.parametrize(
    ("command", "extra"),
    [
        ("lint", "codegen"),
        ("dashboard --at verl==0.9.1 --kind tensorboard -o tfevents", "tensorboard"),
        ("translate wandb-workspace:acme/rl/abc --from verl==0.5.0 --to verl==0.9.1", "workspaces"),
        ("translate sweep.yaml --from verl==0.5.0 --to verl==0.9.1 -o new.yaml", "yaml"),
    ],
)
def test_a_missing_extra_is_named(installed, tmp_path, command, extra):
    """A command that needs more says which extra to install, on one line, with exit code 2."""
    (tmp_path / "spec").mkdir()
    for name in ("spec/spec.yaml", "pyproject.toml"):  # a checkout, which `lint` looks for first
        (tmp_path / name).touch()
    (tmp_path / "sweep.yaml").write_text("metric: actor/ppo_kl\n")
    done = subprocess.run([str(installed), *command.split()], capture_output=True, text=True, check=False, cwd=tmp_path)

    assert done.returncode == 2
    assert f'pip install "rlmetrics[{extra}]"' in done.stderr
    assert done.stderr.count("\n") == 1
