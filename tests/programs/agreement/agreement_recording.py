"""Records what the own code of frameworks makes of the reference steps, on a CPU.

``python -m programs.agreement.agreement_recording FRAMEWORK RELEASE TREE…``, with ``tests`` on the path, writes a
file into ``tests/fixtures/agreement``. A TREE is an unpacked wheel; that of a second package comes after.
"""

from __future__ import annotations

import argparse
import importlib
import json
from typing import Any

from folders import FIXTURES
from programs.agreement.compared_steps import STEPS, step

__all__ = ["FOLDER"]

FOLDER = FIXTURES / "agreement"
RUNS = {"axolotl": "trl", "ms-swift": "ms_swift"}
"""Whose steps are taken where they are not named like the framework: axolotl's trainer is TRL's own."""


def main() -> None:
    """Write the recording."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("framework")
    parser.add_argument("release", help="of which definitions are compared")
    parser.add_argument("trees", nargs="+", help="unpacked wheels")
    options = parser.parse_args()
    name = RUNS.get(options.framework, options.framework)
    run: Any = importlib.import_module(f"programs.agreement.{name}_steps")
    run.prepare(options.trees)
    numbers = {each: {key: float(value) for key, value in run.numbers(step(each)).items()} for each in STEPS}
    FOLDER.mkdir(exist_ok=True)
    text = json.dumps({"release": options.release, "numbers": numbers}, indent=1)
    (FOLDER / f"{options.framework}.json").write_text(f"{text}\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
