"""Numbers as the tables of Scripts/scaling show them (FLEET-9)."""
import math

UNKNOWN = "unknown"


def number(value):
    """Three digits that matter, in thousands."""
    if value is None:
        return UNKNOWN
    if value == 0 or math.isinf(value):
        return "0" if value == 0 else "forever"
    places = max(0, 2 - math.floor(math.log10(abs(value))))
    text = f"{value:,.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def scaled(value, step, units):
    if value is None:
        return UNKNOWN
    unit = 0
    while abs(value) >= step * 0.9995 and unit < len(units) - 1:
        value, unit = value / step, unit + 1
    return f"{number(value)} {units[unit]}".strip()


def size(value):
    return scaled(value, 1_000, ("B", "kB", "MB", "GB", "TB", "PB"))


def rate(value):
    return UNKNOWN if value is None else f"{size(value)}/s"


def count(value):
    """Devices, events and the like."""
    if value is None or value < 1e6:
        return number(value)
    return scaled(value / 1e6, 1_000, ("million", "billion", "trillion"))


def percent(share):
    return UNKNOWN if share is None else f"{share * 100:.1f} %"


def with_unit(value, unit):
    return {"B": size, "B/s": rate, "s": seconds_text}.get(unit, count)(value)


def seconds_text(value):
    return UNKNOWN if value is None else f"{number(value)} s"
