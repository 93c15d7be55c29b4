"""Numbers out of text, many at a time: eight characters as one integer of 64 bits.

Eight digits that lie side by side become a number in three multiplications, on all lines at
once: pairs of digits, then fours, then eight. That is some twenty times as fast as a loop
over lines in Python, and needs nothing but numpy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]
Truths = NDArray[np.bool_]

PADDING = 32
MOST_DIGITS = 19
MOST_HEX = 15
WORD = 8
POWERS = 10 ** np.arange(19, dtype=np.int64)

_U = np.uint64
_ZEROS = _U(0x3030303030303030)
_LETTERS = _U(0x2020202020202020)
_HIGH = _U(0xF0F0F0F0F0F0F0F0)
_SIX = _U(0x0606060606060606)
_THREES = _U(0x3333333333333333)
_KEEP = np.array([0, *(2**64 - 2 ** (64 - 8 * n) for n in range(1, 9))], np.uint64)
"""By the number of characters that count: those at the end, which are the higher bytes."""
_HEX = np.full(256, 255, np.int64)
for _place, _digit in enumerate("0123456789abcdef"):
    _HEX[[ord(_digit), ord(_digit.upper())]] = _place
_FILL = ~_KEEP & _ZEROS


class Characters:
    """The text of some lines, to be read many places at a time.

    Parameters
    ----------
    text
        Whole lines, the last with its line feed.
    """

    def __init__(self, text: bytes) -> None:
        padded = b"\0" * PADDING + text + b"\0" * WORD
        self.bytes: NDArray[np.uint8] = np.frombuffer(padded, np.uint8)
        # A view of the eight characters from each place on, in the byte order of the computer.
        self._eight: NDArray[np.uint64] = np.ndarray(
            (len(padded) - WORD + 1,), np.dtype("<u8"), padded, strides=(1,)
        )
        self._dots: Places | None = None

    def text(self, start: int, end: int) -> str:
        """The characters between two places."""
        return bytes(self.bytes[start:end]).decode("utf-8", errors="replace")

    def whole(self, start: Places, end: Places) -> tuple[Places, Truths]:
        """Whole numbers between pairs of places, and which of them are such.

        A number of no digit, of more than 19, or above 2^63 - 1 is none here.
        """
        length = end - start
        most = int(length.max(initial=0))
        number, good = self._block(end, np.clip(length, 0, WORD))
        if most > WORD:
            higher, fine = self._block(end - WORD, np.clip(length - WORD, 0, WORD))
            number += higher * _U(10**8)
            good &= fine
        if most > 2 * WORD:
            higher, fine = self._block(end - 2 * WORD, np.clip(length - 2 * WORD, 0, 3))
            number += higher * _U(10**16)
            good &= fine & (length <= MOST_DIGITS)
        good &= (length > 0) & (number <= _U(2**63 - 1))
        return number.astype(np.int64), good

    def fixed(self, start: Places, end: Places, digits: int) -> tuple[Places, Truths]:
        """Decimal numbers, multiplied by ten to the power of `digits` and rounded."""
        if self._dots is None:
            self._dots = np.flatnonzero(self.bytes == ord("."))
        dots = self._dots
        if not len(dots):
            number, good = self.whole(start, end)
            good &= number <= (2**63 - 1) // POWERS[digits]
            return np.where(good, number, 0) * POWERS[digits], good
        near = np.minimum(np.searchsorted(dots, start), len(dots) - 1)
        dot = dots[near]
        has = (dot >= start) & (dot < end)
        dot = np.where(has, dot, end)
        number, good = self.whole(start, dot)
        given = np.where(has, end - dot - 1, 0)
        taken = np.minimum(given, digits)
        part, fine = self.whole(dot + 1, dot + 1 + taken)
        good &= fine | (taken == 0)
        good &= number < (2**63 - 1) // POWERS[digits] - 1
        part = np.where(taken > 0, part, 0) * POWERS[digits - taken]
        if int(given.max(initial=0)) > digits:
            more = given > digits
            after = self.bytes[np.where(more, dot + 1 + digits, PADDING)]
            good &= ~more | self._are_digits(dot + 1 + digits, end, more)
            part += more & (after >= ord("5"))
        return np.where(good, number, 0) * POWERS[digits] + part, good

    def _are_digits(self, start: Places, end: Places, where: Truths) -> Truths:
        """Return whether there are digits only; of more than 19 that is not known."""
        _, good = self.whole(np.where(where, start, PADDING), np.where(where, end, PADDING))
        return good

    def hexadecimal(self, start: Places, end: Places) -> tuple[Places, Truths]:
        """Numbers of up to 15 hexadecimal digits, with 0x before them or without."""
        text = self.bytes
        prefixed = (
            (end - start > 2) & (text[start] == ord("0")) & (text[start + 1] | 32 == ord("x"))
        )
        length = end - start - 2 * prefixed
        number = np.zeros(len(start), np.int64)
        good = (length > 0) & (length <= MOST_HEX)
        for place in range(min(int(length.max(initial=0)), MOST_HEX)):
            there = place < length
            digit = _HEX[text[np.where(there, end - 1 - place, 0)]]
            good &= ~there | (digit < 16)
            number += np.where(there, digit, 0) << (4 * place)
        return number, good

    def words(self, start: Places, end: Places) -> NDArray[np.uint64]:
        """Up to eight characters as a number, small letters for capitals; 0 for more or none."""
        length = end - start
        fits = (length > 0) & (length <= WORD)
        packed = self._eight[end - WORD] & _KEEP[np.clip(length, 0, WORD)]
        return np.where(fits, packed | (_LETTERS & _KEEP[np.clip(length, 0, WORD)]), _U(0))

    def keys(self, start: Places, end: Places) -> NDArray[Any]:
        """The characters between pairs of places as values that can be told apart."""
        length = end - start
        most = int(length.max(initial=0))
        if most <= WORD:
            few: NDArray[Any] = self._eight[end - WORD] & _KEEP[length]
            return few
        columns = np.arange(most)
        taken = self.bytes[np.minimum(start[:, None] + columns, len(self.bytes) - 1)]
        taken[columns >= length[:, None]] = 0
        return np.ascontiguousarray(taken).view(f"S{most}")[:, 0]

    def _block(self, end: Places, length: Places) -> tuple[NDArray[np.uint64], Truths]:
        """The number of up to eight digits before a place, and whether they are digits."""
        if len(length) and (same := int(length[0])) == int(length.min()) == int(length.max()):
            keep, fill = _KEEP[same], _FILL[same]
        else:
            keep, fill = _KEEP[length], _FILL[length]
        text = (self._eight[end - WORD] & keep) | fill
        good = ((text & _HIGH) | (((text + _SIX) & _HIGH) >> _U(4))) == _THREES
        text -= _ZEROS
        text = text * _U(10) + (text >> _U(8))
        text = (
            ((text & _U(0x000000FF000000FF)) * _U(0x000F424000000064))
            + (((text >> _U(16)) & _U(0x000000FF000000FF)) * _U(0x0000271000000001))
        ) >> _U(32)
        number: NDArray[np.uint64] = text & _U(0xFFFFFFFF)
        return number, good


def packed_word(word: bytes) -> int:
    """Return the result of :meth:`Characters.words` for a word."""
    folded = bytes(letter | 0x20 for letter in word)
    return int.from_bytes(b"\0" * (WORD - len(word)) + folded, "little")
