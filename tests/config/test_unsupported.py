"""A promise that this version would not keep is refused; its default, however written, is not."""

import pytest

from mew_gateway.config.unsupported import NOT_YET


def gateway(text: str) -> str:
    return f"gateway: {{{text}}}\nspaces: {{demo: {{participants: {{human: {{}}}}}}}}\n"


def space(text: str) -> str:
    return f"spaces: {{demo: {{{text}, participants: {{human: {{}}}}}}}}\n"


def human(text: str) -> str:
    return f"spaces: {{demo: {{participants: {{human: {{{text}}}}}}}}}\n"


REFUSED = [
    (gateway("listen: 'unix:/run/mew'"), "gateway.listen"),
    (gateway("journal: {url: 'nats://localhost'}"), "gateway.journal.url"),
    (space("account: other"), "spaces.demo.account"),
    (space("proposal_expiry: 23h"), "spaces.demo.proposal_expiry"),
    (space("watchdog: {max_bytes: 1}"), "spaces.demo.watchdog.max_bytes"),
    (space("interrupts: {escalation: [notify, pause]}"), "spaces.demo.interrupts.escalation[1]"),
    (space("interrupts: {escalation: [{kick: {after: 1s}}]}"), "spaces.demo.interrupts.escalation[0]"),
    (space("interrupts: {emergency_ack_deadline: 1s}"), "spaces.demo.interrupts.emergency_ack_deadline"),
    (space("interrupts: {emergency: 3/61s}"), "spaces.demo.interrupts.emergency"),
    (space("interrupts: {emergency_escalation: [notify]}"), "spaces.demo.interrupts.emergency_escalation"),
    (human("watchdog: {max_seconds: 5}"), "spaces.demo.participants.human.watchdog.max_seconds"),
    (human("output_log: out.jsonl"), "spaces.demo.participants.human.output_log"),
]


@pytest.mark.parametrize(("text", "path"), REFUSED)
def test_refused(problems, text, path):
    (problem,) = problems(text)
    assert problem.key_path == path
    assert problem.message.endswith("is not supported yet by this version.")
    assert problem.suggestion
    assert (problem.line, problem.column > 1) == (1 + text.startswith("gateway: {}"), True)


def test_every_row_has_its_case():
    assert len(REFUSED) - 1 == len(NOT_YET)  # the ladder has two


@pytest.mark.parametrize(
    "text",
    [
        space("account: null"),
        space("proposal_expiry: 1d"),
        space("watchdog: {max_seconds: null}"),
        space("watchdog: {}"),
        space("interrupts: {escalation: []}"),
        space("interrupts: {escalation: [notify, {notify: {after: 5s}}]}"),
        space("interrupts: {emergency_ack_deadline: 2000ms, emergency: 3/1m}"),
        space("interrupts: {emergency_escalation: [notify, pause, {kick: {after: 5000ms}}]}"),
        human("watchdog: {max_thoughts: null}, output_log: null"),
        gateway("limits: {open_streams: 1, open_proposals: 1, grants: 1, invitees: 1}"),
        space("routing: addressed, validation: off, defaults: {capabilities: [{kind: chat}]}"),
        human("observe: true"),
    ],
)
def test_accepted(loaded, text):
    assert "demo" in loaded(text).spaces


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("space: {id: demo}\nparticipants: {a: {tokens: [x]}}\n", "space"),
        ("participants: {}\n", "participants"),
        ("defaults: 5\nspace: !x y\n", "space"),
    ],
)
def test_a_file_of_a_single_space_has_one_problem_for_it(problems, text, path):
    found = [problem for problem in problems(text) if "single space" in problem.message]
    assert [problem.key_path for problem in found] == [path]
    assert len(problems(text)) == 1 + text.count("!x")


def test_with_spaces_it_is_only_an_unknown_key(problems):
    (problem,) = problems("space: {}\nspaces: {demo: {participants: {a: {}}}}\n")
    assert problem.message == "Unknown key."
