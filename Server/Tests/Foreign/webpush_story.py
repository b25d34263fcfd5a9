"""pywebpush sends to the simulated Web Push service: http_ece encrypts, py-vapid signs, requests and aiohttp carry."""
import asyncio
import base64
import time

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from py_vapid import Vapid
from pywebpush import WebPushException, webpush, webpush_async

from story import Story

story = Story()
CLAIMS = {"sub": "mailto:ops@example.org"}


def base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def new_key():
    """A key, and the public half as browsers subscribe with it."""
    vapid = Vapid()
    vapid.generate_keys()
    point = vapid.public_key.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
    return vapid, base64url(point)


def subscribe(public):
    subscription = story.control(
        "POST", "/webpush/subscriptions", {} if public is None else {"applicationServerKey": public})
    return subscription["id"], {"endpoint": subscription["endpoint"], "keys": subscription["keys"]}


def arrived(number):
    return story.control("GET", f"/webpush/subscriptions/{number}/notifications")


def send(subscription, data="Grüße \u6771\u4eac", key=None, claims=CLAIMS, **more):
    """The status of one push, with the reason where it is refused."""
    try:
        more = {"ttl": 60, "vapid_claims": claims and dict(claims), **more}
        return webpush(subscription, data, vapid_private_key=key, **more).status_code
    except WebPushException as error:
        reason = error.response.json().get("reason") if error.response is not None else str(error)
        return f"{error.response.status_code} {reason}"


def signed(key, claims, public):
    """An Authorization that py-vapid would not make."""
    private = key.private_key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return {"Authorization": f"vapid t={jwt.encode(claims, private, 'ES256')}, k={public}"}


def delivery(key, public):
    number, subscription = subscribe(public)
    story.expect("a push is taken", send(subscription, key=key), 201)
    story.expect("and read by its browser", [push["payload"] for push in arrived(number)], ["Grüße \u6771\u4eac"])
    number, subscription = subscribe(public)
    sizes = [1, 17, 1_000, 3_992, 3_993]
    answers = [send(subscription, "x" * size, key=key, headers={"Urgency": "low"}) for size in sizes]
    story.expect("of every size", answers, [201] * len(sizes))
    story.expect("and each is read", [len(push["payload"]) for push in arrived(number)], sizes)
    story.expect("one byte more", send(subscription, "x" * 3_994, key=key), "413 PayloadTooLarge")
    number, subscription = subscribe(public)
    for text in ("old", "new"):
        send(subscription, text, key=key, headers={"Topic": "weather"})
    story.expect("a topic replaces", [push["payload"] for push in arrived(number)], ["new"])
    number, subscription = subscribe(None)
    story.expect("a subscription without a key needs no sender", send(subscription, claims=None), 201)

    async def several():
        return await asyncio.gather(*[
            webpush_async(subscribe(public)[1], "x", vapid_private_key=key, vapid_claims=dict(CLAIMS), ttl=60)
            for _ in range(20)])
    story.expect("twenty at once, by aiohttp", {response.status for response in asyncio.run(several())}, {201})


def senders(key, public):
    _, subscription = subscribe(public)
    origin = subscription["endpoint"].split("/push/")[0]
    soon = int(time.time()) + 3_600
    cases = [
        ("no sub", {"aud": origin, "exp": soon}, 201),
        ("an array as aud", {"aud": ["https://other.example", origin], "exp": soon, "sub": "mailto:a@b.example"}, 201),
        ("a sub of https", {"aud": origin, "exp": soon, "sub": "https://example.org/"}, 201),
        ("a sub that is no contact", {"aud": origin, "exp": soon, "sub": "ops"}, "403 BadJwtSubject"),
        ("another origin", {"aud": "https://other.example", "exp": soon}, "403 BadJwtAudience"),
        ("an empty array as aud", {"aud": [], "exp": soon}, "403 BadJwtAudience"),
        ("more than a day", {"aud": origin, "exp": int(time.time()) + 90_000}, "403 ExpiredJwtToken"),
        ("an end that is past", {"aud": origin, "exp": int(time.time()) - 60}, "403 ExpiredJwtToken"),
    ]
    for what, claims, wanted in cases:
        story.expect(f"a token with {what}", send(subscription, claims=None, headers=signed(key, claims, public)), wanted)
    stranger, strange = new_key()
    claims = {"aud": origin, "exp": soon}
    story.expect("another sender", send(subscription, key=stranger), "403 VapidPkHashMismatch")
    story.expect("another's signature",
                 send(subscription, claims=None, headers=signed(stranger, claims, public)), "403 BadJwtToken")
    story.expect("no sender", send(subscription, claims=None), "401 MissingAuthorization")


def refusals(key, public):
    for state, wanted in [("expired", "404 UnknownSubscription"), ("unsubscribed", "410 Unsubscribed")]:
        number, subscription = subscribe(public)
        story.control("PUT", f"/webpush/subscriptions/{number}", {"state": state})
        story.expect(f"a subscription that is {state}", send(subscription, key=key), wanted)
    _, subscription = subscribe(public)
    story.expect("the draft's encoding", send(subscription, key=key, content_encoding="aesgcm"), "400 BadContentEncoding")
    story.expect("a topic of 33 characters", send(subscription, key=key, headers={"Topic": "t" * 33}), "400 BadWebPushTopic")
    story.expect("an urgency that there is not", send(subscription, key=key, headers={"Urgency": "now"}), "400 BadUrgency")
    story.control("PUT", "/webpush/quotas", {"subscription": {"requests": 1, "intervalSeconds": 3_600}})
    story.expect("the first of a subscription's quota", send(subscription, key=key), 201)
    try:
        webpush(subscription, "x", vapid_private_key=key, vapid_claims=dict(CLAIMS), ttl=60)
        story.expect("the second", "taken", "429")
    except WebPushException as error:
        wait = int(error.response.headers.get("retry-after", 0))
        story.expect("the second, and when to come again", (error.response.status_code, 0 < wait <= 3_600), (429, True))
    story.control("PUT", "/webpush/quotas", {})


key, public = new_key()
for part in (delivery, senders, refusals):
    part(key, public)
story.end()
