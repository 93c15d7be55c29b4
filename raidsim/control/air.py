"""The air around drives, as the control plane knows it."""

from __future__ import annotations

from raidsim.assembly.heat import Air
from raidsim.scenario import single
from raidsim.scenario.plain import plain


def read_air(call: str, ambient: str | None, airflow: str | None, before: Air) -> Air:
    """Air as a scenario's [air] describes it; values that are None do not change.

    Raises
    ------
    InputError
        If a text is no such quantity.
    """
    given = {"ambient": plain(ambient), "airflow": plain(airflow)}
    table = {key: value for key, value in given.items() if value is not None}
    found = single.air_of(table, call)
    return Air(
        ambient=found.ambient if "ambient" in table else before.ambient,
        airflow=found.airflow if "airflow" in table else before.airflow,
    )
