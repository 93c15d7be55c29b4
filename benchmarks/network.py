"""One network of stations in the kernel and in plain SimPy, turn by turn in the same run."""

from __future__ import annotations

from statistics import median
from typing import Any

from benchmarks.measuring import Settings, Tell, middle, spend
from benchmarks.plain_simpy import PlainNetwork
from benchmarks.stations import Network, exponential

NAME = "network"
MEANS = (0.004, 0.005, 0.003, 0.006)  # s: exponential service at four stations
JOBS = 16
ROUNDS = 20_000  # of the plain model; the kernel does more in its turn
TIMES_MORE = 50


def in_kernel() -> Network:
    """The network in the kernel."""
    net = Network(seed=1)
    route = [exponential(net.station(f"station {i}"), mean) for i, mean in enumerate(MEANS)]
    net.closed("jobs", population=JOBS, route=route)
    return net


def run(settings: Settings, tell: Tell) -> tuple[dict[str, Any], dict[str, float]]:
    """Measure both, turn by turn."""
    rounds = settings.size(ROUNDS, 500)
    many = rounds * TIMES_MORE
    net, plain = in_kernel(), PlainNetwork(MEANS, JOBS, seed=1)
    net.run(ios=1_000)
    plain.more(100)
    kernel_spent, plain_spent = [], []
    for repeat in range(settings.repeats):
        tell(f"kernel and plain SimPy, turn {repeat + 1} of {settings.repeats}")
        plain_spent.append(spend(lambda: plain.more(rounds)))
        goal = int(net.system.state["completed"]) + many
        kernel_spent.append(spend(lambda goal=goal: net.run(ios=goal)))
    ratios = [
        (many / k.cpu) / (rounds / p.cpu) for k, p in zip(kernel_spent, plain_spent, strict=True)
    ]
    figures = {
        "stations": len(MEANS),
        "jobs": JOBS,
        "kernel": {
            "requests": many,
            **middle(kernel_spent).per(many),
            "simulated_throughput": net.throughput("jobs"),
            "simulated_response": net.mean_response("jobs"),
        },
        "plain_simpy": {
            "requests": rounds,
            **middle(plain_spent).per(rounds),
            "simulated_throughput": plain.completed / plain.env.now,
            "simulated_response": sum(plain.responses) / len(plain.responses),
        },
        "ratio": median(ratios),
        "ratios": ratios,
    }
    return figures, {"kernel_to_plain_simpy": figures["ratio"]}


def lines(figures: dict[str, Any]) -> list[tuple[str, str]]:
    """Lines of the table."""
    table = []
    for key, title in (("kernel", "in the kernel"), ("plain_simpy", "in plain SimPy")):
        f = figures[key]
        table.append(
            (
                f"Network of {figures['stations']} stations, {figures['jobs']} jobs, {title}",
                f"{f['per_second']:,.0f} requests a second"
                f" (found: {f['simulated_throughput']:.1f}/s,"
                f" {f['simulated_response'] * 1e3:.1f} ms)",
            )
        )
    return [*table, ("Kernel to plain SimPy", f"{figures['ratio']:.0f} times as fast")]
