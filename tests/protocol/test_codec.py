"""docs/protocol.md §2 by its letter: what is sealed, what is forwarded as it came, and every refusal with its code."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mew_gateway.errors import Rejected
from mew_gateway.protocol import codec
from mew_gateway.protocol.codec import Sealer, encode, payload_of, receive, rename, reread
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.kinds import KINDS, UNKNOWN
from mew_gateway.protocol.payloads import Chat

NOW = 1_800_000_000_123
COMPLETE = {
    "protocol": "mew/v0.4",
    "id": "c1",
    "ts": "2027-01-15T08:00:00Z",
    "from": "human",
    "kind": "chat",
}


def take(data: bytes | str, *, depth: int = 64) -> tuple[Envelope, bytes]:
    """What the codec makes of a frame of `human`'s."""
    frame = data.encode() if isinstance(data, str) else data
    return receive(frame, Sealer(sender="human", new_id=lambda: "drawn"), now=NOW, depth=depth)


def complete(**fields: Any) -> str:
    return json.dumps({**COMPLETE, **fields})


def with_payload(payload: str) -> str:
    """A complete envelope around a payload that is JSON already, or not."""
    return complete()[:-1] + f', "payload": {payload}}}'


def incomplete_with_payload(payload: str) -> str:
    return f'{{"kind": "chat", "payload": {payload}}}'


def refused(data: bytes | str, **options: Any) -> Rejected:
    with pytest.raises(Rejected) as caught:
        take(data, **options)
    assert caught.value.message.endswith((".", "?")), "a sentence"
    return caught.value


# Both ways through the codec, the quick one and that of incomplete envelopes, must refuse the same.
both_ways = pytest.mark.parametrize("around", [with_payload, incomplete_with_payload], ids=["complete", "incomplete"])


class TestSealing:
    def test_fills_in_missing_fields(self) -> None:
        envelope, data = take('{"kind": "chat"}')
        assert json.loads(data) == {
            "protocol": "mew/v0.4",
            "id": "drawn",
            "ts": "2027-01-15T08:00:00.123Z",
            "from": "human",
            "kind": "chat",
        }
        assert (envelope.id, envelope.sender, envelope.kind) == ("drawn", "human", "chat")
        assert [envelope.to, envelope.correlation_id, envelope.context, envelope.payload] == [None] * 4

    @pytest.mark.parametrize("field", ["protocol", "id", "ts", "from"])
    def test_fills_in_nothing_else(self, field: str) -> None:
        document = {**COMPLETE, "protocol": "mew/v0.3", "payload": {"text": "hi"}, "extra": [1, {"a": None}]}
        del document[field]
        sealed = json.loads(take(json.dumps(document))[1])
        assert {key: value for key, value in sealed.items() if key != field} == document
        assert sealed[field]

    @pytest.mark.requirement("mew/3:correlation-is-array")
    @pytest.mark.parametrize("field", ["to", "correlation_id"])
    def test_a_scalar_reference_becomes_an_array(self, field: str) -> None:
        envelope, data = take(complete(**{field: "solver"}))
        assert json.loads(data) == {**COMPLETE, field: ["solver"]}
        assert getattr(envelope, field) == ["solver"]

    def test_claimed_sender_is_kept_for_the_space_to_check(self) -> None:
        assert take('{"kind": "chat", "from": "solver"}')[0].sender == "solver"

    @pytest.mark.parametrize("field", ["to", "correlation_id", "context", "payload"])
    def test_optional_field_that_is_null_is_removed(self, field: str) -> None:
        envelope, data = take(complete(**{field: None}))
        assert json.loads(data) == COMPLETE
        assert getattr(envelope, field) is None


class TestForwarding:
    """A complete envelope is forwarded byte for byte."""

    @pytest.mark.parametrize(
        "frame",
        [
            complete(),
            complete(payload={"text": "hi"}),
            complete(protocol="mew/v0.3"),
            complete(to=["solver", "nobody"], correlation_id=["a", "b"], context="r1/below"),
            complete(to=[], correlation_id=[]),
            complete(trace={"unknown": ["top-level", {"field": 1}]}, priority=None),
            complete(payload={"text": "ñandú ☃ 😀"}),
            json.dumps({**COMPLETE, "payload": {"text": "ñandú ☃ 😀"}}, ensure_ascii=False),
            json.dumps({**COMPLETE, "payload": {"a": {"b": [1, 2.5, True, None, "x"]}}}, indent=3),
            " \r\n\t" + complete(payload={"text": "null: a word, not a value"}) + "\n\n",
            with_payload('{"\\u0074ext" : "\\/slashes\\u002f and \\ud83d\\ude00",\n "n" : -0.0 , "e":1E+2}'),
            with_payload('{"n":18446744073709551615,"m":-9223372036854775808,"f":1.7976931348623157e308}'),
            with_payload('{"text":"a:b:c \\"d\\":\\"e\\"","k:ey":"::"}'),
            complete(kind="acme/any:thing", payload={"a:": "b"}),
            complete(id="i" * 200, context=""),
        ],
    )
    def test_whatever_its_form(self, frame: str) -> None:
        envelope, data = take(frame)
        assert data == frame.encode()
        assert reread(data) == envelope

    def test_binary_json_is_only_bytes(self) -> None:
        frame = bytes(bytearray(complete().encode()))
        assert take(frame)[1] == frame

    def test_sealed_envelope_is_reread_unchanged(self) -> None:
        envelope, data = take('{"kind": "chat", "to": "solver", "extra": 1, "payload": {"text": "hi"}}')
        assert reread(data) == envelope
        assert reread(data).payload == {"text": "hi"}


class TestNotJson:
    @pytest.mark.parametrize(
        "frame",
        [
            "",
            " ",
            "nonsense",
            "{",
            "}",
            '{"kind": "chat"',
            '{"kind": "chat"} {}',
            '{"kind": "chat"},',
            "{'kind': 'chat'}",
            '{kind: "chat"}',
            '{"kind": "chat",}',
            '{"kind" "chat"}',
            '{"kind": "chat" // said\n}',
            "\x00",
            b"\xef\xbb\xbf{}",
            '{"kind": "chat"}'.encode("utf-16"),
            b'{"kind": "\xff\xfe"}',
            b'{"\xc3": "chat"}',
            b'{"kind": "\xed\xa0\x80"}',
        ],
    )
    def test_is_invalid_json(self, frame: bytes | str) -> None:
        assert refused(frame).code == "invalid_json"

    @pytest.mark.requirement("mew/3:json-envelope")
    @pytest.mark.parametrize("frame", ["[]", "null", "true", "7", '"chat"', '[{"kind": "chat"}]'])
    def test_only_an_object_is_an_envelope(self, frame: str) -> None:
        assert refused(frame).code == "invalid_json"

    @both_ways
    @pytest.mark.parametrize(
        "payload",
        [
            '{"n": NaN}',
            '{"n": Infinity}',
            '{"n": -Infinity}',
            '{"n": [1, NaN]}',
            '{"n": 01}',
            '{"n": +1}',
            '{"n": .5}',
            '{"n": 1.}',
            '{"n": 0x1F}',
            '{"t": "a\nb"}',
            '{"t": "\x01"}',
            '{"t": "\\x41"}',
            '{"t": "\\u12g4"}',
        ],
    )
    def test_numbers_and_strings_unknown_to_json_are_refused(self, around: Any, payload: str) -> None:
        assert refused(around(payload)).code == "invalid_json"

    @both_ways
    @pytest.mark.parametrize(
        "payload",
        [
            '{"t": "\\ud800"}',
            '{"t": "\\udc00"}',
            '{"t": "\\ud800x"}',
            '{"t": "\\ud800\\u0041"}',
            '{"t": "\\ud800\\ud800"}',
            '{"\\ud800": 1}',
            '{"a": [{"b": "\\udfff"}]}',
        ],
    )
    def test_lone_surrogates_are_refused(self, around: Any, payload: str) -> None:
        assert refused(around(payload)).code == "invalid_json"

    def test_a_lone_surrogate_in_bytes(self) -> None:
        frame = with_payload('{"t": "x"}').encode().replace(b'"x"', b'"\xed\xa0\x80"')
        rejected = refused(frame)
        assert rejected.code == "invalid_json"
        assert "UTF-8" in rejected.message


class TestNumbers:
    @both_ways
    @pytest.mark.parametrize(
        "number",
        [
            str(2**64),
            str(-(2**63) - 1),
            "9" * 30,
            "9" * 4300,
            "-" + "9" * 4301,
            "9" * 100_000,
            "1e400",
            "-1e400",
            "1" + "0" * 400 + ".5",
        ],
        ids=lambda number: number[:12],
    )
    @pytest.mark.parametrize("place", ['{"n": %s}', '{"a": [{"b": %s}]}'])
    def test_that_do_not_fit_are_refused(self, around: Any, place: str, number: str) -> None:
        assert refused(around(place % number)).code == "invalid_number"

    def test_at_the_top_level_too(self) -> None:
        assert refused(complete(extra=2**64)).code == "invalid_number"
        assert refused(complete(id=2**64)).code in ("invalid_number", "invalid_envelope")

    @both_ways
    @pytest.mark.parametrize("number", [str(2**64 - 1), str(-(2**63)), "1e308", "5e-324", "-0", "0.1", "1E5"])
    def test_that_fit_pass(self, around: Any, number: str) -> None:
        payload = take(around(f'{{"n": {number}}}'))[0].payload
        assert payload == {"n": json.loads(number)}


def nested(levels: int, *, open: str = '{"a":', close: str = "}", leaf: str = "1") -> str:
    return open * levels + leaf + close * levels


class TestDepth:
    """64 levels of objects and arrays, the envelope among them; what is in the innermost does not matter."""

    @both_ways
    @pytest.mark.parametrize("leaf", ["1", "{}", "[]"])
    def test_64_levels_pass_and_65_do_not(self, around: Any, leaf: str) -> None:
        levels = 63 if leaf == "1" else 62
        take(around(nested(levels, leaf=leaf)))
        assert refused(around(nested(levels + 1, leaf=leaf))).code == "too_deep"

    @both_ways
    def test_arrays_count(self, around: Any) -> None:
        take(around('{"a":' + nested(62, open="[", close="]") + "}"))
        assert refused(around('{"a":' + nested(63, open="[", close="]") + "}")).code == "too_deep"

    def test_unknown_top_level_fields_count(self) -> None:
        assert refused(complete()[:-1] + ', "x": ' + nested(64) + "}").code == "too_deep"

    @both_ways
    @pytest.mark.parametrize("levels", [500, 5_000, 200_000])
    def test_no_depth_is_too_deep_for_an_answer(self, around: Any, levels: int) -> None:
        assert refused(around(nested(levels))).code == "too_deep"
        assert refused(around('{"a":' + nested(levels, open="[", close="]") + "}")).code == "too_deep"

    @pytest.mark.parametrize("data", ["[" * 200_000, '{"a":' * 200_000], ids=["arrays", "objects"])
    def test_endless_nesting_in_a_frame_is_refused(self, data: str) -> None:
        assert refused(data).code in ("too_deep", "invalid_json")

    def test_brackets_in_strings_do_not_count(self) -> None:
        take(complete(payload={"text": "{[" * 500}))

    def test_width_does_not_count(self) -> None:
        take(complete(payload={"list": [{} for _ in range(500)]}))

    def test_the_limit_is_a_setting(self) -> None:
        take(complete(payload={"a": {}}), depth=3)
        assert refused(complete(payload={"a": {"b": {}}}), depth=3).code == "too_deep"


class TestDuplicateKeys:
    """Two readers of the same bytes must never see two messages."""

    @pytest.mark.parametrize("field", ["protocol", "id", "ts", "from", "kind"])
    def test_of_a_required_field(self, field: str) -> None:
        twin = json.dumps({field: COMPLETE[field]})[1:-1]
        assert refused(complete()[:-1] + f", {twin}}}").code == "duplicate_key"
        assert refused(f"{{{twin}, " + complete()[1:]).code == "duplicate_key"

    @pytest.mark.parametrize(
        "field",
        ['"to": ["solver"]', '"correlation_id": ["a"]', '"context": "r1"', '"payload": {}', '"extra": 1', '"to": "x"'],
    )
    def test_of_an_optional_field(self, field: str) -> None:
        assert refused(complete()[:-1] + f", {field}, {field}}}").code == "duplicate_key"

    @pytest.mark.parametrize("field", ["payload", "to", "correlation_id", "context", "extra"])
    def test_of_which_one_is_null(self, field: str) -> None:
        value = {"payload": {"text": "x"}, "to": ["a"], "correlation_id": ["a"]}.get(field, "x")
        twins = f'"{field}": {json.dumps(value)}', f'"{field}": null'
        for first, second in (twins, twins[::-1]):
            assert refused(complete()[:-1] + f", {first}, {second}}}").code == "duplicate_key"

    @both_ways
    @pytest.mark.parametrize(
        "payload",
        [
            '{"text": "a", "text": "b"}',
            '{"text": "a", "text": "a"}',
            '{"a": 1, "\\u0061": 2}',
            '{"\\u0061": 1, "\\u0061": 2}',
            '{"a\\/b": 1, "a/b": 2}',
            '{"": 1, "": 2}',
            '{"a": null, "a": null}',
            '{"a": null, "a": true}',
            '{"a": {"b": 1, "b": 2}}',
            '{"a": [[{"b": 1, "b": 2}]]}',
            '{"a": {"b": {}, "\\u0062": {}}}',
            '{"é": 1, "\\u00e9": 2}',
            '{"😀": 1, "\\ud83d\\ude00": 2}',
            # A lost twin takes its colons with it: the byte count must miss them.
            '{"text": "::::", "text": "x"}',
            '{"text": "x", "text": "::::"}',
            '{"a:b": 1, "a:b": 2}',
            '{"text": "", "text": ""}',
            '{"text": "\\u003a", "text": "x"}',
            '{"a": "\\u003a\\u003a", "text": ":", "text": "x"}',
            '{"\\u003a": "x", "\\u003a": "x"}',
            '{"a": "\\\\", "a": "\\\\"}',
            '{"a": "\\":\\"", "a": "x"}',
            '{"a" : 1 , "a"\n:\t2}',
        ],
    )
    def test_in_a_payload(self, around: Any, payload: str) -> None:
        rejected = refused(around(payload))
        assert rejected.code == "duplicate_key"

    @pytest.mark.parametrize("hidden", range(1, 12))
    def test_escaped_colons_do_not_hide_a_duplicate(self, hidden: int) -> None:
        """A byte count that took escaped colons for written ones would be short by as many as there are pairs."""
        text = "\\u003a" * hidden
        for twin in ('"context": "x"', '"kind": "chat"', '"id": "c2"'):
            frame = with_payload(f'{{"text": "{text}"}}')[:-1]
            extra = '"context": "y", ' if "context" in twin else ""
            assert refused(f"{frame}, {extra}{twin}}}").code == "duplicate_key"

    @pytest.mark.parametrize("field", ["ts", "id", "from", "to", "correlation_id", "context"])
    def test_colons_in_fields_do_not_hide_a_duplicate(self, field: str) -> None:
        value: Any = "a:b:c" if field in ("ts", "id", "from", "context") else ["a:b:c", ":"]
        frame = complete(**{field: value})
        assert take(frame)[1] == frame.encode()
        assert refused(f'{frame[:-1]}, "{field}": {json.dumps(value)}}}').code == "duplicate_key"
        assert refused(f'{frame[:-1]}, "kind": "chat"}}').code == "duplicate_key"

    def test_equal_keys_in_different_objects_are_allowed(self) -> None:
        payload = '{"a": {"a": {"a": 1}}, "b": [{"a": 1}, {"a": 1}], "id": 1, "kind": 2}'
        assert take(with_payload(payload))[0].payload == json.loads(payload)

    def test_the_answer_names_the_key_and_the_envelope(self) -> None:
        rejected = refused(with_payload('{"text": "a", "text": "b"}'))
        assert "'text'" in rejected.message
        assert rejected.correlation == "c1"


class TestFields:
    @pytest.mark.parametrize(
        ("fields", "path"),
        [
            ({"protocol": "mew/v0.2"}, "$.protocol"),
            ({"protocol": "mew/v1"}, "$.protocol"),
            ({"protocol": 4}, "$.protocol"),
            ({"protocol": None}, "$.protocol"),
            ({"id": 7}, "$.id"),
            ({"id": ""}, "$.id"),
            ({"id": None}, "$.id"),
            ({"id": "x" * 201}, "$.id"),
            ({"ts": 1_800_000_000}, "$.ts"),
            ({"ts": None}, "$.ts"),
            ({"from": ["human"]}, "$.from"),
            ({"from": ""}, "$.from"),
            ({"from": None}, "$.from"),
            ({"kind": None}, "$.kind"),
            ({"kind": ""}, "$.kind"),
            ({"kind": {"name": "chat"}}, "$.kind"),
            ({"to": 5}, "$.to"),
            ({"to": ["solver", 5]}, "$.to[1]"),
            ({"to": [""]}, "$.to[0]"),
            ({"to": {"id": "solver"}}, "$.to"),
            ({"correlation_id": [None]}, "$.correlation_id[0]"),
            ({"correlation_id": True}, "$.correlation_id"),
            ({"context": 5}, "$.context"),
            ({"context": ["r1"]}, "$.context"),
            ({"payload": []}, "$.payload"),
            ({"payload": "text"}, "$.payload"),
            ({"payload": 0}, "$.payload"),
            ({"payload": False}, "$.payload"),
        ],
        ids=str,
    )
    def test_of_a_wrong_type_are_named(self, fields: dict[str, Any], path: str) -> None:
        rejected = refused(complete(**fields))
        assert rejected.code == "invalid_envelope"
        assert f"`{path}`" in rejected.message

    def test_a_missing_kind_is_named(self) -> None:
        rejected = refused('{"payload": {"text": "hi"}, "id": "c9"}')
        assert rejected.code == "invalid_envelope"
        assert "`kind`" in rejected.message
        assert rejected.correlation == "c9"

    @pytest.mark.requirement("mew/3:protocol-version", "mew/6.1:matching-versions")
    def test_a_wrong_protocol_is_told_the_right_ones(self) -> None:
        message = refused(complete(protocol="mew/v0.2")).message
        assert "mew/v0.4" in message
        assert "mew/v0.3" in message

    @pytest.mark.parametrize("id", ["x" * 201, 7, None, ""])
    def test_invalid_id_is_not_used_as_correlation(self, id: Any) -> None:
        assert refused(complete(id=id)).correlation is None


def typed(kind: str, payload: dict[str, Any] | None, *, strict: bool = True) -> Any:
    return payload_of(take(complete(kind=kind, payload=payload))[0], KINDS.get(kind, UNKNOWN), strict=strict)


class TestPayloads:
    @pytest.mark.parametrize(
        ("kind", "payload", "path"),
        [
            ("chat", None, "$.payload"),
            ("chat", {}, "$.payload"),
            ("chat", {"text": 5}, "$.payload.text"),
            ("chat", {"text": None}, "$.payload.text"),
            ("mcp/request", {}, "$.payload"),
            ("mcp/request", {"method": 1}, "$.payload.method"),
            ("mcp/request", {"method": "m", "params": []}, "$.payload.params"),
            ("mcp/proposal", {"params": {}}, "$.payload"),
            ("reasoning/interrupt", {"reason": 1}, "$.payload.reason"),
            ("reasoning/interrupt", {"reason": "timeout", "message": 1}, "$.payload.message"),
            ("reasoning/interrupt", {"reason": "timeout", "class": "stop"}, "$.payload.class"),
            ("reasoning/interrupt-ack", {}, "$.payload"),
            ("reasoning/interrupt-ack", {"status": "stopped"}, "$.payload.status"),
            ("reasoning/interrupt-ack", {"status": ["stopping"]}, "$.payload.status"),
        ],
    )
    def test_a_fault_is_named_by_its_path(self, kind: str, payload: dict[str, Any] | None, path: str) -> None:
        with pytest.raises(Rejected) as caught:
            typed(kind, payload)
        assert caught.value.code == "invalid_payload"
        assert f"`{path}`" in caught.value.message
        assert kind in caught.value.message

    def test_wrong_choice_is_refused_with_the_allowed_values(self) -> None:
        with pytest.raises(Rejected) as caught:
            typed("reasoning/interrupt", {"reason": "timeout", "class": "stop"})
        message = caught.value.message
        assert "`$.payload.class`; it is one of " in message and "'cancel'" in message and "'override'" in message

    def test_extra_fields_are_allowed(self) -> None:
        assert typed("chat", {"text": "hi", "mood": ["any"]}) == Chat("hi")

    @pytest.mark.parametrize("kind", ["mcp/response", "chat/acknowledge", "participant/status", "acme/anything"])
    def test_untyped_payloads_accept_anything(self, kind: str) -> None:
        typed(kind, None)
        typed(kind, {"result": [1, {"x": None}]})

    def test_validation_off_types_only_kinds_the_gateway_acts_on(self) -> None:
        typed("chat", {"text": 5}, strict=False)
        for kind in ("mcp/request", "reasoning/interrupt-ack"):
            with pytest.raises(Rejected):
                typed(kind, {}, strict=False)


class TestEncode:
    def test_has_exactly_the_nonempty_fields(self) -> None:
        data = encode(id="gw-1", now=NOW, sender="system:gateway", kind="system/presence", payload={"a": "ñ"})
        assert json.loads(data) == {
            "protocol": "mew/v0.4",
            "id": "gw-1",
            "ts": "2027-01-15T08:00:00.123Z",
            "from": "system:gateway",
            "kind": "system/presence",
            "payload": {"a": "ñ"},
        }

    def test_is_an_envelope_that_the_codec_takes(self) -> None:
        data = encode(
            id="gw-1", now=0, sender="system:gateway", kind="x", payload={}, to=("a", "b"), correlation_id=("c",)
        )
        envelope, forwarded = take(data)
        assert forwarded == data
        assert (envelope.to, envelope.correlation_id, envelope.ts) == (["a", "b"], ["c"], "1970-01-01T00:00:00.000Z")


def test_complete_frames_are_not_parsed_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """An ordinary chat, times and colons and all, is decoded once: the slow look at its keys is not needed."""
    monkeypatch.setattr(codec, "_check_keys", lambda *_: pytest.fail("the slow way was taken"))
    frame = json.dumps({**COMPLETE, "to": ["solver"], "payload": {"text": "at 10:30: lunch", "format": "plain"}})
    assert take(frame)[1] == frame.encode()


def aliased(document: dict[str, Any]) -> tuple[Envelope, bytes, bytes]:
    """The envelope and bytes that are made of a frame of `human`'s, who calls itself `client-1`; and the frame."""
    sealer = Sealer(
        sender="human", new_id=lambda: "drawn", alias="client-1", aliases={"client-1": "human", "client-2": "solver"}
    )
    data = json.dumps(document).encode()
    return *receive(data, sealer, now=NOW), data


class TestAliases:
    @pytest.mark.parametrize("given", [COMPLETE, {"kind": "chat"}], ids=["complete", "incomplete"])
    def test_the_senders_own_is_sealed_to_its_id(self, given: dict[str, Any]) -> None:
        envelope, data, _ = aliased({**given, "from": "client-1", "payload": {"from": "client-1"}})
        assert envelope.sender == json.loads(data)["from"] == "human"
        assert json.loads(data)["payload"] == {"from": "client-1"}

    @pytest.mark.parametrize("given", [COMPLETE, {"kind": "chat"}], ids=["complete", "incomplete"])
    @pytest.mark.parametrize(
        ("to", "meant"),
        [
            (["client-2"], ["solver"]),
            (["x", "client-2", "client-1", "x"], ["x", "solver", "human"]),
            (["solver", "client-2"], ["solver"]),
            ("client-2", ["solver"]),
            (["x", "x"], ["x", "x"]),
            ([], []),
        ],
    )
    def test_those_addressed_are_resolved_each_once(self, given: dict[str, Any], to: Any, meant: list[str]) -> None:
        envelope, data, _ = aliased({**given, "to": to})
        assert envelope.to == json.loads(data)["to"] == meant

    def test_what_names_no_alias_is_forwarded_as_it_came(self) -> None:
        for document in (COMPLETE, {**COMPLETE, "to": ["solver"]}, {**COMPLETE, "payload": {"to": ["client-2"]}}):
            _, data, frame = aliased(document)
            assert data == frame

    def test_alias_of_another_connection_is_not_the_senders(self) -> None:
        assert aliased({**COMPLETE, "from": "client-2"})[0].sender == "client-2"

    @pytest.mark.parametrize("fields", [{"to": ["client-2", 7]}, {"to": [["client-2"]]}, {"from": None}, {"from": 7}])
    def test_recipient_that_is_no_string_is_refused(self, fields: dict[str, Any]) -> None:
        with pytest.raises(Rejected) as refused:
            aliased({**COMPLETE, **fields})
        assert refused.value.code == "invalid_envelope"

    def test_duplicate_key_is_refused_with_an_alias_too(self) -> None:
        sealer = Sealer(sender="human", new_id=lambda: "drawn", alias="client-1")
        with pytest.raises(Rejected) as refused:
            receive(complete()[:-1].replace("human", "client-1").encode() + b',"kind":"x/y"}', sealer, now=NOW)
        assert refused.value.code == "duplicate_key"


class TestRenaming:
    def test_rename_changes_only_from_and_to(self) -> None:
        data = b'{"from":"human", "x": {"from":"human"},"to":["a","human"],"payload":{"to" : ["human"], "n": 1.50}}'
        assert rename(data, "human", "client-1") == (
            b'{"from":"client-1","x":{"from":"human"},"to":["a","client-1"],"payload":{"to" : ["human"], "n": 1.50}}'
        )

    @pytest.mark.parametrize(
        "data",
        [
            b'{"from":"other","kind":"chat","payload":{"text":"human"}}',
            b'{"from":"other","to":["agent"],"payload":{"to":["human"]}}',
            b'{"from":"humans","to":["human-2"]}',
            b'{"from":"other","payload":{"text":"\\n"}}',
        ],
    )
    def test_rename_returns_the_same_bytes_without_the_name(self, data: bytes) -> None:
        assert rename(data, "human", "client-1") is data

    def test_an_id_may_be_spelt_with_escapes(self) -> None:
        data = b'{"from":"\\u0068uman","kind":"chat"}'
        assert json.loads(rename(data, "human", "client-1"))["from"] == "client-1"
