"""The demonstration's website in a Chromium: its page, the ways that lead to it, and what the SDK does there (WEB-8)."""
import re
import urllib.error

from console import APP, person
from handset import explained, send
from webdriver import Browser

# An address of the website whose document has no script of its own: what the SDK does there is the story's alone.
SITE = "/settings.js"
START = """
const { Belfry } = await import(`${arguments[0]}/sdk/${arguments[1]}/belfry.js`);
window.belfry = await Belfry.start({ appCode: arguments[2], serverURL: arguments[0], appVersion: "1.0" });
window.reports = [];
window.belfry.on("report", (report) => window.reports.push(report.type));
window.shown = [];
window.belfry.on("inApp", (message) => window.shown.push(message));
return (await window.belfry.state()).deviceId;
"""
LINK = "const { contact, linkIsPending } = await belfry.state(); return [contact, linkIsPending]"


def website_page(driver, demo, checks):
    """The page is found from the console and from the phone, makes the browser a device, and has nothing to complain of."""
    with person(driver, demo, "viewer", demo.app_page()) as console:
        console.press("Your own browser")
        checks.expect("the console's home leads to it", _is_at(console, demo.browser + "/"), console.address)
    with Browser(driver) as browser:
        browser.open(demo.phone)
        browser.press("Your own browser")
        checks.expect("and so does the phone", _is_at(browser, demo.browser + "/"), browser.address)
        checks.expect("it says what to do first", browser.sees("This browser has not been asked yet."), browser.text)
        browser.open(demo.browser.replace("127.0.0.1", "localhost"))
        checks.expect("this machine's other name leads to the one that the server lets in",
                      _is_at(browser, demo.browser + "/"), browser.address)
        checks.page(browser, "the website for one's own browser")
        device = browser.script("return document.getElementById('device').textContent")
        known = browser.until(lambda: _known(demo, device))
        checks.expect("the browser is a device of the demonstration", known and known["system"]["platform"] == "web", known)
        browser.permit("notifications", "denied")
        browser.open(demo.browser)
        checks.expect("a browser that blocks notifications is told how to allow them", browser.sees("Allow them in its settings"),
                      browser.text)
        checks.page(browser, "the website in a browser that blocks notifications")


def website_sdk(driver, demo, checks):
    """The browser SDK at the real server: a person, what a closed page leaves, a message center, a message over the page."""
    with Browser(driver) as browser:
        device = _start(browser, demo)
        _greeting(browser, demo, checks, device)
        accepted = browser.script("""
            const who = await belfry.identify("ben");
            const edited = await belfry.edit((record) => [record.setAttribute("city", "Oslo"), record.setAttribute("", "x")]);
            await belfry.setMessageCenterEnabled(true);
            return [who, ...edited].map(({ accepted, code }) => accepted || code)""")
        checks.expect("a login and a good value are taken, a bad one is refused with a code",
                      accepted[:2] == [True, True] and isinstance(accepted[2], str), accepted)
        # The page goes before anything of it can have been sent; what was tracked is in the browser.
        browser.script("for (const sku of ['lamp', 'runner']) await belfry.track('basket:add', { sku }); location.href = arguments[0]",
                       demo.browser + "/website.css")
        checks.expect("the page is gone", _is_at(browser, demo.browser + "/website.css"), browser.address)
        checks.expect("the next page is the same device", _start(browser, demo) == device)
        browser.script("await belfry.flush()")
        checks.expect("the server knows the person", browser.until(
            lambda: (_known(demo, device) or {}).get("contactKey") == "ben"), _known(demo, device))
        # The server knows it first: its answer is on the way.
        checks.expect("and the SDK knows that it is linked", browser.until(
            lambda: browser.script(LINK) == ["known", False]), browser.script(LINK))
        added = browser.until(lambda: len(_added(demo, device)) >= 2 and _added(demo, device))
        checks.expect("both events have arrived once, in their order", added == ["runner", "lamp"], _added(demo, device))
        _inbox(browser, demo, checks)
        checks.expect("nothing was reported", browser.script("return window.reports") == [], browser.script("return window.reports"))
        left = browser.script("await belfry.logout(); return [(await belfry.record()).contactKey, (await belfry.messages()).messages.length]")
        checks.expect("after a logout nothing of the person is left", left == [None, 0], left)


def _inbox(browser, demo, checks):
    send(demo, {"name": "Ticket", "kind": "messageCenter",
                "messageCenter": {"subject": "Your ticket", "message": "Gate 7", "badge": {"op": "increment"}}}, people=["ben"])
    found = browser.until(lambda: browser.script("""
        await belfry.refreshMessages();
        const [newest] = (await belfry.messages()).messages;
        return newest?.subject === "Your ticket" && [newest.state, belfry.unreadCount > 0, newest.id]"""))
    checks.expect("a message of a center comes, unread", found and found[:2] == ["unread", True], found)
    read = browser.script("""
        await belfry.markRead(arguments[0]);
        return (await belfry.messages()).messages.find(({ id }) => id === arguments[0]).state""", found[2])
    checks.expect("it is read once the site says so", read == "read", read)


def _greeting(browser, demo, checks, device):
    """The demonstration's in-app message for whoever comes for the first time."""
    shown = browser.until(lambda: browser.script("return window.shown"))
    checks.expect("the page's first event shows a message over it", shown and shown[0]["state"] == "shown", shown)
    sandbox = browser.script("return document.querySelector('iframe')?.getAttribute('sandbox')")
    checks.expect("its frame may run scripts and nothing else", sandbox == "allow-scripts", sandbox)
    with browser.inside("iframe"):
        browser.until(lambda: browser.all("#close"))
        # Later: the frame that would answer goes with the press.
        browser.script("setTimeout(() => document.getElementById('close').click())")
    checks.expect("it can be closed", browser.until(lambda: not browser.all("iframe")))
    campaign = shown[0]["campaignId"]
    history = browser.until(lambda: _displays(demo, campaign, device))
    checks.expect("the ledger has its display once", history == 1, explained(demo, campaign, device))


def _displays(demo, campaign, device):
    return sum("display" in one["what"] for one in explained(demo, campaign, device)["history"])


def _start(browser, demo):
    browser.open(demo.browser + SITE)
    version = re.search(r'version = "([^"]+)"', browser.text).group(1)
    return browser.script(START, demo.address, version, APP)


def _is_at(browser, address):
    """In this page, or in the one that it has opened."""
    def arrives():
        browser.newest_page()
        return browser.address == address
    return bool(browser.until(arrives))


def _known(demo, device):
    """What the server has of the device; None before it has anything."""
    try:
        return demo.api("GET", f"/api/v1/apps/{APP}/devices/{device}")
    except urllib.error.HTTPError as error:
        if error.code != 404:
            raise
        return None


def _added(demo, device):
    """What was put into the basket, the newest first."""
    events = demo.api("GET", f"/api/v1/apps/{APP}/devices/{device}/events?limit=100")["events"]
    return [one["attributes"]["sku"] for one in events if one["name"] == "basket:add"]


STORIES = {story.__name__: story for story in (website_page, website_sdk)}
