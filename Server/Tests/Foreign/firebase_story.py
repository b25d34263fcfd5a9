"""firebase-admin logs in and sends to the simulated FCM, as it is: its hosts, its log-in, its retries, its errors."""
import asyncio
import json
import warnings

import firebase_admin
from firebase_admin import credentials, exceptions, messaging
from google.auth.transport.requests import AuthorizedSession

from story import Story, send_to_simulators

story = Story()
warnings.simplefilter("ignore", DeprecationWarning)  # `token` is deprecated, and what most senders have
PROJECT = "example-shop"
NOTE = messaging.Notification(title="Grüße", body="\u6771\u4eac \U0001f514")


def new_app(name):
    """An app with a service account of its own, as Google's console gives it."""
    account = story.control("POST", "/fcm/service-accounts", {"projectId": PROJECT})
    return firebase_admin.initialize_app(credentials.Certificate(account), name=name)


def new_token(project=PROJECT):
    return story.control("POST", "/fcm/tokens", {"projectId": project})["token"]


def new_installation():
    return story.control("POST", "/fcm/installations", {"projectId": PROJECT})["fid"]


def with_state(state):
    token = new_token()
    story.control("PUT", f"/fcm/tokens/{token}", {"state": state})
    return token


def arrived(address):
    return story.control("GET", f"/fcm/tokens/{address}/notifications")


def titles(address):
    return [message.get("title") for message in arrived(address)]


def delivery(app):
    token, fid = new_token(), new_installation()
    name = messaging.send(messaging.Message(token=token, notification=NOTE), app=app)
    story.expect("it logs in and a message is taken", name.startswith(f"projects/{PROJECT}/messages/"), True)
    story.expect("its device gets it", [(m["title"], m["body"]) for m in arrived(token)], [(NOTE.title, NOTE.body)])
    messaging.send(messaging.Message(fid=fid, notification=NOTE), app=app)
    story.expect("an installation gets it", titles(fid), [NOTE.title])
    options = messaging.AndroidConfig(
        collapse_key="weather", priority="high", ttl=600, restricted_package_name="org.example.shop",
        data={"b": "2"}, direct_boot_ok=True, fcm_options=messaging.AndroidFCMOptions(analytics_label="a"),
        notification=messaging.AndroidNotification(
            title="Android's own", icon="i", color="#112233", sound="default", tag="t", click_action="c",
            channel_id="weather", ticker="t", sticky=True, local_only=True, priority="high", visibility="public",
            vibrate_timings_millis=[100, 200], default_light_settings=False, notification_count=3,
            light_settings=messaging.LightSettings(color="#112233", light_on_duration_millis=1, light_off_duration_millis=2)))
    token = new_token()
    messaging.send(messaging.Message(token=token, data={"a": "1"}, android=options), app=app)
    message = arrived(token)[0]
    story.expect("Android's options", [message[name] for name in ("collapseKey", "highPriority", "timeToLive", "data",
                 "title", "notificationCount")], ["weather", True, 600, {"a": "1", "b": "2"}, "Android's own", 3])
    others = messaging.Message(
        token=token, data={"googleplex": "1", "gcm.x": "2"},
        webpush=messaging.WebpushConfig(headers={"Urgency": "high"}, notification=messaging.WebpushNotification(
            title="t", actions=[messaging.WebpushNotificationAction("a", "b")], custom_data={"k": 1}),
            fcm_options=messaging.WebpushFCMOptions(link="https://example.org/")),
        apns=messaging.APNSConfig(headers={"apns-priority": "5"}, payload=messaging.APNSPayload(
            messaging.Aps(alert=messaging.ApsAlert(title="t", loc_key="k", loc_args=["a"]), badge=1, thread_id="t",
                          custom_data={"k": [1]}), own=2)),
        fcm_options=messaging.FCMOptions(analytics_label="a"))
    story.expect("options for browsers and Apple's devices", messaging.send(others, app=app).startswith("projects/"), True)
    token = new_token()
    name = messaging.send(messaging.Message(token=token, notification=NOTE), dry_run=True, app=app)
    story.expect("a dry run sends nothing", (name.rsplit("/", 1)[1], arrived(token)), ("fake_message_id", []))


def many(app):
    tokens, gone = [new_token() for _ in range(20)], with_state("unregistered")
    result = messaging.send_each_for_multicast(
        messaging.MulticastMessage(tokens=tokens + [gone], notification=NOTE), app=app)
    story.expect("a multicast to twenty and one that is gone", (result.success_count, result.failure_count), (20, 1))
    story.expect("each gets it once", [titles(token) for token in tokens], [[NOTE.title]] * 20)
    fids = [new_installation() for _ in range(30)]
    result = asyncio.run(messaging.send_each_async(
        [messaging.Message(fid=fid, notification=NOTE) for fid in fids], app=app))
    story.expect("thirty at once over HTTP/2", (result.success_count, [r.exception for r in result.responses if not r.success]), (30, []))


def refusals(app):
    def send(**fields):
        return lambda: messaging.send(messaging.Message(**{"notification": NOTE, **fields}), app=app)
    story.expect_error("an app that was removed", send(token=with_state("unregistered")), messaging.UnregisteredError)
    story.expect_error("another project's token", send(token=new_token("other")), messaging.SenderIdMismatchError)
    story.expect_error("a key that Apple refuses", send(token=with_state("thirdPartyAuthError")),
                       messaging.ThirdPartyAuthError)
    error = story.expect_error("a token that is none", send(token="no token"), exceptions.InvalidArgumentError,
                               "registration token")
    details = json.loads(error.http_response.text)["error"]["details"]
    violations = [d["fieldViolations"][0]["field"] for d in details if d["@type"].endswith("BadRequest")]
    story.expect("its field is named", violations, ["message.token"])
    story.expect_error("an installation that is none", send(fid="none"), exceptions.InvalidArgumentError, "installation")
    story.expect_error("4,097 bytes of data", send(token=new_token(), notification=None, data={"k": "x" * 4_096}),
                       exceptions.InvalidArgumentError, "too big")
    story.expect_error("a reserved key", send(token=new_token(), data={"google.a": "x"}),
                       exceptions.InvalidArgumentError, "google.a")


def quotas(app):
    """firebase-admin waits by itself as long as Retry-After says, and repeats the message."""
    http = AuthorizedSession(app.credential.get_credential())
    url = f"https://fcm.googleapis.com/v1/projects/{PROJECT}/messages:send"
    for quota, kinds in [("device", ["FcmError", "QuotaFailure"]), ("project", ["ErrorInfo", "Help"])]:
        token = new_token()
        story.control("PUT", "/fcm/quotas", {quota: {"requests": 1, "intervalSeconds": 2}})
        for _ in range(3):
            messaging.send(messaging.Message(token=token, notification=NOTE), app=app)
        story.expect(f"a {quota}'s quota holds messages up, and loses none", titles(token), [NOTE.title] * 3)
        story.control("PUT", "/fcm/quotas", {quota: {"requests": 1, "intervalSeconds": 3_600}})
        token = new_token()
        answers = [http.post(url, json={"message": {"token": token, "data": {"a": "1"}}}) for _ in range(2)]
        story.expect(f"a {quota}'s quota is used up", [a.status_code for a in answers], [200, 429])
        story.expect("when to come again", 0 < int(answers[1].headers["retry-after"]) <= 3_600, True)
        details = answers[1].json()["error"]["details"]
        story.expect("Google's details of it", [d["@type"].rsplit(".", 1)[1] for d in details], kinds)
        if quota == "project":
            story.expect("whose quota it was", (details[0]["reason"], details[0]["metadata"]["quota_limit"]),
                         ("RATE_LIMIT_EXCEEDED", "SendsPerMinutePerProject"))
    story.control("PUT", "/fcm/quotas", {})
    story.control("PUT", "/fcm/faults", {"rates": {"tooManyRequests": 1}})
    story.expect_error("a quota that does not say when to come again", lambda: messaging.send(
        messaging.Message(token=new_token(), notification=NOTE), app=app), messaging.QuotaExceededError)
    story.control("PUT", "/fcm/faults", {})


def access(app):
    story.control("DELETE", "/fcm/access-tokens")
    name = messaging.send(messaging.Message(token=new_token(), notification=NOTE), app=app)
    story.expect("withdrawn access tokens: it logs in again", name.startswith("projects/"), True)
    other = firebase_admin.initialize_app(
        credentials.Certificate(story.control("POST", "/fcm/service-accounts", {"projectId": "other"})),
        {"projectId": PROJECT}, name="other")
    story.expect_error("another project's account",
                       lambda: messaging.send(messaging.Message(token=new_token(), notification=NOTE), app=other),
                       exceptions.PermissionDeniedError)
    forged = story.control("POST", "/fcm/service-accounts", {"projectId": PROJECT})
    forged["private_key"] = story.control("POST", "/fcm/service-accounts", {"projectId": PROJECT})["private_key"]
    app = firebase_admin.initialize_app(credentials.Certificate(forged), name="forged")
    story.expect_error("an account with somebody else's key",
                       lambda: messaging.send(messaging.Message(token=new_token(), notification=NOTE), app=app),
                       Exception, "Invalid JWT Signature")


def failures(app):
    """firebase-admin tries again by itself after 500 and 503, four times.

    One message after the other: each meets its own draws, which follow from the seed and a request's number. Among the
    first four hundred of this seed are never more than three faults in a row, and never more than ten requests without one.
    """
    former = story.control("GET", "/fcm/statistics")["faults"]
    story.control("PUT", "/fcm/faults", {"seed": 31, "rates": {"serviceUnavailable": 0.2, "internalServerError": 0.1}})
    tokens = [new_token() for _ in range(12)]
    names = [messaging.send(messaging.Message(token=token, notification=NOTE), app=app) for token in tokens]
    story.control("PUT", "/fcm/faults", {})
    story.expect("an unwell service", (len(set(names)), [titles(t) for t in tokens]), (12, [[NOTE.title]] * 12))
    story.expect("it was unwell", story.control("GET", "/fcm/statistics")["faults"] != former, True)


def topics(app):
    tokens, fid = [new_token() for _ in range(3)], new_installation()
    result = messaging.subscribe_to_topic(tokens + [fid], "weather", app=app)
    story.expect("devices subscribe to a topic", (result.success_count, result.failure_count), (4, 0))
    result = messaging.subscribe_to_topic([tokens[0]], "/topics/news", app=app)
    story.expect("one to another", result.success_count, 1)
    result = messaging.subscribe_to_topic([with_state("unregistered"), "none"], "weather", app=app)
    story.expect("those that are gone or none do not", [(e.index, e.reason) for e in result.errors],
                 [(0, "UNREGISTERED"), (1, "INVALID_ARGUMENT")])
    result = messaging.unsubscribe_from_topic([tokens[2]], "weather", app=app)
    story.expect("one leaves", result.success_count, 1)
    name = messaging.send(messaging.Message(topic="weather", notification=NOTE), app=app)
    story.expect("a message to a topic is taken", name.startswith(f"projects/{PROJECT}/messages/"), True)
    story.expect("who subscribes gets it", [titles(a) for a in tokens + [fid]], [[NOTE.title], [NOTE.title], [], [NOTE.title]])
    both = messaging.Message(condition="'weather' in topics && 'news' in topics", data={"n": "2"})
    either = messaging.Message(condition="('news' in topics || 'none' in topics) && !('weather' in topics)", data={"n": "3"})
    messaging.send(both, app=app)
    messaging.send(either, app=app)
    story.expect("conditions", [[m["data"].get("n") for m in arrived(a)] for a in tokens],
                 [[None, "2"], [None], []])
    story.expect_error("a condition that is none", lambda: messaging.send(
        messaging.Message(condition="'weather' in", data={"n": "4"}), app=app), exceptions.InvalidArgumentError)
    story.expect("a topic without devices takes messages",
                 bool(messaging.send(messaging.Message(topic="empty", notification=NOTE), app=app)), True)


send_to_simulators({"fcm.googleapis.com": tuple(story.settings["fcm"])})
app = new_app("shop")
for part in (delivery, many, refusals, quotas, access, failures, topics):
    part(app)
story.end()
