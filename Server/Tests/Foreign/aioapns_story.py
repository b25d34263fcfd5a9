"""aioapns sends to the simulated APNs: what is taken, what is refused with which reason, and busy connections."""
import asyncio
import json
import logging
import time
import uuid

import httpx
import jwt
from aioapns import APNs, NotificationRequest, PushType
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from story import Story, send_to_simulators

story = Story()
logging.disable(logging.CRITICAL)
TEAM, TOPIC = "TEAM123456", "org.example.shop"
ALERT = {"aps": {"alert": {"title": "Grüße", "body": "\u6771\u4eac \U0001f514"}}}


def new_key(key_id, **more):
    """A signing key that the simulator knows; gives its PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode()
    if key_id is not None:
        story.control("POST", "/keys", {"teamId": TEAM, "keyId": key_id, "publicKey": public, **more})
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()


def new_token(topic=TOPIC, environment="production"):
    return story.control("POST", "/tokens", {"topic": topic, "environment": environment})["token"]


def payload_of(size):
    """A payload of so many bytes, as aioapns writes it."""
    return {"aps": {}, "a": "x" * (size - len(json.dumps({"aps": {}, "a": ""})))}


def arrived(token):
    return story.control("GET", f"/tokens/{token}/notifications")


async def answer(client, token, message=None, **more):
    """The status and reason of one push. A client that waits for ever is a finding."""
    request = NotificationRequest(device_token=token, message=ALERT if message is None else message, **more)
    try:
        result = await asyncio.wait_for(client.send_notification(request), 240)
    except asyncio.TimeoutError:
        return "no answer"
    return result.status if result.is_successful else f"{result.status} {result.description}"


async def delivery(client):
    token = new_token()
    own_id = str(uuid.uuid4()).upper()
    began = int(time.time())
    request = NotificationRequest(
        device_token=token, message=ALERT, notification_id=own_id, time_to_live=600, priority=5,
        collapse_key="weather", push_type=PushType.ALERT)
    result = await client.send_notification(request)
    story.expect("a push is taken and its apns-id comes back", (result.status, result.notification_id), ("200", own_id))
    pushes = arrived(token)
    story.expect("its device gets it", len(pushes), 1)
    push = pushes[0]
    story.expect("with its fields",
                 [push.get(name) for name in ("apnsId", "topic", "pushType", "priority", "collapseId")],
                 [own_id, TOPIC, "alert", 5, "weather"])
    story.expect("and its payload, byte by byte", push["payload"].encode(),
                 json.dumps(ALERT, ensure_ascii=False).encode())
    story.expect("and the time until which it is kept", began <= push["expiration"] - 600 <= time.time(), True)
    tokens = [new_token() for _ in range(300)]
    answers = await asyncio.gather(*[answer(client, token) for token in tokens])
    story.expect("three hundred at once, over connections that begin with one stream", set(answers), {"200"})


async def refusals(client):
    gone = new_token()
    story.control("PUT", f"/tokens/{gone}", {"state": "unregistered", "since": 1_700_000_000_000})
    request = NotificationRequest(device_token=gone, message=ALERT)
    result = await client.send_notification(request)
    story.expect("an app that was removed", (result.status, result.description, result.timestamp),
                 ("410", "Unregistered", 1_700_000_000_000))
    token = new_token()
    cases = [
        ("an unknown token", "00" * 32, {}, "400 BadDeviceToken"),
        ("a token of the sandbox", new_token(environment="sandbox"), {}, "400 BadDeviceToken"),
        ("another topic", token, {"apns_topic": "org.example.other"}, "400 DeviceTokenNotForTopic"),
        ("an id that is no UUID", token, {"notification_id": "order-4711"}, "400 BadMessageId"),
        ("a collapse id of 65 bytes", token, {"collapse_key": "c" * 65}, "400 BadCollapseId"),
        ("a priority that there is not", token, {"priority": 7}, "400 BadPriority"),
        ("a payload of 4,097 bytes", token, {"message": payload_of(4_097)}, "413 PayloadTooLarge"),
        ("an alert without aps", token, {"message": {"alert": "x"}, "push_type": PushType.ALERT}, "400 BadPayload"),
        ("a background push of priority 10", token,
         {"message": {"aps": {"content-available": 1}}, "push_type": PushType.BACKGROUND, "priority": 10},
         "400 BadPriority"),
    ]
    for what, to, more, wanted in cases:
        story.expect(what, await answer(client, to, **more), wanted)
    taken = [
        ("a payload of 4,096 bytes", {"message": payload_of(4_096)}),
        ("a background push", {
            "message": {"aps": {"content-available": 1}}, "push_type": PushType.BACKGROUND, "priority": 5}),
        ("a push to a managed device, without aps", {"message": {"mdm": "magic"}, "push_type": PushType.MDM}),
        ("a push to a File Provider, without aps", {
            "message": {"container-identifier": "c", "domain": "d"}, "push_type": PushType.FILEPROVIDER}),
        ("a call, without aps", {"message": {"caller": "Anna"}, "push_type": PushType.VOIP}),
        ("a Live Activity", {
            "message": {"aps": {"timestamp": 1_700_000_000, "event": "end"}}, "push_type": PushType.LIVEACTIVITY}),
    ]
    for what, more in taken:
        story.expect(what, await answer(client, token, **more), "200")


async def limits_and_keys(client):
    story.control("PUT", "/quotas", {"device": {"requests": 2, "intervalSeconds": 3_600}})
    token = new_token()
    answers = [await answer(client, token) for _ in range(3)]
    story.expect("a device that gets too many", answers, ["200", "200", "429 TooManyRequests"])
    story.control("PUT", "/quotas", {})
    story.expect("and none without a quota", await answer(client, token), "200")
    stranger = APNs(key=new_key(None), key_id="KEY1234567", team_id=TEAM, topic=TOPIC)
    story.expect("somebody else's key", await answer(stranger, token), "403 InvalidProviderToken")
    sandbox_key = new_key("SANDBOX123", environments=["sandbox"])
    for use_sandbox, wanted in [(False, "403 BadEnvironmentKeyInToken"), (True, "200")]:
        limited = APNs(key=sandbox_key, key_id="SANDBOX123", team_id=TEAM, topic=TOPIC, use_sandbox=use_sandbox)
        to = new_token(environment="sandbox" if use_sandbox else "production")
        story.expect(f"a key of the sandbox alone, sandbox: {use_sandbox}", await answer(limited, to), wanted)
    one_topic = APNs(key=new_key("ONETOPIC12", topics=["org.example.other"]), key_id="ONETOPIC12", team_id=TEAM,
                     topic=TOPIC)
    story.expect("a key of another topic alone", await answer(one_topic, token), "400 TopicDisallowed")


async def connections(client):
    story.control("PUT", "/faults", {"goAwayAfter": 7})
    fresh = APNs(key=client.pool.key, key_id="KEY1234567", team_id=TEAM, topic=TOPIC, max_connections=2)
    token = new_token()
    answers = [await answer(fresh, token) for _ in range(25)]
    story.expect("GOAWAY after every seven pushes", answers, ["200"] * 25)
    story.control("PUT", "/faults", {})
    story.expect("each of them arrived once", story.control("GET", "/statistics")["faults"], {})


async def raw(key):
    """What no client of the world would send, by httpx over HTTP/2."""
    issued = jwt.encode({"iss": TEAM, "iat": int(time.time())}, key, "ES256", {"kid": "KEY1234567"})
    token = new_token()
    async with httpx.AsyncClient(http2=True, http1=False, timeout=300) as http:
        async def post(body, **fields):
            headers = {"apns-topic": TOPIC, "authorization": f"bearer {issued}", **fields}
            response = await http.post(f"https://api.push.apple.com/3/device/{token}", content=body, headers=headers)
            story.expect("over HTTP/2", response.http_version, "HTTP/2")
            return response
        response = await post(b'{"aps":{"alert":"\xff\xfe"}}')
        story.expect("invalid UTF-8", (response.status_code, response.json()), (400, {"reason": "BadPayload"}))
        response = await post(b'{"aps":{"alert":"x"}}', **{"apns-id": "order-4711"})
        story.expect("a wrong apns-id comes back as it was sent", response.headers["apns-id"], "order-4711")
        response = await post(b'{"aps":{"alert":"x"}}', authorization="bearer a.b.c")
        story.expect("a token that is none", (response.status_code, response.json()),
                     (403, {"reason": "InvalidProviderToken"}))


async def main():
    production, sandbox = story.settings["apnsProduction"], story.settings["apnsSandbox"]
    send_to_simulators({
        "api.push.apple.com": tuple(production), "api.development.push.apple.com": tuple(sandbox)})
    key = new_key("KEY1234567")
    client = APNs(key=key, key_id="KEY1234567", team_id=TEAM, topic=TOPIC, max_connections=4)
    await delivery(client)
    await refusals(client)
    await limits_and_keys(client)
    await connections(client)
    await raw(key)


asyncio.run(main())
story.end()
