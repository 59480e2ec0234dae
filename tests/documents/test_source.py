"""The bytes of a file, and what they may not be."""

import pytest

from mew_gateway.documents.source import MAX_BYTES, Unreadable, decode


def test_a_byte_order_mark_is_no_part_of_the_text():
    assert decode(b"\xef\xbb\xbfa: \xc3\xa9\xf0\x9f\x98\x80") == "a: é😀"


@pytest.mark.parametrize(
    ("data", "line", "column", "message"),
    [
        (b"a: 1\nb: \xff", 2, 4, "The file is not UTF-8."),
        (b"\xef\xbb\xbf\xff", 1, 1, "The file is not UTF-8."),
        ("é: ".encode() + b"\xc3(", 1, 4, "The file is not UTF-8."),
        ("a: 1".encode("utf-16"), 1, 1, "The file is not UTF-8."),
        (b"a: \xed\xa0\x80", 1, 4, "The file is not UTF-8."),
        (b"a:\r\n  b: \x00", 2, 6, "The character U+0000 is not allowed in YAML."),
        (b"a\rb\r\n\x1b[0m", 3, 1, "The character U+001B is not allowed in YAML."),
        ("a: \x85".encode(), 1, 4, "The character U+0085 is not allowed in YAML."),
        ("a: x\u2028".encode(), 1, 5, "The character U+2028 is not allowed in YAML."),
        ("a: \ufeff".encode(), 1, 4, "The character U+FEFF is not allowed in YAML."),
        (b"a: \x7f", 1, 4, "The character U+007F is not allowed in YAML."),
    ],
)
def test_what_is_no_text_has_a_place(data, line, column, message):
    with pytest.raises(Unreadable) as caught:
        decode(data)
    assert (caught.value.mark, caught.value.message) == ((line, column), message)


def test_a_big_file_is_refused_and_not_parsed():
    assert decode(b"#" * MAX_BYTES) == "#" * MAX_BYTES
    with pytest.raises(Unreadable, match=r"bigger than 1048576 bytes"):
        decode(b"\xff" * (MAX_BYTES + 1))
