"""Settings of all tests: few examples, as each new form of expression is compiled; and quick compilation, as it runs once."""

import os

os.environ.setdefault("NESTLED_LEVEL", "0")

from hypothesis import HealthCheck, settings

settings.register_profile(
    "nestled",
    max_examples=int(os.environ.get("NESTLED_EXAMPLES", "12")),
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("nestled")
