"""URLs of the configuration."""

from __future__ import annotations

import pytest

from mew_gateway.errors import MewError
from mew_gateway.journal.memory import MemoryJournal
from mew_gateway.journal.open import open_journal
from mew_gateway.journal.sqlite import SqliteJournal


def test_memory():
    journal = open_journal("memory:", synchronous="normal")
    assert isinstance(journal, MemoryJournal)


def test_sqlite(tmp_path):
    path = tmp_path / "a folder" / "journal.db"
    journal = open_journal(f"sqlite:{path}", synchronous="full")
    assert isinstance(journal, SqliteJournal)
    assert path.exists()
    journal.close()


@pytest.mark.parametrize("url", ["", "memory", "memory:x", "sqlite", "sqlite:", "nats://127.0.0.1", "journal.db"])
def test_unknown_url_is_refused_with_a_hint(url):
    with pytest.raises(MewError, match=r"write memory: or sqlite:PATH"):
        open_journal(url, synchronous="normal")
