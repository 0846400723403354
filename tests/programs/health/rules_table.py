"""Precision, recall, delay and false alarms of each rule: ``python tests/programs/health/rules_table.py [--write]``.

The runs are those of our simulator under three seeds, in every spelling. ``--write`` keeps
the figures in ``docs/results/health_rules.json`` and makes ``docs/results/health_rules.md`` of them; ``--page`` makes
the page from the figures that are kept. ``--probe PYTHON`` also judges the GRPO runs by rlprobe, in a Python
with it; without it the figures of rlprobe stay as they are.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests"), str(Path(__file__).resolve().parent)]

from health_simulator import SOURCES, Run, all_runs, shows, spelled  # noqa: E402
from measure_rules import CAUSES, digest  # noqa: E402
from rlmetrics.health import Monitor  # noqa: E402

RESULTS = ROOT / "docs" / "results"
FIGURES, PAGE = RESULTS / "health_rules.json", RESULTS / "health_rules.md"


def measured(seeds: list[int]) -> dict[str, Any]:
    """Return the figures of each rule that warned or could have."""
    rules: dict[str, dict[str, Any]] = {}
    healthy = {"runs": 0, "steps": 0, "alarmed": 0}
    for run in all_runs(seeds):
        for source in SOURCES[run.family]:
            if not shows(run, source):
                continue
            rows = spelled(run.rows, source)
            monitor = Monitor(source)
            warned: dict[str, tuple[str, float]] = {}
            for row in rows:
                for item in monitor.observe(None, row):
                    if item.level != "info":
                        warned.setdefault(item.rule, (item.cause, row["step"]))
            report = monitor.report()
            judged = {*report.passed, *(item.rule for item in report.findings)}
            if not run.causes:
                healthy["runs"] += 1
                healthy["steps"] += len(rows)
                healthy["alarmed"] += bool(warned)
            for rule in monitor.run.curves.rules.rules:
                if (rule.id in judged and any(level != "info" for level, _ in rule.tiers)) or rule.special:
                    _count(rules.setdefault(rule.id, _empty(rule.cause)), rule.cause, warned.get(rule.id), run, rows)
    for figures in rules.values():
        figures["delay"] = median(figures.pop("delays")) if figures["delays"] else None
    return {"digest": digest(), "seeds": seeds, "healthy": healthy, "rules": dict(sorted(rules.items()))}


def _empty(cause: str) -> dict[str, Any]:
    return {"cause": cause, "right": 0, "beside": 0, "healthy": 0, "healthy_steps": 0, "sick": 0, "delays": []}


def _count(figures: dict[str, Any], cause: str, warned: tuple[str, float] | None, run: Run, rows: list) -> None:
    if not run.causes:
        figures["healthy"] += warned is not None
        figures["healthy_steps"] += len(rows)
    elif cause in run.causes:
        figures["sick"] += 1
        figures["right"] += warned is not None
        if warned is not None and run.onset is not None:
            figures["delays"].append(warned[1] - run.onset)
    else:
        figures["beside"] += warned is not None


def probed(python: str, seeds: list[int]) -> dict[str, Any]:
    """Return how rlprobe does on the GRPO runs, spelled as TRL 1.16.0."""
    runs = [run for run in all_runs(seeds) if run.family == "grpo" and shows(run, SOURCES["grpo"][0])]
    with tempfile.TemporaryDirectory() as folder:
        files = {str(Path(folder, f"{at}.jsonl")): run for at, run in enumerate(runs)}
        for name, run in files.items():
            text = "".join(json.dumps(row) + "\n" for row in spelled(run.rows, SOURCES["grpo"][0]))
            Path(name).write_text(text, encoding="utf-8")
        command = [python, str(Path(__file__).with_name("rlprobe_on.py")), *files]
        said = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    figures = {"sick": 0, "right": 0, "healthy": 0, "alarmed": 0}
    for name, run in files.items():
        meant = set().union(*(CAUSES.get(item["id"].lower(), set()) for item in said[name]), set())
        figures["sick" if run.causes else "healthy"] += 1
        figures["right"] += bool(run.causes and meant & set(run.causes))
        figures["alarmed"] += bool(not run.causes and said[name])
    return figures


def page(document: dict[str, Any]) -> str:
    """Return the page of the figures."""
    healthy = document["healthy"]
    lines = [
        "# How each health rule does",
        "",
        f"By `tests/programs/health/rules_table.py`, on our simulator's runs of the seeds {document['seeds']}, in",
        f"every spelling of `tests/health_simulator.py`; digest of the rules {document['digest']}. A rule is right",
        "where it warns in a run that has its cause. *Beside* are runs with another ailment in which it warns too,",
        "mostly symptoms, which a diagnosis folds under their cause; precision counts them as wrong. Recall is over",
        "runs with the cause of the rule, although most causes show in several curves, of which a rule sees one.",
        f"Delays are optimizer steps after the onset. {healthy['alarmed']} of {healthy['runs']} healthy runs and",
        f"look-alikes were alarmed ({healthy['steps']:,} steps).",
        "Rules that never warned in any of these runs, and had no cause to, are",
        "left out; each of them has a run on which it fires, and a healthy twin on which it does not, in the tests.",
        "",
        "| rule | cause | right | beside | precision | recall | median delay | false alarms per 1,000 healthy steps |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, item in document["rules"].items():
        wrong = item["beside"] + item["healthy"]
        if not item["sick"] and not wrong:
            continue
        precision = f"{item['right'] / (item['right'] + wrong):.0%}" if item["right"] + wrong else "–"
        recall = f"{item['right'] / item['sick']:.0%}" if item["sick"] else "–"
        delay = "–" if item["delay"] is None else f"{item['delay']:.0f}"
        alarms = f"{1000 * item['healthy'] / item['healthy_steps']:.2f}" if item["healthy_steps"] else "–"
        lines.append(
            f"| {name} | {item['cause'].replace('_', ' ')} | {item['right']} of {item['sick']} | {item['beside']} | "
            f"{precision} | {recall} | {delay} | {alarms} |"
        )
    if "rlprobe" in document:
        item = document["rlprobe"]
        lines += [
            "",
            f"rlprobe 0.1.0 through its own callback, on the GRPO runs as TRL 1.16.0 logs them: {item['right']} of",
            f"{item['sick']} ailments named, {item['alarmed']} of {item['healthy']} healthy runs and look-alikes",
            "alarmed.",
        ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure and print; keep figures and page where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", default=[100, 101, 102])
    parser.add_argument("--probe", metavar="PYTHON")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    if options.page:
        PAGE.write_text(page(json.loads(FIGURES.read_text(encoding="utf-8"))), encoding="utf-8")
        return
    document = measured(options.seeds)
    if options.probe:
        document["rlprobe"] = probed(options.probe, options.seeds)
    elif FIGURES.is_file() and (kept := json.loads(FIGURES.read_text(encoding="utf-8")).get("rlprobe")) is not None:
        document["rlprobe"] = kept  # does not hang on our rules
    if options.write:
        FIGURES.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
        PAGE.write_text(page(document), encoding="utf-8")
    print(page(document))


if __name__ == "__main__":
    main()
