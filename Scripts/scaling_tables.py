"""The tables of Scripts/scaling, as Markdown that a terminal shows as well (FLEET-9)."""
import dataclasses
import math

import scaling_limits as limits
import scaling_model as model
import scaling_run as run
from scaling_figures import WORKS
from scaling_text import UNKNOWN, count, number, rate, seconds_text, size, with_unit

SIZES = (1_000_000, 100_000_000, 1_000_000_000)
# Tables that are named one by one; the others are summed up.
NAMED_TABLES = 6


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(str(cell) for cell in line)} |" for line in lines)


# What was measured


def figures_table(engine):
    head = (
        "one operation, thousandfold", "operations", "server CPU s", "database CPU s", "written", "of it log", "stored",
        "p99", "slowest",
    )
    rows = []
    for work, name in WORKS.items():
        if work not in engine.works:
            continue
        done = engine.works[work]
        cost = model.combined([(1_000, done.cost)])
        rows.append((
            name, count(done.operations), number(cost.server), number(cost.database), size(cost.written),
            size(cost.log), size(cost.stored), milliseconds(done.p99_ms), milliseconds(done.slowest_ms),
        ))
    return table(head, rows)


def milliseconds(value):
    return "–" if value is None else f"{number(value)} ms"


def bytes_table(engine):
    rows = [
        (
            "device, linked and registered", size(model.device_bytes(engine)),
            named_tables(engine, "links", "registrations"),
        ),
        ("registration, one more", size(model.registration_bytes(engine)), ""),
        ("opening, the first of a device, without its events", size(model.opening_bytes(engine)), ""),
        ("event", size(model.event_bytes(engine)), f"of it in the index: {size(model.event_index_bytes(engine))}"),
        ("delivery", size(model.delivery_bytes(engine)), named_tables(engine, "campaigns")),
        ("message in a center", size(model.message_bytes(engine)), ""),
    ]
    return table(("one", "bytes on disk", "by table, with its indexes"), rows)


def named_tables(engine, *works):
    tables = model.combined([(1, engine.cost(work)) for work in works]).tables
    largest = sorted(tables.items(), key=lambda item: -item[1])
    named = [f"`{name}` {size(grown)}" for name, grown in largest[:NAMED_TABLES] if grown >= 0.5]
    others = sum(grown for _, grown in largest[NAMED_TABLES:])
    return ", ".join([*named, *([f"others {size(others)}"] if others >= 0.5 else [])])


def flag(field):
    """Of the command line."""
    return f"--{field.name.replace('_', '-')}"


def options_table(values):
    rows = [
        (f"`{flag(field)}`", number(getattr(values, field.name)), field.metadata["words"])
        for field in dataclasses.fields(values)
    ]
    return table(("parameter", "value", "meaning"), rows)


# What a fleet takes


def sizing_table(fleets):
    head = ("", *(f"{count(fleet.devices)} devices" for fleet in fleets))
    parts = (use_lines, machine_lines, storage_lines, money_lines, limit_lines)
    return table(head, [line for part in parts for line in part(fleets)])


def line(name, fleets, of):
    return (name, *(of(fleet) for fleet in fleets))


def use_lines(fleets):
    return [
        line("calls of devices a second, mean", fleets, lambda fleet: count(model.calls_a_second(fleet))),
        line("the same in the busiest minutes", fleets, busiest_calls),
        line("events a day, stored and one day removed", fleets, lambda fleet: count(model.events_a_day(fleet))),
        line("pushes a day", fleets, lambda fleet: count(model.deliveries_a_day(fleet))),
        line("sends a second during a campaign", fleets, lambda fleet: count(model.sends_a_second(fleet))),
    ]


def busiest_calls(fleet):
    return count(model.calls_a_second(fleet) * fleet.shape.peak_factor)


def machine_lines(fleets):
    sqlite = fleets[0].engine.is_sqlite
    name = "**server**: processors, database included" if sqlite else "**server**: processors"
    lines = [line(name, fleets, lambda fleet: number(model.server_cores(fleet)))]
    if not sqlite:
        lines += [
            line("machines", fleets, lambda fleet: machines(model.server_nodes(fleet), fleet.machine.server_cores)),
            line("**database**: processors", fleets, lambda fleet: number(model.database_cores(fleet))),
            line("servers that share the data", fleets, lambda fleet: number(limits.shards(fleet))),
            line("machines, with copies", fleets, database_machines),
        ]
    load = {fleet.devices: model.cost_a_second(model.peak_load(fleet)) for fleet in fleets}
    written = [
        line("written a second in the busiest minutes", fleets, lambda fleet: rate(load[fleet.devices].written)),
        line("the same in pages of 8 KiB, at most", fleets, lambda fleet: pages(load[fleet.devices].written)),
    ]
    log = [] if sqlite else [line("of it log", fleets, lambda fleet: rate(load[fleet.devices].log))]
    memory = [
        line("memory that would hold all that is in use", fleets, lambda fleet: size(model.hot_bytes(fleet))),
        line("pages read a second in the busiest minutes", fleets, page_reads),
    ]
    return [*lines, *memory, *written, *log]


def pages(written):
    return UNKNOWN if written is None else f"{count(written / 8_192)}/s"


def page_reads(fleet):
    """Of all servers that share the data. SQLite has the largest machine."""
    servers = limits.shards(fleet)
    cores = fleet.machine.database_cores if fleet.engine.is_sqlite else limits.database_node_cores(fleet)
    return count(servers * model.reads_a_second(fleet, cores, servers))


def machines(nodes, cores):
    return f"{number(nodes)} with {cores} processors"


def database_machines(fleet):
    return machines(limits.database_nodes(fleet), limits.database_node_cores(fleet))


def storage_lines(fleets):
    months = number(fleets[0].shape.months)

    def part_of(kind):
        return line(f"of it {kind}", fleets, lambda fleet: size(model.storage(fleet)[kind]))

    return [
        line(f"**stored** after {months} months, one copy", fleets, lambda fleet: size(model.stored_bytes(fleet))),
        *(part_of(kind) for kind in model.storage(fleets[0])),
        line("grows in the first month by", fleets, lambda fleet: size(model.first_growth_a_month(fleet))),
        line("grows in the next month by", fleets, lambda fleet: size(model.growth_a_month(fleet))),
    ]


def money_lines(fleets):
    def part_of(name):
        return line(f"of it {name}", fleets, lambda fleet: count(limits.money_a_month(fleet)[name]))

    every = "**money** a month, by the example prices"
    return [
        line(every, fleets, lambda fleet: count(sum(limits.money_a_month(fleet).values()))),
        *(part_of(name) for name in limits.money_a_month(fleets[0])),
    ]


def limit_lines(fleets):
    return [
        line("**limits** of one database server that are met", fleets, limits_met),
        line("the first of all", fleets, first_limit),
    ]


def limits_met(fleet):
    at = [devices for _, devices in limits.by_devices(fleet) if devices is not None]
    met = sum(devices <= fleet.devices for devices in at)
    return f"{met} of {len(at)}" if met else "none"


def first_limit(fleet):
    limit, devices = limits.by_devices(fleet)[0]
    if devices is None or math.isinf(devices):
        return "none"
    return f"{limit.name}, at {count(devices)} devices"


def limits_table(fleet):
    rows = [
        (limit.name, with_unit(limit.has, limit.unit), met_at(devices), limit.then)
        for limit, devices in limits.by_devices(fleet)
    ]
    return table(("limit", "has", "met at devices", "what then"), rows)


def met_at(devices):
    if devices is None:
        return UNKNOWN
    return "never" if math.isinf(devices) else count(devices)


# What grows with what


DOUBLED = {
    "devices": (),
    "openings of a device": ("opens_a_day",),
    "events of an opening": ("events_an_open", "alone_an_open"),
    "days that events are kept": ("event_days",),
    "large campaigns": ("campaigns_a_week",),
    "the audience of each": ("audience_share",),
    "campaigns that find few": ("segments_a_week",),
    "apps, for the same devices": ("apps",),
    "message centers": ("centers",),
}


def growth_table(fleet):
    """What twice as much of one thing does to the rest."""
    def measures(fleet):
        load = model.cost_a_second(model.peak_load(fleet))
        return [
            load.server, load.database, load.written, model.hot_bytes(fleet), model.stored_bytes(fleet),
            limits.count_seconds(fleet),
        ]

    before, rows = measures(fleet), []
    for name, fields in DOUBLED.items():
        if fields:
            twice = {field: 2 * getattr(fleet.shape, field) for field in fields}
            more = dataclasses.replace(fleet, shape=dataclasses.replace(fleet.shape, **twice))
        else:
            more = dataclasses.replace(fleet, devices=2 * fleet.devices)
        rows.append((name, *(factor(*pair) for pair in zip(measures(more), before))))
    head = ("twice as many", "server CPU", "database CPU", "written", "in use", "stored", "time of a count")
    return table(head, rows)


def factor(more, before):
    return UNKNOWN if more is None or not before else f"× {more / before:.2f}"


# A run by the figures of another


def prediction_table(engine, devices, days, measured=None):
    """`measured` is the same engine of a run of so many devices and days."""
    stored = run.stored_bytes(engine, devices, days)
    rows = [prediction_line("stored after the week", size, stored, measured and measured.stored)]
    named = sorted(set(engine.tables) | set(measured.tables if measured else ()))
    predicted = {name: run.table_bytes(engine, devices, days, name) for name in named}
    for name in sorted(named, key=lambda name: -predicted[name])[:NAMED_TABLES * 2]:
        rows.append(prediction_line(f"of it `{name}`", size, predicted[name], measured and measured.tables.get(name)))
    for work in run.works(days):
        expected = run.cpu_seconds(engine, work, devices, days)
        seconds = measured and run.cpu_seconds(measured, work, devices, days)
        rows.append(prediction_line(f"CPU of the {work}", seconds_text, expected, seconds))
    return table((f"{count(devices)} devices, {days} days", "predicted", "measured", "error"), rows)


def prediction_line(name, text, predicted, measured):
    error = run.error_percent(predicted, measured)
    missed = "–" if error is None else f"{error:+.1f} %"
    return name, text(predicted), "–" if measured is None else text(measured), missed
