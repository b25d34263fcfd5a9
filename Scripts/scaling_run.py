"""What a run of `belfry bench fleet` would take and leave, by the figures of another: to try the model (FLEET-9)."""
from scaling_figures import WEEK
from scaling_model import times, total


def works(days):
    """Those of the week; without a sink a run has no campaigns."""
    return WEEK if days else tuple(work for work in WEEK if work != "campaigns")


def operations(work, devices, days):
    return devices * days if work == "campaigns" else devices


def base_bytes(engine):
    """What was there before the first device: the tables, empty."""
    return engine.stored - sum(engine.works[work].operations * engine.cost(work).stored for work in week(engine))


def base_table_bytes(engine, table):
    grown = sum(engine.works[work].operations * engine.cost(work).tables.get(table, 0) for work in week(engine))
    return engine.tables.get(table, 0) - grown


def week(engine):
    return [work for work in WEEK if work in engine.works]


def stored_bytes(engine, devices, days):
    """After the week."""
    grown = sum(operations(work, devices, days) * engine.cost(work).stored for work in works(days))
    return base_bytes(engine) + grown


def table_bytes(engine, devices, days, table):
    """The same of one table with its indexes."""
    grown = sum(operations(work, devices, days) * engine.cost(work).tables.get(table, 0) for work in works(days))
    return base_table_bytes(engine, table) + grown


def cpu_seconds(engine, work, devices, days):
    """Of server and database, for all operations of a kind."""
    cost = engine.cost(work)
    return times(operations(work, devices, days), total([cost.server, cost.database]))


def error_percent(predicted, measured):
    """Above 0 where too much was predicted. None without one of the two."""
    return None if predicted is None or not measured else (predicted - measured) / measured * 100
