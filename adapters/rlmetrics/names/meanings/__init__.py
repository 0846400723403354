"""What each key means in an open source: a release with its settings, the canonical names, or a convention."""
