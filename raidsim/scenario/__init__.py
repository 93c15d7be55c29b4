"""Scenarios: which hardware, under which load, measured how - as a file and as an object."""

from raidsim.scenario.event import EventSpec
from raidsim.scenario.loader import (
    check_load,
    find,
    from_data,
    load,
    load_on,
    load_text,
    names,
)
from raidsim.scenario.machine_spec import MachineSpec
from raidsim.scenario.models import (
    Burst,
    ControllerSpec,
    HostSpec,
    Hot,
    HybridSpec,
    Limit,
    LinkSpec,
    LoadSpec,
    Measure,
    Requests,
    SizeShare,
    VolumeSpec,
)
from raidsim.scenario.part import Area
from raidsim.scenario.scenario import Scenario

__all__ = [
    "Area",
    "Burst",
    "ControllerSpec",
    "EventSpec",
    "HostSpec",
    "Hot",
    "HybridSpec",
    "Limit",
    "LinkSpec",
    "LoadSpec",
    "MachineSpec",
    "Measure",
    "Requests",
    "Scenario",
    "SizeShare",
    "VolumeSpec",
    "check_load",
    "find",
    "from_data",
    "load",
    "load_on",
    "load_text",
    "names",
]
