"""Pushes to a real Firefox: from the campaign to the open, with the server's own encryption (WEB-7, WEB-8)."""
import contextlib
import json
import subprocess
import urllib.error

from console import APP as DEMO, Demo, Server
from firefox import Firefox, until
from push_services import PushServices
from website import Site

APP = "shop"
OPTIONS = ["--allow-private-endpoints", "--rate-limit", "off"]


class Shop:
    """A server with an app, a push service, a website and a browser."""

    def __init__(self, program, has_sdk, checks):
        self._program, self._has_sdk, self._checks = program, has_sdk, checks

    def __enter__(self):
        with contextlib.ExitStack() as running:
            self.push = running.enter_context(PushServices(self._program))
            self.server = running.enter_context(Server(self._program, OPTIONS, {}))
            self.site = running.enter_context(Site(SERVER=self.server.address, APP=APP))
            self.server.belfry("app", "create", APP)
            self.api("PUT", "/settings", {"allowedOrigins": [self.site.address]})
            self._key = self.push.trust_roots + ".key"
            self.give_key("--generate")
            if self._has_sdk:
                self.site.lines = json.loads(self.server.belfry("app", "web", APP, "--json"))
            self.firefox = running.enter_context(Firefox(self.push.browsers))
            self._running = running.pop_all()
        return self

    def __exit__(self, *_):
        self._running.close()

    def give_key(self, *options):
        """The server sends with the key of the file, to the push service of now."""
        self.server.belfry(
            "app", "credentials", "webpush", APP, "--subject", "mailto:ops@example.com", *options,
            "--key", self._key, "--trust-roots", self.push.trust_roots)

    def change_key(self):
        """As after a leak: another pair takes the place of the first."""
        subprocess.run(
            ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", self._key],
            check=True, capture_output=True, timeout=300)
        self.give_key()

    def api(self, method, path, body=None):
        return self.server.api(method, f"/api/v1/apps/{APP}{path}", body)

    def subscribe(self):
        """A page of the site subscribes; gives the device and its endpoint."""
        # Before the push server has seen its hello, Firefox would wait for ever.
        self._checks.expect(
            "the browser has reached the push service", until(lambda: self.push.statistics()["browsers"] == 1),
            self.push.statistics())
        self.firefox.open(self.site.address + "/")
        found = self.firefox.script("return window.site.subscribe()")
        self._checks.expect("a device that subscribes may get pushes", until(lambda: _eligible(self, found["device"])))
        return found

    def send(self, title):
        """Sends a campaign to everybody, to its end; gives its id."""
        campaign = self.api("POST", "/campaigns", {
            "name": title, "kind": "push", "audience": {"everyone": True},
            "push": {
                "title": title, "body": "Two for one", "collapseId": title.replace(" ", "-"),
                "action": {"type": "openUrl", "url": self.site.address + "/offer"},
            },
        })["id"]
        self.api("POST", f"/campaigns/{campaign}/launch")
        self._checks.expect(
            f"“{title}” comes to an end", until(lambda: self.campaign(campaign)["status"] != "sending"),
            self.campaign(campaign))
        return campaign

    def reaches(self, title):
        """Whether the push service takes a push to everybody."""
        return self.campaign(self.send(title))["counts"]["accepted"] == 1

    def campaign(self, campaign):
        return self.api("GET", f"/campaigns/{campaign}")

    def explain(self, campaign, device):
        return self.api("GET", f"/explain?campaign={campaign}&device={device}")

    def shows(self, title):
        """Waits until the notification is on the screen."""
        return until(lambda: title in [shown["title"] for shown in self.firefox.notifications()])


def push(program, checks):
    """Subscribe, receive with the page closed, click, and what the ledger says; then away, then gone."""
    _story(program, checks, has_sdk=False)


def sdk(program, checks):
    """The same by the SDK, with the very lines that `belfry app web` prints."""
    _story(program, checks, has_sdk=True)


def changes(program, checks):
    """A subscription that changes while no page is open, one that the browser has dropped, and another key pair."""
    with Shop(program, True, checks) as shop:
        found = shop.subscribe()
        _changed(shop, checks, found["device"])
        _dropped(shop, checks)
        _other_key(shop, checks)


def _changed(shop, checks, device):
    """A push service that does not know the browser any more makes it drop its subscriptions, and say so to the worker."""
    shop.firefox.close_page()
    def known():
        found = shop.api("GET", f"/devices/{device}")
        return found.get("pushToken"), found["updatedAt"]
    former = known()
    shop.push.forget()
    shop.give_key()
    checks.expect("without a page the worker subscribes again", until(
        lambda: shop.push.statistics()["subscriptions"] == 1), shop.push.statistics())
    checks.expect("and registers it", until(lambda: known() != former and _eligible(shop, device)), known())
    checks.expect("no page of the site is open", until(lambda: not _site_pages(shop)), shop.firefox.pages())
    campaign = shop.send("Another address")
    checks.expect("the next push goes to the new one", shop.campaign(campaign)["counts"]["accepted"] == 1,
                  shop.campaign(campaign)["counts"])
    checks.expect("and is shown", shop.shows("Another address"), shop.firefox.notifications())


def _dropped(shop, checks):
    shop.firefox.open(shop.site.address + "/")
    former = shop.firefox.script("return window.site.endpoint()")
    shop.firefox.script("return window.site.unsubscribe()")
    shop.firefox.open(shop.site.address + "/offer")
    _subscribed_anew(shop, checks, former, "After a drop", "a dropped subscription is made again at the next page load")


def _other_key(shop, checks):
    former = shop.firefox.script("return window.site.endpoint()")
    shop.change_key()
    shop.firefox.script("return window.site.dayPasses()")
    shop.firefox.open(shop.site.address + "/")
    _subscribed_anew(shop, checks, former, "After a leak", "another key pair of the server leads to a new subscription")


def _subscribed_anew(shop, checks, former, title, what):
    def is_other():
        present = shop.firefox.script("return window.site.endpoint()")
        return present and present != former
    checks.expect(what, until(is_other), former)
    checks.expect("the server has it", until(lambda: shop.reaches(title)))
    checks.expect("and its push is shown", shop.shows(title), shop.firefox.notifications())


def demo(program, checks):
    """The demonstration's page: one's own browser is a device, gets its push, and the ledger has the click."""
    with Demo(program) as demo, Firefox(demo.push_server) as firefox:
        firefox.open(demo.browser)
        is_ready = "return document.getElementById('send').disabled === false"
        # A browser that is asked before it has reached its push service answers a minute later.
        checks.expect("the page makes the browser a device", until(lambda: firefox.script(is_ready), 180),
                      firefox.script("return document.body.innerText"))
        firefox.script("document.getElementById('send').click()")
        shown = until(lambda: "Hello, browser!" in [one["title"] for one in firefox.notifications()])
        checks.expect("the push is shown", shown, firefox.script("return document.body.innerText"))
        checks.expect("a person can click it", until(firefox.click_notification))
        said = "return document.getElementById('log').innerText"
        checks.expect("the page says what the ledger says", until(lambda: "it was opened" in firefox.script(said)),
                      firefox.script(said))
        device = firefox.script("return document.getElementById('device').innerText")
        firefox.close_page()
        campaign = demo.api("POST", f"/api/v1/apps/{DEMO}/campaigns", {
            "name": "By hand", "kind": "push", "audience": {"deviceIds": [device]},
            "push": {"title": "While it is closed", "body": "From the console"}})["id"]
        demo.api("POST", f"/api/v1/apps/{DEMO}/campaigns/{campaign}/launch")
        checks.expect("and with the page closed", until(
            lambda: "While it is closed" in [one["title"] for one in firefox.notifications()]), firefox.notifications())


def _story(program, checks, has_sdk):
    with Shop(program, has_sdk, checks) as shop:
        found = shop.subscribe()
        checks.expect("a page subscribes with the app's key", found["endpoint"].startswith("https://127.0.0.1:"), found)
        _closed_page(shop, checks, found["device"])
        if has_sdk:
            _opted_out(shop, checks, found["device"])
        _away(shop, checks)
        _gone(shop, checks, found["device"])
        if not has_sdk:
            _back(shop, checks, found["device"])


def _closed_page(shop, checks, device):
    shop.firefox.close_page()
    checks.expect("no page of the site is open", until(lambda: not _site_pages(shop)), shop.firefox.pages())
    campaign = shop.send("Open the door")
    checks.expect("the push service took the push", shop.campaign(campaign)["counts"]["accepted"] == 1)
    checks.expect("the worker shows it without a page", shop.shows("Open the door"), shop.firefox.notifications())
    checks.expect(
        "it is displayed in the ledger", until(lambda: shop.campaign(campaign)["counts"]["displayed"] == 1),
        shop.campaign(campaign)["counts"])
    checks.expect("a person can click it", until(shop.firefox.click_notification))
    checks.expect("a click opens its page", until(lambda: shop.site.address + "/offer" in _site_pages(shop)),
                  shop.firefox.pages())
    checks.expect("it is opened in the ledger", until(lambda: shop.campaign(campaign)["counts"]["opened"] == 1),
                  shop.campaign(campaign)["counts"])
    explained = shop.explain(campaign, device)
    checks.expect("and the ledger says so in a sentence", "opened" in str(explained), explained)


def _opted_out(shop, checks, device):
    """Who wants no pushes gets none, until they do."""
    shop.firefox.open(shop.site.address + "/")
    shop.firefox.script("return window.site.setPushEnabled(false)")
    # A registration a minute is what a device may send (REG-4).
    checks.expect("who opts out is opted out", until(lambda: _opt_out(shop, device) == "user", 180),
                  _opt_out(shop, device))
    campaign = shop.send("Not for you")
    checks.expect("and gets nothing", shop.campaign(campaign)["counts"]["suppressed"] == 1,
                  shop.campaign(campaign)["counts"])
    shop.firefox.script("return window.site.setPushEnabled(true)")
    checks.expect("until they opt in again", until(lambda: _eligible(shop, device), 180))
    shop.firefox.close_page()


def _away(shop, checks):
    """A push waits at the push service for a browser that is off."""
    shop.firefox.stop()
    checks.expect(
        "the push service knows that the browser is off", until(lambda: shop.push.statistics()["browsers"] == 0),
        shop.push.statistics())
    campaign = shop.send("While you were out")
    checks.expect("the push service keeps it", shop.campaign(campaign)["counts"]["accepted"] == 1)
    shop.firefox.start()
    checks.expect("it is shown when the browser comes back", shop.shows("While you were out"),
                  shop.firefox.notifications())
    checks.expect("and reported", until(lambda: shop.campaign(campaign)["counts"]["displayed"] == 1))


def _gone(shop, checks, device):
    """Who unsubscribes in the browser is opted out by the next push, and gets none after it."""
    shop.firefox.open(shop.site.address + "/")
    checks.expect("the page unsubscribes", shop.firefox.script("return window.site.unsubscribe()"))
    rejected = shop.send("Are you there")
    checks.expect("the push service says that it is gone", shop.campaign(rejected)["counts"]["rejected"] == 1,
                  shop.campaign(rejected)["counts"])
    checks.expect("the device is opted out", until(lambda: _opt_out(shop, device) == "token-invalid"),
                  _opt_out(shop, device))
    suppressed = shop.send("Are you still there")
    checks.expect("and gets nothing more", shop.campaign(suppressed)["counts"]["suppressed"] == 1,
                  shop.campaign(suppressed)["counts"])


def _back(shop, checks, device):
    """Who subscribes again gets pushes again."""
    again = shop.subscribe()
    campaign = shop.send("Welcome back")
    checks.expect("who subscribes again gets pushes again", shop.shows("Welcome back"),
                  shop.campaign(campaign)["counts"])
    checks.expect("as the same device", again["device"] == device, again)


def _eligible(shop, device):
    try:
        return shop.api("GET", f"/devices/{device}")["push"]["eligible"]
    except urllib.error.HTTPError:
        return False


def _opt_out(shop, device):
    try:
        return (shop.api("GET", f"/devices/{device}").get("optOut") or {}).get("reason")
    except urllib.error.HTTPError as error:
        return str(error)


def _site_pages(shop):
    return [page for page in shop.firefox.pages() if page.startswith(shop.site.address)]
