"""What schemathesis cannot make by itself: ids, tokens and names that the server has. Used by Scripts/fuzz-api.

Most requests get them, some keep what was generated. Which is decided by what was generated, so that a seed repeats a
run. What each request costs the server is measured here, too, for nobody else knows when it begins and ends.
"""
import atexit
import json
import os
import zlib

import schemathesis
from server_use import ServerUse

with open(os.environ["BELFRY_FUZZ_WORLD"], encoding="utf-8") as world_file:
    WORLD = json.load(world_file)

USE = ServerUse(WORLD["process"])


@atexit.register
def keep_use():
    with open(WORLD["use"], "w", encoding="utf-8") as file:
        json.dump(USE.record(), file)


# What ends a device or a person ends the last ones only; the others go on to be asked.
ENDING = ("/erase", "/revoke", "/client/contact", "/client/contact-token", "/client/contact_token")
SPARE = 2


def draw(case, salt):
    """A number that depends on the request alone."""
    parts = (case.path_parameters, dict(case.headers or {}), case.query, salt)
    return zlib.crc32(repr(parts).encode("utf-8", "backslashreplace"))


def pick(case, kind, values):
    """One of the values, or None for a request that is to keep its own."""
    number = draw(case, kind)
    return None if number % 8 == 0 else values[number // 8 % len(values)]


def serving(case, values):
    """Of devices and people, those that a request of this kind may end."""
    ends = case.operation.path.endswith(ENDING) or case.operation.method.upper() == "DELETE"
    return values[-SPARE:] if ends else values[:-SPARE]


@schemathesis.hook
def before_call(context, case, kwargs):
    path = case.path_parameters or {}
    device = pick(case, "device", serving(case, WORLD["devices"]))
    known = {
        "app": [WORLD["app"]], "appCode": [WORLD["app"]], "id": WORLD["campaigns"], "center": WORLD["centers"],
        "messageId": device["messages"] if device else [], "key": ["city", "points", "vip", "since"],
        "contactKey": serving(case, WORLD["contacts"]), "clientId": [device["id"]] if device else [],
        "registrationId": [device["registration"]] if device else [],
    }
    for name, values in known.items():
        if name in path and values:
            path[name] = pick(case, name, values) or path[name]
    if case.query and "campaign" in case.query and "device" in case.query and device:
        case.query["campaign"] = pick(case, "campaign", WORLD["campaigns"]) or case.query["campaign"]
        case.query["device"] = device["id"]
    if case.operation.path.startswith("/api/"):
        case.headers["Authorization"] = f"Bearer {WORLD['key']}"
    elif device:
        case.headers["X-Client-Id"] = device["id"]
        case.headers["X-Contact-Token"] = device["token"]
        own_state = pick(case, "state", [device["state"]])
        if own_state:
            case.headers["X-Client-State"] = own_state
    fill_body(case, device)
    USE.began()


@schemathesis.hook
def after_call(context, case, response):
    USE.ended(lambda: case.as_curl_command()[:3_000])


def fill_body(case, device):
    """Ids in a body that must be those of the caller."""
    if not isinstance(case.body, dict) or device is None or draw(case, "body") % 4 == 0:
        return
    if "deviceId" in case.body:
        case.body["deviceId"] = device["id"]
    if "refreshToken" in case.body:
        case.body["refreshToken"] = device["refresh"]
    if "deviceIds" in case.body:
        case.body["deviceIds"] = [device["id"]]
