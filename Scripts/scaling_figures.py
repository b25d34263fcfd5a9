"""The figures of a run of `belfry bench fleet --json`, as the formulas of scaling_model.py take them (FLEET-9)."""
import dataclasses
import json

# What one opening stores in the run: a session's start, and ten events (FleetShape.eventsOfOpening).
EVENTS_OF_OPENING = 11
# Devices of the run that get messages and sync, in turn (FleetShape.callers).
CALLERS = 1_000

# In the order of FleetWork, with the name of one operation. The first four are the week.
WORKS = {
    "links": "link of a new device",
    "registrations": "first registration, processed",
    "openings": "opening of an app, with ten events",
    "campaigns": "device of a push campaign",
    "oneEvent": "event, alone in its request",
    "fiftyEvents": "event, with fifty in a request",
    "counts": "count of an audience",
    "messages": "message put into a center",
    "fetches": "fetch of a message center",
    "syncs": "in-app sync with nothing new",
}
WEEK = ("links", "registrations", "openings", "campaigns")


class FiguresError(Exception):
    """The text is no report, or lacks what the formulas need."""


@dataclasses.dataclass(frozen=True)
class Cost:
    """What operations cost: processor seconds, and bytes. None where the system did not tell."""

    server: float | None = 0.0
    database: float | None = 0.0
    # Given to a disk by the processes of both; and what PostgreSQL's log grew by.
    written: float | None = 0.0
    log: float | None = 0.0
    # What the database grew by: all of it, each table with its indexes, and the indexes alone.
    stored: float = 0.0
    tables: dict = dataclasses.field(default_factory=dict)
    indexes: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Work:
    """One kind of work of the run."""

    operations: int
    seconds: float
    # Of one operation.
    cost: Cost
    p99_ms: float | None
    slowest_ms: float | None


@dataclasses.dataclass(frozen=True)
class Engine:
    """The run on one engine."""

    name: str
    is_synced: bool
    works: dict
    # After the week: all, and each table with its indexes.
    stored: int
    tables: dict
    hot_share: float | None
    dead_share: float | None

    @property
    def is_sqlite(self):
        return self.name.startswith("SQLite")

    def cost(self, work):
        """Of one operation."""
        if work not in self.works:
            raise FiguresError(f"{self.name}: the run did no {work}; campaigns need a sink")
        return self.works[work].cost


@dataclasses.dataclass(frozen=True)
class Figures:
    """One run."""

    devices: int
    days: int
    engines: list

    def engine(self, name):
        """The one whose name begins so, in any case."""
        for engine in self.engines:
            if engine.name.lower().startswith(name.lower()):
                return engine
        raise FiguresError(f"the run had no engine {name}, but {', '.join(engine.name for engine in self.engines)}")


def read(text):
    """The figures in what the benchmark printed: its last line, after those that say how far it is."""
    lines = [line for line in text.splitlines() if line.strip()]
    for candidate in (text, lines[-1] if lines else ""):
        try:
            report = json.loads(candidate)
        except ValueError:
            continue
        try:
            return Figures(report["devices"], report["days"], [engine_of(engine) for engine in report["engines"]])
        except (KeyError, TypeError, AttributeError) as error:
            raise FiguresError(f"this is no report of belfry bench fleet: {type(error).__name__} {error}") from error
    raise FiguresError("this is no report of belfry bench fleet: no line of JSON at its end")


def engine_of(report):
    works, sizes = {}, {}
    for phase in report["phases"]:
        works[phase["work"]] = work_of(phase, sizes)
    week = report["week"]
    return Engine(
        name=report["name"], is_synced=report["isSynced"], works=works, stored=week["storedBytes"],
        tables={table["name"]: table["tableBytes"] + table["indexBytes"] for table in week["tables"]},
        hot_share=week.get("hotShare"), dead_share=week.get("deadShare"),
    )


def work_of(phase, sizes):
    """What one operation of a phase cost. Its tables tell their sizes of now: `sizes` has those from before."""
    operations = max(phase["operations"], 1)
    tables, indexes = {}, {}
    for table in phase["tables"]:
        name, size = table["name"], (table["tableBytes"], table["indexBytes"])
        before = sizes.get(name, (0, 0))
        tables[name] = (sum(size) - sum(before)) / operations
        indexes[name] = (size[1] - before[1]) / operations
        sizes[name] = size
    both, database = phase.get("cpuSecondsPer1000"), phase.get("databaseCPUSecondsPer1000")
    cost = Cost(
        server=None if both is None or database is None else (both - database) / 1_000, database=each(database),
        written=each(phase.get("writtenBytesPer1000")), log=each(phase.get("logBytesPer1000")),
        stored=phase["storedBytesPer1000"] / 1_000, tables=tables, indexes=indexes,
    )
    return Work(
        operations=operations, seconds=phase["seconds"], cost=cost, p99_ms=phase.get("p99Milliseconds"),
        slowest_ms=phase.get("slowestMilliseconds"),
    )


def each(per_thousand):
    return None if per_thousand is None else per_thousand / 1_000
