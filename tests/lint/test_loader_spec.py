"""Loading a folder: everything that can be read is read, everything wrong is said, overlays extend."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

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

    assert list(spec.metrics) == ["policy/loss", "policy/reward/mean", "timing/step"]
    assert list(spec.frameworks["acme"].files) == ["shared", "trainer"]
    assert spec.frameworks["acme"].framework.releases[-1].release == "1.2.0"
    assert list(spec.trackers) == ["board"]
    assert list(spec.health) == ["basics"]
    assert spec.unread == {}


def test_locate_points_into_the_files() -> None:
    """Places are given by file and path, of keys or of values."""
    spec = load(BASE)

    assert Location("spec_base/metrics/policy.yaml", 5, 3) == spec.locate_metric("policy/loss")
    assert Location("spec_base/metrics/policy.yaml", 5, 3) == spec.locate("metrics/policy", ("metrics", "policy/loss"))
    when = spec.locate("frameworks/acme/trainer", ("keys", "loss/policy", 0, "facts", 0, "when"), value=True)
    assert Location("spec_base/frameworks/acme/trainer.yaml", 36, 18) == when
    assert Location("spec_base/metrics/nothing.yaml") == spec.locate("metrics/nothing", ("metrics", "x"))


def test_load_raises_all_errors_at_once(spec: SpecText) -> None:
    """One run names every fault of every file."""
    spec.edit("metrics/policy", "range: [0, 1]", "rnge: [0, 1]")
    spec.edit("metrics/timing", "unit: s", "unit: [s]")
    spec.edit("trackers/board", "max_length: 40", "max_length: yes")

    with pytest.raises(SpecError) as caught:
        load(spec.root)

    assert [f.id for f in caught.value.findings] == ["unknown-field", "wrong-type", "wrong-type", "yaml-ambiguous"]
    assert "spec/metrics/policy.yaml:35:5: `rnge` is not a field of a metric; did you mean `range`?" in str(
        caught.value
    )


def test_a_broken_entry_does_not_hide_the_rest(spec: SpecText) -> None:
    """A metric that cannot be read is left out; nothing claims that it does not exist."""
    spec.edit("metrics/policy", '    unit: "1"\n    range', "    range")
    spec.edit("metrics/timing", "unit: s", "unit: s\n    population: nowhere")

    assert list(partial(spec).metrics) == ["policy/loss", "timing/step"]
    assert [finding.id for finding in spec.findings()] == ["missing-field", "broken-reference"]


def test_places_after_a_broken_fact_stay_right(spec: SpecText) -> None:
    """Leaving out one shared fact does not shift the places of the next ones."""
    facts = "shared:\n  - {keys: [step_time], lag: [1]}\n  - {keys: [step_time], traits: [¦first_rank]}\n"
    spec.edit("frameworks/acme/trainer", "shared:\n", facts)

    assert spec.marks == [finding.location for finding in spec.findings("broken-reference")]


def test_a_broken_record_is_not_missed(spec: SpecText) -> None:
    """A record that cannot be read is left out; shared facts about its key, and its anchors, are no further faults."""
    spec.edit("frameworks/acme/trainer", "    releases: 1.0.0..\n    at: [score]\n", "    relases: 1.0.0..\n")

    assert [finding.id for finding in spec.findings()] == ["unknown-field"]


def test_a_broken_guard_is_not_missed(spec: SpecText) -> None:
    """Nothing claims that a guard that cannot be read does not exist."""
    spec.edit("frameworks/acme/trainer", "penalised: beta != 0", "penalised: [{release: 1.0.0, when: beta != 0}]")

    assert {finding.id for finding in spec.findings()} == {"unknown-field"}


def test_a_file_without_a_required_field_is_left_out(spec: SpecText) -> None:
    """When a file cannot be kept at all, what it defines counts as unknown rather than missing."""
    spec.edit("metrics/policy", "title: Policy\n", "")

    found = spec.findings()

    assert list(partial(spec).metrics) == ["timing/step"]
    assert {finding.id for finding in found if finding.level == "error"} == {"missing-field"}


def test_without_the_vocabulary_only_the_loader_speaks(spec: SpecText) -> None:
    """If the shared vocabularies are missing, lint says so and checks nothing further."""
    (spec.root / "inputs.yaml").unlink()
    (spec.root / "frameworks" / "acme" / "framework.yaml").unlink()

    found = spec.findings()

    assert [found[-1].id, str(found[-1].location)] == ["missing-file", "spec/inputs.yaml:1:1"]
    assert read(spec.root)[0] is None


def test_a_framework_needs_its_own_file(spec: SpecText) -> None:
    """A folder of components without framework.yaml is a finding, not a crash."""
    (spec.root / "frameworks" / "acme" / "framework.yaml").unlink()

    assert [str(f.location) for f in spec.findings("missing-file")] == ["spec/frameworks/acme/framework.yaml:1:1"]


def test_a_file_that_cannot_be_opened_is_a_finding(spec: SpecText, monkeypatch: pytest.MonkeyPatch) -> None:
    """Permissions are reported like any other fault."""
    read_bytes = Path.read_bytes

    def refuse(path: Path) -> bytes:
        if path.name == "board.yaml":
            raise PermissionError(13, "Permission denied")
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)

    found = [(finding.id, str(finding.location), finding.message) for finding in spec.findings()]
    assert found == [("unreadable-file", "spec/trackers/board.yaml:1:1", "cannot be read: Permission denied")]


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda path: path.symlink_to("nowhere"), "is a symbolic link that leads nowhere"),
        (os.mkfifo, "is a pipe or a device"),
    ],
)
def test_what_is_no_file_is_a_finding(spec: SpecText, make: Callable[[Path], None], why: str) -> None:
    """A link that leads nowhere was left out without a word, and a pipe was waited for."""
    make(spec.root / "metrics" / "odd.yaml")

    found = [(finding.id, str(finding.location), finding.message) for finding in spec.findings()]
    assert found == [("unreadable-file", "spec/metrics/odd.yaml:1:1", why)]


def test_a_folder_that_cannot_be_listed_is_a_finding(spec: SpecText, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its files were left out without a word, and what they say with them."""
    scandir = os.scandir

    def refuse(path: str) -> Any:
        if Path(path).name == "trackers":
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)

    found = [(finding.id, str(finding.location), finding.message) for finding in spec.findings()]
    assert ("unreadable-file", "spec/trackers:1:1", "cannot be read: Permission denied") in found


def test_a_yml_file_is_not_silently_ignored(spec: SpecText) -> None:
    """The extension .yml is a finding, since such a file is not read."""
    (spec.root / "metrics" / "late.yml").write_text("family: late\n", encoding="utf-8")

    assert [str(finding.location) for finding in spec.findings("stray-file")] == ["spec/metrics/late.yml:1:1"]


def test_hidden_files_are_ignored(spec: SpecText) -> None:
    """What editors leave behind in hidden files does not matter."""
    (spec.root / "metrics" / ".late.yaml").write_text("[", encoding="utf-8")

    assert spec.findings() == []


def test_an_overlay_adds_files(tmp_path: Path) -> None:
    """A new file of an overlay is read like one of the spec, and its places name the overlay."""
    overlay = write(
        tmp_path / "mine", "frameworks/acme/fork", "title: Fork\nbrief: Mine.\nextends: [trainer]\nkeys: {}\n"
    )

    spec = load(BASE, [overlay])

    assert list(spec.frameworks["acme"].files) == ["shared", "trainer", "fork"]
    assert (
        str(spec.locate("frameworks/acme/fork", ("extends",))) == f"{overlay.as_posix()}/frameworks/acme/fork.yaml:3:1"
    )


def test_an_overlay_extends_a_file(tmp_path: Path) -> None:
    """Lists grow, named entries are added or replaced, and other fields keep their value."""
    text = """\
config:
  window: {brief: Mine., type: int, defaults: [{value: 20}]}
  depth: {brief: Mine too., type: int, defaults: [{value: 1}]}
guards:
  deep: depth > 1
keys:
  mine: {metric: timing/step}
  score/{source}:
    metric: policy/loss
shared:
  - {keys: [mine], when: deep, lag: 1}
"""
    spec = load(BASE, [write(tmp_path / "mine", "frameworks/acme/trainer", text)])
    file = spec.frameworks["acme"].files["trainer"]

    assert file.title == "Trainer"
    assert list(file.config) == ["beta", "window", "depth"]
    assert file.config["window"].defaults[0].value == 20
    assert list(file.keys) == ["loss/policy", "rewards/{reward}/mean", "score/{source}", "mine"]
    assert [record.metric for name, _, record in file.records() if name == "score/{source}"] == ["policy/loss"]
    assert list(file.guards) == ["penalised", "deep"]
    assert [fact.keys for fact in file.shared] == [["score/{source}", "step_time"], ["mine"]]
    places = [("keys", key) for key in file.keys] + [("shared", 0), ("shared", 1), ("guards", "deep")]
    lines = [spec.locate("frameworks/acme/trainer", place).line for place in places]
    assert lines == [28, 40, 8, 7, 51, 11, 5]


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
    assert [(f.id, f.location.file, f.location.line) for f in caught.value.findings] == expected


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

    assert list(spec.families["timing"].metrics) == ["timing/step", "timing/idle"]
    assert Location(f"{overlay.as_posix()}/metrics/timing.yaml", 2, 3) == spec.locate_metric("timing/idle")


def test_a_later_overlay_wins(tmp_path: Path) -> None:
    """Overlays apply in the order in which they are given."""
    text = "config:\n  window: {{brief: Mine., type: int, defaults: [{{value: {}}}]}}\n"
    first = write(tmp_path / "first", "frameworks/acme/trainer", text.format(1))
    second = write(tmp_path / "second", "frameworks/acme/trainer", text.format(2))

    spec = load(BASE, [first, second])

    assert spec.frameworks["acme"].files["trainer"].config["window"].defaults[0].value == 2


def test_a_fault_of_an_overlay_is_placed_in_the_overlay(tmp_path: Path) -> None:
    """The finding names the file that has to be corrected."""
    overlay = write(tmp_path / "mine", "frameworks/acme/trainer", "keys:\n  mine:\n    metrics: x\n")

    with pytest.raises(SpecError) as caught:
        load(BASE, [overlay])

    name = f"{overlay.as_posix()}/frameworks/acme/trainer.yaml"
    assert [(f.location.line, f.location.column) for f in caught.value.findings] == [(3, 5)]
    assert {f.location.file for f in caught.value.findings} == {name}


def test_an_overlay_in_the_checkout_has_relative_places(spec: SpecText) -> None:
    """Places in a folder beside the spec are relative to the checkout, as those of the spec are."""
    overlay = write(spec.root.parent / "forks", "metrics/timing", "metrics:\n  timing/step: {}\n")

    assert [str(f.location) for f in spec.findings(None, [overlay])] == ["forks/metrics/timing.yaml:2:3"]


def test_places_lead_to_the_group(spec: SpecText) -> None:
    """A fact of a group stands where the group is written, also behind facts of the record's own."""
    fact = "groups:\n  late:\n    - {releases: 1.1.0.., ¦traits: [first_rank_only]}\nguards:"
    spec.edit("frameworks/acme/framework", "guides:", fact.replace("guards:", "guides:"))
    spec.edit("frameworks/acme/trainer", "    bind: {reward: length}", "    bind: {reward: length}\n    groups: [late]")
    whole = partial(spec)
    place = ("keys", "rewards/{reward}/mean", "facts", 0, "traits")
    assert [whole.locate("frameworks/acme/trainer", place)] == spec.marks


def test_a_long_file_goes_on_in_parts(spec: SpecText) -> None:
    """Files in a folder of its name add entries to it; each place leads to the part."""
    record = "keys:\n  ratio:\n    metric: policy/reward/mean\n    ¦groups: [late]\n    at: [score]\n"
    spec.edit("frameworks/acme/trainer/ratio", "", f"{record}groups:\n  late:\n    - {{lag: 1}}\n")
    spec.edit("signatures/more", "", "traits: {}\n")
    whole, findings = read(spec.root)
    assert whole is not None
    assert findings == []
    assert [*whole.frameworks["acme"].files["trainer"].keys][-1] == "ratio"
    assert [whole.locate("frameworks/acme/trainer", ("keys", "ratio", "groups"))] == spec.marks


@pytest.mark.parametrize(
    ("part", "says"),
    [
        ("keys:\n  ¦score/{source}:\n    metric: policy/loss\n", "`score/{source}` stands in the file"),
        ("¦title: Another\n", "`title` stands in the file"),
        ("¦- keys\n", "a part of a file must be a mapping"),
    ],
)
def test_a_part_gives_nothing_that_the_file_has(spec: SpecText, part: str, says: str) -> None:
    """What stands twice is told where it stands the second time."""
    spec.edit("frameworks/acme/trainer/more", "", part)
    found = [finding for finding in spec.findings() if finding.level == "error"]
    assert [finding.location for finding in found] == spec.marks
    assert says in found[0].message


def test_a_part_needs_its_file(spec: SpecText) -> None:
    """A folder that no file is named like is nothing that anyone reads."""
    spec.edit("frameworks/acme/nobody/more", "", "keys: {}\n")
    assert [finding.id for finding in spec.findings()] == ["stray-file"]


def test_parts_of_a_file_that_cannot_be_read_are_no_faults(spec: SpecText) -> None:
    """What they lack stands in the file."""
    spec.edit("frameworks/acme/trainer/more", "", "keys: {}\n")
    spec.edit("frameworks/acme/trainer", "title: Trainer", "title: [Trainer")
    assert {finding.id for finding in spec.findings() if finding.level == "error"} == {"yaml-syntax"}
