"""What a cache in front of a volume holds, block by block, as a plain model of it has it."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import simpy
from conftest import INTERPRETED
from hybrid_bench import BLOCK, GRAIN, PER_BLOCK, Bench, bits
from hypothesis import given, settings
from hypothesis import strategies as st


class Model:
    """A cache as plain Python: its blocks in the order of their use, and the grains of each."""

    def __init__(self, room: int, write: str, promote: str, evict: str) -> None:
        self.room, self.how, self.promote, self.evict = room, write, promote, evict
        self.blocks: OrderedDict[int, set[int]] = OrderedDict()  # oldest first
        self.missed: dict[int, int] = {}
        self.reads = self.hits = 0

    def parts(self, offset: int, length: int) -> list[tuple[int, set[int]]]:
        first, last = offset // GRAIN, (offset + length) // GRAIN
        return [
            (block, {g % PER_BLOCK for g in range(first, last) if g // PER_BLOCK == block})
            for block in range(first // PER_BLOCK, (last - 1) // PER_BLOCK + 1)
        ]

    def admits(self, block: int) -> bool:
        if self.promote != "second":
            return self.promote == "first"
        slots = 1 << (self.room - 1).bit_length()
        place = (block * 40503 + (block >> 15)) % slots
        if self.missed.get(place) == block:
            del self.missed[place]
            return True
        self.missed[place] = block
        return False

    def expect(self, block: int) -> bool:
        """Whether a block may come in; it has room then, and is in nobody's way."""
        if block not in self.blocks:
            if not self.admits(block):
                return False
            if len(self.blocks) + len(self.coming) == self.room:
                if not self.blocks:
                    return False
                self.blocks.popitem(last=False)
            self.coming[block] = set()
        else:
            self.coming[block] = self.blocks.pop(block)
        return True

    def read(self, offset: int, length: int) -> None:
        self.coming: dict[int, set[int]] = {}
        fills = {}
        for block, grains in self.parts(offset, length):
            self.reads += 1
            if grains <= self.blocks.get(block, set()):
                self.hits += 1
                if self.evict == "lru":
                    self.blocks.move_to_end(block)
            elif self.expect(block):
                fills[block] = grains
        self.arrive(fills)

    def write(self, offset: int, length: int) -> None:
        self.coming = {}
        fills: dict[int, set[int]] = {}
        parts = self.parts(offset, length)
        for block, grains in parts:
            if block in self.blocks:
                left = self.blocks.pop(block) - grains
                if left:
                    self.blocks[block] = left
        if self.how == "through":
            fills = {block: grains for block, grains in parts if self.expect(block)}
        self.arrive(fills)

    def arrive(self, fills: dict[int, set[int]]) -> None:
        for block, grains in fills.items():
            self.blocks[block] = self.coming.pop(block) | grains
        self.together = len(fills)

    def order_as(self, clean: list[int]) -> None:
        """The blocks of one request come in together, in whatever order the front likes."""
        newest = clean[: self.together]
        assert set(newest) == set(list(self.blocks)[len(self.blocks) - self.together :])
        for block in reversed(newest):
            self.blocks.move_to_end(block)


def requests(blocks: int = 12) -> st.SearchStrategy[Any]:
    """Reads and writes of up to three blocks, in any place of ``blocks``."""

    def fitting(request: tuple[str, int, int]) -> tuple[str, int, int]:
        op, first, grains = request
        return op, first, min(grains, blocks * PER_BLOCK - first)

    spot = st.integers(0, blocks * PER_BLOCK - 1)
    size = st.integers(1, 3 * PER_BLOCK)
    whole = st.tuples(st.integers(0, blocks - 1), st.integers(1, 2)).map(
        lambda two: (two[0] * PER_BLOCK, two[1] * PER_BLOCK)
    )
    place = st.one_of(st.tuples(spot, size), whole)
    op = st.sampled_from(("read", "read", "write"))
    return st.tuples(op, place).map(lambda pair: fitting((pair[0], *pair[1])))


@settings(max_examples=10 if INTERPRETED else 40, derandomize=True)
@given(
    room=st.integers(1, 6),
    write=st.sampled_from(("through", "around")),
    promote=st.sampled_from(("first", "second", "never")),
    evict=st.sampled_from(("lru", "fifo")),
    asked=st.lists(requests(), max_size=25),
)
def test_every_request_does_to_the_front_what_a_plain_cache_would_do(
    room: int, write: str, promote: str, evict: str, asked: list[tuple[str, int, int]]
) -> None:
    bench = Bench(write=write, promote=promote, evict=evict, front_size=f"{room * 4} KiB")
    model = Model(room, write, promote, evict)
    for op, first, grains in asked:
        offset, length = first * GRAIN, grains * GRAIN
        bench.ask(op, offset, length)
        getattr(model, op)(offset, length)
        model.order_as(bench.clean)
        lines = bench.lines
        assert {n: bits(line["valid"]) for n, line in lines.items()} == dict(model.blocks)
        assert bench.clean == list(reversed(model.blocks))
        assert bench.hybrid.dirty == 0  # neither way of writing leaves anything dirty
    assert (bench.hybrid.figures.reads, bench.hybrid.figures.hits) == (model.reads, model.hits)
    assert bench.bytes_of(bench.back, "host_written") == sum(
        grains * GRAIN for op, _, grains in asked if op == "write"
    )


@settings(max_examples=5 if INTERPRETED else 20, derandomize=True)
@given(
    order=st.permutations(range(20)),
    room=st.integers(2, 12),
    high=st.sampled_from(("50 %", "100 %")),
    together=st.integers(1, 8),
)
def test_what_was_written_once_is_dirty_in_the_front_or_in_the_back(
    order: list[int], room: int, high: str, together: int
) -> None:
    """Twenty writes of a block and a half, several at a time, into a front that is too small."""
    bench = Bench(size="120 KiB", front_size=f"{room * 4} KiB", high=high, low="0 %")
    size = 3 * BLOCK // 2
    for first in range(0, 20, together):
        events = [bench.hybrid.write(n * size, size) for n in order[first : first + together]]
        bench.env.run(until=simpy.AllOf(bench.env, events))
        assert all(event.value.status == "done" for event in events)
        written = min(first + together, 20) * size
        kept = sum(len(bits(line["dirty"] | line["busy"])) * GRAIN for line in bench.lines.values())
        assert kept + bench.bytes_of(bench.back, "host_written") >= written
        whole = sum(BLOCK for line in bench.lines.values() if line["dirty"] | line["busy"])
        assert bench.hybrid.dirty == whole <= bench.cache["high"]
    bench.env.run(until=bench.env.now + 60)
    assert bench.hybrid.dirty == 0
    assert bench.bytes_of(bench.back, "host_written") == 20 * size
