"""P and Q are what RAID 6 means by them, by printed vectors and by two independent libraries."""

from __future__ import annotations

import numpy as np
import pytest
from layouts import STRIP, array

from raidsim.layout import gf
from raidsim.layout.arrange import ROTATIONS
from raidsim.store.array import Store
from raidsim.store.stripe import exclusive_or, weighted

# GOLDEN 6: D_i[j] = (17 i + 31 j + 1) & 255, 16 bytes.
VECTORS = {
    4: ("04007c20dc4044c0c4404cc0cc4044c0", "14f5b146d32f4eaefcc0a9592b5736d6"),
    6: ("17116b31cf51abf1b771bbf1bf71bbf1", "22fd1e5700c23fda3e481ac80c3ae03f"),
    255: ("f00f2e4d6c8baac9e80726456483a2c1", "211900ed03f352247020242d11c8cdf7"),
}


def strips_of(k: int) -> np.ndarray:
    i, j = np.ogrid[:k, :16]
    return ((17 * i + 31 * j + 1) & 255).astype(np.uint8)


@pytest.fixture(scope="module")
def field():
    galois = pytest.importorskip("galois")
    return galois.GF(2**8)


def test_powers_of_the_generator():
    assert gf.power(8) == 0x1D
    assert gf.power(254) == gf.power(-1) == 0x8E
    assert gf.power(255) == 1
    assert len({gf.power(e) for e in range(255)}) == 255


def test_an_element_times_its_inverse_is_one():
    assert all(gf.multiplied(a, gf.inverse(a)) == 1 for a in range(1, 256))


def test_the_field_is_that_of_an_independent_library(field):
    a, b = np.divmod(np.arange(1 << 16), 256)
    there = np.asarray(field(a.astype(np.uint8)) * field(b.astype(np.uint8)))
    here = [gf.multiplied(int(x), int(y)) for x, y in zip(a, b, strict=True)]
    assert np.array_equal(there, here)
    assert int(field.primitive_element) == gf.power(1)


@pytest.mark.parametrize("k", VECTORS)
def test_p_and_q_of_the_golden_vectors(k):
    p, q = VECTORS[k]
    strips = strips_of(k)
    assert exclusive_or(strips).tobytes().hex() == p
    assert weighted(strips, list(range(k))).tobytes().hex() == q


@pytest.mark.parametrize("k", [1, 4, 6, 10])
def test_p_and_q_are_those_of_an_erasure_coding_library(k):
    pytest.importorskip("pyeclib")
    from pyeclib.ec_iface import ECDriver

    strips = strips_of(k)
    header = 80
    coded = ECDriver(k=k, m=2, ec_type="isa_l_rs_vand").encode(strips.tobytes())
    assert coded[k][header:] == exclusive_or(strips).tobytes()
    assert coded[k + 1][header:] == weighted(strips, list(range(k))).tobytes()


def test_factors_that_recover_two_lost_strips():
    assert gf.two_lost(1, 4) == (0x9C, 0xC0)


def test_two_lost_strips_come_back_wherever_they_were():
    strips = strips_of(12)
    p, q = exclusive_or(strips), weighted(strips, list(range(12)))
    for y in range(12):
        for x in range(y):
            rest = strips.copy()
            rest[[x, y]] = 0
            a, b = gf.two_lost(x, y)
            p_rest = p ^ exclusive_or(rest)
            q_rest = q ^ weighted(rest, list(range(12)))
            first = [
                gf.multiplied(a, int(u)) ^ gf.multiplied(b, int(v))
                for u, v in zip(p_rest, q_rest, strict=True)
            ]
            assert np.array_equal(first, strips[x])
            assert np.array_equal(p_rest ^ np.array(first, np.uint8), strips[y])


@pytest.mark.parametrize("rotation", ROTATIONS)
@pytest.mark.parametrize("drives", [3, 5, 8])
def test_what_raid_6_leaves_on_its_drives_is_p_and_q(field, rotation, drives):
    """md counts data drives from the one after Q, DDF numbers all drives."""
    layout = array("6", drives, {"rotation": rotation})
    store = Store(layout)
    random = np.random.default_rng(drives)
    for _ in range(40):
        address = int(random.integers(store.size))
        length = int(random.integers(1, min(60, store.size - address) + 1))
        store.write(address, random.integers(0, 256, length).astype(np.uint8))

    is_ddf = rotation in ("zero-restart", "n-restart", "n-continue")
    generator = field.primitive_element
    for stripe in range(layout["rows"]):
        strips = [field(drive[stripe * STRIP : (stripe + 1) * STRIP]) for drive in store.drives]
        n = drives - 1 if rotation.endswith("-6") else drives
        turn = (stripe + 1 if rotation == "n-restart" else stripe) % n
        from_first = rotation.startswith("right") or rotation == "zero-restart"
        p = turn if from_first else n - 1 - turn
        q = (p - 1 if rotation == "n-continue" else p + 1) % drives
        if rotation.startswith("parity"):
            p, q = (0, 1) if "first" in rotation else (drives - 2, drives - 1)
        if rotation.endswith("-6"):
            q = drives - 1
        after_q = [(q + 1 + i) % drives for i in range(drives)]
        order = list(range(drives)) if is_ddf else [d for d in after_q if d not in (p, q)]
        data = [d for d in range(drives) if d not in (p, q)]
        assert np.array_equal(strips[p], sum((strips[d] for d in data), field.Zeros(STRIP)))
        total = sum((generator ** order.index(d) * strips[d] for d in data), field.Zeros(STRIP))
        assert np.array_equal(strips[q], total)
