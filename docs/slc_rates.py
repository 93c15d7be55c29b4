"""The table of an SLC cache on the page about flash: what a copy of some size gets."""

from __future__ import annotations

from raidsim.cards.reference import table
from raidsim.control import Environment, Host, Load, Volume

MODEL = "samsung-970-evo-plus-500gb"
CASES = (  # state, how much of it holds data, bytes of the copy, what is done when it is full
    ("fresh", "100 %", 10, "direct"),
    ("fresh", "100 %", 22, "direct"),
    ("fresh", "100 %", 44, "direct"),
    ("filled", "95 %", 44, "direct"),
    ("steady", "100 %", 44, "direct"),
    ("fresh", "100 %", 44, "fold"),
    ("steady", "100 %", 44, "fold"),
)


def slc_rates() -> str:
    """How long copies of several sizes take, and what they cost the flash."""
    rows = []
    for state, filled, size, when_full in CASES:
        env = Environment(seed=1)
        keys = {} if state == "fresh" else {"filled": filled}
        changes = {"slc.when_full": when_full}
        host = Host(env, "fujitsu-rx2540-m1")
        data = Volume(env, MODEL, host, name="data", state=state, changes=changes, **keys)
        limit = {"bytes": f"{size} GB"}
        load = data.start(
            Load(read="0 %", random="0 %", size="128 KiB", outstanding=32, limit=limit)
        )
        env.run(until=load)
        seconds = env.now
        slc, ssd = env.system.world.slcs[0], env.system.world.ssds[0]
        region = int(slc["size"]) / 1e9
        env.run(until=env.now + 120)
        twice = int(ssd["programmed"]) / int(ssd["stored"])
        name = state if state == "fresh" else f"{state}, {filled}"
        rate = size * 1e3 / seconds
        figures = [f"{size}", f"{seconds:.1f}", f"{rate:,.0f}", f"{twice:.2f}"]
        rows.append([name, f"{region:.1f}", when_full, *figures])
    titles = ["`state`, `filled`", "cache, GB", "`slc.when_full`", "copied, GB", "time, s"]
    return table([*titles, "MB/s", "programmed / written"], rows)
