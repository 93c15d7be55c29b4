"""Small SimPy models for the tests of the control plane."""

from __future__ import annotations

from raidsim.control import Environment, Host, Load, Volume

SERVER = "fujitsu-rx2540-m1"
DRIVE = "intel-p3700-800gb"
KIB = 2**10
MIB = 2**20
GIB = 2**30


def computer(
    *names, seed=1, clock=None, initial_time=0.0, environment=Environment, apart=False, **changes
):
    """An environment with one host and a volume of each name ("data" if there is none).

    Volumes of one host share the core that serves its interrupts; ``apart`` gives each volume
    a host of its own. ``changes`` are values of the drive's card, as in flash__read_time="60 us".
    """
    env = environment(initial_time, seed=seed)
    host = Host(env, SERVER, clock)
    values = {key.replace("__", "."): value for key, value in changes.items()}
    volumes = [
        Volume(env, DRIVE, Host(env, SERVER, clock) if apart else host, name=name, changes=values)
        for name in names or ("data",)
    ]
    return env, *volumes


def in_turn(volume, *requests):
    """Completions of I/Os (kind, offset, length) that one process awaits one after the other."""
    completions = []

    def process(env):
        for kind, offset, length in requests:
            start = volume.read if kind == "read" else volume.write
            completions.append((yield start(offset, length)))

    done = volume.env.process(process(volume.env))
    volume.env.run(until=done)
    return completions


def reads(**keys):
    """A load of random reads of 8 KiB at 32 outstanding, but for ``keys``."""
    return Load(**({"read": "100 %", "size": "8 KiB", "outstanding": 32} | keys))
