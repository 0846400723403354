"""What commands cost from the start of their process to its end: ``python tests/benchmarks/start_cost.py [--help]``.

Builds the wheel of this checkout and installs it with pip into an environment of its own, beside a package whose
command does nothing. Every command runs in a fresh process, all in turns, and its processor time, user and system
together, is divided by that of the empty command in the same turn: medians. Translations of three rows stand beside a
process that loads each of them with orjson, renames by a ready map and dumps it. `ruff --version` and `wandb --version`
of the environment of this script stand beside them where they are installed. Exits with 1 if a command is over its
limit.
"""

from __future__ import annotations

import json
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import orjson

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / name) for name in ("adapters", "tests")]

from benchmarks import measure  # noqa: E402
from rlmetrics.names import keys  # noqa: E402

GRPO, OLD, VERL, OLD_VERL = "trl[GRPOTrainer]==1.16.0", "trl[GRPOTrainer]==0.18.2", "verl==0.9.1", "verl==0.4.1"
EMPTY, BARE = "an empty command", "python -c pass"
COMMANDS: Mapping[str, tuple[float, Sequence[str]]] = {
    "--version": (1.3, ["--version"]),
    "--help": (1.3, ["--help"]),
    "resolve --help": (1.3, ["resolve", "--help"]),
    "resolve kl": (1.6, ["resolve", "kl"]),
    "resolve kl --at GRPO": (2.2, ["resolve", "kl", "--at", GRPO]),
    "resolve kl --at GRPO 0.18.2": (2.2, ["resolve", "kl", "--at", OLD]),
    "resolve actor/kl_loss --at verl": (2.2, ["resolve", "actor/kl_loss", "--at", VERL]),
    "resolve actor/kl_loss --at verl 0.4.1": (2.2, ["resolve", "actor/kl_loss", "--at", OLD_VERL]),
    "show approxkl": (2.2, ["show", "approxkl"]),
    "map kl, GRPO to verl": (2.2, ["map", "kl", "--from", GRPO, "--to", VERL]),
    "map kl, GRPO 0.18.2 to verl": (2.2, ["map", "kl", "--from", OLD, "--to", VERL]),
    "map, GRPO to verl": (3.0, ["map", "--from", GRPO, "--to", VERL]),
    "diff, GRPO 0.18.2 to 1.16.0": (3.0, ["diff", "--from", OLD, "--to", GRPO]),
    "diff, verl 0.4.1 to 0.9.1": (3.0, ["diff", "--from", OLD_VERL, "--to", VERL]),
    "map, GRPO 0.18.2 to verl": (3.0, ["map", "--from", OLD, "--to", VERL]),
    "translate --help": (1.8, ["translate", "--help"]),
    "resolve rewrd": (3.0, ["resolve", "rewrd"]),
}
"""Title, how many times the empty command it may cost, and its words."""

NAMES = (
    "import rlmetrics.names; from rlmetrics.translate import Translator; "
    "Translator('trl[PPOTrainer]==0.11.4', 'trl[PPOTrainer]==0.18.2')"
)
NAMES_LIMIT = 2.5
"""How many times a bare interpreter names and a translator may cost."""

LOOP = """
import sys
sys.path.append(sys.argv[1])
import orjson
names = {"loss": "actor/pg_loss", "entropy": "actor/entropy"}
with open(sys.argv[2], "rb") as log, open(sys.argv[3], "wb") as copy:
    for line in log:
        row = {names.get(key, key): value for key, value in orjson.loads(line).items()}
        copy.write(orjson.dumps(row) + b"\\n")
"""
LOOPED, LOOP_LIMIT = "orjson, three rows", 3.5
"""How many times that loop a translation of three rows may cost."""

EVERY = f"import sys; from rlmetrics.names import resolve; resolve(sys.argv[1:], {VERL!r})"
EVERY_LIMIT = 300
"""How many milliseconds it may take to resolve every key of a release."""

ANCHORS = ("ruff", "wandb")


def spent(command: Sequence[str]) -> float:
    """Return the processor time of a process in milliseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode > 1 or b"Traceback" in done.stderr:
        raise RuntimeError(f"{command}: {done.stderr.decode()}")
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def installed(folder: Path) -> Path:
    """Install this checkout and the empty command; return the folder of their commands."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    wheels = [*folder.glob("*.whl"), empty_wheel(folder)]
    subprocess.run([sys.executable, "-m", "venv", str(folder / "env")], check=True)
    commands = folder / "env" / "bin"
    options = ["--quiet", "--no-index", "--no-deps"]
    subprocess.run([commands / "python", "-m", "pip", "install", *options, *wheels], check=True)
    return commands


def empty_wheel(folder: Path) -> Path:
    """Write a wheel whose only command does nothing."""
    path = folder / "nothing-1-py3-none-any.whl"
    info = "nothing-1.dist-info"
    files = {
        "nothing.py": "def main():\n    return 0\n",
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: nothing\nVersion: 1\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: by-hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": "[console_scripts]\nnothing = nothing:main\n",
    }
    record = "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"])
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in {**files, f"{info}/RECORD": record}.items():
            archive.writestr(name, text)
    return path


def translations(folder: Path, python: str, ours: str) -> dict[str, Sequence[str]]:
    """Return the loop of orjson over three rows of GRPO, and what translates them."""
    names = [item.key for item in keys(GRPO) if "{" not in item.key][:25]
    rows = [{"step": step, **{name: step / 7 + at for at, name in enumerate(names)}} for step in range(3)]
    lines, table = folder / "rows.jsonl", folder / "rows.csv"
    lines.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    table.write_text("".join(",".join(map(str, row)) + "\n" for row in (rows[0], *(row.values() for row in rows))))
    packages = str(Path(orjson.__file__).parents[1])
    found: dict[str, Sequence[str]] = {LOOPED: [python, "-c", LOOP, packages, str(lines), str(folder / "loop.jsonl")]}
    for title, log, target in (
        ("translate three rows, GRPO to verl", lines, VERL),
        ("translate three rows, GRPO to canonical", lines, "canonical"),
        ("translate three rows of CSV, GRPO to verl", table, VERL),
    ):
        words = ["translate", str(log), "--from", GRPO, "--to", target, "-o", str(folder / "copy"), "--force"]
        found[title] = [ours, *words]
    return found


def measured(commands: Mapping[str, Sequence[str]], rounds: int) -> dict[str, dict[str, float | str]]:
    """Return what commands cost, in turns, in milliseconds and in times of an empty command and of a bare start."""
    times: dict[str, list[float]] = {title: [] for title in commands}
    for _ in range(rounds):
        for title, command in commands.items():
            times[title].append(spent(command))
    return {
        title: {
            "ms": round(statistics.median(taken), 1),
            "times empty": _ratio(taken, times[EMPTY]),
            "times bare": _ratio(taken, times[BARE]),
            **({"times orjson": _ratio(taken, times[LOOPED])} if "three rows" in title else {}),
        }
        for title, taken in times.items()
    }


def _ratio(taken: Sequence[float], other: Sequence[float]) -> float:
    return round(statistics.median(one / two for one, two in zip(taken, other, strict=True)), 2)


def main() -> int:
    """Measure, report and judge."""
    options = measure.parser(__doc__).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = installed(Path(folder))
        python, ours = str(place / "python"), str(place / "rlmetrics")
        commands: dict[str, Sequence[str]] = {BARE: [python, "-c", "pass"], EMPTY: [str(place / "nothing")]}
        commands.update({title: [ours, *words] for title, (_, words) in COMMANDS.items()})
        commands.update(translations(Path(folder), python, ours))
        commands["names and a translator"] = [python, "-c", NAMES]
        commands["every key of verl resolved"] = [python, "-c", EVERY, *(item.key for item in keys(VERL))]
        commands.update({f"{name} --version": [name, "--version"] for name in ANCHORS if shutil.which(name)})
        results = measured(commands, options.rounds)
    limits = {title: ("times empty", limit) for title, (limit, _) in COMMANDS.items()}
    limits["names and a translator"] = "times bare", NAMES_LIMIT
    limits["every key of verl resolved"] = "ms", EVERY_LIMIT
    limits.update({title: ("times orjson", LOOP_LIMIT) for title in results if title.startswith("translate three")})
    over = []
    for title, (unit, limit) in limits.items():
        found = results[title][unit]
        results[title]["limit"] = f"{limit} {unit}"
        over += [title] if isinstance(found, float) and found > limit else []
    measure.report("start_cost", options, results)
    for title in over:
        print(f"over its limit: {title}", file=sys.stderr)
    return int(bool(over))


if __name__ == "__main__":
    sys.exit(main())
