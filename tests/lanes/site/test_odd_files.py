"""What stands in a file is text to the translator's page, whatever it looks like, and stays on this machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Dialog, Page, expect

MARKUP = '"><i data-odd>x</i><img src="odd.png" onerror="window.odd = 1">'
NAMES = [
    MARKUP,
    "<script>window.odd = 1</script>",
    "javascript:window.odd=1",
    "</textarea><i data-odd>",
    "${window.odd = 1}",
    "__proto__",
    "constructor",
    "a\u202eb\u200b",
    "$&$1",
]
"""Names that would show if anything took them for more than text; all of it is harmless."""
KNOWN = "ppo/policy/approxkl"
FORMS = {
    "rows.jsonl": json.dumps({KNOWN: 0.5} | dict.fromkeys(NAMES, 0.25)) + "\n",
    "table.csv": ",".join('"' + name.replace('"', '""') + '"' for name in ["step", KNOWN, *NAMES])
    + "\n1"
    + ",0.5" * 10
    + "\n",
    "keys.txt": "\n".join([KNOWN, *NAMES]),
    "sweep.yaml": "".join(f"- {json.dumps(name)}\n" for name in [KNOWN, *NAMES]),
    "verl.log": "step:1 - " + " - ".join(f"{name}:0.5" for name in [KNOWN, *NAMES]) + "\n",
}


@pytest.mark.parametrize("form", FORMS)
def test_names_in_files_are_text(translator: Page, tmp_path: Path, form: str) -> None:
    """No element, script, request or dialog comes of them; the known name beside them is translated, they stay."""
    told, asked = list[str](), list[str]()

    def dismiss(dialog: Dialog) -> None:
        told.append(dialog.message)
        dialog.dismiss()

    translator.on("pageerror", lambda error: told.append(str(error)))
    translator.on("dialog", dismiss)
    translator.on("request", lambda request: asked.append(request.url))
    log = tmp_path / f"<i data-odd>{form}"
    log.write_text(FORMS[form], encoding="utf-8")

    translator.get_by_role("button", name="TRL PPO 0.7.10 → 0.18.2").click()
    translator.get_by_label("or a file:").set_input_files(log)
    expect(translator.get_by_label("Translated text")).to_have_value(FORMS[form].replace(KNOWN, "policy/approxkl_avg"))
    expect(translator.locator("[data-rlm-translator]")).to_have_attribute("aria-busy", "false")

    assert translator.locator("[data-odd]").count() == 0
    assert translator.evaluate("window.odd === undefined && {}.odd === undefined")
    assert told == []
    assert [url for url in asked if not url.startswith("file:") or "odd" in url] == []
