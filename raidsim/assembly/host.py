"""From a host of a scenario to its stations, and those of its processes."""

from __future__ import annotations

from raidsim.assembly.drives import kind_at, kind_of
from raidsim.assembly.volume_rows import drives_of, engines_of
from raidsim.cards import Card
from raidsim.kernel import tables as t
from raidsim.scenario import HostSpec
from raidsim.system.system import System
from raidsim.units import NS_PER_S

COSTS = ("io", "device_io", "page", "write")
STEPS = ("submit", "complete")
KIND = "host CPU"
LOOK = 100_000  # ns: from one count of busy threads to the next
TAGS = {"sata": 32, "sas": 128, "scsi": 128}  # of AHCI, and of an adapter with more than 128


class HostRows:
    """A host in a system: its processes, and the completion station.

    All processes share that station; where ``interrupts.shared`` is set, each has one station of
    its own for submission and completion instead.

    Parameters
    ----------
    system
        Where its rows are made.
    spec
        Card, clock rate, power plan and affinity.
    """

    def __init__(self, system: System, spec: HostSpec) -> None:
        self.system = system
        self.spec = spec
        self._cores: list[int] = []
        self._stations: list[int] = []
        self._in_slots = 0
        self._cpu = t.NONE
        if spec.card.has("cpu.thread_gain"):
            self._cpu = system.add_row(
                "cpus",
                cores=spec.card.integer("cpu.cores"),
                gain=spec.card.number("cpu.thread_gain"),
                interval=LOOK,
                looked=system.now,
            )
        # Where each core has a vector, interrupts come to the core that submits, wherever that is.
        follow = spec.affinity == "favourable" or spec.card.integer("interrupts.cores") > 1
        self._shared = spec.card.flag("interrupts.shared") and follow
        if not self._shared:
            servers = spec.card.integer("interrupts.cores")
            self._complete = self._add_station("host: completion", servers)

    @property
    def card(self) -> Card:
        """The card of the host."""
        return self.spec.card

    @property
    def speed(self) -> float:
        """Clock rate of the run over that at which the card's times hold."""
        built = self.card.number("cpu.clock")
        return (self.spec.clock or built) / built

    def add_process(self, name: str) -> int:
        """Add a process with its submission station; its row."""
        if self._shared:
            submit, core = self._add_station(f"{name}: CPU", 1, t.SUBMISSIONS_LAST)
            complete, complete_core = submit, core
        else:
            submit, core = self._add_station(f"{name}: submission", 1, t.SUBMISSIONS_LAST)
            complete, complete_core = self._complete
        costs = {
            f"{step}_{part}": self.card.number(f"{step}.{part}_time") * NS_PER_S
            for step in STEPS
            for part in COSTS
        }
        if self.spec.affinity == "unfavourable":
            costs["submit_io"] += self.card.number("remote.io_time") * NS_PER_S
            costs["submit_page"] += self.card.number("remote.page_time") * NS_PER_S
            costs["submit_write"] += self.card.number("remote.write_time") * NS_PER_S
        return self.system.add_row(
            "processes",
            submit=submit,
            complete=complete,
            submit_core=core,
            complete_core=complete_core,
            cpu=self._cpu,
            page=self.card.integer("page.size"),
            submit_wake=self.card.number("submit.wake_time") * NS_PER_S,
            **costs,
        )

    def carry(self, volume: int) -> None:
        """Take the drives and spares of a volume into slots of the host, if no controller has them.

        Parity of an array is computed at the clock rate of the host.

        Their links slow down to what the host's memory and PCIe carry. Data that a drive fetches (a
        write) waits for memory to answer, so there the way to it counts; data that it sends does
        not. What their drivers do is done by this host's CPUs.

        Drives take the slots in their order: those of the socket that serves the interrupts first,
        if the card says how many it has.
        """
        world = self.system.world
        if world.volumes[volume]["controller"] != t.NONE:
            return
        for engine in engines_of(self.system, volume):
            world.stations[engine]["speed"] = self.speed * self._of_a_thread()
            self._stations.append(engine)
            self._share(engine)
        for drive in (*drives_of(self.system, volume), *self.system.spares.get(volume, ())):
            self._drive(drive)
            self._elevator(drive)
            self._flushes(drive)
            in_slot = self.system.cards[drive].word("link.interface") in ("nvme", "pcie")
            fetch = self.card.number("pcie.write_time_per_byte") if in_slot else 0.0
            send = self.card.number("pcie.read_time_per_byte") if in_slot else 0.0
            if self._takes_remote_slot() != (self.spec.affinity == "unfavourable"):
                fetch = max(fetch, self.card.number("remote.write_time_per_byte"))
            slowest = {
                "link_to_host": send * NS_PER_S,
                "link_to_drive": fetch * NS_PER_S,
            }
            row = kind_at(self.system, drive).row(self.system, drive)
            for link, per_byte in slowest.items():
                if per_byte > row["link_ns"]:
                    world.stations[row[link]]["speed"] = float(row["link_ns"]) / per_byte

    def _takes_remote_slot(self) -> bool:
        """Take the next slot; whether it is of another socket than the one with the interrupts."""
        self._in_slots += 1
        if not self.card.has("pcie.near_slots"):
            return False
        return self._in_slots > self.card.integer("pcie.near_slots")

    def _drive(self, drive: int) -> None:
        """Let the driver of a drive that keeps its map on the host run on this host's CPUs."""
        card = self.system.cards[drive]
        if not kind_of(card).has_driver:
            return
        rate = self.card.number("cpu.clock") * self.card.number("cpu.work_per_clock")
        times = {
            f"driver_{op}{suffix}": card.number(f"driver.{op}_{time}")
            for op in ("read", "write")
            for suffix, time in (("", "time"), ("_ns", "time_per_byte"))
        }
        longer = card.number("driver.clock") / rate * NS_PER_S
        self.system.set_row("drives", drive, **{key: longer * time for key, time in times.items()})

    def _elevator(self, drive: int) -> None:
        """Let the host sort what waits for a drive on SATA or SAS, if its card says so.

        The tunables are the defaults of Linux: ``block/mq-deadline.c``; ``nr_requests`` is twice
        the tags of the adapter, of which 128 count at most. A drive that takes more commands than
        its firmware sorts has what waits for that already: there the host has nothing to sort.
        """
        interface = self.system.cards[drive].word("link.interface")
        if self.card.word("disks.elevator") == "none" or interface not in TAGS:
            return
        world = self.system.world
        slots = world.drives[drive]["slots"]
        if slots == t.NONE:
            return
        taken = self.system.cards[drive].integer("command.queue_depth")
        if 1 < world.stations[slots]["servers"] < taken:
            return
        row = self.system.add_row(
            "elevators",
            requests=2 * TAGS[interface],
            batch=16,
            starved=2,
            expire=(500_000_000, 5_000_000_000),
        )
        self.system.set_row("drives", drive, elevator=row)

    def _flushes(self, drive: int) -> None:
        """Let one flush serve all that wait for a drive on SATA or SAS, if the card says so.

        Such a host is one of Linux, which sends no forced writes to SATA drives on ports of its
        own (libata.fua is 0); an adapter for SAS translates them.
        """
        interface = self.system.cards[drive].word("link.interface")
        if self.card.word("disks.flushes") != "gathered" or interface not in TAGS:
            return
        row = int(self.system.world.drives[drive]["flush_queue"])
        if row == t.NONE:
            row = self.system.append("flush_queues")
            self.system.set_row("drives", drive, flush_queue=row)
        self.system.set_row("flush_queues", row, gathers=1)
        on_own_port = self.system.world.drives[drive]["hops"] == 0
        self.system.set_row("drives", drive, no_fua=int(interface == "sata" and on_own_port))

    def set_clock(self, spec: HostSpec) -> None:
        """Run all its CPUs at the clock rate of ``spec`` from now on, work under way included.

        Where CPUs save power, it is the highest that they run at, and they run at it until the
        governor looks again.
        """
        self.spec = spec
        for row in self._cores:
            core = self.system.world.cores[row]
            core["lowest"], core["highest"] = self._speeds()
        for station in self._stations:
            self.system.set_speed(station, self.speed)

    def _add_station(self, name: str, servers: int, discipline: int = t.FIFO) -> tuple[int, int]:
        """A station of the host's CPU, and its row in the table of cores, or NONE."""
        speed = self.speed * self._of_a_thread()
        station = self.system.add_station(
            name, KIND, servers=servers, discipline=discipline, speed=speed
        )
        self._stations.append(station)
        if self.spec.power_plan == "performance" or self.spec.cpu_load:
            self._share(station)
            return station, t.NONE
        lowest, highest = self._speeds()
        core = self.system.add_row(
            "cores",
            station=station,
            lowest=lowest,
            highest=highest,
            target=self.card.number("governor.target"),
            interval=round(self.card.number("governor.interval") * NS_PER_S),
            looked=self.system.now,
            sleeper=self._sleeper(),
            busy_until=self.system.now,
            sleep_after=round(self.card.number("sleep.after") * NS_PER_S),
            wake=round(self.card.number("sleep.wake_time") * NS_PER_S),
        )
        self._cores.append(core)
        return station, core

    def _of_a_thread(self) -> float:
        """Speed of each thread at present, against one that has a core to itself."""
        if self._cpu == t.NONE:
            return 1.0
        return float(self.system.world.cpus[self._cpu]["speed"])

    def _share(self, station: int) -> None:
        """Let the processes or threads of a station run on the cores that all share."""
        if self._cpu == t.NONE:
            return
        cpu = self.system.world.cpus[self._cpu]
        before = int(cpu["first"])
        row = self.system.add_row("cpu_users", station=station, next=before)
        self.system.set_row("cpus", self._cpu, first=row)

    def _sleeper(self) -> int:
        """The row of the core with which the next one sleeps: the first, unless it is remote."""
        if self._cores and self.spec.affinity == "favourable" and not self._shared:
            return self._cores[0]
        return self.system.count("cores")

    def _speeds(self) -> tuple[float, float]:
        lowest = self.card.number("cpu.idle_clock") / self.card.number("cpu.clock")
        return min(lowest, self.speed), self.speed
