"""Judges runs with rlprobe through its own callback: ``python rlprobe_on.py FILE.jsonl …`` in a Python that has it.

Prints, as JSON, what it found in each file at its levels ``warning`` and ``critical``, and the onset that it gives.
"""

# pyright: reportMissingImports=false

import json
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace


def judged(path: Path) -> list[dict]:
    """Return the findings of rlprobe on a run that TRL's GRPOTrainer logged."""
    from rlprobe.doctor import diagnose
    from rlprobe.integrations.trl import RlprobeCallback

    with tempfile.TemporaryDirectory() as folder:
        callback = RlprobeCallback(Path(folder) / "run")
        settings = SimpleNamespace(world_size=1, process_index=0, to_dict=dict)
        control = SimpleNamespace(should_training_stop=False)
        state = SimpleNamespace(global_step=0)
        callback.on_train_begin(settings, state, control)
        for line in path.read_text().splitlines():
            row = json.loads(line)
            state.global_step = row.pop("step")
            callback.on_log(settings, state, control, logs=row)
        callback.on_train_end(settings, state, control)
        found = diagnose(callback.recorder.run_dir)
    return [
        {"id": item.signature_id, "severity": str(item.severity), "onset": getattr(item, "onset_step", None)}
        for item in found
        if str(item.severity).lower().rpartition(".")[2] in ("warning", "critical")
    ]


if __name__ == "__main__":
    print(json.dumps({name: judged(Path(name)) for name in sys.argv[1:]}))
