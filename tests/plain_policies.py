"""Replacement policies in plain Python, each written from its paper and not from the kernel.

A cache has room for so many blocks; ``access`` says whether one is there, and brings it in if not.
"""

from __future__ import annotations

from collections import OrderedDict, deque


class Lru:
    """The least recently used block goes."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.blocks: OrderedDict[int, None] = OrderedDict()

    def access(self, block: int) -> bool:
        hit = block in self.blocks
        if hit:
            self.blocks.move_to_end(block)
        else:
            if len(self.blocks) == self.room:
                self.blocks.popitem(last=False)
            self.blocks[block] = None
        return hit


class Fifo:
    """The block that came in first goes."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.queue: deque[int] = deque()

    def access(self, block: int) -> bool:
        hit = block in self.queue
        if not hit:
            if len(self.queue) == self.room:
                self.queue.popleft()
            self.queue.append(block)
        return hit


class Clock:
    """A ring of frames with a hand, and a bit for each frame (Corbató 1968)."""

    def __init__(self, room: int) -> None:
        self.frames: list[int | None] = [None] * room
        self.used = [False] * room
        self.hand = 0

    def access(self, block: int) -> bool:
        if block in self.frames:
            self.used[self.frames.index(block)] = True
            return True
        while self.used[self.hand]:
            self.used[self.hand] = False
            self.hand = (self.hand + 1) % len(self.frames)
        self.frames[self.hand] = block
        self.hand = (self.hand + 1) % len(self.frames)
        return False


class Arc:
    """Figure 4 of Megiddo and Modha (FAST 2003), case by case; the least recently used first."""

    def __init__(self, room: int) -> None:
        self.c = room
        self.p = 0.0
        self.t1: OrderedDict[int, None] = OrderedDict()
        self.t2: OrderedDict[int, None] = OrderedDict()
        self.b1: OrderedDict[int, None] = OrderedDict()
        self.b2: OrderedDict[int, None] = OrderedDict()

    def access(self, x: int) -> bool:
        if x in self.t1 or x in self.t2:  # case I
            self.t1.pop(x, None)
            self.t2.pop(x, None)
            self.t2[x] = None
            return True
        if x in self.b1:  # case II
            delta = 1.0 if len(self.b1) >= len(self.b2) else len(self.b2) / len(self.b1)
            self.p = min(self.p + delta, self.c)
            self.replace(x)
            del self.b1[x]
            self.t2[x] = None
            return False
        if x in self.b2:  # case III
            delta = 1.0 if len(self.b2) >= len(self.b1) else len(self.b1) / len(self.b2)
            self.p = max(self.p - delta, 0)
            self.replace(x)
            del self.b2[x]
            self.t2[x] = None
            return False
        if len(self.t1) + len(self.b1) == self.c:  # case IV
            if len(self.t1) < self.c:
                self.b1.popitem(last=False)
                self.replace(x)
            else:
                self.t1.popitem(last=False)
        else:
            total = len(self.t1) + len(self.t2) + len(self.b1) + len(self.b2)
            if total >= self.c:
                if total == 2 * self.c:
                    self.b2.popitem(last=False)
                self.replace(x)
        self.t1[x] = None
        return False

    def replace(self, x: int) -> None:
        t1 = len(self.t1)
        if t1 >= 1 and ((x in self.b2 and t1 == self.p) or t1 > self.p):
            old, _ = self.t1.popitem(last=False)
            self.b1[old] = None
        else:
            old, _ = self.t2.popitem(last=False)
            self.b2[old] = None


class Sieve:
    """Algorithm 1 of Zhang et al. (NSDI 2024): the head of the list is its last element here."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.queue: list[int] = []
        self.visited: set[int] = set()
        self.hand: int | None = None  # a block

    def access(self, block: int) -> bool:
        if block in self.queue:
            self.visited.add(block)
            return True
        if len(self.queue) == self.room:
            self.evict()
        self.queue.append(block)
        return False

    def evict(self) -> None:
        place = 0 if self.hand is None else self.queue.index(self.hand)
        while self.queue[place] in self.visited:
            self.visited.discard(self.queue[place])
            place = (place + 1) % len(self.queue)
        last = place == len(self.queue) - 1
        self.hand = None if last else self.queue[place + 1]
        del self.queue[place]


class S3Fifo:
    """Algorithm 1 of Yang et al. (SOSP 2023), which evicts until there is room for one."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.small: deque[int] = deque()
        self.main: deque[int] = deque()
        self.ghost: deque[int] = deque()
        self.freq: dict[int, int] = {}

    def access(self, x: int) -> bool:
        if x in self.freq:
            self.freq[x] = min(self.freq[x] + 1, 3)
            return True
        known = x in self.ghost
        if known:
            self.ghost.remove(x)
        while len(self.freq) >= self.room:
            self.evict()
        (self.main if known else self.small).append(x)
        self.freq[x] = 0
        return False

    def evict(self) -> None:
        if self.small and 10 * len(self.small) >= self.room:
            self.evict_from_small()
        else:
            self.evict_from_main()

    def evict_from_small(self) -> None:
        while self.small:
            t = self.small.popleft()
            if self.freq[t] > 1:
                self.main.append(t)
                self.freq[t] = 0
                if 10 * len(self.main) > 9 * self.room:
                    self.evict_from_main()
                    return
            else:
                del self.freq[t]
                self.ghost.append(t)
                if len(self.ghost) > 9 * self.room // 10:
                    self.ghost.popleft()
                return

    def evict_from_main(self) -> None:
        while self.main:
            t = self.main.popleft()
            if self.freq[t] == 0:
                del self.freq[t]
                return
            self.freq[t] -= 1
            self.main.append(t)


PLAIN = {"lru": Lru, "fifo": Fifo, "clock": Clock, "arc": Arc, "sieve": Sieve, "s3-fifo": S3Fifo}
