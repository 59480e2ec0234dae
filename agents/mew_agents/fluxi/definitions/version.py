"""The identity of a definition: its meaning in one canonical JSON text, and the hash of that (docs/fluxi.md §6).

Layout, comments, the order of keys and how a default or a duration is written are no meaning. So a default in the
model never changes: it would change what stored definitions mean, and not their hash.
"""

from __future__ import annotations

import hashlib
import json

from .model import Definition

_SHOWN = 12  # hexadecimal digits of the hash in a version id


def canonical(definition: Definition) -> str:
    """The definition as JSON with sorted keys and without what is default; `restore` reads it."""
    plain = definition.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    return json.dumps(plain, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def restore(text: str) -> Definition:
    """The definition in what `canonical` wrote."""
    return Definition.model_validate(json.loads(text))


def content_hash(definition: Definition) -> str:
    """SHA-256 of the canonical text, 64 hexadecimal digits."""
    return hashlib.sha256(canonical(definition).encode()).hexdigest()


def version_id(definition: Definition) -> str:
    """`typeId@version#hash12`: this content and no other."""
    return f"{definition.type_id}@{definition.version}#{content_hash(definition)[:_SHOWN]}"
