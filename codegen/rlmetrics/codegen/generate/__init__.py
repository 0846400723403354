"""From the spec to every generated file.

Nothing is imported here on purpose: a run that finds everything up to date needs the standard library only.
"""
