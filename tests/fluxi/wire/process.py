"""An agent in a process of its own, which can be killed."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from .stage import Stage

ROOT = Path(__file__).resolve().parents[3]
PATIENCE = 60.0  # seconds for a process to begin or end


@asynccontextmanager
async def alive(
    stage: Stage, name: str, *, agent: str = "tests.fluxi.wire.dying:Dying", failpoint: str = "", **options: Any
) -> AsyncIterator[asyncio.subprocess.Process]:
    """A process of the agent, which has joined."""
    site = stage.site
    variables = {
        **os.environ,
        "MEW_URL": site.url,
        "MEW_SPACE": site.space,
        "MEW_TOKEN": site.token(name),
        "MEW_STATE": str(stage.folder / name),
        "MEW_OPTIONS": json.dumps(options),
        "MEW_FAILPOINT": failpoint,
    }
    with (stage.folder / f"{name}.log").open("ab") as log:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "mew_gateway.sdk.host", agent, cwd=ROOT, env=variables, stdout=log, stderr=log
        )
    try:
        await _present(stage, name)
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _present(stage: Stage, name: str) -> None:
    """Wait for a process to begin, which takes its time where several do."""
    machine = stage.site.gateway.broker.engine["demo"].machine
    async with asyncio.timeout(PATIENCE):
        while name not in machine.members.present():
            await asyncio.sleep(0.05)
