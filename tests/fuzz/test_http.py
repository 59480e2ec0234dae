"""Garbage over HTTP: schemathesis plays whatever the OpenAPI document allows, and what it does not, against a real
gateway; every answer must be one that the document promises."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

SPACE = """
gateway:
  listen: 127.0.0.1:0
  state_dir: state
  journal: {url: "memory:"}
  limits: {envelopes_per_second: 100000, envelopes_burst: 100000, bytes_per_second: 1073741824}
spaces:
  demo:
    participants:
      human: {capabilities: [{kind: "**"}]}
      other: {}
"""

SETTINGS = """
headers = {{ Authorization = "Bearer {token}" }}

[parameters]
"path.space" = "demo"
"path.id" = "human"
"query.space" = "demo"
"""


async def run(folder: Path, site: Any, *arguments: str) -> tuple[int, str]:
    """schemathesis' own command; its exit status and what it printed."""
    settings = folder / "schemathesis.toml"
    settings.write_text(SETTINGS.format(token=site.token("human")))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "schemathesis.cli", f"--config-file={settings}", "run", f"{site.url}/openapi.json"),
        "--exclude-path=/spaces/{space}/events",  # an answer that does not end
        *("--checks=all", "--seed=1", "--generation-deterministic", *arguments),
        cwd=folder,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate()
    return process.returncode or 0, output.decode(errors="replace")


async def test_every_answer_is_one_that_the_document_promises(start_gateway: Any, tmp_path: Path) -> None:
    async with start_gateway(SPACE) as site:
        status, output = await run(tmp_path, site, "--max-examples=25")
        assert status == 0, output
        _, body = await site.get("/participants/human/messages?limit=1000", participant="human")
        assert len([one for one in body["messages"] if one["from"] == "human"]) > 10  # some of it was good
        assert len(site.gateway.counters.refused) >= 5
