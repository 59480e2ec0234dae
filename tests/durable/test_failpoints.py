"""The points at which tests end, stop or break a process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from mew_agents.durable import NONE, Crash, Failpoints, around
from mew_agents.durable.failpoints import Fault, fault

POINTS = (*around("turn"), "sending")

PROGRAM = """
from mew_agents.durable import Failpoints
points = Failpoints.from_environment(("a", "b"))
for name in ("a", "b", "a", "b"):
    points.reach(name)
    print(name, flush=True)
"""


def program(text: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "MEW_FAILPOINT": text}
    return subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, env=environment, text=True)


def test_a_commit_has_two_points() -> None:
    assert around("turn", "claim") == ("turn.before", "turn.after", "claim.before", "claim.after")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("sending", Fault("sending", 1, "kill")),
        ("sending:3", Fault("sending", 3, "kill")),
        ("turn.before=hang", Fault("turn.before", 1, "hang")),
        ("turn.after:2=raise", Fault("turn.after", 2, "raise")),
    ],
)
def test_a_fault_is_written_so(text: str, meant: Fault) -> None:
    assert fault(text) == meant


@pytest.mark.parametrize("text", ["sending=explode", "sending:0", "sending:-1", "sending:x", "sending:1.5"])
def test_another_form_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="name"):
        fault(text)


def test_a_name_that_is_not_declared_can_be_neither_armed_nor_reached() -> None:
    with pytest.raises(ValueError, match="'elsewhere'"):
        Failpoints(POINTS, Fault("elsewhere"))
    with pytest.raises(ValueError, match="'elsewhere'"):
        Failpoints(POINTS).reach("elsewhere")
    with pytest.raises(ValueError, match="'elsewhere'"):
        Failpoints.from_environment(POINTS, {"MEW_FAILPOINT": "elsewhere"})


def test_the_nth_passing_raises_and_only_that() -> None:
    points = Failpoints(POINTS, Fault("sending", nth=2, deed="raise"))
    points.reach("sending")
    points.reach("turn.before")
    with pytest.raises(Crash, match="sending, time 2"):
        points.reach("sending")
    points.reach("sending")
    assert points.passed == {"sending": 3, "turn.before": 1}


def test_no_ordinary_except_carries_on_after_a_crash() -> None:
    assert not issubclass(Crash, Exception)


def test_without_the_variable_nothing_happens() -> None:
    points = Failpoints.from_environment(POINTS, {})
    points.reach("sending")
    assert points.passed == {"sending": 1}
    NONE.reach("whatever it is called")


def test_kill_is_a_real_one_at_the_place_that_was_named() -> None:
    process = program("b:2")
    assert process.communicate()[0].split() == ["a", "b", "a"]
    assert process.returncode == -signal.SIGKILL


def test_hang_stands_still_until_it_is_told_to_go_on() -> None:
    process = program("b=hang")
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    assert process.stdout is not None
    assert process.stdout.readline() == "a\n"
    process.send_signal(signal.SIGCONT)
    assert process.communicate()[0].split() == ["b", "a", "b"]
    assert process.returncode == 0
