"""What a user can get wrong, and what a user should know."""

from __future__ import annotations

__all__ = ["FallbackWarning", "NamesError", "UserError"]


class UserError(ValueError):
    """Anything a user can cause; the text is one line and says what, why and how to fix it.

    The command line prints it and exits with code 2.
    """


class NamesError(UserError):
    """A source, key, metric or option that cannot be used."""


class FallbackWarning(UserWarning):
    """The answer belongs to another release than the one asked for, or rests on a guess."""
