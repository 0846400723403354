"""Which release of which component is meant, however it is spelled, and how trackers spell its keys."""
