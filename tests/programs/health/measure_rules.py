"""Measures the rules on labelled runs and prints the table of ``docs/health.md``.

``python tests/programs/health/measure_rules.py [--others FOLDER] [--peer PYTHON]``: our simulator always; others'
simulators from a folder that ``others_runs.py`` has written; rldoctor in the same table where a Python with it is
named. Real trainings have their own folder, ``trainings``. The digest is that of the rules and of what evaluates them.
"""

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests"))

from health_simulator import SOURCES, all_runs, shows, spelled  # noqa: E402
from rlmetrics.health import Monitor  # noqa: E402

CAUSES = {
    "entropy_collapse": {"entropy_collapse"},
    "saturated_groups": {"no_learning_signal"},
    "too_hard": {"no_learning_signal"},
    "reward_hacking": {"reward_hacking", "held_out_divergence"},
    "length_hacking": {"length_exploit"},
    "truncation": {"truncation"},
    "kl_blowup": {"kl_explosion"},
    "clip_saturation": {"update_too_large"},
    "grad_spikes": {"gradient_pathology"},
    "plateau": {"reward_plateau"},
    "format_domination": {"component_farming"},
    "reward_hack_length": {"length_exploit"},
    "format_gaming": {"component_farming"},
    "degenerate_groups": {"no_learning_signal"},
    "adv_collapse": {"no_learning_signal"},
    "value_divergence": {"critic_failure"},
    "grad_pathology": {"gradient_pathology", "non_finite"},
    "truncation_starve": {"truncation"},
    "repetition_spiral": {"entropy_collapse"},
    "reward_std_death": {"no_learning_signal"},
    "ref_drift_asymmetry": {"kl_explosion"},
    "throughput_rot": {"throughput"},
}
"""Which causes name the ailment of a run of others' simulators."""

PEER = {
    "entropy_collapse": {"entropy_collapse"},
    "advantage_collapse": {"no_learning_signal"},
    "reward_hacking": {"reward_hacking", "held_out_divergence"},
    "length_pathology": {"length_exploit", "truncation"},
    "kl_drift": {"kl_explosion"},
    "clip_saturation": {"update_too_large"},
    "gradient_pathology": {"gradient_pathology", "non_finite"},
    "plateau": {"reward_plateau"},
    "reward_composition": {"component_farming"},
}
"""What rldoctor's detectors stand for."""


HEADER = (
    "runs",
    "what they are",
    "found",
    "first answer right",
    "healthy alarmed",
    "healthy with an error",
    "median delay",
    "alarms per 1,000 healthy steps",
)


def digest() -> str:
    """Return the digest of the rules and of what evaluates them."""
    files = [*sorted((ROOT / "spec/health").glob("*.yaml"))]
    files += [
        ROOT / f"adapters/rlmetrics/health/{name}.py"
        for name in ("bounded_curve", "series", "trends", "conditions", "instances", "row_facts", "diagnosing")
    ]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


class Tally:
    """Counts of one family of runs."""

    def __init__(self) -> None:
        self.sick = self.right = self.first = self.healthy = self.alarmed = self.errors = self.steps = self.alarms = 0
        self.delays: list[float] = []
        self.missed: list[str] = []

    def add(self, name: str, rows: list, source: str, causes: set, onset: float | None) -> None:
        """Judge a run."""
        monitor = Monitor(source)
        said = [
            (row.get("step", 0), item) for row in rows for item in monitor.observe(None, row) if item.level != "info"
        ]
        report = monitor.report()
        if not causes:
            self.healthy += 1
            self.alarmed += bool(said)
            self.errors += any(item.level == "error" for _, item in said)
            self.alarms += len(said)
            self.steps += len(rows)
            return
        self.sick += 1
        right = [step for step, item in said if item.cause in causes]
        self.right += bool(right)
        first = next(iter(report.diagnoses), None)
        self.first += first is not None and first.level != "info" and first.cause in causes
        if right and onset is not None:
            self.delays.append(min(right) - onset)
        if not right:
            self.missed.append(name)

    def row(self, name: str, note: str) -> str:
        """Return the line of the table."""
        delay = f"{median(self.delays):.0f}" if self.delays else "–"
        rate = f"{1000 * self.alarms / self.steps:.2f}" if self.steps else "–"
        return (
            f"| {name} | {note} | {self.right} of {self.sick} | {self.first} of {self.sick} | "
            f"{self.alarmed} of {self.healthy} | {self.errors} | {delay} | {rate} |"
        )


def from_folder(folder: Path) -> Tally:
    """Return the counts of the runs of a folder, whose names say what they are."""
    tally = Tally()
    for file in sorted(folder.glob("*.jsonl")):
        family, scenario, _ = file.stem.split("-")
        source = "trl[GRPOTrainer]==1.16.0"
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        onset = None
        if family == "rlprobe":
            onset = 250
        tally.add(file.stem, rows, source, CAUSES.get(scenario, set()), onset)
    return tally


def peer(python: str, runs: list[tuple[str, list, set]]) -> str:
    """Return the line of rldoctor on some runs that are spelled as TRL's."""
    right = sick = alarmed = healthy = 0
    for _, rows, causes in runs:
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.write("".join(json.dumps(row) + "\n" for row in rows))
            file.flush()
            command = [python, "-m", "rl_doctor.cli", "diagnose", file.name, "-f", "json"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        try:
            said = json.loads(done.stdout)
        except ValueError:
            said = {}
        found = [
            item
            for item in said.get("findings", [])
            if str(item.get("severity", "")).lower() in ("warning", "critical")
        ]
        meant = set().union(*(PEER.get(item.get("detector", item.get("id", "")), set()) for item in found), set())
        if causes:
            sick += 1
            right += bool(meant & causes)
        else:
            healthy += 1
            alarmed += bool(found)
    what = "our simulator, TRL GRPO 1.16"
    return f"| rldoctor 0.2.0 | {what} | {right} of {sick} | – | {alarmed} of {healthy} | – | – | – |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--others", type=Path)
    parser.add_argument("--peer")
    parser.add_argument("--seeds", type=int, nargs="+", default=[100, 101, 102])
    args = parser.parse_args()
    print(f"Rules {digest()}\n")
    print(f"| {' | '.join(HEADER)} |")
    print("|---|---|---|---|---|---|---|---|")
    missed = []
    for family in SOURCES:
        tally = Tally()
        for run in all_runs(args.seeds):
            for source in SOURCES[run.family] if run.family == family else ():
                if shows(run, source):
                    tally.add(f"{run.scenario} {source}", spelled(run.rows, source), source, set(run.causes), run.onset)
        print(tally.row(f"our simulator, {family}", f"seeds {args.seeds}, {len(SOURCES[family])} spellings"))
        missed += tally.missed
    if args.others:
        tally = from_folder(args.others)
        print(
            tally.row(
                "others' simulators", "rldoctor 0.2.0 and rlprobe 0.1.0, spelled as TRL GRPO 1.16; used for development"
            )
        )
        missed += tally.missed
    if args.peer:
        runs = [
            (run.scenario, spelled(run.rows, SOURCES["grpo"][0]), set(run.causes))
            for run in all_runs(args.seeds[:1])
            if run.family == "grpo"
        ]
        print(peer(args.peer, runs))
    print(f"\nMissed: {', '.join(sorted(set(missed))) or 'none'}")


if __name__ == "__main__":
    main()
