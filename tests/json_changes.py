"""What differs between two JSON documents."""

__all__ = ["changes"]


def changes(old, new, path=""):
    """Return every leaf and name that differs between two JSON values: path to (old, new)."""
    if type(old) is not type(new):
        return {path: (old, new)}
    if isinstance(old, dict):
        found = {f"{path}/{name}": (name, None) for name in old.keys() - new.keys()}
        found |= {f"{path}/{name}": (None, name) for name in new.keys() - old.keys()}
        for name in old.keys() & new.keys():
            found |= changes(old[name], new[name], f"{path}/{name}")
        return found
    if isinstance(old, list) and len(old) == len(new):
        return {
            key: pair
            for i, (a, b) in enumerate(zip(old, new, strict=True))
            for key, pair in changes(a, b, f"{path}/{i}").items()
        }
    return {} if old == new or old != old else {path: (old, new)}
