"""``rlmetrics demo``: the three jobs on runs that come with the package."""

from __future__ import annotations

import argparse
import tempfile
from importlib.util import find_spec
from pathlib import Path

__all__ = ["add", "run"]

_RUNS = Path(__file__).parent / "demo_runs"
_TRANSLATIONS = (
    ("trl-0.7.10-ppo.jsonl", "trl[PPOTrainer]==0.7.10", "trl[PPOTrainer]==0.18.2"),
    ("verl-0.9.1.jsonl", "verl==0.9.1", "canonical"),
)


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    subparsers.add_parser(
        "demo",
        help="the jobs on bundled runs",
        description="Check the generated files (in a checkout), translate two bundled runs and print the reports, and "
        "compute a metric (if PyTorch is installed). Nothing is kept.",
    )


def run(_args: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        0, or what a job that found something returned.
    """
    return max(_regenerate(), _translate(), _compute())


def _regenerate() -> int:
    print("== job 1: everything follows from the spec")
    if find_spec("pydantic") is None or find_spec("yaml") is None or find_spec("jinja2") is None:
        print('needs a checkout and pip install "rlmetrics[codegen]"\n')
        return 0
    from rlmetrics.codegen.generate.sources import find_root

    if find_root(Path.cwd()) is None:
        print("needs a checkout of rlmetrics as the working folder\n")
        return 0
    from .main import main

    code = main(["generate", "--check"])
    print()
    return code


def _translate() -> int:
    from rlmetrics.translate import translate_file

    code = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, source, target in _TRANSLATIONS:
            print(f"== job 2: {name}, {source} -> {target}")
            report = translate_file(_RUNS / name, source=source, target=target, output=Path(folder) / name)
            report.outputs.clear()
            print(report.as_text(), end="\n\n")
            code = max(code, report.exit_code)
    return code


def _compute() -> int:
    print("== job 3: compute a metric, split as you like")
    if find_spec("torch") is None:
        print('needs PyTorch: pip install "rlmetrics[torch]"')
        return 0
    import torch

    from rlmetrics.functional import REGISTRY

    torch.manual_seed(0)
    old_logprobs = -torch.rand(8, 16)
    logprobs = old_logprobs + 0.2 * torch.randn(8, 16)
    mask = torch.arange(16) < torch.randint(1, 17, (8, 1))
    inputs = {"logprobs": logprobs, "old_logprobs": old_logprobs, "mask": mask}
    whole = REGISTRY["kl/old/k2"].state()
    whole.update(**inputs)
    merged = REGISTRY["kl/old/k2"].state()
    for rows in (slice(0, 1), slice(1, 3), slice(3, 8)):
        part = REGISTRY["kl/old/k2"].state()
        part.update(**{name: tensor[rows] for name, tensor in inputs.items()})
        merged.merge(part)
    at_once, in_parts = float(whole.compute()), float(merged.compute())
    print(f"kl/old/k2 over 8 sequences at once {at_once:.6f}, merged from 1 + 2 + 5 {in_parts:.6f}")
    return 0
