"""A target fed by atheris, which keeps what reaches new code: `python -m bench.fuzz.guided TARGET INPUTS FOLDER`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from random import Random

import atheris

with atheris.instrument_imports(include=["mew_gateway", "mew_agents"]):
    from bench.fuzz.targets import TARGETS

_HANGS = 30  # seconds
_MOST_MEMORY = 2_048  # MiB
_LONGEST = 16_384  # bytes of an input


def main(name: str, inputs: str, folder: str) -> None:
    """Feed so many inputs; a faulty one is written to the folder, and the process ends with a status other than 0."""
    target = TARGETS[name]()

    def vary(data: bytes, most: int, seed: int) -> bytes:
        """By the target's own knowledge of its language, or by atheris'."""
        rng = Random(seed)
        varied = target.vary(rng, data) if rng.random() < 0.5 else atheris.Mutate(data, most)
        return bytes(varied[:most])

    with tempfile.TemporaryDirectory() as corpus:
        for number, seed in enumerate(target.seeds):
            Path(corpus, f"{number:03}").write_bytes(seed)
        limits = (f"-runs={inputs}", f"-timeout={_HANGS}", f"-rss_limit_mb={_MOST_MEMORY}", f"-max_len={_LONGEST}")
        told = (f"-artifact_prefix={folder}/{name}-guided-", "-print_final_stats=1")
        atheris.Setup([sys.argv[0], *limits, *told, corpus], target.one, custom_mutator=vary)
        atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:4])
