"""The package of compute functions as a whole: lazy, complete, compilable."""

from __future__ import annotations

import subprocess
import sys

from generate_support import environment


def loaded_after(statement: str) -> set[str]:
    """Return the modules that a fresh interpreter has loaded after a statement."""
    code = f"import sys; {statement}; print(*sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True)
    return set(result.stdout.split())


def test_import_is_lazy() -> None:
    """Importing the package loads neither torch nor a family; the registry loads no family before one is asked for."""
    package = loaded_after("import rlmetrics.functional")
    registry = loaded_after("from rlmetrics.functional import REGISTRY; len(REGISTRY); 'kl/old/k1' in REGISTRY")
    one = loaded_after("from rlmetrics.functional import REGISTRY; REGISTRY['kl/old/k1']")

    assert "torch" not in package
    families = {f"rlmetrics.functional.{name}" for name in ("kl", "policy", "value")}
    assert families.isdisjoint(registry)
    assert families & one == {"rlmetrics.functional.kl"}
