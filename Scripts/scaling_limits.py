"""What a fleet meets first, how many machines it takes, and what they cost (FLEET-9): arithmetic alone."""
import dataclasses
import math

from scaling_model import (
    DAY, cost_a_second, database_cores, events_a_day, peak_load, reads_a_second, removal_seconds, server_cores,
    server_nodes, storage, stored_bytes, times,
)

# What Belfry and PostgreSQL bound: Docs/Operations.md, and the size of a table with pages of 8 KiB.
COUNT_SECONDS = 10
BUDGET_MINUTE, BUDGET_DAY = 20_480_000, 5_242_880_000
TABLE_BYTES = 32 * 2**40
# No fleet has so many devices.
MOST_DEVICES = 1e15


@dataclasses.dataclass(frozen=True)
class Limit:
    """What one database server can have, or an app or a setting of it."""

    name: str
    has: float
    # What a fleet needs of it.
    need: object
    unit: str
    # What to do when it is met.
    then: str
    # Whether more servers would share it.
    is_parted: bool = True


def limits(fleet):
    """Of the largest machine for a database; on SQLite it is the machine of the one process."""
    found = [*limits_of_machine(fleet), *limits_of_app(fleet)]
    return found if fleet.engine.is_sqlite else [*found, *limits_of_postgresql(fleet)]


def limits_of_machine(fleet):
    machine = fleet.machine
    larger = "move to PostgreSQL" if fleet.engine.is_sqlite else "faster processors; divide"
    return [
        Limit("processors of the database", machine.database_cores, processors, "", larger),
        Limit("bytes written a second", machine.disk_writes, peak_writes, "B/s", "faster disks; divide"),
        Limit("storage", machine.disk_bytes, stored_bytes, "B", "a shorter `eventRetentionDays`; larger disks; divide"),
        Limit("pages read a second", machine.disk_reads, page_reads, "", "more memory; faster disks; divide"),
        Limit("time of a restore", machine.restore_hours * 3_600, restore_seconds, "s", "faster copies; divide"),
    ]


def limits_of_app(fleet):
    budget = min(BUDGET_DAY, BUDGET_MINUTE * 1_440 / fleet.shape.peak_factor)
    return [
        Limit(
            "count of an audience that looks at all", COUNT_SECONDS, count_seconds, "s",
            "define the attributes that narrow audiences, so that an index finds them; divide", is_parted=False,
        ),
        Limit("events of an app a day", budget, app_events_a_day, "", "a larger `--app-budget`", is_parted=False),
    ]


def limits_of_postgresql(fleet):
    return [
        Limit(
            "daily walk that removes events", DAY, removal_seconds, "s",
            "the same `eventRetentionDays` for all apps, so that weeks are dropped; divide",
        ),
        Limit(
            "largest table", TABLE_BYTES, largest_table, "B",
            "a shorter `deliveryRetentionDays`, if it is the ledger; divide",
        ),
        Limit(
            "connections", fleet.machine.database_connections, connections, "",
            "a larger `max_connections`; larger machines for fewer processes; divide", is_parted=False,
        ),
    ]


def processors(fleet):
    """Of the database; SQLite is a part of its server."""
    return server_cores(fleet) if fleet.engine.is_sqlite else database_cores(fleet)


def peak_writes(fleet):
    return cost_a_second(peak_load(fleet)).written


def page_reads(fleet):
    """Of one server with the largest memory."""
    return reads_a_second(fleet, fleet.machine.database_cores)


def restore_seconds(fleet):
    return stored_bytes(fleet) / fleet.machine.restore_rate


def count_seconds(fleet):
    """A count walks over all devices of an app."""
    counts = fleet.engine.works["counts"]
    return counts.seconds / counts.operations * fleet.devices / fleet.shape.apps / fleet.run_devices


def app_events_a_day(fleet):
    return events_a_day(fleet) / fleet.shape.apps


def largest_table(fleet):
    parts = storage(fleet)
    return max(parts["events"], parts["ledger"])


def connections(fleet):
    return server_nodes(fleet) * fleet.machine.process_connections


def use(limit, fleet):
    """1 is the limit."""
    return times(1 / limit.has, limit.need(fleet))


def devices_at(limit, fleet):
    """How many devices of this shape meet a limit: what is needed never falls as they become more.

    None where the run told nothing of it, infinity where no number of devices meets it.
    """
    few, many = 1.0, MOST_DEVICES
    most = use(limit, dataclasses.replace(fleet, devices=many))
    if most is None or most < 1:
        return None if most is None else math.inf
    while many / few > 1.000001:
        middle = math.sqrt(few * many)
        if use(limit, dataclasses.replace(fleet, devices=middle)) < 1:
            few = middle
        else:
            many = middle
    return many


def by_devices(fleet):
    """Every limit with the devices that meet it, the first one first; those of which the run told nothing are last."""
    found = [(limit, devices_at(limit, fleet)) for limit in limits(fleet)]
    return sorted(found, key=lambda pair: math.inf if pair[1] is None else pair[1])


def shards(fleet):
    """Database servers among which the data would have to be parted. SQLite has one process and one file."""
    if fleet.engine.is_sqlite:
        return 1
    uses = [use(limit, fleet) for limit in limits(fleet) if limit.is_parted]
    return max(1, math.ceil(max((value for value in uses if value is not None), default=1)))


def database_nodes(fleet):
    return 0 if fleet.engine.is_sqlite else shards(fleet) * fleet.machine.copies


def database_node_cores(fleet):
    """Of the smallest machine for a shard: a power of two, with the memory that its disk needs."""
    if fleet.engine.is_sqlite:
        return 0
    parts, size = shards(fleet), 2
    needed = database_cores(fleet) / parts
    while size < needed or reads_a_second(fleet, size, parts) > fleet.machine.disk_reads:
        size *= 2
        if size >= fleet.machine.database_cores:
            return fleet.machine.database_cores
    return size


def money_a_month(fleet):
    """By the prices, part by part."""
    prices, gigabytes = fleet.prices, stored_bytes(fleet) / 1e9
    nodes = 1 if fleet.engine.is_sqlite else server_nodes(fleet)
    copies = 1 if fleet.engine.is_sqlite else fleet.machine.copies
    return {
        "servers": nodes * fleet.machine.server_cores * prices.core_month,
        "database": database_nodes(fleet) * database_node_cores(fleet) * prices.core_month,
        "storage": gigabytes * copies * prices.gigabyte_month,
        "back-ups": gigabytes * prices.backups * prices.backup_gigabyte_month,
    }
