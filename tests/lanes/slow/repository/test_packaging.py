"""What users install: small, complete, and usable without any dependency."""

import subprocess
import sys
import zipfile

import pytest
from folders import ROOT

MEGABYTE = 1_000_000
SUBPACKAGES = {
    path.parent.name
    for root in ("adapters", "codegen", "generated")
    for path in ROOT.glob(f"{root}/rlmetrics/*/__init__.py")
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder)]
    command = [sys.executable, "-m", "pip", "wheel", *options, str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The command of an environment that holds nothing but the wheel."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    command = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-index", str(wheel)]
    subprocess.run(command, capture_output=True, check=True)
    return folder / "bin" / "rlmetrics"


def test_the_wheel_is_small(wheel):
    """Names of every release, functions and templates fit in three and a half megabytes."""
    assert wheel.stat().st_size < 3.5 * MEGABYTE


def test_the_wheel_holds_everything_and_nothing_else(wheel):
    """All three roots are merged into one package; neither spec nor tests are inside."""
    names = zipfile.ZipFile(wheel).namelist()
    packages = {name.split("/")[1] for name in names if name.startswith("rlmetrics/")}

    assert {"cli", "codegen", "functional", "names", "state", "suites", "tables", "translate"} <= SUBPACKAGES
    assert packages == SUBPACKAGES
    assert "rlmetrics/__init__.py" in names
    assert {f"rlmetrics/cli/demo_runs/{name}" for name in ("trl-0.7.10-ppo.jsonl", "recorded.json")} <= {*names}
    assert not [name for name in names if name.startswith(("spec/", "tests/"))]


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
