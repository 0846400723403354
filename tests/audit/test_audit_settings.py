"""How a framework is read is data: rules, and what packages do whose source is not read."""

from pathlib import Path

import pytest
from rlmetrics.codegen.audit.audit_settings import AuditSettings, SettingRule, read_settings
from rlmetrics.codegen.audit.frameworks import SETTINGS


@pytest.mark.parametrize(
    ("key", "owner", "component"),
    [
        ("actor/ppo_kl", "RayPPOTrainer", "actor"),
        ("critic/kl", "RayPPOTrainer", "actor"),
        ("critic/vf_loss", "RayPPOTrainer", "critic"),
        ("critic/score/mean", "RayPPOTrainer", "data"),
        ("anything/else", "RayPPOTrainer", "data"),
        ("actor/ppo_kl", "FSDPSFTTrainer", "sft"),
        ("moe/max_vio/avg", "FSDPSFTTrainer", "veomni_engine"),
    ],
)
def test_the_first_rule_that_fits_gives_the_component(key: str, owner: str, component: str) -> None:
    """A rule asks for the key, the class or both; the last one takes the rest."""
    assert component == SETTINGS["verl"].component(key, owner)


def test_without_rules_the_class_is_the_component() -> None:
    """As in TRL, whose trainers are components."""
    assert AuditSettings("trl").component("actor/ppo_kl", "GRPOTrainer") == "GRPOTrainer"


def test_settings_are_read_from_yaml(tmp_path: Path) -> None:
    """Lists become tuples, rules and ignored places records; a name that no setting has is an error."""
    file = tmp_path / "novel.yaml"
    file.write_text(
        "package: novel\nworkers: {group: [A, B]}\ncomponents: [{key: a/.*, component: a}]\n"
        "ignored: [{path: a.py, symbol: f, reason: it adds no key}]\n"
    )
    settings = read_settings(file)

    assert (settings.package, settings.workers) == ("novel", {"group": ("A", "B")})
    assert settings.components == (SettingRule("a", key="a/.*"),)
    assert [item.reason for item in settings.ignored] == ["it adds no key"]

    file.write_text("package: novel\nworker: {}\n")
    with pytest.raises(TypeError, match="worker"):
        read_settings(file)
