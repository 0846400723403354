"""TensorBoard event files: what TensorBoard's own reader finds in the translation of real ones."""

import subprocess
import sys

from translate.event_files import number_event, records_of, write_events

PPO, CANONICAL = "trl[PPOTrainer]==0.7.10", "canonical"


def test_memory_does_not_grow_with_the_file(tmp_path):
    """Ten times more records take hardly more memory: they are streamed."""
    peaks = []
    content = records_of(write_events(tmp_path / "one.tfevents", *[number_event(9, "objective/kl", 1.0)] * 1000))
    for times in (100, 1000):
        path = tmp_path / f"{times}.tfevents"
        path.write_bytes(content[0] + b"".join(content[1:]) * times)
        code = (
            "import re\nfrom rlmetrics.translate import translate_file\n"
            f"translate_file({str(path)!r}, source={PPO!r}, target='canonical')\n"
            "print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        peaks.append(int(done.stdout))
    assert peaks[1] < 1.1 * peaks[0]
