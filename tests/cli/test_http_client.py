"""The HTTP client, with answers that are not those of a gateway."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import ClassVar

import pytest

from mew_gateway.cli.connecting.http_client import Api
from mew_gateway.cli.framework.failure import Failure


class Answer(BaseHTTPRequestHandler):
    """Answers every request as it was told to, and keeps what was asked."""

    status: ClassVar[int] = 200
    body: ClassVar[bytes] = b""
    asked: ClassVar[list[tuple[str, str | None]]] = []

    def do_GET(self) -> None:
        self.asked.append((self.path, self.headers["Authorization"]))
        self.send_response(self.status)
        self.send_header("Location", "http://127.0.0.1:9/")
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def url() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def told(url: str, monkeypatch: pytest.MonkeyPatch, status: int, body: bytes) -> str:
    monkeypatch.setattr(Answer, "status", status)
    monkeypatch.setattr(Answer, "body", body)
    with pytest.raises(Failure) as failure:
        Api(url, space="demo", token="t").get("participants")
    return failure.value.message


@pytest.mark.parametrize(
    ("status", "body", "sentence"),
    [
        (200, b"<html>", "what answers there is not a MEW gateway"),
        (200, b"[]", "what answers there is not a MEW gateway"),
        (200, b"{}", "what answers there is not a MEW gateway"),
        (200, b"\xff", "what answers there is not a MEW gateway"),
        (302, b"", "answered with status 302"),  # the token goes nowhere else
        (404, b"<html>", "answered with status 404"),
        (401, b"", "knows no such token in the space 'demo'"),
        (503, b'{"error": "unavailable", "message": "Later."}', "The gateway says unavailable: Later."),
    ],
)
def test_every_answer_is_a_sentence(
    url: str, monkeypatch: pytest.MonkeyPatch, status: int, body: bytes, sentence: str
) -> None:
    assert sentence in told(url, monkeypatch, status, body)


def test_a_proxy_is_not_asked_for_this_machine(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setattr(Answer, "body", b'{"events": []}')
    asked: list[tuple[str, str | None]] = []
    monkeypatch.setattr(Answer, "asked", asked)
    api = Api(url.replace("http", "ws") + "/ws", space="demo", token="t")
    assert api.get("timeline", after=None, limit=3) == {"events": []}
    assert asked == [("/spaces/demo/timeline?limit=3", "Bearer t")]
