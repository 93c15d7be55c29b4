"""``python -m tests.fuzz``: find what does not hold, and say how to see it again."""

from __future__ import annotations

import argparse
import faulthandler
import random
import sys

from tests.fuzz import attempts
from tests.fuzz.runner import Found, Runner

SECONDS = 60.0
LIMIT = 60.0


def main(arguments: list[str] | None = None) -> int:
    """Read the command line and make attempts; 0 if all held, else 1."""
    asked = _read(arguments)
    seed = random.SystemRandom().randrange(2**32) if asked.seed is None else asked.seed
    targets = asked.targets or attempts.names()
    print(f"seed {seed}", flush=True)
    if asked.attempt is not None:
        return _once(targets, seed, asked)
    limitless = asked.attempts is not None and asked.seconds is None
    runner = Runner(
        targets,
        seed,
        seconds=None if limitless else asked.seconds or SECONDS,
        most=asked.attempts,
        limit=asked.limit,
        processes=asked.processes,
        first=asked.first,
    )

    def tell(found: Found) -> None:
        again = f"python -m tests.fuzz {found.target} --seed {seed} --attempt {found.number}"
        print(f"\n{found.target}: {found.kind}\n  again: {again}")
        print(found.text if found.is_new else "  as above", flush=True)

    holds = runner.run(tell, lambda how_far: print(how_far, flush=True))
    width = max(map(len, targets), default=6)
    print(f"\n{'target':{width}}  attempts  faults  seconds")
    for tally in runner.tallies:
        print(f"{tally.target:{width}} {tally.done:9} {tally.faults:7} {tally.seconds:8.1f}")
    return 0 if holds else 1


def _read(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    add = parser.add_argument
    add("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(attempts.names())}; or a file")
    add("--seconds", type=float, help=f"time in all (default: {SECONDS:g})")
    add("--attempts", type=int, help="attempts of each target (default: as time allows)")
    add("--seed", type=int, help="where the random numbers begin (default: any)")
    add("--first", type=int, default=0, help="number of the first attempt (default: 0)")
    add("--attempt", type=int, help="make this one alone, in this process")
    add("--shorten", action="store_true", help="leave out what that one fails without")
    add("--limit", type=float, default=LIMIT, help="seconds that one attempt may take")
    add("--processes", type=int, default=2, help="attempts side by side (default: 2)")
    return parser.parse_args(arguments)


def _once(targets: list[str], seed: int, asked: argparse.Namespace) -> int:
    """Make one attempt here, where a debugger sees it."""
    attempts.use_checked_kernel()
    faults = 0
    for target in targets:
        module = attempts.load(target)
        getattr(module, "prepare", lambda: None)()
        given = attempts.generator(seed, target, asked.attempt)
        faulthandler.dump_traceback_later(asked.limit, exit=not asked.shorten)
        found = attempts.tried(module.attempt, given)
        if found is not None and asked.shorten:
            parts = module.planned(attempts.generator(seed, target, asked.attempt))
            found = attempts.tried(module.run, attempts.shortened(module, parts, found[0]))
        faulthandler.cancel_dump_traceback_later()
        if found is not None:
            print(found[1])
            faults += 1
    print(f"{faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
