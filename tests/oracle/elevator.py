"""mq-deadline once more, plain and slow: two sorted lists and two queues, as its document tells.

Everything waits from the beginning, and the drive takes one request after the other.
"""

from __future__ import annotations

BATCH, STARVED = 16, 2  # fifo_batch, writes_starved
EXPIRE = {"r": 500, "w": 5000}  # ms


def order(requests, served, known=10**9):
    """Numbers of the requests in the order in which the drive gets them.

    Parameters
    ----------
    requests
        (way, first byte, length) in the order in which they came, all at time 0; way is "r" or "w".
        The first is sent at once, as its slot is free.
    served
        How long the drive takes for each, ms.
    known
        How many of those that wait the elevator knows at a time: the oldest.
    """
    waiting = list(range(1, len(requests)))
    sent = [0]
    end = {"r": 0, "w": 0}
    way, batch, passed = None, 0, 0
    while waiting:
        now = served * len(sent)
        seen = waiting[:known]
        mine = {kind: [i for i in seen if requests[i][0] == kind] for kind in "rw"}
        ahead = {kind: [i for i in mine[kind] if requests[i][1] >= end[kind]] for kind in "rw"}
        if way is not None and batch < BATCH and ahead[way]:
            chosen = min(ahead[way], key=lambda i: requests[i][1])
        else:
            if not mine["r"] or (mine["w"] and passed == STARVED):
                way, passed = "w", 0
            else:
                way = "r"
                passed += bool(mine["w"])
            batch = 0
            chosen = mine[way][0]
            if now < EXPIRE[way] and ahead[way]:
                chosen = min(ahead[way], key=lambda i: requests[i][1])
        batch += 1
        end[way] = requests[chosen][1] + requests[chosen][2]
        waiting.remove(chosen)
        sent.append(chosen)
    return sent
