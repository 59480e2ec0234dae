"""Telephone numbers and e-mail addresses."""

from __future__ import annotations

import pytest

from mew_agents.language.contacts import emails, phones


def test_an_extension_is_not_in_the_number() -> None:
    text = "(011) 4567-8901 int. 5"
    (found,) = phones(text, "es", region="AR")
    assert (found.value, found.evidence(text), found.doubts) == ("+541145678901", "(011) 4567-8901", ("partial",))


def test_a_number_beside_another_is_found() -> None:
    text = "a las 17 11 4567 8901"
    (found,) = phones(text, "es", region="AR")
    assert found.evidence(text) == "11 4567 8901"


@pytest.mark.parametrize("text", ["1.500.000", "2026-12-03 17:30", "45678901", "112345678901234567", "A11 4567 8901"])
def test_amounts_dates_and_codes_are_no_numbers(text: str) -> None:
    assert phones(text, "es", region="AR") == []


def test_without_a_known_region_only_international_numbers_are_read() -> None:
    assert phones("11 4567 8901", "es", region="??") == []
    assert [found.value for found in phones("+54 11 4567 8901", "es", region="??")] == ["+541145678901"]


def test_digits_of_any_script_are_read() -> None:
    assert [found.value for found in phones("+５４ 11 4567 8901", "es", region="US")] == ["+541145678901"]


@pytest.mark.parametrize(
    "text",
    ["a@b", "josé@x.com", "a..b@c.com", ".a@b.com", "a@-b.com", "a@b..com", "a@b.c", "a b@", "x" * 65 + "@y.com"],
)
def test_what_has_not_the_shape_of_an_address_is_none(text: str) -> None:
    assert emails(text) == []


def test_only_the_domain_s_letters_are_made_small() -> None:
    text = "<Ana.P+x@Mail.Example.COM>."
    (found,) = emails(text)
    assert (found.value, found.evidence(text)) == ("Ana.P+x@mail.example.com", "Ana.P+x@Mail.Example.COM")


def test_an_address_as_people_say_it() -> None:
    assert [one.value for one in emails("ana.perez arroba example punto com punto ar")] == ["ana.perez@example.com.ar"]
    assert [one.value for one in emails("x at example dot com, thanks")] == ["x@example.com"]
    assert emails("meet me at noon. ok") == []
