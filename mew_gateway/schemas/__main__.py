"""Write the schemas: `python -m mew_gateway.schemas FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

from . import write

if __name__ == "__main__":
    write(Path(sys.argv[1]))
