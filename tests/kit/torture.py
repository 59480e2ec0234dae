"""How long and by which numbers tests that draw at random go on: `make torture` draws others each time, and more."""

from __future__ import annotations

import os
from random import SystemRandom

# Under torture, how many times as much as usual.
TIMES = int(os.environ.get("MEW_TORTURE", "1"))
SEED = 2002 if TIMES == 1 else int(os.environ.get("MEW_SEED", SystemRandom().randrange(10**6)))
