"""The JSON Schemas in `schemas/`, generated: the envelope, one per kind, the codes, spaces.yaml.

`python -m mew_gateway.schemas FOLDER` writes them.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import msgspec

from mew_gateway import config
from mew_gateway.protocol.codes import CLOSES, ERRORS
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.kinds import KINDS, Kind
from mew_gateway.protocol.reasons import REASONS

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def generate() -> dict[str, dict[str, Any]]:
    """Every schema by its file name below `schemas/`."""
    files = {
        "envelope.schema.json": {"$schema": _DIALECT, **_envelope()},
        "codes.json": _codes(),
        "spaces.schema.json": config.schema(),
    }
    for name, kind in KINDS.items():
        files[f"kinds/{name.replace('/', '.')}.schema.json"] = {"$schema": _DIALECT, **_kind(name, kind)}
    return files


def render(schema: dict[str, Any]) -> str:
    """A schema as the file has it."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _envelope() -> dict[str, Any]:
    """The envelope as it is forwarded: complete, and with whatever further fields the sender gave it."""
    schema = _inlined(msgspec.json.schema(Envelope))
    del schema["additionalProperties"]  # strict decoding is the codec's fast path, not the wire's rule
    schema["title"] = "MEW v0.4 envelope"
    for field in ("to", "correlation_id", "context", "payload"):  # null is sealed away
        schema["properties"][field] = schema["properties"][field]["anyOf"][0]
    return schema


def _kind(name: str, kind: Kind) -> dict[str, Any]:
    schema = _envelope()
    payload = _inlined(msgspec.json.schema(kind.payload))
    payload.pop("title", None)
    schema["title"] = name
    schema["description"] = " ".join((kind.payload.__doc__ or "").split())
    schema["properties"]["kind"] = {"const": name}
    schema["properties"]["payload"] = payload
    if payload.get("required"):
        schema["required"] = [*schema["required"], "payload"]
    if name == "reasoning/interrupt":  # seed 004: MUST name one agent and one sequence
        one = {"minItems": 1, "maxItems": 1}
        schema["properties"]["to"] |= one
        schema["properties"]["correlation_id"] |= one
        payload["properties"]["reason"] = {"enum": list(REASONS)}
        payload["required"] = ["reason"]
        schema["required"] = [*schema["required"], "to", "correlation_id", "payload"]
    return schema


def _inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """The one definition that msgspec puts behind a reference."""
    (definition,) = schema["$defs"].values()
    return dict(json.loads(json.dumps(definition)))


def _codes() -> dict[str, Any]:
    return {
        "errors": {code: row._asdict() for code, row in ERRORS.items()},
        "closes": {str(code): row._asdict() for code, row in CLOSES.items()},
    }


def main(folder: Path) -> None:
    """Write every file anew, and remove those that are no longer generated."""
    files = generate()
    for name, schema in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(render(schema), encoding="utf-8")
    for path in folder.rglob("*.json"):
        if str(path.relative_to(folder)) not in files:
            path.unlink()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
