"""Any JSON is YAML: it is read as itself, or refused."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from mew_gateway.documents.composer import compose

bounded = settings(max_examples=150, deadline=None)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text(st.characters(codec="ascii"), max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)


@bounded
@given(json_values)
def test_any_json_is_read_as_itself_or_refused(value: object) -> None:
    text = _flow(value)
    document = compose(text)
    if not document.placed:
        assert document.root == value
        assert document.values[()] == (1, 1)


def _flow(value: object) -> str:
    """The value in YAML's flow style, texts in single quotes."""
    match value:
        case dict():
            return "{" + ", ".join(f"{_flow(key)}: {_flow(item)}" for key, item in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(_flow, value)) + "]"
        case str():
            return '"' + "".join(f"\\U{ord(char):08x}" for char in value) + '"'
        case bool():
            return str(value).lower()
        case None:
            return "null"
        case _:
            return str(value)
