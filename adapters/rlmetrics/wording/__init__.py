"""The one voice: what differs, changed, holds or is needed, in words for the terminal, for pages and for answers."""
