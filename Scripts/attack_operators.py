"""What somebody sends who has an admin key. Scripts/attack runs it."""
import html.parser
import json
import re
import threading
import time

from attack_server import ROOT, Device, attack, ensure, longest_waits, slowest_meanwhile
from attack_devices import send_secret

# Beside a quote or a tag they make one visible character of both (SEC-7).
MARKS = ["", "\u0600", "\u0301", "\u200d", "\ufe0f", "\u2028"]


def reader(server, keys):
    return server.admin("POST", "/apps/shop/keys", {"label": "reader", "scope": "read"}, keys["shop"]).json["apiKey"]


@attack()
def statements_in_names(server, keys):
    device = Device(server, "shop")
    device.link("names")
    device.send(device.event(attributes={"x": "1"}))
    key = reader(server, keys)
    endless = "(WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n FROM r) SELECT count(*) FROM r)"
    names = ["x\u0600'||(SELECT 1)||'\u0301", f"x\u0600'||{endless}||'\u0301", "x' OR '1'='1", "x\"", "$1", "%s",
             "x'||char(49)||'"]
    for name in names:
        where = {"attribute": name, "op": "==", "value": "1"}
        audience = {"event": "e", "count": {"op": ">=", "value": 1}, "where": where}
        response = server.admin("POST", "/apps/shop/audience", {"audience": audience}, key)
        ensure(response.json == {"devices": 0}, f"{name!a}: {response.json}")
    audience["where"]["attribute"] = "x"
    found = server.admin("POST", "/apps/shop/audience", {"audience": audience}, key)
    ensure(found.json == {"devices": 1}, f"the attribute itself: {found.json}")
    return f"{len(names)} names: each {response.status} {response.body.decode()}; the attribute: {found.body.decode()}"


@attack(is_quick=False)
def lists_beyond_variables(server, keys):
    """SQLite takes 32,766 variables in a statement, PostgreSQL 65,535; an audience may have 10,000 entries of lists."""
    device = Device(server, "shop")
    device.link("v9999")
    snapshot = {"deviceId": device.id, "registrationId": "00000000-0000-4000-8000-000000000001", "revision": 1,
                "pushEnabled": False, "attributes": {"city": "v9999"}}
    device.call("POST", "/client/registration", snapshot)
    key = reader(server, keys)
    for _ in range(600):
        if count(server, key, {"attribute": "city", "op": "==", "value": "v9999"}).json == {"devices": 1}:
            break
        time.sleep(0.05)
    lists = [lambda values: {"attribute": "city", "op": "in", "value": values}, lambda values: {"contactKeys": values}]
    for make in lists:
        longest = count(server, key, make([f"v{number}" for number in range(10_000)]))
        ensure(longest.json == {"devices": 1}, f"a list of 10,000: {longest} {longest.json}")
    for length in [10_001, 32_767, 65_536]:
        for make in lists + [lambda values: {"deviceIds": values}]:
            response = count(server, key, make([f"v{number}" for number in range(length)]))
            ensure(response.status in (400, 422), f"a list of {length:,}: {response}")
    return f"10,000 values: {longest.status} {longest.body.decode()}; 10,001, 32,767 and 65,536: {response}"


def count(server, key, audience):
    return server.admin("POST", "/apps/shop/audience", {"audience": audience}, key)


@attack(is_quick=False)
def other_apps_and_people(server, keys):
    anna, eve = Device(server, "shop"), Device(server, "shop")
    anna.link("anna-secret")
    eve.link("eve")
    campaign, message = send_secret(server, anna, "anna-secret")
    rich = f"/client/messages/{message}/rich-content"
    ensure(eve.call("GET", rich, headers={"Idempotency-Key": "k"}).status == 404, "rich content of another contact")
    ensure(eve.call("PUT", f"/client/messages/{message}/state", {"state": "read"}).status == 404, "state of another")
    eve.send(eve.event(contact=anna.reference))
    ensure(server.admin("GET", f"/apps/shop/devices/{anna.id}/events").json["events"] == [], "event for another")
    described = server.call("GET", "/openapi.json").json["paths"]
    values = {"id": campaign, "contactKey": "anna-secret", "clientId": anna.id, "key": "city", "center": "Primary"}
    tried, statuses = 0, set()
    for path, operations in described.items():
        if not path.startswith("/api/v1/apps/{app}"):
            continue
        for method in operations.keys() - {"parameters"}:
            address = path.removeprefix("/api/v1").replace("{app}", "shop")
            for name, value in values.items():
                address = address.replace("{" + name + "}", value)
            address += f"?campaign={campaign}&device={anna.id}" if path.endswith("/explain") else ""
            body = {} if method in ("post", "put") else None
            response = server.admin(method.upper(), address, body, keys["other"])
            ensure(response.status in (400, 403, 422), f"{method} {address}: {response.status}")
            ensure(b"secret" not in response.body, f"{method} {address} tells")
            tried, statuses = tried + 1, statuses | {response.status}
    return f"{tried} operations: {', '.join(str(status) for status in sorted(statuses))}"


@attack()
def repeated_keys(server, keys):
    header = {"Idempotency-Key": "shared"}
    body = {"type": "string"}
    first = server.admin("PUT", "/apps/shop/attributes/a", body, keys["shop"], header)
    other = server.admin("PUT", "/apps/other/attributes/a", body, keys["other"], header)
    ensure(first.status == 200 and other.status == 200, "a key of another app collides")
    ensure("Idempotency-Replayed" not in other.headers, "the response of another app is repeated")
    changed = server.admin("PUT", "/apps/shop/attributes/a", {"type": "number"}, keys["shop"], header)
    ensure(changed.code == "idempotencyKeyReused", "another body gets the first response")
    return f"another body: {changed}"


@attack()
def html_that_runs(server, keys):
    hostile = [line for line in (ROOT / "Scripts" / "attack-html.txt").read_text().splitlines() if line]
    ensure(len(hostile) > 50, "there is no list")
    # One checker judges both.
    for kind, content in [
        ("messageCenter", lambda html: {"subject": "s", "message": "m", "richHtml": html}),
        ("inApp", lambda html: {"type": "html", "trigger": {"event": "e"}, "content": {"html": html}}),
    ]:
        for html_text in hostile:
            values = {"defaults": {"city": "a", "firstName": "b"}}
            draft = {"name": "x", "kind": kind, "audience": {"everyone": True}, kind: content(html_text) | values}
            response = server.admin("POST", "/apps/shop/campaigns", draft, keys["shop"])
            ensure(response.status == 422, f"{kind}: {html_text}")
    harmless = draft | {kind: content('<p><a href="https://x/{{firstName}}">{{city}}</a></p>') | values}
    accepted = server.admin("POST", "/apps/shop/campaigns", harmless, keys["shop"])
    ensure(accepted.status == 201, f"a harmless one: {accepted}")
    return f"{len(hostile)} texts, in both: {response}"


class Elements(html.parser.HTMLParser):
    """The elements of a page, as a browser finds them, and the text of those that hold data."""

    def __init__(self, page):
        super().__init__()
        self.names, self.data, self.is_data = [], "", False
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.names.append(tag)
        self.is_data = ("type", "application/json") in attributes

    def handle_endtag(self, tag):
        self.is_data = False

    def handle_data(self, data):
        self.data += data if self.is_data else ""


@attack()
def data_that_leaves_its_script(server, keys):
    """The name of a button's event is data in the page that a client of version 3 gets for an in-app message."""
    number = 0

    def page(name):
        nonlocal number
        number += 1
        action = {"type": "event", "name": name, "attributes": {"a": name}}
        message = {"type": "modal", "trigger": {"event": f"e{number}"},
                   "content": {"title": "a", "buttons": [{"id": "b", "text": "t", "action": action}]}}
        draft = {"name": "page", "kind": "inApp", "audience": {"everyone": True}, "inApp": message}
        created = server.admin("POST", "/apps/shop/campaigns", draft, keys["shop"])
        ensure(created.status == 201, f"{name!a}: {created}")
        server.admin("POST", f"/apps/shop/campaigns/{created.json['id']}/launch", key=keys["shop"])
        for _ in range(20):
            device = Device(server, "shop")
            device.link(f"page {number}")
            shown = device.send(device.event(name=f"e{number}"))
            if shown.status == 200:
                return Elements(shown.json["message"]["html"])
            time.sleep(0.1)
        raise AssertionError(f"{name!a}: no page, {shown}")

    usual = page("usual")
    names = [f"{before}{tag}{after}<script>alert(1)</script>" for tag in ["</script>", "<!--<script>"]
             for before, after in [(mark, "") for mark in MARKS] + [("", mark) for mark in MARKS[1:]]]
    for name in names:
        found = page(name)
        ensure(found.names == usual.names, f"{name!a}: {found.names}")
        ensure(json.dumps(name)[1:-1] in json.dumps(json.loads(found.data)), f"{name!a}: the data does not have it")
    return f"{len(names)} names: the page has its own {usual.names.count('script')} scripts, and the name as data"


@attack()
def traces_of_the_erased(server, keys):
    """The audit log, after the erasure of somebody whom operators have looked at and changed."""
    device, key = Device(server, "shop"), "erased-person"
    device.link(key)
    campaign, _ = send_secret(server, device, key)
    calls = [("GET", f"/devices/{device.id}"), ("GET", f"/devices/{device.id}/events"), ("GET", f"/contacts/{key}"),
             ("GET", f"/explain?campaign={campaign}&device={device.id}"), ("POST", f"/devices/{device.id}/revoke"),
             ("GET", f"/devices/{device.id.lower()}"), ("GET", f"/contacts/{key}/export"),
             ("POST", f"/contacts/{key}/rename")]
    for method, path in calls:
        body = {"to": key + "-2"} if path.endswith("rename") else None
        response = server.admin(method, "/apps/shop" + path, body, keys["shop"])
        ensure(response.status < 300, f"{method} {path}: {response}")
    device.token = device.state = None
    device.link(key + "-2")
    ensure(server.admin("POST", f"/apps/shop/contacts/{key}-2/erase").status == 200, "the erasure")
    # Nobody is there by now, and this is logged as well.
    server.admin("GET", f"/apps/shop/devices/{device.id}", key=keys["shop"])
    entries, cursor = [], ""
    while cursor is not None:
        page = server.admin("GET", f"/audit?limit=100{cursor}").json
        entries += page["entries"]
        cursor = f"&cursor={page['cursor']}" if page.get("cursor") else None
    text = json.dumps(entries).lower()
    for word in [device.id.lower(), key]:
        ensure(word not in text, f"the audit log has {word}")
    ensure(len(entries) > len(calls), f"{len(entries)} entries")
    revoked = [entry.get("target") for entry in entries if entry["action"] == "device.revoke"]
    ensure(len(revoked) == 1, entries)
    return f"{len(entries)} lines, none with the id or the key; the revocation has {revoked[0]}"


@attack()
def description(server, keys):
    """What the description says and the server does must be the same (WIRE-28)."""
    described = server.call("GET", "/openapi.json").json
    operations = [operation for path in described["paths"].values() for method, operation in path.items()
                  if method != "parameters"]
    silent = [operation["operationId"] for operation in operations if "431" not in operation["responses"]]
    ensure(not silent, f"without 431: {silent}")
    statuses, _ = server.raw(b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: " + b"a" * 40_000 + b"\r\n\r\n")
    ensure(statuses == [431], f"too large headers: {statuses}")
    address = described["components"]["schemas"]["InAppAction"]["properties"]["url"]
    ensure("format" not in address, f"InAppAction.url: {address}")
    return f"{len(operations)} operations with 431, and {statuses}; " + described_texts(server, keys, described)


def described_texts(server, keys, described):
    # The only pattern that a week's duration matches.
    patterns = {text for text in every_pattern(described) if text.startswith("^P") and re.search(text, "P7D")}
    ensure(patterns and not any(re.search(pattern, "P468M980") for pattern in patterns), f"durations: {patterns}")
    key = described["components"]["parameters"]["Idempotency-Key"]["schema"]["pattern"]
    ensure(not re.search(key, "a b"), f"Idempotency-Key: {key}")
    draft = {"name": "d", "kind": "push", "audience": {"everyone": True}, "push": {"title": "a", "body": "b"},
             "schedule": {"frequencyCap": {"count": 1, "within": "P468M980"}}}
    duration = server.admin("POST", "/apps/shop/campaigns", draft, keys["shop"])
    blank = server.admin("PUT", "/apps/shop/attributes/b", {"type": "string"}, keys["shop"], {"Idempotency-Key": "a b"})
    ensure(duration.status in (400, 422) and blank.status == 400, f"{duration}; {blank}")
    return f"P468M980 and a blank in a key: neither fits its pattern; {duration}; {blank}"


def every_pattern(value):
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    found = {value["pattern"]} if isinstance(value, dict) and isinstance(value.get("pattern"), str) else set()
    return found.union(*(every_pattern(part) for part in parts))


def costly_contact(server):
    """A contact with 101 devices and 100,000 events: one that has sent none, and those that have sent all."""
    device, senders = Device(server, "shop"), []
    device.link("costly")
    for number in range(100):
        other = Device(server, "shop")
        other.link("costly")
        # A device may send 20,000 events at once.
        if number < 5:
            senders.append(other)
        for _ in range(4 if number < 5 else 0):
            events = [other.event(attributes={"a": f"x{number}"}) for number in range(5_000)]
            ensure(other.send(*events).status == 204, "events")
    return device, senders


def costly_audience(value="zz"):
    clause = {"event": "e", "count": {"op": ">=", "value": 9_999},
              "where": {"attribute": "a", "op": "contains", "value": value}}
    return {"any": [clause] * 10}


@attack(is_quick=False)
def costly_audiences(server, keys):
    (device, _), audience, results = costly_contact(server), costly_audience(), []
    slowest = slowest_meanwhile(device, [
        threading.Thread(target=lambda: results.append(count(server, server.key, audience))) for _ in range(2)
    ])
    ensure({result.status for result in results} <= {200, 422}, [str(result) for result in results])
    ensure(slowest < 2, f"others wait {slowest:.1f} s")
    answers = ", ".join(sorted({str(result) for result in results}))
    return f"100,000 events: {answers}; others wait {slowest * 1_000:.0f} ms at most"


@attack(is_quick=False)
def reads_that_wait(server, keys):
    """Long reads, more than may run at once, while a device fetches on the express lane and others ask over connections of
    their own. A read that waits on an event loop holds up all connections of that loop."""
    (device, senders), results = costly_contact(server), []
    # No two are alike, so none gets another one's answer.
    questions = [lambda number=number: count(server, server.key, costly_audience(f"z{number}")) for number in range(8)]
    lists = [sender.stored_events for sender in senders]
    threads = [threading.Thread(target=lambda ask=ask: results.append(ask())) for ask in questions]
    threads += [threading.Thread(target=read) for read in lists]
    longest = longest_waits(threads, {
        "a fetch": (lambda: device.call("GET", "/client/message-centers"), 200),
        "an event": (lambda: device.send(device.event()), 204),
        "/healthz": (lambda: server.call("GET", "/healthz"), 200),
    })
    ensure({result.status for result in results} <= {200, 422, 429, 503}, [str(result) for result in results])
    ensure(max(longest.values()) < 2, f"others wait: {longest}")
    answers = ", ".join(sorted({str(result) for result in results}))
    waits = ", ".join(f"{name} {seconds * 1_000:.0f} ms" for name, seconds in longest.items())
    return f"{len(questions)} questions ({answers}) and {len(lists)} long lists; others wait at most: {waits}"


@attack(is_quick=False)
def costly_names(server, keys):
    for number in range(60):
        server.admin("PUT", f"/apps/shop/attributes/{number:02}{'x' * 60}", {"type": "string"})
    draft = {"name": "names", "kind": "push", "audience": {"everyone": True}, "push": {"title": "a", "body": "b"}}
    values = {f"{number:05}{'y' * 59}": "v" for number in range(13_000)}
    begun, body = time.monotonic(), {"campaign": draft, "values": values}
    response = server.admin("POST", "/apps/shop/preview", body, reader(server, keys))
    seconds = time.monotonic() - begun
    ensure(response.status == 200, response)
    ensure(seconds < 30, f"a preview takes {seconds:.1f} s")
    return f"a preview with 13,000 undefined names: {response} after {seconds:.1f} s"


@attack(is_quick=False)
def costly_triggers(server, keys):
    device = Device(server, "shop")
    device.link("triggers")
    where = {"attribute": "a", "op": "in", "value": [f"v{number}" for number in range(10_000)]}
    message = {"type": "modal", "trigger": {"event": "e", "where": where}, "content": {"title": "a"}}
    draft = {"name": "triggers", "kind": "inApp", "audience": {"everyone": True}, "inApp": message}
    campaigns = []
    for _ in range(5):
        campaign = server.admin("POST", "/apps/shop/campaigns", draft, keys["shop"]).json["id"]
        launched = server.admin("POST", f"/apps/shop/campaigns/{campaign}/launch", key=keys["shop"])
        ensure(launched.status == 202, f"launch: {launched.status}")
        campaigns.append(str(campaign))
    # A process that has not launched them itself notices the first within a second.
    time.sleep(1.5)
    # Only the last one meets the triggers: it is compared with them only if all those before it are as well.
    events = [device.event(attributes={"a": "none"}) for _ in range(999)] + [device.event(attributes={"a": "v9999"})]
    begun = time.monotonic()
    response = device.send(*events)
    seconds = time.monotonic() - begun
    ensure(response.status == 204, f"all of an upload is compared: {response}")
    ensure(seconds < 30, f"an upload takes {seconds:.1f} s")
    # Otherwise a server that compares nothing would hold.
    met = device.send(device.event(attributes={"a": "v9999"}))
    shown = met.json.get("message", {}).get("campaignId") if met.status == 200 else None
    ensure(shown in campaigns, f"an event that meets the triggers shows nothing: {met}")
    return f"1,000 events: {response} after {seconds:.1f} s; one that meets them: {met}"
