"""The parameters of Scripts/scaling: a shape of use, machines and prices, all of them examples (FLEET-9)."""
import dataclasses
import math


def option(default, words):
    return dataclasses.field(default=default, metadata={"words": words})


@dataclasses.dataclass(frozen=True)
class Shape:
    """How a fleet is used: an example, to be replaced by one's own."""

    living_share: float = option(0.3, "part of the registered devices that still open the app")
    opens_a_day: float = option(2, "openings of the app by a living device each day")
    events_an_open: float = option(10, "events of an opening, sent with it")
    alone_an_open: float = option(1, "further events of an opening, each in a request of its own")
    syncs_an_open: float = option(1, "in-app syncs at an opening")
    centers: float = option(1, "message centers of an app")
    fetches_an_open: float = option(0.2, "fetches of each message center at an opening")
    registrations_a_month: float = option(1, "changed registrations of a living device each month")
    installs_a_month: float = option(0.03, "new devices each month, as a part of those registered")
    apps: float = option(1, "apps that share the devices evenly")
    campaigns_a_week: float = option(3, "large push campaigns of each app")
    audience_share: float = option(0.3, "part of an app's registered devices in the audience of a large campaign")
    campaign_minutes: float = option(30, "how long sending a large campaign may take")
    segments_a_week: float = option(20, "campaigns of each app that look at all of its devices and find few")
    center_share: float = option(0.1, "part of the pushes that are also kept in a message center")
    event_days: float = option(90, "how long events are kept (eventRetentionDays)")
    ledger_days: float = option(math.inf, "how long the ledger is kept (deliveryRetentionDays)")
    message_days: float = option(90, "how long messages of centers are kept: 30 days after they expired")
    months: float = option(12, "age of the deployment whose storage is reckoned")
    peak_factor: float = option(4, "calls of devices in the busiest minutes, as a multiple of the mean")
    removal_share: float = option(1, "what removing an event costs the database, as a part of storing it (assumed)")
    free_space: float = option(1.2, "size of a table whose rows are removed all the time, as a multiple (assumed)")
    call_pages: float = option(4, "pages of rows that a call of a device touches at random (assumed)")


@dataclasses.dataclass(frozen=True)
class Machine:
    """The largest machines, and how full they may be: examples."""

    core_speed: float = option(1, "speed of a processor, as a multiple of one in the run")
    busy_share: float = option(0.5, "how busy processors may be in the busiest minutes")
    server_cores: int = option(8, "processors of a machine with server processes")
    spare_servers: int = option(1, "such machines that may be gone")
    database_cores: int = option(64, "processors of the largest database machine")
    memory_a_core: float = option(8e9, "bytes of memory for each of its processors")
    cache_share: float = option(0.6, "part of the memory that holds tables and indexes")
    disk_bytes: float = option(16e12, "storage of the largest database machine")
    disk_writes: float = option(500e6, "bytes a second that its disk takes for long")
    disk_reads: float = option(100_000, "pages a second that it reads at random")
    read_seconds: float = option(0.0001, "what one such read takes (assumed)")
    copies: int = option(2, "database machines with the same data: a primary and its standbys")
    database_connections: int = option(500, "connections that PostgreSQL takes (max_connections)")
    process_connections: int = option(11, "connections of a server process (--database-connections, and one)")
    answer_seconds: float = option(0.05, "what a push service takes for an answer")
    restore_rate: float = option(200e6, "bytes a second of a restore")
    restore_hours: float = option(8, "how long a restore may take")


@dataclasses.dataclass(frozen=True)
class Prices:
    """Examples in a currency of no country, and nobody's offer: put your own."""

    core_month: float = option(20, "a processor with its memory, a month")
    gigabyte_month: float = option(0.1, "a gigabyte on the database's disk, a month")
    backup_gigabyte_month: float = option(0.02, "a gigabyte of back-up, a month")
    backups: float = option(2, "full back-ups that are kept")


@dataclasses.dataclass(frozen=True)
class Fleet:
    """So many registered devices, of a shape, with the costs of the run on one engine."""

    devices: float
    shape: Shape
    machine: Machine
    prices: Prices
    engine: object
    # Of the run: a count and a walk of a campaign look at all of them.
    run_devices: int
