"""A folder with a log of every kind, translated by the command line."""

import json
import os
import shutil

from folders import FIXTURES
from logs import LOGS
from rlmetrics.cli import main

OPTIONS = ["--from", "verl==0.9.1", "--to", "canonical"]
ROWS = [{"actor/ppo_kl": repr(0.5 + step), "critic/score/mean": "0.25", "mine/own": "1"} for step in range(30)]


def make_runs(tmp_path):
    """Make a folder with a log of every kind, dashboards, code, links, a torn file and a damaged one."""
    folder = tmp_path / "runs"
    for number in range(3):
        place = folder / str(number)
        place.mkdir(parents=True)
        (place / "offline-run").mkdir()  # all files beside a run of W&B are part of it
        for log in LOGS.values():
            log.write((place / "offline-run" if log.kind == "wandb" else place) / log.name, ROWS)
        with (place / "hf.log").open("a") as file:
            file.write("{'epoch': 0.5}\n")
    shutil.copytree(FIXTURES / "runs" / "wandb" / "0.16.6-verl", folder / "offline-run-1")
    for path in sorted((FIXTURES / "dashboards").glob("verl-0.9.1.*")):
        shutil.copy(path, folder)
    (folder / "weights.bin").write_bytes(b"\0" * 100)
    (folder / "watch.py").write_text("monitor = 'actor/ppo_kl'\n")
    (folder / "sweep.yaml").write_text("metric: actor/ppo_kl\n")
    (folder / "torn.jsonl").write_text('{"actor/ppo_kl": 1}\n{"actor')
    (folder / "damaged.jsonl").write_text('{"actor/ppo_kl" 1}\n{}\n')
    (folder / "latest").symlink_to("2")
    return folder


def contents(folder):
    """Return all that a folder holds: bytes of files, and where links lead."""

    def content(path):
        return os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None

    return {str(path.relative_to(folder)): content(path) for path in sorted(folder.rglob("*"))}


def run(capsys, runs, out, *options):
    """Translate a folder by the command line; return its exit code and its report, or what it says on stderr."""
    code = main(["translate", str(runs), *OPTIONS, "-o", str(out), "--json", *map(str, options)])
    captured = capsys.readouterr()
    return code, json.loads(captured.out) if captured.out else captured.err
