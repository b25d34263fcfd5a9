"""APNs, FCM with its log-in, and a Web Push service for one run of `belfry serve`, made of libraries that we did not write.

h2 carries, PyJWT and cryptography verify who sends, http_ece decrypts what browsers get. Nothing here shares a line with
Belfry's senders or simulators.

The first line that it prints is JSON: the calls of the admin API that an operator makes, the devices to register, the
campaigns to send, and what is to become of each delivery. On SIGTERM it prints what was wrong, and ends with 1 if
anything was.
"""
import asyncio
import base64
import datetime
import ipaddress
import json
import os
import re
import signal
import ssl
import sys
import tempfile
import time
import urllib.parse
import uuid

import h11
import http_ece
import jwt
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, RequestReceived, StreamEnded
from h2.settings import SettingCodes

TEAM, KEY_ID, TOPIC, PROJECT = "TEAM123456", "KEY1234567", "org.example.shop", "example-shop"
SUBJECT = "mailto:ops@example.org"
SCOPE = "https://www.googleapis.com/auth/firebase.messaging"
GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
TITLE, SUBTITLE = "Grüße \u6771\u4eac \U0001f514", 'said "yes" \\ </script>'
TEXT = "Tab\tline\u2028quote\u0301\" {brace} \u200d"
TTL, SECOND_TTL, WEEK = 600, 1_800, 604_800
FIRST = {
    "name": "Everything", "kind": "push", "audience": {"everyone": True},
    "push": {
        "title": TITLE, "subtitle": SUBTITLE, "body": TEXT, "sound": "default", "ttlSeconds": TTL, "priority": 5,
        "collapseId": "weather-2026", "category": "offer", "threadId": "weather", "interruptionLevel": "timeSensitive",
        "relevanceScore": 0.5, "androidChannel": "weather", "androidVisibility": "private",
        "analyticsLabel": "autumn_2026",
        "custom": {"order": "4711", "vip": True, "amount": 2.5},
        "action": {"type": "openUrl", "url": "https://example.org/a?b=c&d=%20"},
    },
}
SECOND = {
    "name": "Little", "kind": "push", "audience": {"everyone": True}, "push": {"title": TITLE, "body": TEXT, "ttlSeconds": SECOND_TTL},
}

problems, verified = [], {"apns": 0, "fcm": 0, "webpush": 0, "logins": 0}


def expect(what, found, wanted):
    if found != wanted:
        problems.append(f"{what}: expected {wanted!r}, found {found!r}")


def expect_that(what, is_so, found=None):
    if not is_so:
        problems.append(f"{what}: {found!r}")


def base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def from_base64url(text):
    if not re.fullmatch(r"[A-Za-z0-9_-]*", text):
        raise ValueError("not base64url without padding")
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def pem(key):
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()


def point(key):
    return key.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


# Who gets pushes, and what their service answers, one answer for each try of a campaign; the last one for all others.


class Device:
    everyone = {}

    def __init__(self, provider, token, what, answers, state, reason=None, later="accepted"):
        self.provider, self.token, self.what, self.answers = provider, token, what, answers
        self.outcomes = [(state, reason), (later, None if later != state else reason)]
        self.tries, self.ids = {}, {}
        Device.everyone[self.address] = self

    @property
    def address(self):
        return self.token

    def answer(self, campaign, message_id):
        """Counts a try, and gives what is answered to it."""
        expect(f"{self.what}: the id of a repeated push", message_id, self.ids.setdefault(campaign, message_id))
        number = self.tries[campaign] = self.tries.get(campaign, 0) + 1
        expect_that(f"{self.what}: tries of a campaign", number <= len(self.answers), number)
        if self.outcomes[1][0] == "suppressed":
            expect_that(f"{self.what}: a push to who was gone", len(self.tries) == 1, self.tries)
        return self.answers[min(number, len(self.answers)) - 1]


class Browser(Device):
    def __init__(self, origin, what, *rest, **more):
        self.key, self.auth = ec.generate_private_key(ec.SECP256R1()), os.urandom(16)
        self.path = self.new_path()
        subscription = {
            "endpoint": origin + self.path,
            "keys": {"p256dh": base64url(point(self.key.public_key())), "auth": base64url(self.auth)}}
        super().__init__("webpush", json.dumps(subscription), what, *rest, **more)

    def new_path(self):
        return "/push/" + base64url(os.urandom(32))

    @property
    def address(self):
        return self.path


class Distributor(Browser):
    """An app whose pushes come through a UnifiedPush distributor: the keys are its own, the endpoint is a topic of the
    distributor's server (https://unifiedpush.org/developers/spec/server), here as ntfy writes them."""

    def new_path(self):
        return "/up" + base64url(os.urandom(9)) + "?up=1"


def ntfy_error(status, code, text):
    error = {"code": code, "http": status, "error": text, "link": "https://ntfy.sh/docs/publish/"}
    return status, [("content-type", "application/json")], json.dumps(error).encode()


def apns_refusal(status, reason, **more):
    return status, [], json.dumps({"reason": reason, **more}).encode()


def google_error(status, code, *details, fields=()):
    error = {"code": status, "message": "See details.", "status": code, "details": list(details)}
    return status, [("content-type", "application/json; charset=UTF-8"), *fields], json.dumps({"error": error}).encode()


def fcm_error(code):
    return {"@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", "errorCode": code}


def make_devices(origin):
    ok = (200, [], b"")
    gone = int(time.time() * 1_000) + 86_400_000  # after the token was registered, by the service's clock
    hexadecimal = lambda: os.urandom(32).hex()
    for number in range(3):
        Device("apns", hexadecimal(), f"iPhone {number}", [ok], "accepted")
    Device("apns", hexadecimal(), "a removed app", [apns_refusal(410, "Unregistered", timestamp=gone)],
           "rejected", "Unregistered", "suppressed")
    Device("apns", hexadecimal(), "a token that is none", [apns_refusal(400, "BadDeviceToken")],
           "rejected", "BadDeviceToken", "suppressed")
    Device("apns", hexadecimal(), "a payload that is too large", [apns_refusal(413, "PayloadTooLarge")],
           "rejected", "PayloadTooLarge", "rejected")
    Device("apns", hexadecimal(), "too many pushes", [apns_refusal(429, "TooManyRequests"), ok], "accepted")
    Device("apns", hexadecimal(), "a service that is away", [apns_refusal(503, "ServiceUnavailable"), ok], "accepted")
    token = lambda: base64url(os.urandom(8)) + ":APA91b" + base64url(os.urandom(100))
    taken = "taken"
    Device("fcm", token(), "an Android phone", [taken], "accepted")
    Device("fcm", base64url(bytes([0x70 | os.urandom(1)[0] & 15]) + os.urandom(15) + b"\x10")[:22],
           "an installation", [taken], "accepted")
    Device("fcm", token(), "a removed Android app", [google_error(404, "NOT_FOUND", fcm_error("UNREGISTERED"))],
           "rejected", "UNREGISTERED", "suppressed")
    violation = {"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": [
        {"field": "message.token", "description": "The registration token is not a valid FCM registration token"}]}
    Device("fcm", token(), "a registration token that is none",
           [google_error(400, "INVALID_ARGUMENT", fcm_error("INVALID_ARGUMENT"), violation)],
           "rejected", "INVALID_ARGUMENT", "suppressed")
    Device("fcm", token(), "a device's quota",
           [google_error(429, "RESOURCE_EXHAUSTED", fcm_error("QUOTA_EXCEEDED"), fields=[("retry-after", "1")]), taken],
           "accepted")
    limit = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "RATE_LIMIT_EXCEEDED",
             "domain": "googleapis.com", "metadata": {"service": "fcm.googleapis.com"}}
    again = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "1s"}
    Device("fcm", token(), "a project's quota", [google_error(429, "RESOURCE_EXHAUSTED", limit, again), taken], "accepted")
    created = (201, [("location", origin + "/message/1")], b"")
    Browser(origin, "a browser", [created], "accepted")
    Browser(origin, "a browser of another service", [(202, [], b"")], "accepted")
    for status in (404, 410):
        Browser(origin, f"a subscription with {status}", [(status, [], b"")], "rejected", f"status{status}", "suppressed")
    Browser(origin, "a message that is too large", [(413, [], b"")], "rejected", "status413", "rejected")
    Browser(origin, "too many messages", [(429, [("retry-after", "1")], b""), created], "accepted")
    Browser(origin, "too many for longer than the message lives", [(429, [("retry-after", str(WEEK))], b"")],
            "rejected", "expired", "rejected")
    # UnifiedPush (WEB-9).
    kept = json.dumps({"id": "sPs71M8A2T", "time": 1_800_000_000, "event": "message", "topic": "up"}).encode()
    stored = (200, [("content-type", "application/json")], kept)
    Distributor(origin, "an app with a distributor", [stored], "accepted")
    Distributor(origin, "an app with another distributor", [(201, [("ttl", "60")], b"")], "accepted")
    Distributor(origin, "a distributor's topic that is gone", [ntfy_error(404, 40401, "page not found")],
                "rejected", "status404", "suppressed")
    Distributor(origin, "a distributor that limits", [ntfy_error(429, 42901, "limit reached: too many requests"), stored],
                "accepted")
    Distributor(origin, "a distributor that nobody listens to yet",
                [ntfy_error(507, 50701, "cannot publish to UnifiedPush topic without previously active subscriber"), stored],
                "accepted")


# What a push must be


def badge_of_ours(belfry, what):
    expect(f"{what}: the link", belfry.get("action"), FIRST["push"]["action"] if is_first(belfry) else None)
    expect_that(f"{what}: its message id", re.fullmatch(r"[0-9A-Fa-f-]{36}", belfry["sid"]), belfry["sid"])
    return belfry["campaign"], belfry["sid"]


campaigns = {}  # and when their first push came


def is_first(belfry):
    campaigns.setdefault(belfry["campaign"], time.time())
    return next(iter(campaigns)) == belfry["campaign"]


def is_left(life, left, belfry):
    """Whether so many seconds are left of a push's life: of a repeated one, what has passed since the first was sent."""
    age = time.time() - campaigns[belfry["campaign"]]
    return life - 120 - age < left <= life


class APNs:
    def __init__(self, key):
        self.public, self.tokens = key.public_key(), set()

    def answer(self, head, body):
        token = head[":path"].removeprefix("/3/device/")
        device = Device.everyone.get(token)
        if device is None or head[":method"] != "POST":
            problems.append(f"APNs got {head[':method']} {head[':path']}")
            return apns_refusal(400, "BadDeviceToken")
        what = device.what
        expect(f"{what}: the scheme", head[":scheme"], "https")
        self.verify(what, head["authorization"])
        expect_that(f"{what}: bytes", 0 < len(body) <= 4_096, len(body))
        payload = json.loads(body.decode("utf-8", errors="strict"))
        campaign, message_id = badge_of_ours(payload["belfry"], what)
        first = is_first(payload["belfry"])
        wanted = {"title": TITLE, "body": TEXT, **({"subtitle": SUBTITLE} if first else {})}
        expect(f"{what}: the alert", payload["aps"]["alert"], wanted)
        expect(f"{what}: apns-topic", head.get("apns-topic"), TOPIC)
        expect(f"{what}: apns-push-type", head.get("apns-push-type"), "alert")
        expect(f"{what}: apns-priority", head.get("apns-priority"), "5" if first else "10")
        left = int(head["apns-expiration"]) - time.time()
        life = TTL if first else SECOND_TTL
        expect_that(f"{what}: apns-expiration", is_left(life + 1, left, payload["belfry"]), left)
        expect(f"{what}: apns-id", head["apns-id"].lower(), message_id.lower())
        uuid.UUID(head["apns-id"])
        collapse = head["apns-collapse-id"]
        expect_that(f"{what}: apns-collapse-id", 0 < len(collapse.encode()) <= 64, collapse)
        if first:
            expect(f"{what}: apns-collapse-id", collapse, "weather-2026")
            aps = payload["aps"]
            expect(f"{what}: aps", [aps.get(k) for k in (
                "sound", "category", "thread-id", "interruption-level", "relevance-score")],
                ["default", "offer", "weather", "time-sensitive", 0.5])
            expect(f"{what}: own keys", [payload.get(k) for k in ("order", "vip", "amount")], ["4711", True, 2.5])
        verified["apns"] += 1
        status, fields, text = device.answer(campaign, message_id)
        return status, [("apns-id", head["apns-id"]), *fields], text

    def verify(self, what, authorization):
        scheme, _, token = authorization.partition(" ")
        expect(f"{what}: the scheme of authorization", scheme.lower(), "bearer")
        claims = jwt.decode(token, self.public, algorithms=["ES256"], options={"require": ["iss", "iat"]})
        expect(f"{what}: the provider token's team", claims["iss"], TEAM)
        expect_that(f"{what}: its age", -5 < time.time() - claims["iat"] < 3_600, claims["iat"])
        header = jwt.get_unverified_header(token)
        expect(f"{what}: its header", (header["alg"], header["kid"]), ("ES256", KEY_ID))
        self.tokens.add(token)
        expect(f"{what}: provider tokens within twenty minutes", len(self.tokens), 1)


class FCM:
    def __init__(self, key, email, token_uri):
        self.public, self.email, self.token_uri = key.public_key(), email, token_uri
        self.good = set()

    def answer(self, head, body):
        expect("FCM: the method", head[":method"], "POST")
        expect("FCM: the path", head[":path"], f"/v1/projects/{PROJECT}/messages:send")
        message = json.loads(body.decode("utf-8", errors="strict"))["message"]
        address = message.get("token") or message.get("fid")
        device = Device.everyone[address]
        what = device.what
        scheme, _, token = head["authorization"].partition(" ")
        expect(f"{what}: the scheme of authorization", scheme, "Bearer")
        if token not in self.good:
            return self.unauthenticated()
        expect_that(f"{what}: content-type", head.get("content-type", "").startswith("application/json"), head)
        expect(f"{what}: recipients", [k for k in ("token", "fid", "topic", "condition") if k in message],
               ["fid"] if len(address) == 22 else ["token"])
        expect_that(f"{what}: all data are strings", all(isinstance(v, str) for v in message["data"].values()), message)
        belfry = json.loads(message["data"]["belfry"])
        campaign, message_id = badge_of_ours(belfry, what)
        first = is_first(belfry)
        expect(f"{what}: the notification", message["notification"], {"title": TITLE, "body": TEXT})
        android = message["android"]
        expect(f"{what}: priority", android["priority"], "NORMAL" if first else "HIGH")
        life = TTL if first else SECOND_TTL
        expect_that(f"{what}: ttl", re.fullmatch(r"\d+s", android["ttl"]) and is_left(life, int(android["ttl"][:-1]), belfry),
                    android["ttl"])
        if first:
            expect(f"{what}: what the operator chose", [
                android["collapse_key"], android["notification"]["channel_id"], android["notification"]["sound"],
                android["notification"]["visibility"], message["fcm_options"]["analytics_label"]],
                   ["weather-2026", "weather", "default", "PRIVATE", "autumn_2026"])
            data = message["data"]
            expect(f"{what}: own keys", [data.get(k) for k in ("order", "vip", "amount")], ["4711", "true", "2.5"])
        verified["fcm"] += 1
        answer = device.answer(campaign, message_id)
        if answer == "taken":
            name = json.dumps({"name": f"projects/{PROJECT}/messages/0:{uuid.uuid4()}"})
            return 200, [("content-type", "application/json; charset=UTF-8")], name.encode()
        return answer

    def log_in(self, head, body):
        expect("log-in: the request", (head[":method"], head[":path"]), ("POST", "/token"))
        expect("log-in: content-type", head.get("content-type"), "application/x-www-form-urlencoded")
        form = urllib.parse.parse_qs(body.decode("ascii"), strict_parsing=True)
        expect("log-in: grant_type", form["grant_type"], [GRANT])
        [assertion] = form["assertion"]
        claims = jwt.decode(assertion, self.public, algorithms=["RS256"], audience=self.token_uri, issuer=self.email,
                            options={"require": ["iss", "aud", "iat", "exp", "scope"]})
        expect("log-in: the scope", claims["scope"], SCOPE)
        expect_that("log-in: the assertion's life", 0 < claims["exp"] - claims["iat"] <= 3_600, claims)
        expect("log-in: the key's id", jwt.get_unverified_header(assertion).get("kid"), "key-1")
        verified["logins"] += 1
        token = "ya29." + base64url(os.urandom(40))
        self.good.add(token)
        reply = {"access_token": token, "expires_in": 3_599, "token_type": "Bearer"}
        return 200, [("content-type", "application/json; charset=utf-8")], json.dumps(reply).encode()

    def unauthenticated(self):
        return google_error(401, "UNAUTHENTICATED", {
            "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "ACCESS_TOKEN_EXPIRED",
            "domain": "googleapis.com", "metadata": {"service": "fcm.googleapis.com"}})


class WebPush:
    def __init__(self, key, origin):
        self.public, self.origin = key.public_key(), origin

    def answer(self, head, body):
        device = Device.everyone[head[":path"]]
        what = device.what
        expect(f"{what}: the method", head[":method"], "POST")
        self.verify(what, head["authorization"])
        expect(f"{what}: content-encoding", head.get("content-encoding"), "aes128gcm")
        expect_that(f"{what}: bytes", 103 <= len(body) <= 4_096, len(body))
        expect(f"{what}: the record size", int.from_bytes(body[16:20], "big"), 4_096)
        expect(f"{what}: the sender's key is a point", (body[20], body[21]), (65, 4))
        text = http_ece.decrypt(body, private_key=device.key, auth_secret=device.auth, version="aes128gcm")
        message = json.loads(text.decode("utf-8", errors="strict"))
        campaign, message_id = badge_of_ours(message["belfry"], what)
        first = is_first(message["belfry"])
        note = message["notification"]
        expect(f"{what}: the notification", (note["title"], note["body"]), (TITLE, TEXT))
        expect(f"{what}: urgency", head.get("urgency"), "normal" if first else "high")
        life = TTL if first else SECOND_TTL
        expect_that(f"{what}: ttl", is_left(life, int(head["ttl"]), message["belfry"]), head["ttl"])
        expect_that(f"{what}: topic", re.fullmatch(r"[A-Za-z0-9_-]{1,32}", head["topic"]), head["topic"])
        if first:
            expect(f"{what}: own keys", message["data"], {"order": "4711", "vip": True, "amount": 2.5})
        verified["webpush"] += 1
        return device.answer(campaign, message_id)

    def verify(self, what, authorization):
        scheme, _, rest = authorization.partition(" ")
        expect(f"{what}: the scheme of authorization", scheme, "vapid")
        parts = dict(part.strip().split("=", 1) for part in rest.split(","))
        expect(f"{what}: the sender's key", from_base64url(parts["k"]), point(self.public))
        claims = jwt.decode(parts["t"], self.public, algorithms=["ES256"], audience=self.origin,
                            options={"require": ["aud", "exp"]})
        expect(f"{what}: its subject", claims["sub"], SUBJECT)
        expect_that(f"{what}: its end", 0 < claims["exp"] - time.time() <= 86_400, claims["exp"])


# HTTP/2, and HTTP/1.1 for the log-in


class PlainConnection(asyncio.Protocol):
    """One connection of HTTP/1.1: `answer` takes head and body and gives status, fields and text."""

    def __init__(self, answer):
        self.answer, self.http = answer, h11.Connection(h11.SERVER)

    def connection_made(self, transport):
        self.transport, self.body = transport, b""

    def data_received(self, data):
        try:
            self.http.receive_data(data)
            while self.handle(self.http.next_event()):
                pass
        except h11.RemoteProtocolError as error:
            problems.append(f"log-in: {error}")
            self.transport.close()

    def handle(self, event):
        if isinstance(event, h11.Request):
            self.head = {":method": event.method.decode(), ":path": event.target.decode()}
            self.head.update((name.decode(), value.decode()) for name, value in event.headers)
            self.body = b""
        elif isinstance(event, h11.Data):
            self.body += event.data
        elif isinstance(event, h11.EndOfMessage):
            try:
                status, fields, text = self.answer(self.head, self.body)
            except Exception as error:  # what a library finds wrong is the finding
                problems.append(f"log-in: {type(error).__name__}: {error}")
                status, fields, text = 400, [], b"{}"
            fields = [*fields, ("content-length", str(len(text)))]
            for part in (h11.Response(status_code=status, headers=fields), h11.Data(data=text), h11.EndOfMessage()):
                self.transport.write(self.http.send(part))
            self.http.start_next_cycle()
        return not (event is h11.NEED_DATA or event is h11.PAUSED or isinstance(event, h11.ConnectionClosed))


class Connection(asyncio.Protocol):
    """One connection of a sender: a request is answered when it is whole."""

    def __init__(self, service):
        self.service, self.requests = service, {}
        self.h2 = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))

    def connection_made(self, transport):
        self.transport = transport
        chosen = transport.get_extra_info("ssl_object").selected_alpn_protocol()
        expect("the protocol of a connection", chosen, "h2")
        self.h2.update_settings({SettingCodes.MAX_CONCURRENT_STREAMS: 100})
        self.h2.initiate_connection()
        self.transport.write(self.h2.data_to_send())

    def data_received(self, data):
        try:
            for event in self.h2.receive_data(data):
                self.handle(event)
        except Exception as error:  # also what h2 finds wrong with the sender's frames
            problems.append(f"{type(self.service).__name__}: {type(error).__name__}: {error}")
        self.transport.write(self.h2.data_to_send())

    def handle(self, event):
        if isinstance(event, RequestReceived):
            head = {}
            for name, value in event.headers:
                expect(f"the field {name}, twice", name in head, False)
                head[name] = value
            self.requests[event.stream_id] = (head, bytearray())
        elif isinstance(event, DataReceived):
            self.requests[event.stream_id][1].extend(event.data)
            self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, StreamEnded):
            head, body = self.requests.pop(event.stream_id)
            if "content-length" in head:
                expect("content-length", int(head["content-length"]), len(body))
            try:
                status, fields, text = self.service.answer(head, bytes(body))
            except Exception as error:  # what a library finds wrong is the finding
                problems.append(f"{type(self.service).__name__}: {type(error).__name__}: {error} in {head[':path']}")
                status, fields, text = 400, [], b"{}"
            self.h2.send_headers(event.stream_id, [(":status", str(status)), *fields], end_stream=not text)
            if text:
                self.h2.send_data(event.stream_id, text, end_stream=True)


def certificates():
    """Contexts for servers on 127.0.0.1 of HTTP/2 and HTTP/1.1, and the authority to trust, in PEM."""
    now = datetime.datetime.now(datetime.timezone.utc)
    keys = [ec.generate_private_key(ec.SECP256R1()) for _ in range(2)]
    names = [x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)]) for text in ("Tests", "127.0.0.1")]

    def builder(number):
        return (x509.CertificateBuilder().issuer_name(names[0]).subject_name(names[number])
                .public_key(keys[number].public_key()).serial_number(x509.random_serial_number())
                .not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(now + datetime.timedelta(days=1))
                .add_extension(x509.BasicConstraints(number == 0, 0 if number == 0 else None), True)
                .add_extension(x509.SubjectKeyIdentifier.from_public_key(keys[number].public_key()), False)
                .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(keys[0].public_key()), False))

    root = builder(0).sign(keys[0], hashes.SHA256())
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    leaf = builder(1).add_extension(x509.SubjectAlternativeName([address]), False).sign(keys[0], hashes.SHA256())
    contexts = []
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(leaf.public_bytes(serialization.Encoding.PEM).decode() + pem(keys[1]))
        file.flush()
        for protocol in ("h2", "http/1.1"):
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.set_alpn_protocols([protocol])
            context.load_cert_chain(file.name)
            contexts.append(context)
    return *contexts, root.public_bytes(serialization.Encoding.PEM).decode()


async def listen(context, connection):
    server = await asyncio.get_running_loop().create_server(connection, "127.0.0.1", 0, ssl=context)
    return f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"


def announce(urls, root, keys):
    account = {
        "type": "service_account", "project_id": PROJECT, "private_key_id": "key-1", "private_key": pem(keys["fcm"]),
        "client_email": f"sender@{PROJECT}.iam.gserviceaccount.com", "client_id": "1", "token_uri": urls["log-in"] + "/token"}
    bodies = {
        "apns": {"teamId": TEAM, "keyId": KEY_ID, "topic": TOPIC, "privateKey": pem(keys["apns"]),
                 "endpoint": urls["apns"], "sandboxEndpoint": urls["apns"], "trustRoots": root},
        "fcm": {"serviceAccount": json.dumps(account), "endpoint": urls["fcm"], "trustRoots": root},
        "webpush": {"subject": SUBJECT, "privateKey": pem(keys["webpush"]), "trustRoots": root}}
    devices = [{"provider": d.provider, "token": d.token, "what": d.what,
                "outcomes": [{"state": state, "reason": reason} for state, reason in d.outcomes]}
               for d in Device.everyone.values()]
    print(json.dumps({
        "credentials": [{"path": f"credentials/{name}", "body": json.dumps(body)} for name, body in bodies.items()],
        "devices": devices, "campaigns": [json.dumps(FIRST), json.dumps(SECOND)]}), flush=True)


async def main():
    context, plain, root = certificates()
    keys = {"apns": ec.generate_private_key(ec.SECP256R1()), "webpush": ec.generate_private_key(ec.SECP256R1()),
            "fcm": rsa.generate_private_key(public_exponent=65_537, key_size=2_048)}
    services, urls = {}, {}
    for name in keys:
        urls[name] = await listen(context, lambda name=name: Connection(services[name]))
    urls["log-in"] = await listen(plain, lambda: PlainConnection(services["fcm"].log_in))
    email = f"sender@{PROJECT}.iam.gserviceaccount.com"
    services.update(apns=APNs(keys["apns"]), fcm=FCM(keys["fcm"], email, urls["log-in"] + "/token"),
                    webpush=WebPush(keys["webpush"], urls["webpush"]))
    make_devices(urls["webpush"])
    announce(urls, root, keys)
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
    await stopped.wait()
    for device in Device.everyone.values():
        first = device.tries.get(next(iter(campaigns)), 0) if campaigns else 0
        expect(f"{device.what}: tries of the first campaign", first, len(device.answers))
    expect("log-ins: one for all messages", verified["logins"], 1)
    print("verified: " + json.dumps(verified))
    for problem in dict.fromkeys(problems):
        print(f"WRONG: {problem}")
    sys.stdout.flush()
    os._exit(1 if problems else 0)


asyncio.run(main())
