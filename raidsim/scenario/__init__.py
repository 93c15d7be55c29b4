"""Scenarios: the hardware, the load, and the measurement - as a file and as an object."""

from raidsim.scenario.event import EventSpec
from raidsim.scenario.files import find, names
from raidsim.scenario.load_spec import Burst, Hot, Limit, LoadSpec, Requests, SizeShare
from raidsim.scenario.machine_spec import MachineSpec
from raidsim.scenario.models import LinkSpec, Measure
from raidsim.scenario.part import Area
from raidsim.scenario.scenario import Scenario, changed, from_data, load, load_text
from raidsim.scenario.single import check_load, load_on
from raidsim.scenario.specs import ControllerSpec, HostSpec, HybridSpec, VolumeSpec
from raidsim.scenario.tables import Tables

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
    "Tables",
    "VolumeSpec",
    "changed",
    "check_load",
    "find",
    "from_data",
    "load",
    "load_on",
    "load_text",
    "names",
]
