"""One spec for the metrics of RL post-training: names, meanings, formulas and translations across TRL and verl."""

from os import path as _path

__version__ = "0.1.0"

# In a checkout the package stands in three folders beside one another, once installed in one. They are named here, not
# looked for on `sys.path`, so that a checkout never mixes with what else is installed.
_root, _folder = _path.split(_path.dirname(_path.dirname(__file__)))
if _folder == "adapters":
    __path__ += [_path.join(_root, folder, "rlmetrics") for folder in ("generated", "codegen")]
