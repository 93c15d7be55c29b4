"""Scenarios: the hardware, the load, and the measurement - as a file and as an object.

From a file to an object:

1. ``files`` finds the file, ``overrides`` applies ``--set``, and ``plain`` takes values of programs
2. ``loader`` reads all tables; ``reading`` and ``fields`` read their keys. The keys: ``models``
   (hardware, measurement), ``load_spec``, ``replay``, ``machine_spec``, ``event`` with ``events``;
   ``part`` is what they share
3. ``meaning`` makes specifications of them (``specs``), with the parts that it has ``found``,
   their cards (``hardware``), and what levels and drives mean (``arrays``)
4. conditions between keys: ``load_checks``, ``array_checks``, ``hybrid_checks``,
   ``machine_checks``, ``event_checks``, ``replay_checks``; ``finding`` is what they return
5. ``tables`` holds the result, and ``scenario`` is the object

Also here: ``intensity`` (points of a load), ``replays`` (the requests of a trace), ``single``
(parts that a program adds one by one), ``written`` (the file again), ``reference`` (its page).
"""

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
