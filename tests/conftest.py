"""Settings of the whole suite."""

from hypothesis import HealthCheck, settings

# Busy machines are slow at times; how long an example takes says nothing about whether it holds.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")
