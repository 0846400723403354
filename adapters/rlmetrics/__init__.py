"""What the logged metrics of RL post-training mean, in every release of TRL and verl.

>>> import rlmetrics
>>> [meaning] = rlmetrics.resolve("kl", "trl[GRPOTrainer]==1.16.0")
>>> meaning.metric, meaning.condition
('kl/reference/k3', 'beta != 0')
>>> renamed = rlmetrics.Translator("trl[PPOTrainer]==0.11.4", "trl[PPOTrainer]==0.18.2")
>>> renamed.row({"ppo/policy/approxkl": 0.1})
{'policy/approxkl_avg': 0.1}

A release is written like a requirement, such as ``verl==0.9.1``. Where none is given, it is found out from the names.

- `resolve`: what keys mean
- `keys`: what a release logs
- `translate`: rewrite the names in a log or a dashboard, or in a folder of them
- `Translator`: rename rows before they are logged
- `check`: judge the health of recorded runs
- `judge`: say what the values of one row tell
- `Monitor`: judge a run while it goes on
- `functional`: compute each metric from tensors
- `as_logged`: compute from tensors the number that a release logs under a key
- `suites`: compute the metrics of a trainer in one pass

`functional`, `as_logged` and `suites` need PyTorch, the rest nothing but Python. Each name is imported when it is first
used. On the command line, ``rlmetrics`` does the same and more; in a notebook, ``%load_ext rlmetrics`` and ``%rl kl``.
"""

from os import path as _path

__all__ = [
    "Monitor",
    "Translator",
    "as_logged",
    "check",
    "functional",
    "judge",
    "keys",
    "resolve",
    "suites",
    "translate",
]

__version__ = "0.1.0"

# In a checkout the package stands in three folders, once installed in one. They are named here and not looked for on
# `sys.path`, so that a checkout never mixes with what else is installed. The API pages find such folders where
# there is `__path__ = __import__("pkgutil").extend_path(__path__, __name__)`, which takes longer.
_root, _folder = _path.split(_path.dirname(_path.dirname(__file__)))
if _folder == "adapters":
    __path__[:] = [_path.join(_root, folder, "rlmetrics") for folder in ("adapters", "generated", "codegen")]

_HOME = {
    "Monitor": "health",
    "Translator": "translate",
    "as_logged": "reproduction",
    "check": "health",
    "judge": "answers.row_verdicts",
    "keys": "names",
    "resolve": "names",
}
"""The module that a name comes from; all other names are packages."""

# Not from typing, which takes longer to import than all of this.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import rlmetrics.functional as functional
    import rlmetrics.suites as suites

    from .answers.row_verdicts import judge
    from .health import Monitor, check
    from .names import keys, resolve
    from .reproduction.as_logged import as_logged
    from .translate import Translator
    from .translate.callable_package import CallablePackage

    translate: CallablePackage
else:  # type checkers are not told, so that they find misspelt names

    def __getattr__(name: str) -> object:
        """Import a public name when it is first used."""
        if name not in __all__:
            msg = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(msg)
        from importlib import import_module

        found = import_module(f".{_HOME.get(name, name)}", __name__)
        if name in _HOME:
            found = globals()[name] = getattr(found, name)
        return found


def load_ipython_extension(shell: object) -> None:
    """Add ``%rl`` to a notebook; IPython calls this for ``%load_ext rlmetrics``."""
    from .cli.sessions.notebook_magic import register

    register(shell)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
