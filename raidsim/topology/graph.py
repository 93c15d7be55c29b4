"""How the parts of a system are connected: drives, links, controllers and the host, as a graph.

Every part has one edge upwards, towards the host; the edge carries the bytes of all drives below
it. From the graph come the path of a drive, the links that its drives can overload, and the parts
that cannot be reached after a failure.

The rate that can arrive at an edge is the sum over the parts below it. A drive adds its sustained
rate. Any other part adds the rate that arrives at it, limited by its own edge. So a narrow expander
reduces the load of the controller above it. Bandwidths are payload in bytes per second each way.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import networkx as nx

from raidsim.topology.lanes import share_of_data

HOST = "host"
CHIP, LINK = "controller", "link"


class Drive(NamedTuple):
    """One drive of a group of equal ones, counted from 0."""

    group: str
    number: int

    def __str__(self) -> str:
        return f"{self.group} drive {self.number}"


Node = str | Drive


@dataclass(frozen=True)
class Part:
    """A controller, or a link such as an expander, a switch or a network, with its edge upwards.

    Attributes
    ----------
    name : as the scenario has it; no two parts share one.
    what : CHIP or LINK.
    to : name of the part above it, or HOST.
    speed : kind and generation of the lanes of the edge, a key of ``lanes.SPEEDS``.
    lanes : how many lanes side by side.
    bandwidth : payload of the edge each way, bytes/s, before frames of SAS.
    half_duplex : one direction at a time, as on SATA.
    """

    name: str
    what: str
    to: str
    speed: str
    lanes: int
    bandwidth: float
    half_duplex: bool = False

    @property
    def edge(self) -> Edge:
        """Its connection to the part above it."""
        return Edge(self.name, self.to, self.speed, self.lanes, self.bandwidth, self.half_duplex)


@dataclass(frozen=True)
class Group:
    """Equal drives on the same part; each has its own edge.

    Attributes
    ----------
    name : of the volume.
    drives : how many.
    to : names of the parts that the drives are connected to in turn, drive by drive; or HOST.
    rate : sustained rate of one drive, bytes/s.
    interface : "sata", "sas", "nvme" or "pcie".
    bandwidth : payload of a drive's edge each way, bytes/s.
    """

    name: str
    drives: int
    to: tuple[str, ...]
    rate: float
    interface: str
    bandwidth: float

    @property
    def half_duplex(self) -> bool:
        """Whether the edge of a drive goes one way at a time."""
        return self.interface == "sata"

    def above(self, number: int) -> str:
        """The part that a drive hangs on, by its number from 0 on."""
        return self.to[number % len(self.to)]


Named = TypeVar("Named", Part, Group)


@dataclass(frozen=True)
class Edge:
    """The connection of a part, or of a drive, to what is above it; see :class:`Part`."""

    lower: Node
    upper: str
    kind: str
    lanes: int
    bandwidth: float
    half_duplex: bool


@dataclass(frozen=True)
class Load:
    """The data that drives below an edge can ask for, and the data that the edge carries."""

    edge: Edge
    drives: int
    arriving: float  # bytes/s
    carried: float  # bytes/s each way; of different drives, as for those that lose least to frames

    @property
    def factor(self) -> float:
        """The load factor: what can arrive over what the edge carries; oversubscribed above 1."""
        return self.arriving / self.carried


class Fabric:
    """The graph of a system.

    Parameters
    ----------
    parts
        Controllers and links.
    groups
        Drives.

    Raises
    ------
    ValueError
        If two parts or two groups share a name, one leads to nothing, or some lead in a circle.
    """

    def __init__(self, parts: Iterable[Part], groups: Iterable[Group]) -> None:
        self.parts = _by_name(parts, taken=HOST)
        self.groups = _by_name(groups)
        self.graph: nx.DiGraph[Node] = nx.DiGraph()
        self.graph.add_node(HOST)
        for part in self.parts.values():
            self.graph.add_edge(part.name, part.to, edge=part.edge)
        for group in self.groups.values():
            for drive in drives_of(group):
                to = group.above(drive.number)
                edge = Edge(drive, to, group.interface, 1, group.bandwidth, group.half_duplex)
                self.graph.add_edge(drive, to, edge=edge)
        leads = [(part.name, part.to) for part in self.parts.values()]
        leads += [(group.name, to) for group in self.groups.values() for to in group.to]
        for name, to in leads:
            if to != HOST and to not in self.parts:
                msg = f"{name} leads to {to}, which is not a part of it"
                raise ValueError(msg)
        if not nx.is_directed_acyclic_graph(self.graph):
            circle = (lower for lower, _ in nx.find_cycle(self.graph))
            msg = f"{', '.join(map(str, circle))} lead in a circle"
            raise ValueError(msg)
        self._loads = self._measure()

    def path(self, drive: Drive) -> list[Edge]:
        """Return the edges from a drive up to the host, in order."""
        nodes = nx.shortest_path(self.graph, drive, HOST)
        return [self.upward(node) for node in nodes[:-1]]

    def upward(self, node: Node) -> Edge:
        """Return the edge from a part or drive to what is above it."""
        ((_, _, data),) = self.graph.out_edges(node, data=True)
        edge: Edge = data["edge"]
        return edge

    def shared_links(self, drive: Drive) -> list[str]:
        """Return the names of the links between a drive and its controller, or the host, upwards.

        Other drives behind the same links share them.
        """
        found: list[str] = []
        name = self.groups[drive.group].above(drive.number)
        while name in self.parts and self.parts[name].what == LINK:
            found.append(name)
            name = self.parts[name].to
        return found

    def loads(self) -> list[Load]:
        """Return the load that can arrive at each part, in the order of the parts."""
        return [self._loads[name] for name in self.parts]

    def lost_with(self, part: Node) -> list[Drive]:
        """Return the drives that no way leads to once a part has failed, in order.

        Raises
        ------
        KeyError
            If there is no such part.
        """
        if part not in self.graph:
            raise KeyError(part)
        if part == HOST:
            reached: set[Node] = set()
        else:
            rest = self.graph.subgraph(node for node in self.graph if node != part)
            reached = nx.ancestors(rest, HOST)
        every = (drive for group in self.groups.values() for drive in drives_of(group))
        return [drive for drive in every if drive not in reached]

    def _measure(self) -> dict[str, Load]:
        """Compute what arrives at the edge of each part, from the drives upwards."""
        brings: dict[Node, tuple[int, float, frozenset[str]]] = {}
        loads: dict[str, Load] = {}
        for node in nx.topological_sort(self.graph):
            if node == HOST:
                continue
            edge = self.upward(node)
            if isinstance(node, Drive):
                group = self.groups[node.group]
                brings[node] = 1, min(group.rate, edge.bandwidth), frozenset((group.interface,))
                continue
            below = [brings[lower] for lower in self.graph.predecessors(node)]
            drives = sum(count for count, _, _ in below)
            arriving = sum(rate for _, rate, _ in below)
            interfaces = frozenset().union(*(found for _, _, found in below))
            shares = (share_of_data(edge.kind, one) for one in interfaces)
            carried = edge.bandwidth * max(shares, default=1.0)
            loads[node] = Load(edge, drives, arriving, carried)
            brings[node] = drives, min(arriving, carried), interfaces
        return loads


def drives_of(group: Group) -> list[Drive]:
    """Return the drives of a group."""
    return [Drive(group.name, number) for number in range(group.drives)]


def _by_name(named: Iterable[Named], taken: str = "") -> dict[str, Named]:
    found: dict[str, Named] = {}
    for one in named:
        if one.name in found or one.name == taken:
            msg = f"the name {one.name} is taken"
            raise ValueError(msg)
        found[one.name] = one
    return found
