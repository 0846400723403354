"""A part of `rlmetrics`, which `adapters/rlmetrics/__init__.py` introduces; a wheel holds that one alone.

Type checkers look for modules only in folders with an ``__init__.py``; what makes the API pages, where one has
``__path__ = __import__("pkgutil").extend_path(__path__, __name__)``. Python that comes here first, by the order of
``sys.path``, reads the other one.
"""

from os import path

__file__ = path.join(path.dirname(path.dirname(path.dirname(__file__))), "adapters", "rlmetrics", "__init__.py")
with open(__file__, encoding="utf-8") as file:
    exec(compile(file.read(), __file__, "exec"))
