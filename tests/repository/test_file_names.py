"""A file name leads to one place, as the name of a class does."""

from collections import defaultdict

from folders import ROOT

FOLDERS = ("adapters", "codegen", "tests/programs", ".ci")
PACKAGES = {"__init__.py", "__main__.py"}
"""Names that Python gives."""


def test_each_module_has_a_name_of_its_own():
    """No two hand-written modules share their file name, whatever folders they lie in."""
    places = defaultdict(list)
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if path.name not in PACKAGES:
                places[path.name].append(path.relative_to(ROOT).as_posix())
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}
    assert len(places) > 500


def test_rooms_of_names_have_no_circle():
    """The rooms of `names` can be put in an order in which each imports those before it only."""
    rooms = ROOT / "adapters" / "rlmetrics" / "names"
    needs = {
        room.name: {
            line.split("..")[1].split()[0].partition(".")[0]
            for path in room.rglob("*.py")
            for line in path.read_text(encoding="utf-8").splitlines()
            if line.lstrip().startswith("from ..") and not line.lstrip().startswith("from ...")
        }
        for room in rooms.iterdir()
        if (room / "__init__.py").is_file()
    }
    assert len(needs) > 7
    while needs:
        free = {room for room, others in needs.items() if not others & needs.keys() - {room}}
        assert free, f"a circle among {sorted(needs)}"
        needs = {room: others for room, others in needs.items() if room not in free}
