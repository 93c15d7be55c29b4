"""The air that drives stand in, as the control plane is told of it."""

from __future__ import annotations

from raidsim.assembly.heat import Air
from raidsim.cards.toml_file import TomlFile
from raidsim.scenario.models import AirSpec
from raidsim.scenario.plain import plain
from raidsim.scenario.reading import Reading, read_part


def read_air(call: str, ambient: str | None, airflow: str | None, before: Air) -> Air:
    """Air as a scenario's [air] describes it; what is None stays as it was before.

    Raises
    ------
    InputError
        If a text is no such quantity.
    """
    given = {"ambient": plain(ambient), "airflow": plain(airflow)}
    table = {key: value for key, value in given.items() if value is not None}
    reading = Reading(TomlFile(call, data={"air": table}))
    values = read_part(reading, AirSpec, table, ("air",))
    reading.raise_if_wrong()
    return Air(
        ambient=values["ambient"] if "ambient" in table else before.ambient,
        airflow=values["airflow"] if "airflow" in table else before.airflow,
    )
