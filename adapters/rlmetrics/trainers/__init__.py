"""Names, health and exact metrics inside trainers: `rlmetrics.trainers.transformers` for TRL, `.verl` for verl."""
