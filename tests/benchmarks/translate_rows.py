"""What translating rows costs: ``python tests/benchmarks/translate_rows.py [RESULT.json] [--write]``.

- A whole ``translate_file`` of JSON lines, plain and as verl's file logger writes them, beside a loop of orjson over
  the same file that loads, renames by a ready map and dumps; also where one value, every second or each is text, where
  every second or each is a list, and where the values of one name are converted, which the loop does not do; and a PPO
  log of TRL, where two pairs of keys are one metric each, with equal and with different values.
- A whole ``translate_file`` of verl's console, beside a loop that splits each line and renames by a ready map.
- ``Translator.row`` on a dict of 40 keys, beside a dict comprehension with a ready map; also where keys are one metric,
  where one value is converted, and where each of 3,200 rows has 30 keys of 40, drawn anew.
- A whole ``translate_file`` of a table, of which only the header changes, beside a plain copy.
"""

from __future__ import annotations

import json
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import orjson
from benchmarks import measure
from benchmarks.paired import compare, options, report
from rlmetrics.names import keys
from rlmetrics.translate import Translator, translate_file

SOURCE, TARGET = "verl==0.9.1", "canonical"
OLD_SOURCE, OLD_TARGET, CONVERTED = "verl==0.1", "verl==0.9.1", "actor/lr(1e-4)"
PPO = "trl[PPOTrainer]==0.11.4"
RIVALS = {"env/reward_mean": "ppo/mean_scores", "env/reward_std": "ppo/std_scores"}
"""Keys of it that say what another says."""
FRAMED = "JSON lines of verl"
ROWS, KEYS, CALLS = 25_000, 40, 20_000


def orjson_loop(path: Path, output: Path, names: dict[str, str], *, framed: bool) -> Callable[[], None]:
    """Return the loop that JSON lines are compared with."""

    def run() -> None:
        with path.open("rb") as lines, output.open("wb") as out:
            for line in lines:
                row = orjson.loads(line)
                if framed:
                    row["data"] = {names.get(key, key): value for key, value in row["data"].items()}
                else:
                    row = {names.get(key, key): value for key, value in row.items()}
                out.write(orjson.dumps(row) + b"\n")

    return run


def split_loop(path: Path, output: Path, names: dict[str, str]) -> Callable[[], None]:
    """Return the loop that consoles are compared with."""

    def run() -> None:
        with path.open(encoding="utf-8") as lines, output.open("w", encoding="utf-8") as out:
            for line in lines:
                step, *fields = line.split(" - ")
                parted = (field.rpartition(":") for field in fields)
                out.write(" - ".join([step, *(f"{names.get(key, key)}:{value}" for key, _, value in parted)]))

    return run


def kinds_of_rows(
    names: list[str], old_names: list[str], ppo_names: list[str]
) -> dict[str, tuple[str, list[dict[str, Any]]]]:
    """Return, by what they hold, the source of rows and the rows."""
    draw = random.Random(7)

    def rows(names: list[str], value: Callable[[int], Any]) -> list[dict[str, Any]]:
        return [{name: value(place) for place, name in enumerate(names)} for _ in range(ROWS)]

    def number(_: int) -> float:
        return draw.gauss(0, 1)

    def text(place: int) -> str:
        return f"sample {place} of {draw.random():.3f}"

    def values(place: int) -> list[float]:
        return [draw.gauss(0, 1) for _ in range(4)]

    return {
        "JSON lines": (SOURCE, rows(names, number)),
        "JSON lines, one text": (SOURCE, rows(names, lambda place: number(place) if place else text(place))),
        "JSON lines, every second a text": (SOURCE, rows(names, lambda place: (number, text)[place % 2](place))),
        "JSON lines of text": (SOURCE, rows(names, text)),
        "JSON lines, every second a list": (SOURCE, rows(names, lambda place: (number, values)[place % 2](place))),
        "JSON lines of lists": (SOURCE, rows(names, values)),
        "JSON lines, one value converted": (OLD_SOURCE, rows(old_names, number)),
        "PPO, pairs equal": (
            PPO,
            [{**row, **{a: row[b] for a, b in RIVALS.items()}} for row in rows(ppo_names, number)],
        ),
        "PPO, pairs differ": (PPO, rows(ppo_names, number)),
    }


def row_jobs(source: str, target: str, rows: list[dict[str, Any]]) -> dict[str, Callable[[], object]]:
    """Return what translates rows, and the comprehension."""
    translator = Translator(source, target)
    names = {key: translator.key(key).output for row in rows for key in row}
    calls = [rows[place % len(rows)] for place in range(CALLS)]
    return {
        "Translator.row": lambda: [translator.row(row) for row in calls],
        "comprehension": lambda: [{names[key]: value for key, value in row.items()} for row in calls],
    }


def main() -> int:
    """Measure, print, and write the result as JSON where asked for."""
    given = options(__doc__)
    names = [key.key for key in keys(SOURCE) if "{" not in key.key][:KEYS]
    old_names = [CONVERTED, *[key.key for key in keys(OLD_SOURCE) if not set("{(") & set(key.key)]][:KEYS]
    plain_ppo = [
        key.key for key in keys(PPO) if not set("{(") & set(key.key) and key.key not in {*RIVALS, *RIVALS.values()}
    ]
    ppo_names = [*RIVALS, *RIVALS.values(), *plain_ppo][:KEYS]
    translator = Translator(SOURCE, TARGET)
    new = {name: translator.key(name).output for name in names}
    by_kind = kinds_of_rows(names, old_names, ppo_names)
    rows = by_kind["JSON lines"][1]
    result: dict[str, Any] = {}
    jobs: dict[str, Callable[[], object]]
    with tempfile.TemporaryDirectory() as folder:
        path, output = Path(folder, "run.jsonl"), Path(folder, "out")
        for name, (source, held) in {**by_kind, FRAMED: by_kind["JSON lines"]}.items():
            target = OLD_TARGET if source == OLD_SOURCE else TARGET
            lines = ({"step": step, "data": row} if name == FRAMED else row for step, row in enumerate(held))
            path.write_text("".join(json.dumps(line) + "\n" for line in lines))
            ready = Translator(source, target)
            renamed = {key: ready.key(key).output for key in held[0]}
            jobs = {
                "translate_file": partial(
                    translate_file, path, source=source, target=target, output=output, force=True
                ),
                "orjson": orjson_loop(path, Path(folder, "peer"), renamed, framed=name == FRAMED),
            }
            result[name] = compare(jobs, ROWS * len(held[0]))
        console = Path(folder, "run.log")
        steps = (
            " - ".join([f"step:{step}", *(f"{name}:{row[name]}" for name in row)]) for step, row in enumerate(rows)
        )
        console.write_text("\n".join([*steps, ""]))
        jobs = {
            "translate_file": partial(translate_file, console, source=SOURCE, target=TARGET, output=output, force=True),
            "split": split_loop(console, Path(folder, "peer"), new),
        }
        result["console of verl"] = compare(jobs, ROWS * KEYS)
        table = Path(folder, "run.csv")
        body = "".join(",".join(map(repr, row.values())) + "\n" for row in rows)
        table.write_text(",".join(names) + "\n" + body)
        jobs = {
            "translate_file": partial(translate_file, table, source=SOURCE, target=TARGET, output=output, force=True),
            "copy": lambda: shutil.copyfile(table, Path(folder, "peer")),
            "read": lambda: [None for _ in table.open("rb")],
        }
        result["table"] = compare(jobs, ROWS * KEYS)
    draw = random.Random(9)
    varying = [dict.fromkeys(draw.sample(names, 30), 0.5) for _ in range(3200)]
    for title, (source, target, some) in {
        "dict of 40 keys": (SOURCE, TARGET, rows[:1]),
        "dict of 40 keys, pairs equal": (PPO, TARGET, by_kind["PPO, pairs equal"][1][:1]),
        "dict of 40 keys, one value converted": (
            OLD_SOURCE,
            OLD_TARGET,
            by_kind["JSON lines, one value converted"][1][:1],
        ),
        "dicts of 30 of 40 keys": (SOURCE, TARGET, varying),
    }.items():
        result[title] = compare(row_jobs(source, target, some), CALLS * len(some[0]))
    if given.write:
        measure.keep("translate_rows", shown(result))
    return report(result, given.result)


def shown(result: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the figures as a page shows them: of each row the first peer, and how many times as long ours takes."""
    rows: dict[str, dict[str, Any]] = {}
    for title, figures in result.items():
        ours = next(name for name in figures if name.endswith(" takes times"))
        peer, times = next(iter(figures[ours].items()))
        speed = figures["points_per_second"]
        rows[title] = {
            "what": ours.removesuffix(" takes times"),
            "peer": peer,
            "million values a second": round(speed[ours.removesuffix(" takes times")] / 1e6, 2),
            "the peer's": round(speed[peer] / 1e6, 2),
            "times the peer": times,
        }
    return rows


if __name__ == "__main__":
    raise SystemExit(main())
