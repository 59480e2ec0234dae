"""A valid file becomes a configuration."""

from pathlib import Path

import msgspec

from mew_gateway.config import GatewayLimits, Hosted, Restart, load
from mew_gateway.space.settings import Bounds, Interrupts, Rate, SpaceSettings, Step, Watchdog

HERE = Path(__file__).parent
MINIMAL = "spaces: {demo: {participants: {human: {}}}}"


def test_every_key_at_its_default_is_the_same_as_no_key(loaded):
    assert loaded((HERE / "complete.yaml").read_text()) == loaded(MINIMAL)


def test_defaults_are_those_of_the_types(loaded, tmp_path):
    configuration = loaded(MINIMAL)
    gateway = configuration.gateway
    assert (gateway.host, gateway.port, gateway.allow_public, gateway.tls) == ("127.0.0.1", 8080, False, None)
    assert gateway.limits == GatewayLimits()
    assert gateway.state_dir == tmp_path / ".mew"
    assert gateway.journal.url == f"sqlite:{tmp_path}/.mew/journal.db"
    assert (gateway.journal.synchronous, gateway.journal.keep) == ("normal", 7 * 86_400_000)
    space = configuration.spaces["demo"]
    assert space.settings.bounds == Bounds()
    ladder = (Step("notify"), Step("pause"), Step("kick", 5_000))
    assert space.settings.interrupts == Interrupts(emergency_escalation=ladder)
    assert (space.hosted, space.tokens) == ({}, {"human": None})


def test_the_account_of_a_space_is_every_hosted_participants(loaded):
    spaces = loaded("""
spaces:
  one: {account: Clínica Norte, participants: {bot: {agent: "a:B"}, program: {command: [x]}, human: {}}}
  two: {participants: {bot: {agent: "a:B"}}}
""").spaces
    assert {who: one.account for who, one in spaces["one"].hosted.items()} == {
        "bot": "Clínica Norte",
        "program": "Clínica Norte",
    }
    assert spaces["two"].hosted["bot"].account is None


def test_a_space_is_what_the_file_says(loaded):
    settings = (
        loaded("""
gateway: {limits: {open_sequences: 3, remembered_for: 2h, settled_interrupts: 7}}
spaces:
  demo:
    description: For a test
    routing: addressed
    validation: off
    owner_grace: 0s
    proposal_expiry: 2h
    interrupts:
      ack_deadline: 500ms
      per_sequence: 2/1m
      escalation: [notify, {pause: {after: 10s}}, revoke, kick]
      emergency_ack_deadline: 1s
      emergency: 1/1h
      emergency_escalation: [kick]
    watchdog: {max_seconds: 60, max_bytes: 1000}
    roles:
      talker: [{kind: chat}, {kind: "mcp/*", to: [a, b]}]
      asker: [{kind: chat}, {kind: mcp/request, payload: {method: tools/list, params: {deep: [1, null, true]}}}]
    participants:
      human: {roles: [talker, asker], capabilities: [{kind: x/y}], observe: true}
      limited: {watchdog: {max_thoughts: 5}}
      unlimited: {watchdog: {max_seconds: null}}
    defaults: {capabilities: [{kind: chat}, {kind: chat}]}
""")
        .spaces["demo"]
        .settings
    )
    assert settings == SpaceSettings(
        id="demo",
        participants=settings.participants,
        description="For a test",
        routing="addressed",
        validation="off",
        owner_grace=0,
        interrupts=Interrupts(
            ack_deadline=500,
            per_sequence=Rate(2, 60_000),
            escalation=(Step("notify"), Step("pause", 10_000), Step("revoke"), Step("kick")),
            emergency_ack_deadline=1_000,
            emergency=Rate(1, 3_600_000),
            emergency_escalation=(Step("kick"),),
        ),
        proposal_expiry=7_200_000,
        watchdog=Watchdog(max_seconds=60, max_bytes=1000),
        bounds=Bounds(open_sequences=3, remembered_for=7_200_000, settled_interrupts=7),
        invited_capabilities=({"kind": "chat"},),
    )
    watchdogs = {name: participant.watchdog for name, participant in settings.participants.items()}
    assert watchdogs == {"human": None, "limited": Watchdog(max_thoughts=5), "unlimited": Watchdog()}
    human = settings.participants["human"]
    assert human.observe
    assert human.capabilities == (  # in the order of the roles, each once
        {"kind": "chat"},
        {"kind": "mcp/*", "to": ["a", "b"]},
        {"kind": "mcp/request", "payload": {"method": "tools/list", "params": {"deep": [1, None, True]}}},
        {"kind": "x/y"},
    )


def test_hosted_participants_and_tokens(loaded):
    space = loaded("""
spaces:
  demo:
    participants:
      solver: {agent: "pack.age:Solver", options: {cities: 200, deep: {a: [1]}}}
      external: {command: [node, agent.js], restart: {policy: always, backoff: 2s, max_backoff: 1m}}
      human: {token: a-token-of-some-length}
""").spaces["demo"]
    assert space.hosted == {
        "solver": Hosted(agent="pack.age:Solver", options={"cities": 200, "deep": {"a": [1]}}),
        "external": Hosted(
            command=("node", "agent.js"), restart=Restart(policy="always", backoff=2_000, max_backoff=60_000)
        ),
    }
    assert space.tokens == {"solver": None, "external": None, "human": "a-token-of-some-length"}
    assert "a-token-of-some-length" not in repr(space)


def test_an_output_log_is_a_file_beside_the_configuration(loaded, tmp_path):
    space = loaded("""
spaces:
  demo:
    participants: {script: {output_log: logs/script.jsonl}, other: {output_log: null}, abroad: {output_log: /x/y}}
""").spaces["demo"]
    assert space.output_logs == {"script": tmp_path / "logs/script.jsonl", "abroad": Path("/x/y")}


def test_paths_start_from_the_file(tmp_path, monkeypatch):
    folder = tmp_path / "there"
    folder.mkdir()
    for name in ("cert.pem", "key.pem"):
        (folder / name).write_text("")
    text = """
gateway:
  listen: "[::]:0"
  state_dir: ../state
  journal: {url: "sqlite:j/journal.db", synchronous: full}
  tls: {certificate: cert.pem, key: ./key.pem}
  allowed_origins: [https://example.org]
"""
    (folder / "spaces.yaml").write_text(text + MINIMAL)
    monkeypatch.chdir(tmp_path)
    configuration = load(Path("there/spaces.yaml"))
    gateway = configuration.gateway
    assert configuration.file == folder / "spaces.yaml"
    assert (gateway.host, gateway.port) == ("::", 0)
    assert gateway.state_dir == tmp_path / "state"
    assert gateway.journal.url == f"sqlite:{folder}/j/journal.db"
    assert gateway.tls is not None
    assert (gateway.tls.certificate, gateway.tls.key) == (folder / "cert.pem", folder / "key.pem")
    assert gateway.allowed_origins == ("https://example.org",)


def test_the_journal_moves_with_the_state(loaded, tmp_path):
    assert loaded(f"gateway: {{state_dir: s}}\n{MINIMAL}").gateway.journal.url == f"sqlite:{tmp_path}/s/journal.db"
    assert loaded(f"gateway: {{journal: {{url: 'memory:'}}}}\n{MINIMAL}").gateway.journal.url == "memory:"


def test_every_limit_reaches_the_configuration(loaded):
    names = [*GatewayLimits.__struct_fields__, *Bounds.__struct_fields__]
    names = [name for name in names if name not in ("bounds", "pending_bytes")]
    durations = {"outbox_stalled", "remembered_for", "join_timeout", "ping_interval", "ping_timeout"}
    written = {name: "2000ms" if name in durations else 2000 for name in names}
    written |= {"json_depth": 500, "given_bytes": 250, "connects": "2000/7s", "strangers": "2000/9s"}
    text = "\n".join(f"    {name}: {value}" for name, value in written.items())
    limits = loaded(f"gateway:\n  limits:\n{text}\n{MINIMAL}").gateway.limits
    others: dict[str, object] = {"json_depth": 500, "given_bytes": 250}
    others |= {"connects": Rate(2000, 7_000), "strangers": Rate(2000, 9_000)}
    others["pending_bytes"] = Bounds().pending_bytes  # the one of a space is a part of the outbox
    found = {**msgspec.structs.asdict(limits), **msgspec.structs.asdict(limits.bounds)}
    assert found == {**dict.fromkeys(names, 2000), **others, "bounds": limits.bounds}


def test_every_bound_of_a_space_comes_from_the_limits(loaded):
    names = [name for name in Bounds.__struct_fields__ if name != "pending_bytes"]
    text = ", ".join(f"{name}: {'9s' if name == 'remembered_for' else 9}" for name in names)
    bounds = loaded(f"gateway: {{limits: {{{text}}}}}\n{MINIMAL}").spaces["demo"].settings.bounds
    assert bounds == Bounds(**{**dict.fromkeys(names, 9), "remembered_for": 9_000})


def test_a_small_outbox_leaves_less_room_for_what_is_given(loaded):
    limits = "gateway: {limits: {outbox_bytes: SIZE, frame_bytes: 4096}}\n" + MINIMAL
    texts = [limits.replace("SIZE", size) for size in ("65536", "8388608", "16777216")]
    bounds = [loaded(text).spaces["demo"].settings.bounds for text in texts]
    assert [one.given_bytes for one in bounds] == [8_192, 1_048_576, 1_048_576]
    assert [one.pending_bytes for one in bounds] == [4_096, 524_288, 1_048_576]


def test_configured_capabilities_may_take_a_quarter_of_an_outbox(loaded, problems):
    """Each counts as its JSON and a comma: 12 bytes and the kind."""
    text = """
gateway: {limits: {outbox_bytes: 1024, frame_bytes: 1024}}
spaces: {demo: {participants: {a: {capabilities: [{kind: KIND}]}, b: {capabilities: [{kind: acme/x}]}}}}
"""
    assert loaded(text.replace("KIND", "acme/" + "y" * 221)).spaces["demo"]
    (problem,) = problems(text.replace("KIND", "acme/" + "y" * 222))
    assert problem.key_path == "spaces.demo.participants"
