"""Questions about keys and metrics, with a source or without: what a key means, who logs it, what is missing."""
