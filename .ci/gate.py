"""The gate: what must hold before a change lands, and the slow lanes that run when what they are about has changed.

``lanes.toml`` declares each lane. Its lock, ``lanes/LANE.lock``, holds the digest of what it is about as of its last
pass; the gate compares digests and runs the lanes whose is another. A lane that runs is also held to its declaration:
a file of the repository that one of its Python processes opens, and that it does not declare, fails it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import cache
from pathlib import Path, PurePosixPath

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
LOCKS = HERE / "lanes"
FRESH = timedelta(days=7)
"""How long a lane that asks the package index holds after a pass."""


@dataclass(frozen=True)
class Lane:
    """A part of what must hold that takes long, and seldom breaks.

    Attributes:
        name: Its name.
        proves: What holds when it passes.
        run: The command, for a shell.
        subject: Patterns of what it is about: it runs when one of these files changes.
        reads: Patterns of what it also opens and the gate tests without it.
        asks_index: Whether it asks the package index, and so may break without a change.
        includes: Titles of what runs each time and this lane does too: the gate does not do it twice.
    """

    name: str
    proves: str
    run: str
    subject: tuple[str, ...]
    reads: tuple[str, ...] = ()
    asks_index: bool = False
    includes: tuple[str, ...] = ()


def declared() -> tuple[dict[str, str], dict[str, Lane]]:
    """Return the commands that run each time by title, and the lanes by name, as ``lanes.toml`` says."""
    said = tomllib.loads((HERE / "lanes.toml").read_text(encoding="utf-8"))
    always: dict[str, str] = said.pop("always")
    shared: dict[str, list[str]] = said.pop("shared", {})

    def patterns(listed: Iterable[str]) -> tuple[str, ...]:
        return tuple(one for part in listed for one in shared.get(part.removeprefix("@"), [part]))

    return always, {
        name: Lane(
            name=name,
            proves=lane["proves"],
            run=lane["run"],
            subject=patterns(lane["subject"]),
            reads=patterns(lane.get("reads", ())),
            asks_index=lane.get("asks_index", False),
            includes=tuple(lane.get("includes", ())),
        )
        for name, lane in said.items()
    }


def covers(patterns: Iterable[str], path: str) -> bool:
    """Tell whether a path fits one of the patterns and none that begins with ``!``; ``**`` crosses slashes."""
    fits = [pattern.startswith("!") for pattern in patterns if _expression(pattern.removeprefix("!")).fullmatch(path)]
    return bool(fits) and not any(fits)


@cache
def _expression(pattern: str) -> re.Pattern[str]:
    return re.compile(re.escape(pattern).replace(r"\*\*", ".*").replace(r"\*", "[^/]*"))


def contents() -> dict[str, str]:
    """Return every file of the working tree that git does not ignore, with the hash that git gives its content."""
    listed = _git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    paths = sorted({path for path in listed if path and (ROOT / path).is_file()})
    hashes = _git("hash-object", "--stdin-paths", given="".join(f"{path}\n" for path in paths)).split()
    return dict(zip(paths, hashes, strict=True))


def _git(*arguments: str, given: str | None = None) -> str:
    run = subprocess.run(["git", *arguments], cwd=ROOT, input=given, check=True, capture_output=True, text=True)
    return run.stdout


def digest(lane: Lane, files: Mapping[str, str]) -> str:
    """Return the digest of what a lane is about: its command and the content of its subject, whatever the times."""
    said = [lane.run, *(f"{path} {files[path]}" for path in sorted(files) if covers(lane.subject, path))]
    return hashlib.sha256("\n".join(said).encode()).hexdigest()


def why_stale(lane: Lane, files: Mapping[str, str], now: datetime) -> str | None:
    """Return why a lane has to run, or None if its last pass still holds."""
    try:
        lock = json.loads((LOCKS / f"{lane.name}.lock").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return "it has no lock"
    if lock["digest"] != digest(lane, files):
        return f"its subject has changed since {lock['parent']}"
    if lane.asks_index and now - datetime.fromisoformat(lock["date"]) > FRESH:
        return f"the package index may have changed since {lock['date'][:10]}"
    return None


def undeclared(lane: Lane, opened: Iterable[str], files: Iterable[str]) -> list[str]:
    """Return files of the repository that a lane opened and does not declare; compiled ones count as their sources."""
    known = set(files)
    sources = {_source(path) for path in opened} & known
    return sorted(path for path in sources if not covers(lane.subject, path) and not covers(lane.reads, path))


def _source(path: str) -> str:
    place = PurePosixPath(path)
    if place.suffix == ".pyc" and place.parent.name == "__pycache__":
        return (place.parent.parent / f"{place.name.partition('.')[0]}.py").as_posix()
    return path


def run_lane(lane: Lane, *, lock: bool) -> str | None:
    """Run a lane and write its lock if asked; return what is wrong with it, if anything."""
    files = contents()
    before = digest(lane, files)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o1777)  # tests also start processes of users without rights
        wrong = shell(f"lane {lane.name}", lane.run, RLMETRICS_OPENED=folder, RLMETRICS_ROOT=str(ROOT))
        opened = {os.readlink(note) for note in Path(folder).iterdir()}
    outside = undeclared(lane, opened, files)
    if outside:
        print(f"{lane.name} opens what .ci/lanes.toml does not declare:", *outside, sep="\n  ", flush=True)
        wrong = wrong or "opens what it does not declare"
    if lock and not wrong:
        if digest(lane, contents()) != before:
            return "its subject changed while it ran"
        parent = _git("rev-parse", "HEAD").strip()
        date = datetime.now(timezone.utc).isoformat(timespec="seconds")
        LOCKS.mkdir(exist_ok=True)
        said = json.dumps({"digest": before, "date": date, "parent": parent}, indent=2)
        (LOCKS / f"{lane.name}.lock").write_text(f"{said}\n", encoding="utf-8")
    return wrong


TIMES: list[tuple[str, float, float]] = []
"""Of each step its title, and its seconds of the clock and of the processor."""


def shell(title: str, command: str, **variables: str) -> str | None:
    """Run a command for all to see; return what is wrong, if anything."""
    print(f"\n== {title}\n{command}", flush=True)
    start, used = time.monotonic(), _processor()
    environment = {**os.environ, "DRAW": os.environ.get("DRAW") or _git("rev-parse", "HEAD").strip(), **variables}
    for name, folder in (("PATH", ROOT / ".venv" / "bin"), ("PYTHONPATH", HERE / "hooks")):
        environment[name] = os.pathsep.join([str(folder), *filter(None, [environment.get(name)])])
    code = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=ROOT, env=environment).returncode
    TIMES.append((title, time.monotonic() - start, _processor() - used))
    return f"exit code {code}" if code else None


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(arguments: list[str]) -> int:
    """Run the gate and the lanes that are stale, or ``--all`` of them, or only those that are named.

    Returns:
        0 if all holds, 1 if anything does not, 2 for a lane that there is not.
    """
    always, lanes = declared()
    unknown = [name for name in arguments if name not in {*lanes, "--all", "--stale"}]
    if unknown:
        print(f".ci/run: no lane {', '.join(unknown)}; there are {', '.join(lanes)}", file=sys.stderr)
        return 2
    files, now = contents(), datetime.now(timezone.utc)
    reasons = {name: why for name, lane in lanes.items() if (why := why_stale(lane, files, now))}
    if "--stale" in arguments:
        print(*(f"{name}: {why}" for name, why in reasons.items()), sep="\n")
        return 0
    named = [name for name in arguments if name != "--all"]
    running = named or [*(lanes if "--all" in arguments else reasons)]
    wrong: dict[str, str | None] = {}
    if not named:
        failed = os.environ.pop("README_TESTS", None)
        wrong["README: tests"] = f"exit code {failed}" if failed else None
        included = {title for name in running for title in lanes[name].includes}
        wrong |= {title: shell(title, command) for title, command in always.items() if title not in included}
    for name in running:
        print(f"\n{name} runs, since {reasons.get(name, 'it was asked for')}: {lanes[name].proves}", flush=True)
        wrong[f"lane {name}"] = run_lane(lanes[name], lock=bool(arguments))
    print()
    for title, clock, processor in TIMES:
        print(f"{clock:6.0f} s, {processor:6.0f} s of the processor: {title}")
    print(*(f"FAILED {title}: {why}" for title, why in wrong.items() if why), sep="\n")
    return int(any(wrong.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
