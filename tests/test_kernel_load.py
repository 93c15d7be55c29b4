"""What a load asks for is what its words say: places, kinds, sizes, hot spots, Zipf.

Shares are held against the binomial distribution, frequencies against chi-square tests. A right
generator gives a P value below 0.001 once in a thousand: if the random numbers change and one test
fails, try other seeds. A wrong one fails at all of them.
"""

from __future__ import annotations

from itertools import pairwise
from math import gcd

import numba
import numpy as np
import pytest
from scipy import stats
from watching import asked, build, scenario

from raidsim.kernel import permutation, zipf
from raidsim.kernel import tables as t
from raidsim.kernel.compiler import ENTRY, OPTIONS
from raidsim.kernel.jit import INTERPRETED

SEED = 20261120
MANY = 1_000 if INTERPRETED else 60_000
LEAST_P = 1e-3
KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB


def draw(ios=MANY, seed=SEED, **load):
    """Return the first I/Os of a load of one worker."""
    (found,) = asked(load, ios=ios, seed=seed)
    assert len(found) == ios
    return found


def assert_share(count, total, share):
    """Hold a count against the binomial distribution."""
    p = stats.binomtest(int(count), int(total), share).pvalue
    print(f"seed {SEED}: {count / total:.5f} of {total}, expected {share:.5f}, P {p:.3g}")
    assert p > LEAST_P


def assert_frequencies(counts, shares):
    """Hold counts of classes against their expected shares, by chi-square."""
    counts, shares = np.asarray(counts), np.asarray(shares)
    p = stats.chisquare(counts, shares * counts.sum()).pvalue
    print(f"seed {SEED}: chi-square of {len(counts)} classes, {counts.sum()} I/Os, P {p:.3g}")
    assert p > LEAST_P


def assert_even(counts):
    assert_frequencies(counts, np.full(len(counts), 1 / len(counts)))


# -- places ------------------------------------------------------------------------------------


PLACES = {
    "whole volume": {},
    "one block": {"area": {"offset": "512 B", "size": "4 KiB"}},
    "area that no block divides": {"size": "3 KiB", "area": {"offset": "5 GiB", "size": "100 KiB"}},
    "finely aligned": {"align": "512 B", "area": {"offset": "1536 B", "size": "10 KiB"}},
    "coarsely aligned": {"align": "1 MiB", "area": {"offset": "4 KiB", "size": "20 MiB"}},
    "mix of sizes": {
        "sizes": [{"size": "512 B", "share": "50 %"}, {"size": "64 KiB", "share": "50 %"}],
        "align": "512 B",
        "area": {"offset": "1 GiB", "size": "66 KiB"},
    },
    "hot spot": {
        "area": {"offset": "1 GiB", "size": "99 MiB"},
        "hot": {"area": "3 %", "accesses": "70 %"},
    },
    "all of it hot": {"area": {"size": "1 MiB"}, "hot": {"area": "100 %", "accesses": "60 %"}},
    "none of it hot": {"area": {"size": "1 MiB"}, "hot": {"area": "50 %", "accesses": "0 %"}},
    "zones": {
        "area": {"offset": "1 GiB", "size": "99 MiB"},
        "zones": [
            {"area": "5 %", "accesses": "50 %"},
            {"area": "15 %", "accesses": "30 %"},
            {"area": "80 %", "accesses": "20 %"},
        ],
    },
    "more zones than places": {
        "area": {"size": "8 KiB"},
        "zones": [{"area": "25 %", "accesses": "25 %"}] * 4,
    },
    "each place once": {"area": {"offset": "1 GiB", "size": "1 MiB"}, "once": True},
    "the only place once": {"area": {"offset": "1 GiB", "size": "4 KiB"}, "once": True},
    "Zipf": {"area": {"offset": "1 GiB", "size": "99 MiB"}, "zipf": 0.99},
    "Zipf on the whole volume": {"zipf": 1.2, "align": "512 B"},
}


@pytest.mark.parametrize("random", ["0 %", "50 %", "100 %"])
@pytest.mark.parametrize("place", PLACES)
def test_every_io_lies_in_the_area_and_is_aligned(place, random):
    words = PLACES[place] | {"random": random}
    uneven = ("hot", "zones", "zipf") if random == "0 %" else ()
    left_out = (*uneven, *(() if random == "100 %" else ("once",)))
    words = {key: value for key, value in words.items() if key not in left_out}
    load = scenario(words).loads[0]
    offset, size = load.extent(800_000_000_000)
    found = draw(ios=MANY // 10, **words)
    within = found["offset"] - offset
    assert within.min() >= 0
    assert (within + found["length"]).max() <= size
    assert (within % load.align == 0).all()


def test_random_accesses_reach_every_block_alike():
    area = {"offset": "3 MiB", "size": "100 KiB"}
    found = draw(area=area, size="4 KiB")
    assert_even(np.bincount((found["offset"] - 3 * MIB) // (4 * KIB), minlength=25))


def test_random_accesses_fill_the_whole_volume():
    found = draw()
    fraction = found["offset"] / (800e9 - 4096)
    p = stats.kstest(fraction, "uniform").pvalue
    print(f"seed {SEED}: P {p:.3g}")
    assert p > LEAST_P


def test_the_last_place_of_a_size_is_its_own():
    # Of 8 KiB every place of 512 bytes up to the end of the area, not beyond it.
    found = draw(size="8 KiB", align="512 B", area={"size": "12 KiB"})
    assert_even(np.bincount(found["offset"] // 512, minlength=9))


def test_an_access_says_nothing_of_the_next():
    found = draw(area={"size": "64 KiB"}, size="4 KiB", read="50 %")
    assert len(found) % 2 == 0
    blocks = found["offset"] // (4 * KIB)
    assert_even(np.bincount(blocks[::2] * 16 + blocks[1::2], minlength=256))
    assert_even(np.bincount(found["op"][::2] * 2 + found["op"][1::2], minlength=4))


JESD219 = [
    {"area": "5 %", "accesses": "50 %"},
    {"area": "15 %", "accesses": "30 %"},
    {"area": "80 %", "accesses": "20 %"},
]
"""Zones of the enterprise workload of JEDEC's endurance standard JESD219."""


def test_each_zone_gets_its_accesses_and_spreads_them_evenly():
    found = draw(area={"offset": "3 MiB", "size": "400 KiB"}, zones=JESD219)
    places = np.bincount((found["offset"] - 3 * MIB) // (4 * KIB), minlength=100)
    shares = np.repeat([0.5 / 5, 0.3 / 15, 0.2 / 80], [5, 15, 80])
    assert_frequencies(places, shares)


def test_a_hot_spot_is_two_zones():
    hot = draw(hot={"area": "3 %", "accesses": "70 %"})
    zones = [{"area": "3 %", "accesses": "70 %"}, {"area": "97 %", "accesses": "30 %"}]
    assert (hot == draw(zones=zones)).all()


@pytest.mark.parametrize("places", [1, 2, 3, 17, 64, 65, 250])
def test_each_place_is_accessed_once_before_any_is_again(places):
    found = draw(ios=4 * places, size="4 KiB", area={"size": f"{4 * places} KiB"}, once=True)
    passes = (found["offset"] // (4 * KIB)).reshape(4, places)
    assert (np.sort(passes, axis=1) == np.arange(places)).all()
    if places > 16:
        assert not (passes[0] == passes[1]).all(), "each pass has its own order"


def test_the_order_of_the_places_looks_like_chance():
    # Rank correlation with the order of addresses, and from each place to the next.
    places = 900
    found = draw(ios=places, size="4 KiB", area={"size": f"{4 * places} KiB"}, once=True)
    order = found["offset"] // (4 * KIB)
    for first, second in ((order, np.arange(places)), (order[:-1], order[1:])):
        p = stats.kendalltau(first, second).pvalue
        print(f"seed {SEED}: P {p:.3g}")
        assert p > LEAST_P


@numba.njit(**OPTIONS, **ENTRY)
def place_of(key, n, count):
    """The kernel's own answer, which can't be asked from Python.

    It is compiled as an entry point is. The code of handlers and routines is made for those only:
    linked into a function that Numba compiles the usual way, it may end in a segmentation fault.
    """
    return permutation.place(key, n, count)


@pytest.mark.parametrize("count", [2, 5, 2**20 - 1, 2**20 + 1, 2**38 + 12345, 2**53 + 1])
def test_no_two_accesses_of_a_pass_share_a_place(count):
    key = np.uint64(SEED)
    some = min(count, 2_000)
    with np.errstate(over="ignore"):  # the mixing of random numbers wraps around
        found = {int(place_of(key, n, count)) for n in range(count - some, count)}
    assert len(found) == some
    assert min(found) >= 0
    assert max(found) < count


# -- kinds, random and sequential, sizes -------------------------------------------------------


@pytest.mark.parametrize("percent", [0, 1, 33, 67, 100])
def test_as_many_ios_are_reads_as_the_load_says(percent):
    found = draw(read=f"{percent} %")
    assert_share((found["op"] == t.READ).sum(), len(found), percent / 100)


def follow(found, area, align):
    """Return for each I/O whether it continues where the last such I/O of the stream ended.

    A random access goes there by chance once in as many times as the area has places.
    """
    expected, continues = 0, []
    for offset, length in zip(found["offset"].tolist(), found["length"].tolist(), strict=True):
        if expected + length > area:
            expected = 0
        continues.append(offset == expected)
        if offset == expected:
            expected = -(-(offset + length) // align) * align
    return np.array(continues)


def test_a_sequential_load_goes_round_its_area():
    found = draw(ios=100, random="0 %", size="64 KiB", area={"offset": "1 GiB", "size": "1 MiB"})
    assert (found["offset"] == GIB + np.arange(100) % 16 * 64 * KIB).all()


def test_a_sequential_load_does_not_use_an_end_that_holds_no_request():
    found = draw(ios=9, random="0 %", size="24 KiB", area={"size": "100 KiB"})
    assert (found["offset"] // KIB).tolist() == [0, 24, 48, 72, 0, 24, 48, 72, 0]


def test_sequential_requests_of_a_mix_follow_one_another():
    found = draw(
        ios=500,
        random="0 %",
        sizes=[{"size": "4 KiB", "share": "50 %"}, {"size": "12 KiB", "share": "50 %"}],
        align="4 KiB",
        area={"size": "160 KiB"},
    )
    assert follow(found, 160 * KIB, 4 * KIB).all()
    ends = found["offset"] + found["length"]
    wraps = [
        end for end, (_, after) in zip(ends, pairwise(found["offset"]), strict=False) if after == 0
    ]
    assert len(wraps) > 10
    assert min(wraps) > 160 * KIB - 12 * KIB


def test_sequential_requests_shorter_than_the_alignment_skip_to_the_next_place():
    found = draw(ios=5, random="0 %", size="4 KiB", align="16 KiB", area={"size": "60 KiB"})
    assert (found["offset"] // KIB).tolist() == [0, 16, 32, 48, 0]


@pytest.mark.parametrize("percent", [5, 50, 90])
def test_share_of_random_accesses_and_the_others_continue(percent):
    found = draw(random=f"{percent} %", read="50 %", area={"size": "8 GiB"})
    continues = follow(found, 8 * GIB, 4 * KIB)
    assert_share((~continues).sum(), len(found), percent / 100)
    # Reads and writes share the one position of the stream.
    writes = found["op"] == t.WRITE
    assert_share((continues & writes).sum(), continues.sum(), 0.5)


def test_random_accesses_of_a_partly_sequential_load_are_spread_evenly():
    found = draw(random="50 %", area={"size": "8 GiB"})
    randoms = found[~follow(found, 8 * GIB, 4 * KIB)]
    assert_even(np.bincount(randoms["offset"] // (GIB // 2), minlength=16))


MIX = {"512 B": 30, "4 KiB": 5, "8 KiB": 1, "64 KiB": 44, "1 MiB": 20}
SIZES = [{"size": size, "share": f"{share} %"} for size, share in MIX.items()]
BYTES = [512, 4 * KIB, 8 * KIB, 64 * KIB, MIB]


def test_shares_of_a_mix_of_sizes():
    found = draw(sizes=SIZES)
    counts = [(found["length"] == size).sum() for size in BYTES]
    assert sum(counts) == len(found)
    assert_frequencies(counts, np.array(list(MIX.values())) / 100)


def test_a_size_may_have_shares_of_reads_and_of_random_accesses_of_its_own():
    sizes = [
        {"size": "4 KiB", "share": "60 %", "read": "100 %", "random": "100 %"},
        {"size": "64 KiB", "share": "30 %", "read": "0 %", "random": "0 %"},
        {"size": "8 KiB", "share": "10 %"},
    ]
    words = {"sizes": sizes, "read": "30 %", "random": "50 %", "align": "4 KiB"}
    load = scenario(words).loads[0]
    assert load.read_share == pytest.approx(0.6 + 0.03)
    assert load.random_share == pytest.approx(0.6 + 0.05)
    found = draw(**words)
    small, large, rest = (found[found["length"] == n * KIB] for n in (4, 64, 8))
    assert_frequencies([len(small), len(large), len(rest)], [0.6, 0.3, 0.1])
    assert (small["op"] == t.READ).all()
    assert (large["op"] == t.WRITE).all()
    assert_share((rest["op"] == t.READ).sum(), len(rest), 0.3)
    # The only ones that never jump are the large ones: each begins where the stream had come to.
    place, jumps = 0, {4: [], 64: [], 8: []}
    for offset, length in zip(found["offset"].tolist(), found["length"].tolist(), strict=True):
        jumps[length // KIB].append(offset != place)
        place = place if offset != place else offset + length
    assert all(jumps[4])
    assert not any(jumps[64])
    assert_share(sum(jumps[8]), len(rest), 0.5)


def test_reads_and_writes_of_different_sizes():
    # What fio calls bs=4k,64k with rwmixread=70.
    sizes = [
        {"size": "4 KiB", "share": "70 %", "read": "100 %"},
        {"size": "64 KiB", "share": "30 %", "read": "0 %"},
    ]
    found = draw(sizes=sizes)
    assert ((found["op"] == t.READ) == (found["length"] == 4 * KIB)).all()
    assert_share((found["op"] == t.READ).sum(), len(found), 0.7)


def test_kind_size_and_randomness_are_independent():
    found = draw(sizes=SIZES, read="40 %", random="30 %", align="4 KiB", area={"size": "64 GiB"})
    sizes = np.searchsorted(BYTES, found["length"])
    randoms = ~follow(found, 64 * GIB, 4 * KIB)
    table = np.zeros((2, 2, 5), int)
    np.add.at(table, (found["op"], randoms.astype(int), sizes), 1)
    p = stats.chi2_contingency(table).pvalue
    print(f"seed {SEED}: independence of kind, randomness and size, P {p:.3g}")
    assert p > LEAST_P


# -- hot spots ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("area", "accesses"), [(10, 90), (50, 50), (20, 0), (25, 100), (1, 60)])
def test_a_share_of_the_area_gets_a_share_of_the_accesses(area, accesses):
    found = draw(area={"size": "1 GiB"}, hot={"area": f"{area} %", "accesses": f"{accesses} %"})
    fraction = found["offset"] / GIB
    is_hot = fraction < area / 100
    assert_share(is_hot.sum(), len(found), accesses / 100)
    # Inside and outside of it all places are alike.
    for part, low, high in ((fraction[is_hot], 0, area / 100), (fraction[~is_hot], area / 100, 1)):
        if len(part):
            assert_even(np.histogram(part, bins=8, range=(low, high))[0])


@pytest.mark.parametrize("accesses", [0, 40, 100])
def test_an_area_that_is_hot_all_over_is_accessed_evenly(accesses):
    found = draw(area={"size": "64 KiB"}, hot={"area": "100 %", "accesses": f"{accesses} %"})
    assert_even(np.bincount(found["offset"] // (4 * KIB), minlength=16))


def test_a_hot_spot_has_at_least_one_block():
    found = draw(area={"size": "40 KiB"}, hot={"area": "1 %", "accesses": "55 %"})
    counts = np.bincount(found["offset"] // (4 * KIB), minlength=10)
    assert_frequencies(counts, [0.55] + [0.05] * 9)


def test_only_random_accesses_know_the_hot_spot():
    found = draw(random="50 %", area={"size": "8 GiB"}, hot={"area": "10 %", "accesses": "90 %"})
    continues = follow(found, 8 * GIB, 4 * KIB)
    randoms = found[~continues]
    assert_share((randoms["offset"] < 0.1 * 8 * GIB).sum(), len(randoms), 0.9)
    # The others run on through the area, one block after the other.
    sequential = found[continues]["offset"]
    assert (sequential == np.arange(len(sequential)) * 4 * KIB).all()


# -- Zipf --------------------------------------------------------------------------------------


@numba.njit(**OPTIONS, **ENTRY)
def home(rank, count):
    """The kernel's own answer to where a rank lives; the kernel can't be asked from Python."""
    return zipf.scatter(rank, count)


def homes(count):
    """Return where each rank lives, most popular first."""
    return np.array([home(rank, count) for rank in range(count)])


@pytest.mark.parametrize("exponent", [0.2, 0.8, 0.99, 1.0, 1.5, 5.0])
@pytest.mark.parametrize("blocks", [2, 10, 1000])
def test_zipf_frequencies_are_the_exact_ones(exponent, blocks):
    found = draw(zipf=exponent, area={"size": f"{blocks * 4} KiB"})
    counts = np.bincount(found["offset"] // (4 * KIB), minlength=blocks)[homes(blocks)]
    expected = stats.zipfian.pmf(np.arange(1, blocks + 1), exponent, blocks)
    # The chi-square test wants several expected in each class: rare ranks are taken together.
    classes = (np.cumsum(expected[::-1]) * len(found) // 10).astype(int)[::-1]
    together = [np.bincount(classes, weights) for weights in (counts, expected)]
    used = together[1] > 0
    assert_frequencies(together[0][used], together[1][used])


def test_zipf_over_two_hundred_million_blocks():
    # The share of the k most popular is H(k) / H(n); for n so large by Euler and Maclaurin.
    blocks = 800_000_000_000 // 4096
    found = draw(zipf=0.99)
    popular = {int(home(rank, blocks)) for rank in range(1000)}
    places = found["offset"] // 4096
    first = np.arange(1, 100_001, dtype=float) ** -0.99
    low, high = 100_000.0, float(blocks)
    rest = (high**0.01 - low**0.01) / 0.01 + (high**-0.99 - low**-0.99) / 2
    total = first.sum() + rest
    assert_share((places == home(0, blocks)).sum(), len(found), 1 / total)
    in_first = np.isin(places, list(popular)).sum()
    assert_share(in_first, len(found), first[:1000].sum() / total)


def test_each_rank_has_a_block_of_its_own():
    for count in [*range(1, 100 if INTERPRETED else 300), 1024, 4181]:
        assert sorted(homes(count)) == list(range(count)), count


@pytest.mark.parametrize("count", [10**6, 195_312_500, 3_906_250_000, 10**11, 2 * 10**12])
def test_each_rank_has_a_block_of_its_own_on_the_largest_volumes_too(count):
    # Steps of one length that has no divisor in common with the count visit every block once.
    step = int(home(1, count))
    assert gcd(step, count) == 1
    for rank in [0, 2, count // 7, count // 3, count // 2, count - 2, count - 1]:
        assert home(rank, count) == rank * step % count


@pytest.mark.parametrize("count", [100, 10**6, 195_312_500])
def test_popular_blocks_are_not_neighbours(count):
    popular = np.sort([int(home(rank, count)) for rank in range(10)])
    assert np.diff(popular).min() > count / 50


# -- each stream has numbers of its own --------------------------------------------------------


def test_another_seed_another_load_and_another_worker_go_elsewhere():
    load = {"area": {"size": "1 GiB"}, "read": "50 %"}
    one, two = asked(load | {"workers": 2}, ios=MANY, seed=SEED)
    (other,) = asked(load | {"name": "other"}, ios=MANY, seed=SEED)
    (reseeded,) = asked(load, ios=MANY, seed=SEED + 1)
    for another in (two, other, reseeded):
        assert_share((one["offset"] == another["offset"]).sum(), MANY, 4 * KIB / GIB)
        assert_share((one["op"] == another["op"]).sum(), MANY, 0.5)


@pytest.mark.parametrize("partitions", [False, True])
def test_each_worker_stays_in_the_area_or_in_that_of_its_own_partition(partitions):
    area = {"offset": "1 GiB", "size": "2 GiB"}
    found = asked({"workers": 3, "partitions": partitions, "area": area}, ios=200, seed=SEED)
    assert len(found) == 3
    part = 800_000_000_000 // 3 // 4096 * 4096 if partitions else 0
    for worker, ios in enumerate(found):
        within = ios["offset"] - worker * part - GIB
        assert 0 <= within.min() <= within.max() <= 2 * GIB - 4 * KIB


def test_partitions_are_equal_and_do_not_touch():
    built = build(scenario({"workers": 7, "partitions": True, "size": "64 KiB"}))
    rows = built.system.world.streams[:7]
    ends = rows["area_offset"] + rows["area_size"]
    assert len(set(rows["area_size"].tolist())) == 1
    assert (ends[:-1] <= rows["area_offset"][1:]).all()
    assert ends[-1] <= 800_000_000_000
    assert 800_000_000_000 - ends[-1] < 7 * 64 * KIB
