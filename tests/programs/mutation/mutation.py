"""Plant faults in the functions of metrics and see whether the checks of generated functions notice.

A metric without a formula has hand-written code behind its function; there the faults are planted in that. Each
mutant lives in a forked child, where it takes the place of the real functions; the child runs the checks of
`metric_checks` until one fails. A mutant that survives all of them is a hole in the tests, or changes nothing.

    python tests/programs/mutation/mutation.py [--family kl] [--one-in 50] [--results FILE] [--again] [--write]

``--results`` names a file that keeps every fate as soon as it is known, one JSON object a line: a mutant that it holds
is not run again, unless it survived and ``--again`` is given. ``--write`` puts the figures into
docs/results/mutation.md. The exit code is 1 if a mutant survives that some draw of inputs tells from the function.
"""

from __future__ import annotations

import argparse
import ast
import dataclasses
import hashlib
import inspect
import json
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / name) for name in ("adapters", "tests", "tests/generated")]

import torch  # noqa: E402
from metric_checks import Case, check  # noqa: E402
from metric_inputs import SEEDS, make_inputs, make_parameters  # noqa: E402
from programs.mutation.mutants import Mutant, first_line, mutants  # noqa: E402
from programs.mutation.mutation_page import Result, page  # noqa: E402
from rlmetrics import functional  # noqa: E402
from rlmetrics.state import MetricFunction  # noqa: E402

PAGE = ROOT / "docs" / "results" / "mutation.md"
TESTS = ("value", "padding", "merge", "empty", "gradient", "half_precision", "errors")
"""What is checked of generated functions, those first that notice most."""
DRAWS = 1000
"""On so many draws of inputs a mutant that survives is compared with the function; if none tells them apart, it is
taken for equivalent."""

SECONDS = 30
"""A mutant that takes longer counts as noticed: the tests would not end."""


def main() -> int:
    """Run all mutants and print, or write, the score."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--family", action="append", help="only this family (repeatable)")
    parser.add_argument("--one-in", type=int, default=1, help="only a sample, drawn by what each mutant is")
    parser.add_argument("--results", type=Path, help="keep every fate in this file and go on from there")
    parser.add_argument("--again", action="store_true", help="run those again that survived")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)}")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    MetricFunction.reference = _remembered  # type: ignore[method-assign,assignment]
    known = _known(arguments.results, without_survivors=arguments.again)
    families = arguments.family or sorted(
        path.stem.removeprefix("test_") for path in (ROOT / "tests" / "generated").glob("test_*.py")
    )
    results = []
    for family in families:
        found = []
        for result in run(family, known, arguments.one_in):
            found.append(result)
            if arguments.results and result.digest not in known:
                with arguments.results.open("a") as file:
                    print(json.dumps(dataclasses.asdict(result)), file=file)
        results += found
        print(f"{family}: {sum(result.killed for result in found)} of {len(found)}", flush=True)
    for result in results:
        if not result.killed:
            print(f"survived: {result.metric}: {result.kind}: {result.change}")
    text = page(results, DRAWS)
    if arguments.write:
        PAGE.write_text(text)
    print(text.partition("## ")[0])
    return int(any(result.told_by for result in results))


def _known(path: Path | None, *, without_survivors: bool) -> dict[str, Result]:
    """Read the fates that a file holds; of several of one mutant, the latest counts."""
    if path is None or not path.exists():
        return {}
    results = [Result(**json.loads(line)) for line in path.read_text().splitlines()]
    latest = {result.digest: result for result in results}
    return {digest: result for digest, result in latest.items() if result.killed or not without_survivors}


def run(family: str, known: Mapping[str, Result], one_in: int = 1) -> Iterator[Result]:
    """Yield the fate of every mutant of a family, or of a sample."""
    cases: list[Case] = import_module(f"test_{family}").CASES
    for case in cases:
        digests = [(mutant, _digest(case, mutant)) for mutant in mutants_of(case)]
        drawn = [(mutant, digest) for mutant, digest in digests if int(digest, 16) % one_in == 0]
        # Once as it is: the children find what the reference gave then.
        assert not drawn or _all_pass(case), f"{case.id} fails without any fault"
        for mutant, digest in drawn:
            if digest in known:
                yield known[digest]
                continue
            killed = is_killed(case, mutant)
            told_by = 0 if killed else telling_draws(case, mutant)
            yield Result(case.id, mutant.kind, mutant.line, mutant.change, digest, killed, told_by)


def _digest(case: Case, mutant: Mutant) -> str:
    return hashlib.sha256(f"{case.id}\n{mutant.source}".encode()).hexdigest()[:16]


def mutants_of(case: Case) -> Iterator[Mutant]:
    """Yield every mutant of a metric."""
    module, wanted = _home(case)
    source = Path(str(module.__file__)).read_text()
    lines = source.splitlines()
    functions = [node for node in _parsed(source).body if isinstance(node, ast.FunctionDef) and node.name in wanted]
    text = "\n\n\n".join("\n".join(lines[first_line(node) - 1 : node.end_lineno]) for node in functions) + "\n"
    inputs = case.metric.inputs
    tokens = [name for name, axes, _ in inputs if axes[:2] == ("B", "T")]
    # A single tensor of tokens is only a bag of numbers, wherever it starts.
    shifted = [name for name in tokens if name != "mask"] if len(tokens) > 1 else []
    guarded = case.padding and bool(case.gradient)
    yield from mutants(text, wanted[0], shifted, [name for name, _, _ in inputs], guarded=guarded)


def _home(case: Case) -> tuple[ModuleType, list[str]]:
    """Return the module of the code that computes a metric, and its functions there: that with the inputs first."""
    module, name = import_module(case.metric.function.__module__), case.function
    if not _is_hand_written(case):
        functions = _parsed(Path(str(module.__file__)).read_text()).body
        (code,) = (node for node in functions if isinstance(node, ast.FunctionDef) and node.name == name)
        named = [node.id for one in code.decorator_list for node in ast.walk(one) if isinstance(node, ast.Name)]
        return module, [name, *(other for other in named if other.startswith("_"))]
    written = getattr(module, f"_{name}_impl")
    home = import_module(written.__module__)
    bodies = {node.name: node for node in _parsed(inspect.getsource(home)).body if isinstance(node, ast.FunctionDef)}
    wanted = [written.__name__]
    for one in wanted:
        called = [node.id for node in ast.walk(bodies[one]) if isinstance(node, ast.Name)]
        wanted += [other for other in dict.fromkeys(called) if other in bodies and other not in wanted]
    return home, wanted


def _is_hand_written(case: Case) -> bool:
    """Whether the code behind a metric's function is written by hand."""
    return hasattr(import_module(case.metric.function.__module__), f"_{case.function}_impl")


_TREES: dict[str, ast.Module] = {}


def _parsed(source: str) -> ast.Module:
    if source not in _TREES:
        _TREES[source] = ast.parse(source)
    return _TREES[source]


def telling_draws(case: Case, mutant: Mutant) -> int:
    """Count the draws of inputs on which a mutant gives another result than the function."""
    module, wanted = _home(case)
    space = dict(vars(module))
    metric, found = case.metric, 0
    exec(compile(mutant.source, "<mutant>", "exec"), space)
    changed = space[wanted[0] if _is_hand_written(case) else case.function]
    if not _is_hand_written(case):
        # The decorator has put the mutant into the module's table.
        module.METRICS[case.id] = metric
    for seed in range(len(SEEDS), len(SEEDS) + DRAWS):
        inputs, parameters = make_inputs(metric, seed), make_parameters(metric, seed)
        if _is_hand_written(case):
            # Only the generated function around the hand-written one knows the defaults.
            parameters = {**metric.parameters, **parameters}
        expected = metric.function(**inputs, **parameters)
        try:
            same = torch.allclose(expected, changed(**inputs, **parameters), rtol=1e-9, atol=1e-12, equal_nan=True)
        except (IndexError, RuntimeError, TypeError, ValueError):
            same = False
        found += not same
    return found


def is_killed(case: Case, mutant: Mutant) -> bool:
    """Run all checks of a metric on a mutant, in a child process; return whether one failed."""
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os._exit(0 if _passes(case, mutant) else 1)
    _, status = os.waitpid(child, 0)
    return status != 0


def _passes(case: Case, mutant: Mutant) -> bool:
    try:
        home, wanted = _home(case)
        module, name = import_module(case.metric.function.__module__), case.function
        exec(compile(mutant.source, "<mutant>", "exec"), home.__dict__)
        if _is_hand_written(case):
            vars(module)[f"_{name}_impl"] = vars(home)[wanted[0]]
        functional.__dict__.pop(name, None)
    except BaseException:
        return False
    return _all_pass(case)


def _all_pass(case: Case) -> bool:
    try:
        for test in TESTS:
            check(test, case)
    except BaseException:
        return False
    return True


_REFERENCE = MetricFunction.reference
_KNOWN: dict[tuple[object, ...], torch.Tensor] = {}


def _remembered(metric: MetricFunction, *args: torch.Tensor, **kwargs: object) -> torch.Tensor:
    """Compute the reference once for the same data: it is not what the faults are in, and slow."""
    tensors = {name: value for name, value in kwargs.items() if isinstance(value, torch.Tensor)}
    key = (
        metric.id,
        *((name, value.dtype, value.shape, str(value.tolist())) for name, value in tensors.items()),
        *((name, value) for name, value in kwargs.items() if name not in tensors),
    )
    if args or key not in _KNOWN:
        _KNOWN[key] = _REFERENCE(metric, *args, **kwargs)
    return _KNOWN[key]


if __name__ == "__main__":
    sys.exit(main())
