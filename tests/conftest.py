"""What every test run shares: helpers beside the tests can be imported, examples are fixed.

TEST_EFFORT=20 makes property and fuzz tests take twenty times as many examples,
and other ones at each run.
"""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent))

from strategies import EFFORT

settings.register_profile(
    "sobre",
    derandomize=EFFORT == 1,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("sobre")
