"""The control plane: storage as resources of a SimPy model.

    env = Environment(seed=1)
    host = Host(env, "fujitsu-rx2540-m1")
    data = Volume(env, "intel-p3700-800gb", host, name="data")


    def application(env):
        done = yield data.read(offset=0, length=8192)
        print(env.now, done.status, done.latency)


    env.process(application(env))
    env.run()

Numbers are seconds if they are times, and bytes if they are sizes. A :class:`Load` and a card take
texts with units, as in a scenario. A wrong argument raises an ``InputError`` that says what would
be right.
"""

from raidsim.control.controller import Controller
from raidsim.control.environment import Environment
from raidsim.control.host import Host
from raidsim.control.hybrid import Hybrid
from raidsim.control.kernel_environment import Completion, EndlessLoadError
from raidsim.control.link import Link
from raidsim.control.load import Load, RunningLoad
from raidsim.control.operation import Operation
from raidsim.control.volume import Volume
from raidsim.errors import InputError
from raidsim.system.tables import SaturationError

__all__ = [
    "Completion",
    "Controller",
    "EndlessLoadError",
    "Environment",
    "Host",
    "Hybrid",
    "InputError",
    "Link",
    "Load",
    "Operation",
    "RunningLoad",
    "SaturationError",
    "Volume",
]
