"""Which key of one source is the counterpart of a key of another, and which only looks like one."""
