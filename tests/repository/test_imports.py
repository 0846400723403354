"""How the modules of the package import one another."""

from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from repository.imports import edges, modules


def test_no_modules_import_one_another_in_a_circle() -> None:
    """No import leads back to its module, be it at the top, inside a function or for annotations."""
    circle = ()
    try:
        TopologicalSorter(edges(modules(), annotations=True)).prepare()
    except CycleError as error:
        circle = tuple(reversed(error.args[1]))
    assert circle == ()


def test_reading_a_log_needs_no_translation() -> None:
    """Logs, what judges them and dashboards import nothing of `translate`; trackers what renames and converts a row."""
    rooms = ("rlmetrics.logs", "rlmetrics.health", "rlmetrics.dashboards", "rlmetrics.trackers")
    found = {
        (module, target)
        for module, targets in edges(modules(), annotations=True).items()
        for target in targets
        if module.startswith(rooms) and target.startswith("rlmetrics.translate")
    }
    assert found == {
        ("rlmetrics.trackers.live_names", "rlmetrics.translate.translation_plan"),
        ("rlmetrics.trackers.live_names", "rlmetrics.translate.translator"),
        ("rlmetrics.trackers.opentelemetry", "rlmetrics.translate.conversion"),
    }


def test_a_circle_is_seen(tmp_path: Path) -> None:
    """Two modules that import one another, one of them inside a function, are found."""
    first, second = tmp_path / "first.py", tmp_path / "second.py"
    first.write_text("from .second import two\n")
    second.write_text("def two():\n    from . import first\n    return first\n")
    found = edges({"package.first": first, "package.second": second})
    assert found == {"package.first": {"package.second"}, "package.second": {"package.first"}}
