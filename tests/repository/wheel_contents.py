"""Compare a wheel with the source tree: every file is in it, and no other (`wheel_contents.py WHEEL`)."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
# Folders and files of the source tree, and where the wheel has them.
PARTS = {
    "mew_gateway": "mew_gateway",
    "agents/mew_agents": "mew_agents",
    "schemas": "mew_gateway/data/schemas",
    "spaces.yaml": "mew_gateway/data/spaces.yaml",
}


def expected() -> dict[str, bytes]:
    """Return the content of each file that the wheel must have, by its name there."""
    found = {}
    for source, target in PARTS.items():
        path = ROOT / source
        for file in [path] if path.is_file() else path.rglob("*"):
            if file.is_file() and "__pycache__" not in file.parts:
                inside = "" if file == path else f"/{file.relative_to(path).as_posix()}"
                found[target + inside] = file.read_bytes()
    return found


def main(wheel: str) -> None:
    """Exit with the names that differ, if any do."""
    with zipfile.ZipFile(wheel) as archive:
        packed = {name: archive.read(name) for name in archive.namelist() if ".dist-info/" not in name}
    wanted = expected()
    differing = sorted(name for name in wanted.keys() | packed.keys() if wanted.get(name) != packed.get(name))
    if differing:
        sys.exit(f"The wheel differs from the source tree in: {', '.join(differing)}")


if __name__ == "__main__":
    main(sys.argv[1])
