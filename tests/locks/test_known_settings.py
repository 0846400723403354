"""All settings of a release are read from its classes and from hydra's configurations."""

from rlmetrics.codegen.locks.packages import Package
from rlmetrics.codegen.locks.settings_census import OPEN, settings_of
from rlmetrics.codegen.model.config_key import SettingSources


def test_fields_of_dataclasses_are_settings():
    """Those of bases in the package, too, but no private ones and none of other classes."""
    package = Package(
        "pack",
        "1.0",
        {
            "pack/__init__.py": "",
            "pack/config.py": (
                "class Base:\n    first: int = 1\n\nclass ToyConfig(Base):\n    second: int = 2\n    _own: int = 3\n"
            ),
            "pack/other.py": "class Other:\n    third: int = 3\n",
        },
    )
    assert settings_of(package, SettingSources(classes=["*Config"])) == {"second": "", "first": ""}


def test_a_named_class_of_another_package_is_inherited():
    """Only the fields of the class that is named."""
    text = "class Arguments:\n    rate: float = 0.1\n\nclass MoreArguments:\n    other: int = 1\n"
    package = Package("base", "2.0", {"base/__init__.py": "", "base/args.py": text})
    sources = SettingSources(inherited={"base": ["base.args.Arguments"]})
    assert settings_of(package, sources, own=False) == {"rate": ""}


def test_hydras_configurations_are_composed():
    """Groups stand where they are put, every option of a choice counts, and an empty section is open."""
    texts = {
        "pack/config/main.yaml": "defaults:\n  - kind: a\n  - actor@model.actor: ${kind}_actor\n  - _self_\ntop: 1\n",
        "pack/config/kind/a.yaml": "name: a\n",
        "pack/config/actor/a_actor.yaml": "defaults: [../optim@optim: sgd, _self_]\nstrategy: a\nextra: {}\n",
        "pack/config/actor/b_actor.yaml": "other: {deep: 1}\n",
        "pack/config/actor/c.yaml": "never: 1\n",
        "pack/config/optim/sgd.yaml": "lr: 1\n_target_: x\n",
        "pack/elsewhere.yaml": "no: 1\n",
    }
    assert settings_of(Package("pack", "1.0", texts), SettingSources(hydra="config")) == {
        "top": "",
        "kind.name": "",
        "model.actor.strategy": "",
        "model.actor.extra": OPEN,
        "model.actor.optim.lr": "",
        "model.actor.other.deep": "",
    }
