"""Feeds changed inputs to a reader and judges what comes out.

``python tests/programs/fuzz/fuzzing.py --seconds 600 jsonl`` does so for ten minutes.

An input must be translated or refused in one printable line, in a few seconds, with nothing left behind and itself as
it was; what is written must be read by the same reader, and be the same the second time.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    ROOT = Path(__file__).resolve().parents[3]
    sys.path[:0] = [str(ROOT / part) for part in ("adapters", "tests")]

from programs.fuzz.readers import HERE, READERS, Reader
from rlmetrics.logs.folder_tree import survey
from rlmetrics.logs.kinds import KINDS
from rlmetrics.names.tables.user_errors import UserError
from rlmetrics.translate import Report, Translator, translate_file
from rlmetrics.translate.origins import Known
from rlmetrics.translate.translation_options import Options

__all__ = ["Finding", "Fuzzer", "judge"]

CONVERTED = {"source": "verl==0.1", "target": "verl==0.9.1"}
WAYS: list[dict[str, Any]] = [
    *({**CONVERTED, **options} for options in ({}, {}, {"both": True}, {"strict": True}, {"unknown": "drop"})),
    {**CONVERTED, "unknown": "error"},
    {"source": "verl==0.9.1", "target": "canonical"},
    {"source": "trl[PPOTrainer]==0.7.10", "target": "trl[PPOTrainer]==0.18.2"},
]
GUESSED = {"source": "auto", "target": "canonical"}
SHARE_GUESSED = 0.01
"""To infer a source takes as long as a hundred translations."""
LIMIT_S = 10
"""Processor time; no input is so large that it may take longer."""
MOST = 300
"""How many inputs are kept to go on from, while fuzzing."""


class Finding(AssertionError):  # noqa: N818
    """Something that must not happen."""


class Fuzzer:
    """Fuzzes one reader; inputs that lead to answers that were not seen before are changed further.

    Args:
        reader: What is fuzzed.
        seed: Of the random numbers.
    """

    def __init__(self, reader: Reader, seed: int) -> None:
        self._reader = reader
        self._dice = random.Random(seed)
        self._inputs = reader.inputs()
        self._seen: set[bytes] = set()

    def run(self, seconds: float, most: int = 10**9) -> tuple[int, list[tuple[bytes, Finding]]]:
        """Fuzz for some time of this process, and return how many inputs were tried and what was found."""
        tried, found = 0, []
        end = time.process_time() + seconds
        with same_translators() as translators, tempfile.TemporaryDirectory() as folder:
            while time.process_time() < end and tried < most:
                tried += 1
                content = self._next()
                way = GUESSED if self._dice.random() < SHARE_GUESSED else self._dice.choice(WAYS)
                try:
                    answer = judge(self._reader, content, way, Path(folder))
                except Finding as finding:
                    found.append((content, finding))
                    answer = str(finding)
                short = hashlib.blake2b(answer.encode(errors="backslashreplace"), digest_size=8).digest()
                if short not in self._seen:
                    self._seen.add(short)
                    if len(content) < 100_000:
                        self._inputs.append(content)
                    if len(self._inputs) > MOST:
                        del self._inputs[self._dice.randrange(len(self._reader.seeds()), MOST)]
                if tried % 1000 == 0:
                    translators.clear()
        return tried, found

    def _next(self) -> bytes:
        content, other = self._dice.choice(self._inputs), self._dice.choice(self._inputs)
        return self._reader.change(self._dice, content, other)


@contextmanager
def same_translators() -> Iterator[dict[Any, Translator]]:
    """Make each translator once: it takes longer than to translate a small file."""
    made: dict[Any, Translator] = {}
    real = Known.translator

    def opened(origin: Known, options: Options, surface: str | None) -> Translator:
        asked = (origin, surface, options.target, repr(options.of_names()))
        if asked not in made:
            made[asked] = real(origin, options, surface)
        return made[asked]

    Known.translator = opened  # type: ignore[method-assign]
    try:
        yield made
    finally:
        Known.translator = real  # type: ignore[method-assign]


def _age(path: Path) -> None:
    """Make an input as old as that of a finished run: for databases that were just written the translation waits."""
    then = time.time() - 60
    for file in (path, *path.rglob("*")) if path.is_dir() else (path, *path.parent.glob(f"{path.name}*")):
        os.utime(file, (then, then))


def judge(reader: Reader, content: bytes, way: dict[str, Any], folder: Path) -> str:
    """Translate an input and return what kind of answer that was.

    Raises:
        Finding: If the answer is none that may be given.
    """
    for left in folder.iterdir():
        shutil.rmtree(left) if left.is_dir() else left.unlink()
    path, out = folder / reader.file, folder / "out"
    reader.put(path, content)
    _age(path)
    before = _contents(path)
    report = _answer(reader, path, out, way)
    if _contents(path) != before:
        msg = "the input was changed"
        raise Finding(msg)
    left = {found.name for found in folder.iterdir()} - {path.name, out.name}
    if left or (isinstance(report, str) and out.exists()):
        msg = f"left behind: {sorted(left) or 'an output that was refused'}"
        raise Finding(msg)
    if isinstance(report, str):
        return re.sub(r"['\"].*['\"]|[0-9]+", "…", report.replace(str(folder), ""))
    _judge_output(reader, path, out, way)
    counts = (report.records, *map(len, (report.translated, report.unknown, report.set_aside, report.collisions)))
    return f"{[count.bit_length() for count in counts]} {report.lost.bytes > 0} {sorted(report.translated)[:3]}"


def _answer(reader: Reader, path: Path, out: Path, way: dict[str, Any]) -> Report | str:
    """Return the report, or the line that the input was refused with."""
    signal.signal(signal.SIGPROF, _too_long)
    signal.setitimer(signal.ITIMER_PROF, LIMIT_S)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            report = translate_file(path, output=out, kind=reader.kind or None, **way)
            for shown in (report.as_text(), str(report.as_json())):
                shown.encode("utf-8", "backslashreplace")
            return report
    except UserError as error:
        message = str(error)
        if not message.isprintable():
            msg = f"the message is not one printable line: {message!r}"
            raise Finding(msg) from error
        return message
    except Finding:
        raise
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        place = traceback.extract_tb(error.__traceback__)[-1]
        msg = f"{type(error).__name__} in {Path(place.filename).name}:{place.lineno}: {str(error)[:100]}"
        raise Finding(msg) from error
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _judge_output(reader: Reader, path: Path, out: Path, way: dict[str, Any]) -> None:
    if not out.exists():
        return
    first = _contents(out)
    if out.is_file() and _names(reader, path) is not None:
        renamed = out.with_name("out" + Path(reader.file).suffix)
        out.rename(renamed)
        if _names(reader, renamed) is None:
            msg = "what was written can't be read, but the input can"
            raise Finding(msg)
        renamed.rename(out)
    if hashlib.blake2b(repr(sorted(first)).encode()).digest()[0] % 4 == 0:
        _answer(reader, path, out, {**way, "force": True})
        if _contents(out) != first:
            msg = "the second time, something else is written"
            raise Finding(msg)


def _names(reader: Reader, path: Path) -> set[str] | None:
    """Return the names in a file; None if it is refused."""
    try:
        if not reader.kind:
            return {name for unit in survey(path, None).units for name in unit.open().names()} or None
        return set(KINDS[reader.kind].open(path).names())
    except UserError:
        return None


def _contents(path: Path) -> dict[str, bytes]:
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return {str(file.relative_to(path)): file.read_bytes() for file in files}


def _too_long(*_: object) -> None:
    msg = f"takes more than {LIMIT_S} seconds"
    raise Finding(msg)


def main() -> int:
    """Fuzz readers by hand: what is found is kept in the corpus, so that it is tested from then on."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("readers", nargs="*", metavar="READER", help=f"of {', '.join(READERS)}; by default all")
    parser.add_argument("--seconds", type=float, default=600, help="processor time for each; by default 600")
    parser.add_argument("--seed", type=int, default=time.time_ns())
    parser.add_argument("--findings", type=Path, default=HERE / "corpus", help="where inputs are kept")
    args = parser.parse_args()
    bad = 0
    for name in args.readers or READERS:
        tried, found = Fuzzer(READERS[name], args.seed).run(args.seconds)
        kinds = {
            re.sub(r"[0-9]+|(?<=printable line: ).*", "…", str(one))[:150]: (content, one) for content, one in found
        }
        print(
            f"{name}: {tried} inputs in {args.seconds:.0f} s, {len(found)} findings of {len(kinds)} kinds", flush=True
        )
        for content, finding in kinds.values():
            bad += 1
            goal = args.findings / name / hashlib.sha1(content).hexdigest()[:12]
            goal.parent.mkdir(parents=True, exist_ok=True)
            goal.write_bytes(content)
            print(f"  {goal}: {finding}", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
