"""What a device, or somebody who had one's credentials, sends. Scripts/attack runs it."""
import gzip
import json
import threading
import time
import uuid

from attack_server import Device, attack, ensure, slowest_meanwhile

KEYS = {"p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "auth": "BTBZMqHH6r4Tts7J_aSIgg"}
MEBIBYTE = 1 << 20


@attack()
def zones_that_trap(server, keys):
    zones = ["GMT+01:Z0", "UTC+1:", "GMT+", "GMT+99999999999", "+01:Z0", "GMT+01:\u06f30"]
    device = Device(server, "shop")
    device.link("zones")
    receipts = []
    for revision, zone in enumerate(zones, 1):
        response = Device(server, "shop").call("POST", "/client", {"timezone": zone})
        ensure(response.code == "unknownTimeZone", f"{zone!a}: {response}")
        settings = server.admin("PUT", "/apps/shop/settings", {"timeZone": zone}, keys["shop"])
        ensure(settings.code == "unknownTimeZone", f"of an app, {zone!a}: {settings}")
        # The processor applies it later.
        receipts.append(str(uuid.uuid4()).upper())
        snapshot = {"deviceId": device.id, "registrationId": receipts[-1], "revision": revision, "pushEnabled": False,
                    "timeZone": zone}
        ensure(device.call("POST", "/client/registration", snapshot).status == 201, f"a registration with {zone!a}")
        for _ in range(600):
            receipt = device.call("GET", f"/client/registration/{receipts[-1]}").json
            if receipt["status"] != "received":
                break
            time.sleep(0.05)
        ensure(receipt["status"] == "partlyRejected", f"a registration with {zone!a}: {receipt['status']}")
    reason = receipt["rejected"][0]
    ensure(server.end() == 0, "SIGTERM")
    server.start()
    return f"{response}; receipt: {receipt['status']} {reason['field']} {reason['reason']}; it starts again"


def send_secret(server, device, key):
    """A message for one person; its id, once it is in their message center."""
    draft = {"name": "secret", "kind": "messageCenter", "audience": {"contactKeys": [key]},
             "messageCenter": {"subject": "secret", "message": "secret", "richHtml": "<p>secret</p>"}}
    campaign = server.admin("POST", "/apps/shop/campaigns", draft).json["id"]
    server.admin("POST", f"/apps/shop/campaigns/{campaign}/launch")
    for _ in range(600):
        messages = device.call("GET", "/client/message-centers").json["messageCenters"][0]["messages"]
        if messages:
            return campaign, messages[0]["id"]
        time.sleep(0.1)
    raise AssertionError("the message did not arrive")


@attack()
def former_credentials(server, keys):
    owner = Device(server, "shop")
    owner.link("former")
    former = (owner.token, owner.state, owner.refresh)
    ensure(server.admin("POST", f"/apps/shop/devices/{owner.id}/revoke").status == 204, "revoke")
    owner.token = owner.state = None
    owner.link("former")
    send_secret(server, owner, "former")
    thief = Device(server, "shop", owner.id)
    thief.token, thief.state = former[:2]
    answer = thief.call("GET", "/client/message-centers")
    ensure(answer.status == 401, "the former token reads")
    thief.token, thief.state = None, former[1]
    refreshed = thief.call("POST", "/client/contact-token", {"refreshToken": former[2]})
    ensure(refreshed.code == "1101", "refresh")
    thief.state = former[1]
    thief.call("POST", "/client/contact?anonymous=true")
    ensure(b"secret" not in thief.call("GET", "/client/message-centers").body, "the former state inherits the contact")
    thief.token, thief.state = None, None
    thief.call("POST", "/client/contact?anonymous=true")
    ensure(b"secret" not in thief.call("GET", "/client/message-centers").body, "the id alone inherits the contact")
    return f"token: {answer}; refresh token: {refreshed}; state: no contact"


@attack("--rate-limit", "60")
def rate_by_links(server, keys):
    """At 60 calls a minute a device may send 20 at once, and then one a second."""
    device = Device(server, "shop")
    device.link("rate 0")
    granted, refused, begun, answers = 0, 0, time.monotonic(), set()
    for number in range(60):
        # Between two contacts, so that the limit is not that of new contacts; every link gives a new token.
        response = device.link_anew(f"rate {number % 2}")
        granted, refused = granted + (response.status == 200), refused + (response.status != 200)
        answers |= {str(response)} if response.status != 200 else set()
    most = 21 + time.monotonic() - begun
    ensure(granted <= most, f"{granted} calls were answered, {most:.0f} are allowed")
    ensure(answers <= {"429 tooManyRequests device"}, answers)
    return f"{granted} links with a new token each, then {refused} times {', '.join(answers)}"


@attack("--rate-limit", "600")
def contacts_without_end(server, keys):
    """A device may make 60 contacts in a minute."""
    device = Device(server, "shop")
    device.link("contacts")
    made, answers, begun = 0, set(), time.monotonic()
    for _ in range(100):
        response = device.call("POST", "/client/contact?anonymous=true&fresh=true")
        made += response.status == 200
        answers |= {str(response)} if response.status != 200 else set()
    most = 61 + time.monotonic() - begun
    ensure(made <= most, f"{made} contacts were made, {most:.0f} are allowed")
    stored = len(server.admin("GET", "/apps/shop/contacts?limit=1000").json["contacts"])
    ensure(stored <= most + 1, f"{stored} contacts are stored")
    return f"of 100 calls {made} contacts, the others {', '.join(sorted(answers))}"


@attack(is_quick=False)
def compressed_bodies(server, keys):
    device = Device(server, "shop")
    device.link("gzip")
    before = server.memory()
    bomb = gzip.compress(bytes(300 << 20))[:1_000_000]
    response = device.call("POST", "/client/events", raw=bomb, headers={"Content-Encoding": "gzip"})
    ensure(response.status == 413, f"a bomb: {response}")
    grown = server.memory() - before
    ensure(grown < 32, f"the memory grows by {grown} MiB")
    return f"300 MiB: {response}, {grown} MiB more memory"


@attack("--rate-limit", "600", is_quick=False)
def inflated_bodies(server, keys):
    """Of 1 MiB in a kilobyte of gzip a device may store 8 in a minute."""
    device = Device(server, "shop")
    device.link("inflated 0")
    stored = count = 0
    begun, answers = time.monotonic(), set()
    for number in range(16):
        events = [device.event(name=f"inflated{number}", attributes={"a": "x" * 50_000}) for _ in range(20)]
        body = json.dumps({"events": events}).encode()
        sent = gzip.compress(body)
        response = device.call("POST", "/client/events", raw=sent, headers={"Content-Encoding": "gzip"})
        ensure(response.status in (204, 429), response)
        stored, count = stored + (len(body) if response.status == 204 else 0), count + (response.status == 204)
        answers |= {str(response)} if response.status != 204 else set()
        # A new token and a new contact give no new budget.
        device.link_anew(f"inflated {number % 2}")
    most = 8 * (1 + (time.monotonic() - begun) / 60) + 1
    ensure(stored <= most * MEBIBYTE, f"{stored >> 20} MiB are stored, {most:.0f} are allowed")
    found = len(device.stored_events())
    ensure(found <= count * 20, f"{found} events are stored")
    return (f"of 16 bodies of {len(body) // 1_024} KiB in {len(sent)} B of gzip {count} are stored, "
            f"the others {', '.join(sorted(answers))}")


@attack(is_quick=False)
def reports_of_one_body(server, keys):
    """As many reports of an in-app message as fit, while others are served."""
    flooder, other = Device(server, "shop"), Device(server, "shop")
    flooder.link("reports")
    other.link("meanwhile")
    message = {"type": "modal", "trigger": {"event": "none"}, "content": {"title": "a"}}
    draft = {"name": "reports", "kind": "inApp", "audience": {"everyone": True}, "inApp": message}
    campaign = server.admin("POST", "/apps/shop/campaigns", draft, keys["shop"]).json["id"]
    server.admin("POST", f"/apps/shop/campaigns/{campaign}/launch", key=keys["shop"])
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    reports = [{"id": str(number), "type": "internal", "name": "inapp:viewed", "timestamp": now,
                "attributes": {"campaignId": campaign}} for number in range(8_000)]
    body = json.dumps({"events": reports}, separators=(",", ":")).encode()
    answers = []
    upload = threading.Thread(target=lambda: answers.append(flooder.call("POST", "/client/events", raw=body)))
    slowest = slowest_meanwhile(other, [upload])
    ensure(answers and answers[0].status == 204, f"{[str(answer) for answer in answers]}")
    ensure(slowest < 2, f"others wait {slowest:.1f} s")
    return f"{len(reports):,} reports: {answers[0]}; others wait {slowest * 1_000:.0f} ms at most"


@attack()
def addresses_of_browsers(server, keys):
    device = Device(server, "shop")
    device.link("browser")
    hosts = ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "localhost",
             "localhost.", "169.254.169.254", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[::127.0.0.1]", "0", "10.1.2.3",
             "metadata.google.internal", "127.0.0.1."]
    endpoints = [f"https://{host}/x" for host in hosts] + ["http://push.example.com/", "https://a@127.0.0.1/"]
    for endpoint in endpoints:
        response = device.call("PUT", "/client/push-token", subscription(endpoint))
        ensure(response.status == 400, f"{endpoint}: {response}")
    return f"{len(endpoints)} addresses, each 400; the last {response}"


def subscription(endpoint):
    return {"pushToken": {"endpoint": endpoint, "keys": KEYS}, "provider": "webpush"}


@attack()
def ports_of_browsers(server, keys):
    device = Device(server, "shop")
    device.link("ports")
    ports = [1, 22, 25, 80, 442, 444, 5432, 6379, 8443, 65535]
    for port in ports:
        response = device.call("PUT", "/client/push-token", subscription(f"https://push.example.com:{port}/x"))
        ensure(response.code == "portNotAllowed", f"port {port}: {response}")
    usual = device.call("PUT", "/client/push-token", subscription("https://push.example.com:443/x"))
    ensure(usual.status == 204, f"port 443: {usual}")
    return f"{len(ports)} ports, each {response}; 443: {usual}"
