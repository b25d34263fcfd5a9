"""What a fleet does and stores, from what operations cost and a shape of use (FLEET-9): arithmetic alone.

Seconds, bytes and devices are plain numbers. None is what the run did not tell, and what is reckoned with it.
"""
import dataclasses
import math

from scaling_figures import CALLERS, EVENTS_OF_OPENING, Cost

DAY = 86_400
MONTH_DAYS = 365.25 / 12
MONTH = MONTH_DAYS * DAY


# Sums


def total(values):
    values = list(values)
    return None if any(value is None for value in values) else sum(values)


def times(factor, value):
    return None if value is None else factor * value


def combined(parts):
    """The cost of several operations: pairs of how many and what one costs."""
    def of(name):
        return total(times(count, getattr(cost, name)) for count, cost in parts)

    def by_table(name):
        sums = {}
        for count, cost in parts:
            for table, size in getattr(cost, name).items():
                sums[table] = sums.get(table, 0) + count * size
        return sums

    return Cost(
        **{name: of(name) for name in ("server", "database", "written", "log", "stored")},
        tables=by_table("tables"), indexes=by_table("indexes"),
    )


# What one of each takes on disk


def device_bytes(engine):
    """A device that is linked and registered, with its contact, tags, audience row and first registration."""
    return engine.cost("links").stored + engine.cost("registrations").stored


def registration_bytes(engine):
    """One more registration. SQLite does not tell tables apart: there it is the whole first one, which is too much."""
    cost = engine.cost("registrations")
    return cost.tables.get("registrations", cost.stored)


def event_bytes(engine):
    """SQLite does not tell tables apart: there it is a part of the whole opening."""
    cost = engine.cost("openings")
    return cost.tables.get("events", cost.stored) / EVENTS_OF_OPENING


def event_index_bytes(engine):
    """What an upload touches at random. On SQLite events lie in the index itself."""
    cost = engine.cost("openings")
    return cost.indexes.get("events", cost.tables.get("events", cost.stored)) / EVENTS_OF_OPENING


def opening_bytes(engine):
    """What the first opening of a device leaves beside its events; later ones write it again."""
    return engine.cost("openings").stored - EVENTS_OF_OPENING * event_bytes(engine)


def delivery_bytes(engine):
    """A row of the ledger, and what else grows by it."""
    return engine.cost("campaigns").stored


def message_bytes(engine):
    """A message in a center, without its row of the ledger. SQLite does not tell tables apart: there it is with it."""
    cost = engine.cost("messages")
    return cost.tables.get("center_messages", cost.stored)


# How many of each


def living(fleet):
    return fleet.devices * fleet.shape.living_share


def opens_a_second(fleet):
    return living(fleet) * fleet.shape.opens_a_day / DAY


def calls_a_second(fleet):
    """Of devices: an opening with its further calls, links and registrations."""
    shape = fleet.shape
    further = shape.alone_an_open + shape.syncs_an_open + shape.centers * shape.fetches_an_open
    return opens_a_second(fleet) * (1 + further) + installs_a_second(fleet) + registrations_a_second(fleet)


def events_an_open(shape):
    """With the start of the session."""
    return 1 + shape.events_an_open + shape.alone_an_open


def events_a_day(fleet):
    return living(fleet) * fleet.shape.opens_a_day * events_an_open(fleet.shape)


def removals_a_second(fleet):
    """As many events as are stored, once the first of them are too old."""
    return 0 if math.isinf(fleet.shape.event_days) else events_a_day(fleet) / DAY


def deliveries_a_day(fleet):
    return fleet.devices * fleet.shape.audience_share * fleet.shape.campaigns_a_week / 7


def installs_a_second(fleet):
    return fleet.devices * fleet.shape.installs_a_month / MONTH


def registrations_a_second(fleet):
    """First ones and changed ones."""
    return installs_a_second(fleet) + living(fleet) * fleet.shape.registrations_a_month / MONTH


def looks_a_second(fleet):
    """Devices that campaigns look at without finding them: small ones nearly all, large ones those that are left."""
    large = fleet.shape.campaigns_a_week * (1 - fleet.shape.audience_share)
    return fleet.devices * (fleet.shape.segments_a_week + large) / (7 * DAY)


def sends_a_second(fleet):
    """While one app sends a large campaign."""
    return fleet.devices / fleet.shape.apps * fleet.shape.audience_share / (fleet.shape.campaign_minutes * 60)


def kept(days, fleet):
    """Days of which something is still there at the fleet's age."""
    return min(days, fleet.shape.months * MONTH_DAYS)


def pushes_and_messages(count, shape):
    """A push that is also kept in a center counts as two: the run has no figure of its own for it."""
    return count * (1 + shape.center_share)


# Processors and writes


def opening_cost(engine, shape):
    """An opening with more or fewer events than in the run: each by the cost of one among fifty."""
    further = 1 + shape.events_an_open - EVENTS_OF_OPENING
    return combined([(1, engine.cost("openings")), (further, engine.cost("fiftyEvents"))])


def look_cost(engine, run_devices):
    """What a campaign spends on a device that is not in its audience. At most: the messages of the run are in it."""
    cost = engine.cost("messages")
    operations = engine.works["messages"].operations
    looks = operations / min(run_devices, CALLERS) * run_devices
    return combined([(operations / looks, dataclasses.replace(cost, stored=0.0, tables={}, indexes={}))])


def removal_cost(engine, shape):
    cost = engine.cost("fiftyEvents")
    return combined([(shape.removal_share, dataclasses.replace(cost, server=0.0, stored=0.0, tables={}, indexes={}))])


def mean_load(fleet):
    """What devices, upkeep and small campaigns do each second: name, how often, and what one costs."""
    engine, shape, opens = fleet.engine, fleet.shape, opens_a_second(fleet)
    return [
        ("openings", opens, opening_cost(engine, shape)),
        ("events alone in their request", opens * shape.alone_an_open, engine.cost("oneEvent")),
        ("in-app syncs", opens * shape.syncs_an_open, engine.cost("syncs")),
        ("fetches of centers", opens * shape.centers * shape.fetches_an_open, engine.cost("fetches")),
        ("links of new devices", installs_a_second(fleet), engine.cost("links")),
        ("registrations", registrations_a_second(fleet), engine.cost("registrations")),
        ("removed events", removals_a_second(fleet), removal_cost(engine, shape)),
        ("devices looked at", looks_a_second(fleet), look_cost(engine, fleet.run_devices)),
    ]


def peak_load(fleet):
    """The same in the busiest minutes, while a large campaign is sent."""
    busy = [(name, rate * fleet.shape.peak_factor, cost) for name, rate, cost in mean_load(fleet)]
    sends = pushes_and_messages(sends_a_second(fleet), fleet.shape)
    return [*busy, ("sends", sends, fleet.engine.cost("campaigns"))]


def cost_a_second(load):
    return combined([(rate, cost) for _, rate, cost in load])


def cores(seconds_a_second, machine):
    """Processors that are busy for so much of the time and no more than they may be."""
    return times(1 / (machine.core_speed * machine.busy_share), seconds_a_second)


def server_cores(fleet):
    return cores(cost_a_second(peak_load(fleet)).server, fleet.machine)


def database_cores(fleet):
    return cores(cost_a_second(peak_load(fleet)).database, fleet.machine)


def sending_processes(fleet):
    """A process has two connections to a push service, with a thousand sends under way on each."""
    return sends_a_second(fleet) * fleet.machine.answer_seconds / 2_000


def server_nodes(fleet):
    """Machines with one process each, and the spare ones."""
    busy = max(server_cores(fleet) / fleet.machine.server_cores, sending_processes(fleet))
    return max(math.ceil(busy), 1) + fleet.machine.spare_servers


# Storage and memory


def storage(fleet):
    """What of which kind there is at the fleet's age."""
    engine, shape = fleet.engine, fleet.shape
    again = living(fleet) * shape.registrations_a_month * min(30, shape.months * MONTH_DAYS) / MONTH_DAYS
    return {
        "devices": fleet.devices * device_bytes(engine) + living(fleet) * opening_bytes(engine),
        "registrations": again * registration_bytes(engine) * shape.free_space,
        "events": events_a_day(fleet) * kept(shape.event_days, fleet) * event_bytes(engine) * free_space(fleet),
        "ledger": deliveries_a_day(fleet) * kept(shape.ledger_days, fleet) * delivery_bytes(engine),
        "messages": deliveries_a_day(fleet) * shape.center_share * kept(shape.message_days, fleet)
        * message_bytes(engine),
    }


def free_space(fleet):
    """Events are removed once the first of them are too old."""
    return fleet.shape.free_space if fleet.shape.months * MONTH_DAYS > fleet.shape.event_days else 1


def stored_bytes(fleet):
    return sum(storage(fleet).values())


def growth_a_month(fleet):
    """In the next month, with its new devices; the devices that call are as many."""
    older = dataclasses.replace(fleet, shape=dataclasses.replace(fleet.shape, months=fleet.shape.months + 1))
    new = fleet.devices * fleet.shape.installs_a_month * device_bytes(fleet.engine)
    return stored_bytes(older) - stored_bytes(fleet) + new


def first_growth_a_month(fleet):
    """While nothing is old enough to be removed."""
    young = dataclasses.replace(fleet, shape=dataclasses.replace(fleet.shape, months=0))
    return growth_a_month(young)


def hot_bytes(fleet):
    """What calls touch at random and walks read: rows and indexes of all devices, and the index of the events."""
    events = events_a_day(fleet) * kept(fleet.shape.event_days, fleet)
    return storage(fleet)["devices"] + events * event_index_bytes(fleet.engine) * free_space(fleet)


def pages_a_second(fleet):
    """Touched at random in the busiest minutes. Ids of events are random, so each has a page of its own in the index,
    when it is stored and when it is removed."""
    shape = fleet.shape
    events = events_a_day(fleet) / DAY + removals_a_second(fleet)
    return shape.peak_factor * (events + calls_a_second(fleet) * shape.call_pages)


def missing_share(size, fleet, cores):
    """The part of so many bytes that the memory beside so many processors does not hold."""
    return max(0, 1 - cores * fleet.machine.memory_a_core * fleet.machine.cache_share / size)


def reads_a_second(fleet, cores, servers=1):
    """Pages that each of so many servers with so many processors reads, because its memory does not hold them."""
    return pages_a_second(fleet) / servers * missing_share(hot_bytes(fleet), fleet, cores * servers)


def removal_seconds(fleet):
    """The daily walk over the events of all devices, one after the other, which looks at each that is there: those of
    one opening lie together, those of two openings do not."""
    if math.isinf(fleet.shape.event_days):
        return 0
    openings = opens_a_second(fleet) * DAY * kept(fleet.shape.event_days, fleet)
    missing = missing_share(stored_bytes(fleet), fleet, fleet.machine.database_cores)
    return openings * missing * fleet.machine.read_seconds
