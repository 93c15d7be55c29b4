"""The NBD protocol as bytes: what its description says, and no client can do harm."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raidsim.attach import protocol as nbd
from raidsim.attach.handshake import GREETING, LONGEST_OPTION, Export, Handshake

DATA = Export("data", "a volume", 2**40, 0x1ED, 512, 4096, 2**25)
LOG = Export("log", "another", 2**30, 0x1ED, 4096, 4096, 2**25)


def shaking(*received: bytes) -> tuple[Handshake, bytes]:
    hand = Handshake({one.name: one for one in (DATA, LOG)})
    buffer = bytearray()
    answer = b""
    for one in received:
        buffer += one
        answer += hand.feed(buffer)
    return hand, answer


def option(number: int, data: bytes = b"") -> bytes:
    return b"IHAVEOPT" + struct.pack(">II", number, len(data)) + data


def test_the_greeting_is_that_of_fixed_newstyle() -> None:
    assert GREETING == b"NBDMAGIC" + b"IHAVEOPT" + b"\x00\x03"


def test_the_old_way_to_choose_an_export_pads_with_zeros_unless_told_not_to() -> None:
    for flags, padding in ((1, 124), (3, 0)):
        hand, answer = shaking(struct.pack(">I", flags), option(1, b"log"))
        assert hand.export == LOG
        assert answer == struct.pack(">QH", 2**30, 0x16D) + bytes(padding)


def test_fragments_are_spoken_of_to_those_with_structured_replies_alone() -> None:
    plain, structured = (
        shaking(b"\0\0\0\3", *before, option(6, b"\0\0\0\4data\0\0"))[1]
        for before in ((), (option(8),))
    )
    told = struct.pack(">HQH", 0, 2**40, 0x16D)
    assert told in plain
    assert struct.pack(">HQH", 0, 2**40, 0x1ED) in structured
    assert told not in structured


def test_exports_are_listed_with_their_names() -> None:
    _, answer = shaking(b"\0\0\0\3", option(3))
    first = struct.pack(">QIII", 0x3E889045565A9, 3, 2, 16) + b"\0\0\0\4data" + b"a volume"
    assert answer.startswith(first)
    assert answer.endswith(struct.pack(">QIII", 0x3E889045565A9, 3, 1, 0))


@pytest.mark.parametrize(
    ("number", "data", "kind"),
    [
        (5, b"", 2**31 + 2),  # TLS, which is not offered
        (99, b"anything", 2**31 + 1),  # not known
        (7, b"\0\0\0\4none\0\0", 2**31 + 6),  # no such export
        (7, b"\0\0\0\xff", 2**31 + 3),  # shorter than it says
        (3, b"x", 2**31 + 3),
        (9, b"\0\0\0\4data\0\0\0\0", 2**31 + 3),  # contexts without structured replies
    ],
)
def test_what_cannot_be_done_is_refused_and_the_handshake_goes_on(
    number: int, data: bytes, kind: int
) -> None:
    hand, answer = shaking(b"\0\0\0\3", option(number, data), option(1, b"data"))
    assert struct.unpack(">QIII", answer[:20])[:3] == (0x3E889045565A9, number, kind)
    assert hand.export == DATA


@pytest.mark.parametrize(
    "received",
    [
        b"\0\0\0\0",  # a client that does not know fixed newstyle
        b"\xff\xff\xff\xff",
        b"\0\0\0\3" + b"GET / HTTP/1.1\r\n",
        b"\0\0\0\3" + option(1, b"none"),  # which has no answer that says no
        b"\0\0\0\3" + b"IHAVEOPT" + struct.pack(">II", 7, LONGEST_OPTION + 1),
        b"\0\0\0\3" + option(99) * 300,
    ],
)
def test_who_does_not_speak_the_protocol_is_cut_off(received: bytes) -> None:
    with pytest.raises(nbd.ProtocolError):
        shaking(received)


def test_the_status_of_blocks_is_for_the_export_for_which_it_was_selected() -> None:
    select = b"\0\0\0\3log" + b"\0\0\0\1" + b"\0\0\0\x0fbase:allocation"
    for name, there in ((b"log", True), (b"data", False)):
        hand, _ = shaking(b"\0\0\0\3", option(8), option(10, select), option(1, name))
        assert hand.structured
        assert hand.status == there


ENDS = st.sampled_from([b"", *(option(n) for n in (1, 2, 3, 6, 7, 8, 9, 10))])


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(st.binary(max_size=40), ENDS), max_size=8), st.integers(1, 30))
def test_any_bytes_end_in_an_answer_or_a_protocol_error(parts: list[bytes], step: int) -> None:
    """And in the same one, in whatever pieces they come."""
    sent = b"\0\0\0\3" + b"".join(parts)
    found = []
    for size in (step, len(sent)):
        try:
            hand, answer = shaking(*(sent[i : i + size] for i in range(0, len(sent), size)))
            found.append((answer, hand.export, hand.is_over, hand.structured))
        except nbd.ProtocolError as error:
            found.append(str(error))
    assert found[0] == found[1]


def test_replies_are_as_the_description_draws_them() -> None:
    assert nbd.simple(7, 5) == bytes.fromhex("67446698 00000005 0000000000000007")
    assert nbd.data_chunk(7, 4096, b"ab") == bytes.fromhex(
        "668e33ef 0001 0001 0000000000000007 0000000a 0000000000001000 6162"
    )
    assert nbd.error_chunk(7, 22, "no") == bytes.fromhex(
        "668e33ef 0001 8001 0000000000000007 00000008 00000016 0002 6e6f"
    )
    assert nbd.status_chunk(7, [nbd.Extent(512, 3)]) == bytes.fromhex(
        "668e33ef 0001 0005 0000000000000007 0000000c 00000001 00000200 00000003"
    )
    assert nbd.done(7) == bytes.fromhex("668e33ef 0001 0000 0000000000000007 00000000")


@given(st.integers(0, 2**16 - 1), st.integers(0, 2**16 - 1), st.integers(0, 2**64 - 1))
@settings(max_examples=30, deadline=None)
def test_a_request_is_read_as_it_was_packed(flags: int, command: int, number: int) -> None:
    one = nbd.Request(flags, command, number, number // 3, number % 2**32)
    assert nbd.request(b"xx" + nbd.packed(one), 2) == one
    with pytest.raises(nbd.ProtocolError):
        nbd.request(b"\0" + nbd.packed(one), 0)
