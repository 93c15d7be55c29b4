"""Closed forms of queueing theory and output analysis that simulated figures are compared with.

One function a formula, in the notation of the textbooks: S mean service time of one server, rho
utilisation, N customers, Z think time. Times come out in the unit of S. Nothing here is simulated
and nothing is imported from raidsim.

Sources: L. Kleinrock, "Queueing Systems" volume 1 (1975); M. Reiser and S. S. Lavenberg,
"Mean-value analysis of closed multichain queuing networks", J. ACM 27 (1980); R. Nelson and
A. N. Tantawi, "Approximate analysis of fork/join synchronization in parallel queues", IEEE
Trans. Computers 37 (1988).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


def _require_stable(rho: float) -> None:
    if not 0.0 <= rho < 1.0:
        raise ValueError(f"no steady state at a utilisation of {rho}")


def mm1_mean(service: float, rho: float) -> float:
    """M/M/1, any work-conserving order blind to service times: R = S / (1 - rho)."""
    _require_stable(rho)
    return service / (1.0 - rho)


def mm1_quantile(service: float, rho: float, p: float) -> float:
    """M/M/1 first come first served: response times are exponential, R ln(1 / (1 - p))."""
    return mm1_mean(service, rho) * math.log(1.0 / (1.0 - p))


def mg1_mean(service: float, rho: float, c2: float) -> float:
    """M/G/1 by Pollaczek and Khinchine: S (1 + rho (1 + C^2) / (2 (1 - rho))).

    `c2` is the squared coefficient of variation of service: variance / mean^2.
    """
    _require_stable(rho)
    return service * (1.0 + rho * (1.0 + c2) / (2.0 * (1.0 - rho)))


def md1_mean(service: float, rho: float) -> float:
    """M/D/1: Pollaczek-Khinchine with constant service, S (1 + rho / (2 (1 - rho)))."""
    return mg1_mean(service, rho, 0.0)


def erlang_c(servers: int, load: float) -> float:
    """Chance that an arrival to M/M/c waits; `load` a = lambda S, in servers.

    From Erlang B by its stable recursion B_k = a B_k-1 / (k + a B_k-1), then
    C = B / (1 - (a / c) (1 - B)).
    """
    _require_stable(load / servers)
    blocked = 1.0
    for k in range(1, servers + 1):
        blocked = load * blocked / (k + load * blocked)
    return blocked / (1.0 - load / servers * (1.0 - blocked))


def mmc_mean(service: float, rho: float, servers: int) -> float:
    """M/M/c: W = S + C S / (c - a), a = c rho."""
    load = servers * rho
    return service + erlang_c(servers, load) * service / (servers - load)


@dataclass(frozen=True)
class ClosedNetwork:
    """What exact MVA finds of a closed network."""

    throughput: float  # X
    response: float  # R = N / X - Z, without the think time
    queues: tuple[float, ...]  # mean number at each station, in service included


def exact_mva(demands: Sequence[float], customers: int, think: float = 0.0) -> ClosedNetwork:
    """Exact mean value analysis: single-server queueing stations, one class, product form.

    For n = 1 ... N: R_k = D_k (1 + Q_k(n - 1)); X = n / (Z + sum R_k); Q_k = X R_k. Holds for
    exponential service in any order, and for random routing with the same demands.
    """
    queues = [0.0] * len(demands)
    throughput = response = 0.0
    for n in range(1, customers + 1):
        at = [d * (1.0 + q) for d, q in zip(demands, queues, strict=True)]
        response = sum(at)
        throughput = n / (think + response)
        queues = [throughput * r for r in at]
    return ClosedNetwork(throughput, response, tuple(queues))


def balanced_station_rate(service: float, customers: int, stations: int) -> float:
    """Completions per station of K equal exponential stations visited at random by N customers.

    N / (N + K - 1) / S: the share of time a station is busy, over S.
    """
    return customers / (customers + stations - 1) / service


def little_number(rate: float, residence: float) -> float:
    """Little: mean number present L = lambda W."""
    return rate * residence


def fork_join_2_mean(service: float, rho: float) -> float:
    """Fork-join over K = 2 exponential queues, Poisson arrivals: (12 - rho) / (8 (1 - rho)) S."""
    _require_stable(rho)
    return (12.0 - rho) / (8.0 * (1.0 - rho)) * service


def harmonic(k: int) -> float:
    """H_K = 1 + 1/2 + ... + 1/K."""
    return math.fsum(1.0 / i for i in range(1, k + 1))


def nelson_tantawi_mean(service: float, rho: float, k: int) -> float:
    """Fork-join over 2 <= K <= 32 queues, approximately: [h + (1 - h) 4 rho / 11] R_2.

    h = H_K / H_2. Published error below 5 %.
    """
    h = harmonic(k) / harmonic(2)
    return (h + (1.0 - h) * 4.0 * rho / 11.0) * fork_join_2_mean(service, rho)


def busy_dies(requests: int, dies: int) -> float:
    """Mean number of dies that q requests to random dies hit: d (1 - (1 - 1/d)^q).

    A snapshot. A closed loop keeps fewer dies busy: requests pile up behind one another.
    """
    return dies * (1.0 - (1.0 - 1.0 / dies) ** requests)


def closed_busy_dies(requests: int, dies: int) -> float:
    """Mean number of busy dies with q requests always outstanding and exponential service."""
    return dies * balanced_station_rate(1.0, requests, dies)


def mser(batches: Sequence[float], cut: int) -> float:
    """MSER of batch means with the first d = `cut` dropped: sum (Y - mean)^2 / (n - d)^2."""
    left = batches[cut:]
    mean = math.fsum(left) / len(left)
    return math.fsum((y - mean) ** 2 for y in left) / len(left) ** 2


def mser5_cut(series: Sequence[float]) -> int:
    """MSER-5 by its definition, one candidate after the other; the last five batches stay."""
    n = len(series) // 5
    batches = [math.fsum(series[5 * j : 5 * j + 5]) / 5 for j in range(n)]
    return 5 * min(range(n - 5 + 1), key=lambda d: mser(batches, d))


def samples_for_percentile(p: float, exceedances: int = 10) -> int:
    """Return how many samples leave `exceedances` beyond the p-quantile: e / (1 - p)."""
    return math.ceil(exceedances / (1.0 - p) * (1.0 - 1e-9))
