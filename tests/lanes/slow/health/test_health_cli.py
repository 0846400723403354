"""``check``, ``watch``, ``compare`` and ``plot`` on real files, through the real command line."""

import json
import subprocess
import sys
import threading
import time

from health_simulator import simulate, spelled

GRPO = "trl[GRPOTrainer]==1.16.0"


def test_watch_speaks_when_something_is_found(tmp_path):
    """A file that grows is followed; the collapse is told once, and the command runs with the news."""
    rows = spelled(simulate("grpo", "zero_advantage").rows, GRPO)
    path, news = tmp_path / "run.jsonl", tmp_path / "news.txt"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows[:60]))
    script = f"import sys; open({str(news)!r}, 'a').write(sys.argv[-1] + '\\n')"
    command = [sys.executable, "-m", "rlmetrics.cli", "watch", path, "--at", GRPO, "--interval", "0.1", "--idle", "4"]
    command += ["--run", f'{sys.executable} -c "{script}"', "--level", "error"]

    def grow():
        time.sleep(1.5)
        with path.open("a") as file:
            for row in rows[60:120]:
                file.write(json.dumps(row) + "\n")

    thread = threading.Thread(target=grow)
    thread.start()
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, timeout=120)
    thread.join()

    assert (done.returncode, done.stderr) == (1, "")
    lines = done.stdout.splitlines()
    assert any("advantage" in line or "grad_norm" in line for line in lines)
    assert len(lines) == len(set(lines))
    assert len(lines) == len(news.read_text().splitlines())
