"""Values of runs of W&B: unchanged to the byte where nothing converts them, and the same again after there and back."""

import json

from hypothesis import example, given, settings
from hypothesis import strategies as st
from rlmetrics.translate import translate_file
from rlmetrics.translate.rewriting.wandb.run_translation import translate_run
from rlmetrics.translate.translation_options import Options
from translate.wandb_items import TRANSLATOR, items, write_run
from wandb_frames import Record, payloads, rows

PPO = "trl[PPOTrainer]==0.7.10"


@settings(max_examples=100, deadline=None)
@example([[{"nested_key": ["objective/kl", ""], "value_json": text}] for text in ("", "0", "")])
@given(st.lists(items(), min_size=1, max_size=4))
def test_any_value_under_any_name_stays_as_it_is(tmp_path_factory, logged):
    """Whatever a name or a value is, also bytes that look like fields, the value is found unchanged under its name."""
    folder = tmp_path_factory.mktemp("values")
    known = {"nested_key": ["objective/entropy"], "value_json": "1"}
    history = [{"history": {"item": [known, *row]}} for row in logged]
    path = write_run(folder / "run.wandb", *history, {"summary": {"update": logged[0]}})

    report = TRANSLATOR.new_report("wandb")
    translate_run(path, folder / "out.wandb", TRANSLATOR, report, Options())

    *found, _ = [Record.FromString(payload) for payload in payloads((folder / "out.wandb").read_bytes())]
    assert len(logged) + 1 == len(found)
    for row, record in zip([*logged, logged[0]], found, strict=True):
        written = [*record.history.item, *record.summary.update]
        old = [(bool(item.get("key")), item.get("nested_key") or [item["key"]], item["value_json"]) for item in row]
        new = [(bool(item.key), list(item.nested_key) or [item.key], item.value_json) for item in written]
        expected = [(by_key, _new_path(path), text) for by_key, path, text in old]
        assert sorted(expected) == sorted(entry for entry in new if entry[2] != "1" or entry[1] != [_ENTROPY])
    assert {".".join(item.get("nested_key") or [item["key"]]) for row in logged for item in row} <= {
        *report.unknown,
        *report.unchanged,
        *report.translated,
        *report.set_aside,
    }


def _new_path(path):
    """Return where a name goes: one that lies in a dict has another name, joined by dots, which is not known here."""
    return [TRANSLATOR.key(path[0]).output] if len(path) == 1 else path


_ENTROPY = TRANSLATOR.key("objective/entropy").output


def test_ten_megabytes_under_one_name(tmp_path):
    """A value that fills hundreds of blocks, and an integer of many digits, come out as they went in."""
    text, number = json.dumps("é😀" * 2_500_000, ensure_ascii=False), "7" * 100_000
    row = {"objective/kl": text, "mine": number, "ppo/mean_scores": "1.50"}
    path = write_run(
        tmp_path / "run.wandb",
        {"history": {"item": [{"nested_key": [name], "value_json": value} for name, value in row.items()]}},
    )

    report = translate_file(path, source=PPO, target="canonical", output=tmp_path / "out.wandb")

    (found,) = rows((tmp_path / "out.wandb").read_bytes())
    new = {report.translated.get(name, {"to": name})["to"]: value for name, value in row.items()}
    assert len(text.encode()) > 10_000_000
    assert new == {name: TEXTS[()] for name, TEXTS in found.items()}
    assert report.unknown == ["mine"]
