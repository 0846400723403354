"""Loading a folder: everything that can be read is read, everything wrong is said, overlays extend."""

from __future__ import annotations

from pathlib import Path

import pytest
from lint.spec_text import BASE, SpecText
from rlmetrics.codegen.findings import Location
from rlmetrics.codegen.loader import SpecError, load, read
from rlmetrics.codegen.spec import Spec


def write(folder: Path, file: str, text: str) -> Path:
    """Write a file of an overlay and return the overlay."""
    path = folder / f"{file}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return folder


def partial(spec: SpecText) -> Spec:
    """What can be read of a spec that has faults."""
    result, _ = read(spec.root)
    assert result is not None
    return result


def test_load_gives_the_whole_spec() -> None:
    """Every file of a valid spec is there, metrics in the order of the files."""
    spec = load(BASE)

    assert ["policy/loss", "policy/reward/mean", "timing/step"] == list(spec.metrics)
    assert ["shared", "trainer"] == list(spec.frameworks["acme"].files)
    assert "1.2.0" == spec.frameworks["acme"].framework.releases[-1].release
    assert ["board"] == list(spec.trackers)
    assert ["basics"] == list(spec.health)
    assert {} == spec.unread


def test_locate_points_into_the_files() -> None:
    """Places are given by file and path, of keys or of values."""
    spec = load(BASE)

    assert Location("spec_base/metrics/policy.yaml", 5, 3) == spec.locate_metric("policy/loss")
    assert Location("spec_base/metrics/policy.yaml", 5, 3) == spec.locate("metrics/policy", ("metrics", "policy/loss"))
    key = spec.locate("frameworks/acme/trainer", ("emissions", 2, "key"), value=True)
    assert Location("spec_base/frameworks/acme/trainer.yaml", 42, 10) == key
    assert Location("spec_base/metrics/nothing.yaml") == spec.locate("metrics/nothing", ("metrics", "x"))


def test_load_raises_all_errors_at_once(spec: SpecText) -> None:
    """One run names every fault of every file."""
    spec.edit("metrics/policy", "range: [0, 1]", "rnge: [0, 1]")
    spec.edit("metrics/timing", "unit: s", "unit: [s]")
    spec.edit("trackers/board", "max_length: 40", "max_length: yes")

    with pytest.raises(SpecError) as caught:
        load(spec.root)

    assert ["unknown-field", "wrong-type", "wrong-type", "yaml-ambiguous"] == [f.id for f in caught.value.findings]
    assert "spec/metrics/policy.yaml:35:5: `rnge` is not a field of a metric; did you mean `range`?" in str(
        caught.value
    )


def test_a_broken_entry_does_not_hide_the_rest(spec: SpecText) -> None:
    """A metric that cannot be read is left out; nothing claims that it does not exist."""
    spec.edit("metrics/policy", '    unit: "1"\n    range', "    range")
    spec.edit("metrics/timing", "unit: s", "unit: s\n    population: nowhere")

    assert ["policy/loss", "timing/step"] == list(partial(spec).metrics)
    assert ["missing-field", "broken-reference"] == [finding.id for finding in spec.findings()]


def test_places_after_a_broken_emission_stay_right(spec: SpecText) -> None:
    """Leaving out one emission does not shift the places of the next ones."""
    spec.edit("frameworks/acme/trainer", "    scale: 1 / window\n", "    scale: [1]\n")
    spec.edit("frameworks/acme/trainer", "    bind: {reward: length}", "    bind: {¦rewards: length}")

    assert spec.marks == [finding.location for finding in spec.findings("broken-reference")]


def test_a_file_without_a_required_field_is_left_out(spec: SpecText) -> None:
    """When a file cannot be kept at all, what it defines counts as unknown rather than missing."""
    spec.edit("metrics/policy", "title: Policy\n", "")

    found = spec.findings()

    assert ["timing/step"] == list(partial(spec).metrics)
    assert {"missing-field"} == {finding.id for finding in found if finding.level == "error"}


def test_without_the_vocabulary_only_the_loader_speaks(spec: SpecText) -> None:
    """If the shared vocabularies are missing, lint says so and checks nothing further."""
    (spec.root / "inputs.yaml").unlink()
    (spec.root / "frameworks" / "acme" / "framework.yaml").unlink()

    found = spec.findings()

    assert ["missing-file", "spec/inputs.yaml:1:1"] == [found[-1].id, str(found[-1].location)]
    assert read(spec.root)[0] is None


def test_a_framework_needs_its_own_file(spec: SpecText) -> None:
    """A folder of components without framework.yaml is a finding, not a crash."""
    (spec.root / "frameworks" / "acme" / "framework.yaml").unlink()

    assert ["spec/frameworks/acme/framework.yaml:1:1"] == [str(f.location) for f in spec.findings("missing-file")]


def test_a_file_that_cannot_be_opened_is_a_finding(spec: SpecText, monkeypatch: pytest.MonkeyPatch) -> None:
    """Permissions are reported like any other fault."""
    read_bytes = Path.read_bytes

    def refuse(path: Path) -> bytes:
        if path.name == "board.yaml":
            raise PermissionError(13, "Permission denied")
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)

    found = [(finding.id, str(finding.location), finding.message) for finding in spec.findings()]
    assert [("unreadable-file", "spec/trackers/board.yaml:1:1", "cannot be read: Permission denied")] == found


def test_a_yml_file_is_not_silently_ignored(spec: SpecText) -> None:
    """The extension .yml is a finding, since such a file is not read."""
    (spec.root / "metrics" / "late.yml").write_text("family: late\n", encoding="utf-8")

    assert ["spec/metrics/late.yml:1:1"] == [str(finding.location) for finding in spec.findings("stray-file")]


def test_hidden_files_are_ignored(spec: SpecText) -> None:
    """What editors leave behind in hidden files does not matter."""
    (spec.root / "metrics" / ".late.yaml").write_text("[", encoding="utf-8")

    assert [] == spec.findings()


def test_an_overlay_adds_files(tmp_path: Path) -> None:
    """A new file of an overlay is read like one of the spec, and its places name the overlay."""
    overlay = write(
        tmp_path / "mine", "frameworks/acme/fork", "title: Fork\nbrief: Mine.\nextends: [trainer]\nemissions: []\n"
    )

    spec = load(BASE, [overlay])

    assert ["shared", "trainer", "fork"] == list(spec.frameworks["acme"].files)
    assert f"{overlay.as_posix()}/frameworks/acme/fork.yaml:3:1" == str(
        spec.locate("frameworks/acme/fork", ("extends",))
    )


def test_an_overlay_extends_a_file(tmp_path: Path) -> None:
    """Lists grow, named entries are added or replaced, and other fields keep their value."""
    text = """\
config:
  window: {brief: Mine., type: int, defaults: [{value: 20}]}
  depth: {brief: Mine too., type: int, defaults: [{value: 1}]}
emissions:
  - key: mine
    metric: timing/step
    evidence: [{release: 1.0.0, path: mine.py, line: 1, symbol: f}]
  - key: score/{source}
    metric: policy/loss
    releases: 1.0.0..
    evidence: [{release: 1.0.0, path: mine.py, line: 2, symbol: f}]
"""
    spec = load(BASE, [write(tmp_path / "mine", "frameworks/acme/trainer", text)])
    file = spec.frameworks["acme"].files["trainer"]

    assert "Trainer" == file.title
    assert ["beta", "window", "depth"] == list(file.config)
    assert 20 == file.config["window"].defaults[0].value
    keys = [emission.key for emission in file.emissions]
    assert ["loss/policy", "loss/policy", "rewards/{reward}/mean", "score/{source}", "mine"] == keys
    assert "policy/loss" == file.emissions[3].metric
    lines = [spec.locate("frameworks/acme/trainer", ("emissions", index)).line for index in range(5)]
    assert [24, 36, 42, 8, 5] == lines


@pytest.mark.parametrize(
    ("file", "text", "line"),
    [
        ("metrics/policy", "metrics:\n  policy/loss: {}\n", 2),
        ("inputs", "inputs:\n  mask: {domain: token, dtype: bool, brief: Mine.}\n", 2),
        ("signatures", "traits:\n  padding_counted: {facet: defect, grade: minor, what: Mine.}\n", 2),
        ("spec", 'version: "2.0.0"\n', 1),
    ],
)
def test_an_overlay_cannot_change_a_meaning(tmp_path: Path, file: str, text: str, line: int) -> None:
    """Metrics, inputs and the words of signatures can be added by an overlay, never redefined."""
    overlay = write(tmp_path / "mine", file, text)

    with pytest.raises(SpecError) as caught:
        load(BASE, [overlay])

    expected = [("overlay-conflict", f"{overlay.as_posix()}/{file}.yaml", line)]
    assert expected == [(f.id, f.location.file, f.location.line) for f in caught.value.findings]


def test_an_overlay_may_add_to_a_family(tmp_path: Path) -> None:
    """A metric of an overlay joins the family and is found at its place in the overlay."""
    text = """\
metrics:
  timing/idle:
    brief: Time without work.
    description: Mine.
    unit: s
    identity: {quantity: duration, of: idling}
    measured: On rank 0.
"""
    overlay = write(tmp_path / "mine", "metrics/timing", text)

    spec = load(BASE, [overlay])

    assert ["timing/step", "timing/idle"] == list(spec.families["timing"].metrics)
    assert Location(f"{overlay.as_posix()}/metrics/timing.yaml", 2, 3) == spec.locate_metric("timing/idle")


def test_a_later_overlay_wins(tmp_path: Path) -> None:
    """Overlays apply in the order in which they are given."""
    text = "config:\n  window: {{brief: Mine., type: int, defaults: [{{value: {}}}]}}\n"
    first = write(tmp_path / "first", "frameworks/acme/trainer", text.format(1))
    second = write(tmp_path / "second", "frameworks/acme/trainer", text.format(2))

    spec = load(BASE, [first, second])

    assert 2 == spec.frameworks["acme"].files["trainer"].config["window"].defaults[0].value


def test_a_fault_of_an_overlay_is_placed_in_the_overlay(tmp_path: Path) -> None:
    """The finding names the file that has to be corrected."""
    overlay = write(tmp_path / "mine", "frameworks/acme/trainer", "emissions:\n  - key: mine\n    metrics: x\n")

    with pytest.raises(SpecError) as caught:
        load(BASE, [overlay])

    name = f"{overlay.as_posix()}/frameworks/acme/trainer.yaml"
    assert [(2, 5), (3, 5)] == [(f.location.line, f.location.column) for f in caught.value.findings]
    assert {name} == {f.location.file for f in caught.value.findings}


def test_an_overlay_in_the_checkout_has_relative_places(spec: SpecText) -> None:
    """Places in a folder beside the spec are relative to the checkout, as those of the spec are."""
    overlay = write(spec.root.parent / "forks", "metrics/timing", "metrics:\n  timing/step: {}\n")

    assert ["forks/metrics/timing.yaml:2:3"] == [str(f.location) for f in spec.findings(None, [overlay])]
