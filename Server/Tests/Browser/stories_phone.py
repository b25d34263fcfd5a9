"""What people do with the phone on the screen, and what its inspector says of it (CON-14, CON-15)."""
import re
import tempfile

from console import APP, Server, person
from handset import Handset, Phones, explained, in_app, push, send
from webdriver import Browser


def phone_looks(driver, demo, checks):
    """Every screen of the phone: nothing to complain of, at each width; all of it by keys."""
    with Handset(driver, demo, 2) as phone:
        checks.page(phone.browser, "the lock screen")
        phone.press("Open the phone")
        phone.browser.find("button", "Shop")
        checks.page(phone.browser, "the home screen")
        device = phone.begin("Ann")
        for tab in ("Home", "Products", "Basket", "Inbox", "Profile"):
            phone.press(re.compile(f"^{tab}"))
            checks.page(phone.browser, f"the app's {tab.lower()}", is_whole=tab in ("Home", "Profile"))
        phone.press("Home")
        phone.press(re.compile("^Trail runner"))
        phone.press("Put into the basket")
        checks.expect("what is put into the basket is there", phone.browser.until(
            lambda: phone.browser.elements("button", re.compile("^Basket ?1"))), phone.story)
        phone.press("Lock the phone")
        for title in ("One", "Two"):
            send(demo, push(title, buttons=[{"id": "later", "text": "Later", "action": {"type": "launchApp"}}]), [device])
        checks.expect("two pushes of the app are grouped", phone.sees("1 more"), phone.story)
        checks.page(phone.browser, "the lock screen with a group")
        phone.press("1 more")
        phone.press(re.compile("^Picture and buttons of: (One|Two)"))
        checks.expect("a notification shows its buttons", bool(phone.browser.find("button", "Later")))
        checks.page(phone.browser, "a notification with its buttons")
        phone.press(re.compile("^Open: (One|Two)"))
        checks.expect("a tap opens the app", phone.sees("Put into the basket"), phone.story)
        _keys(phone, checks)
        phone.press("Dark")
        phone.press("Large text")
        checks.page(phone.browser, "the phone in the dark, with large text")


def _keys(phone, checks):
    """The lock screen, the app and a notification without a pointer."""
    browser = phone.browser
    _focus(browser, "[data-key=c-lock]")
    browser.keys("Enter")
    left = browser.find("button", re.compile("^Open: "))
    _focus(browser, ".note .face")
    browser.keys("\ue017")  # Delete
    checks.expect("the Delete key clears a notification", browser.until(
        lambda: not browser.elements("button", re.compile("^Open: "))), left)
    _focus(browser, "[data-key=unlock]")
    browser.keys("Enter")
    browser.find("button", "Shop")
    _focus(browser, "[data-key=open-app]")
    browser.keys("Enter")
    checks.expect("keys open the phone and the app", phone.sees("Put into the basket"), phone.story)
    # A silent push, or an answer, may draw the app anew; the focus stays.
    _focus(browser, "[data-key=tab-profile]")
    browser.keys("Enter")
    checks.expect("the profile is shown", phone.sees("City"), phone.story)
    # What has the focus may be another element by the time it is asked for its name.
    focused = browser.until(lambda: [browser.focused.name])
    checks.expect("the focus stays where it was", focused == ["Profile"], focused)


def _focus(browser, selector):
    """Waits until there is one to have the focus, and that it has it."""
    is_there = """
        const found = document.querySelector(arguments[0]);
        found?.focus();
        return found !== null && document.activeElement === found;"""
    if not browser.until(lambda: browser.script(is_there, selector)):
        raise AssertionError(f"nothing at {selector} takes the focus: {browser.text}")


def phone_full_screen(driver, demo, checks):
    """At the width of a phone the page is the phone; the inspector is one press away."""
    with Handset(driver, demo, 2, width=390, height=844) as phone:
        box = phone.browser.script(
            "const box = document.getElementById('frame').getBoundingClientRect(); return [box.width, box.height]")
        checks.expect("the phone fills the screen", box == [390, 844], box)
        phone.press("Inspector")
        checks.expect("the inspector is below it", phone.browser.until(lambda: phone.browser.script(
            "const top = document.getElementById('inspector').getBoundingClientRect().top; return top >= 0 && top < 844")))


def phone_opt_out(driver, demo, checks):
    """A person switches pushes off in the app; the ledger, and the console, say why they got none."""
    with Handset(driver, demo, 3) as phone:
        device = phone.begin("Ben")
        first = send(demo, push("Before"), [device])
        checks.expect(
            "the push comes while the app is shown", phone.has_happened("The push “Before” has come while the app is shown"),
            phone.story)
        phone.press("Profile")
        # The minute is the reason that is named while more is left of it than the time in which edits are collected.
        # Another registration begins it anew, however long all of this has taken so far.
        former = phone.browser.until(lambda: _revision(phone))
        phone.press("Sports")
        checks.expect("another edit is registered", phone.browser.until(
            lambda: _revision(phone) > former and "accepted the record as it is" in phone.section("Registration")),
            phone.section("Registration"))
        phone.press("Notifications of this app")
        checks.expect("the inspector names the edit and its wait", phone.says(
            "Registration", re.compile(r"^The edits? of .*push switch (waits? \d+ s: one registration a minute|is under way|are under way)")),
            phone.section("Registration"))
        checks.expect("it says that the person wants none", phone.says("Push token", "switched pushes off in the app"))
        phone.browser.choose("Clock", "2 h ahead")  # the minute of REG-4 is over at once
        checks.expect("the server has it", phone.says("Registration", "accepted the record as it is"), phone.section("Registration"))
        checks.expect(
            "it may get no push", phone.browser.until(lambda: not phone.at_server["push"]["eligible"]),
            phone.at_server)
        second = send(demo, push("After"), [device])
        answer = phone.browser.until(lambda: _final(demo, second, device))
        checks.expect("the ledger has no push for it, with the reason", answer and answer["state"] == "suppressed", answer)
        checks.expect("and the one before it was accepted", phone.browser.until(
            lambda: explained(demo, first, device)["state"] == "accepted"), explained(demo, first, device))
        with person(driver, demo, "viewer", demo.app_page(f"/campaigns/{second}/people")) as console:
            checks.expect("the console says so, too", console.sees(re.compile("optedOut|opted out")), console.text)
        checks.expect("nothing has come", "After" not in phone.screen, phone.screen)


def _revision(phone):
    """Of the registration that the server accepted last; 0 while the inspector says none."""
    found = re.search(r"The server has revision (\d+)", phone.section("Registration"))
    return int(found.group(1)) if found else 0


def _final(demo, campaign, device):
    is_sent = demo.api("GET", f"/api/v1/apps/{APP}/campaigns/{campaign}")["status"] == "completed"
    return explained(demo, campaign, device) if is_sent else None


def phone_candidates(driver, demo, checks):
    """One event triggers two messages: the inspector says which comes first, and why the other waits. A recall takes
    one from the screen; a kill while one is shown counts it once."""
    with Handset(driver, demo, 4) as phone:
        device = phone.begin()
        first = send(demo, in_app("First", "lamp:on", priority=1), [device])
        second = send(demo, in_app("Second", "lamp:on", priority=9), [device])
        phone.press("Home")
        phone.press("Send to the background")
        phone.press("Open")
        def tells(*words):
            text = phone.browser.all("#messages")[0].text
            return all(one in text for one in words)
        checks.expect("both are on the device", phone.browser.until(
            lambda: tells(f"campaign {first}", f"campaign {second}")), phone.story)
        checks.expect("the inspector tells what shows it and its cap", phone.browser.until(
            lambda: tells("Shown on the event lamp:on, 0 of 5 displays.", "at most 5 times on this phone")), phone.story)
        checks.expect("and the gap between two", phone.says("In-app messages", "a gap of at least 30 s"), phone.story)
        phone.browser.choose("Clock", "2 h ahead")  # messages keep a distance from the greeting
        _track(phone, "lamp:on")
        checks.expect("one is shown over the app", phone.browser.until(lambda: phone.message), phone.story)
        checks.page(phone.browser, "an in-app message over the app")
        checks.expect("the inspector says which", phone.has_happened(f"{first} was shown"), phone.log)
        checks.expect("and why the other is not", phone.has_happened(f"the message of campaign {first} comes first"), phone.log)
        _track(phone, "lamp:on")
        checks.expect("while it is shown no other is", phone.has_happened(f"{second} was not shown: a message is on the screen"), phone.log)
        _recalled(phone, demo, checks, first)
        _killed(phone, demo, checks, second, device)


def _track(phone, event):
    phone.browser.fill("Name", event)
    phone.press("Track")


def _recalled(phone, demo, checks, campaign):
    demo.api("POST", f"/api/v1/apps/{APP}/campaigns/{campaign}/recall")
    # The next sync takes it along: that of a silent push, or, as here, of an app that comes back.
    phone.press("Send to the background")
    phone.browser.choose("Clock", "a day ahead")
    phone.press("Open")
    checks.expect("a recall takes it from the screen", phone.browser.until(lambda: not phone.message), phone.story)
    checks.expect("the inspector says why", phone.has_happened(f"{campaign} left the device: it was recalled"), phone.log)


def _killed(phone, demo, checks, campaign, device):
    phone.browser.choose("Clock", "a week ahead")
    _track(phone, "lamp:on")
    checks.expect("the second one is shown", phone.browser.until(lambda: phone.message), phone.story)
    phone.press("Kill")
    checks.expect("nothing of it is left on the screen", phone.browser.until(lambda: not phone.message), phone.story)
    phone.open_app()
    checks.expect("the display was counted before the kill", phone.browser.until(
        lambda: "1 of 5 displays" in phone.browser.all("#messages")[0].text), phone.story)
    counted = phone.browser.until(
        lambda: demo.api("GET", f"/api/v1/apps/{APP}/campaigns/{campaign}")["inAppCounts"]["displays"] == 1)
    checks.expect("the ledger counts it once", counted, demo.api("GET", f"/api/v1/apps/{APP}/campaigns/{campaign}"))


def phone_people(driver, demo, checks):
    """Two phones of one person beside each other: what is read on one is read on the other."""
    with Handset(driver, demo, 5) as one, Handset(driver, demo, 6) as other:
        one.begin("Ann")
        other.begin("Ann")
        one.press("Lock the phone")
        other.press("Lock the phone")
        send(demo, {
            "name": "Ticket", "kind": "pushAndMessageCenter", "push": {
                "title": "Your ticket", "body": "It stays in the app.", "action": {"type": "openRichMessage"}},
            "messageCenter": {"richHtml": "<h1>Gate 7</h1>", "badge": {"op": "increment"}},
        }, people=["ann"])
        checks.expect("the push is on both phones", one.sees("Your ticket") and other.sees("Your ticket"), other.story)
        for phone in (one, other):
            phone.press("Open the phone")
            checks.expect("and its icon has the badge", bool(phone.browser.find("button", "Shop, 1 new")))
        one.press("Lock the phone")
        one.press(re.compile("^Open: Your ticket"))
        checks.expect("a tap opens the message's own page", one.browser.until(lambda: one.browser.all("iframe.rich")), one.story)
        checks.page(one.browser, "a message with a page of its own")
        with one.browser.inside("iframe.rich"):
            checks.expect("the page is there", one.browser.sees("Gate 7"), one.browser.text)
        one.press("Send all now")
        checks.expect("the server has it as read", one.browser.until(lambda: _letters(demo) == ["read"]), one.story)
        other.press("Open")
        other.press(re.compile("^Inbox"))
        other.press("Refresh")
        checks.expect("it is read on the other phone, too", other.browser.until(
            lambda: other.browser.all(".mail li") and not other.browser.all(".mail .unread")), other.story)
        checks.page(other.browser, "the inbox with a message", is_whole=False)
        _delete_by_keys(other, checks)


def _delete_by_keys(phone, checks):
    """Whoever deletes a message by keys is not left nowhere: they are at the next message, or at the inbox's first button."""
    browser = phone.browser
    keys = lambda: browser.script("return [...document.querySelectorAll('.mail [data-key]')].map((one) => one.dataset.key)")
    before = keys()
    _focus(browser, ".mail [data-key]")
    browser.keys("Enter")
    browser.find("button", "Delete")
    focused = browser.until(lambda: browser.focused.name == "Back" and "Back")
    checks.expect("who opens a message is at its first button", focused, phone.story)
    _focus(browser, "[data-key=delete]")
    browser.keys("Enter")
    checks.expect("the message is gone", browser.until(lambda: browser.elements("button", "Refresh") and keys() == before[1:]), phone.story)
    at = lambda: browser.script("return document.activeElement.dataset.key || document.activeElement.tagName")
    wanted = (before[1:] + ["refresh"])[0]
    checks.expect("the focus is at the next message, or at the inbox", browser.until(lambda: at() == wanted), at())


def _letters(demo):
    """How the server's inbox of ann has the letter."""
    inbox = demo.api("GET", f"/api/v1/apps/{APP}/contacts/ann/inbox")
    letters = [message for center in inbox["centers"] for message in center["messages"]]
    return [letter["state"] for letter in letters if letter["subject"] == "Your ticket"]


def phone_left_alone(driver, demo, checks):
    """The page is closed in the middle, and opened again: the phone has gone on, and shows what has come meanwhile."""
    with Handset(driver, demo, 7) as phone:
        device = phone.begin()
        phone.press("Lock the phone")
    send(demo, push("While nobody looked"), [device])
    with Handset(driver, demo, 7) as phone:
        checks.expect("what has come meanwhile is there", phone.sees("While nobody looked"), phone.story)
        checks.expect("and so is what has happened", phone.has_happened("The person allows notifications."), phone.log)
        checks.page(phone.browser, "the phone that was left alone", is_whole=False)
        phone.browser.open(f"{demo.phone}/21")
        checks.expect("there is no twenty-first phone", phone.browser.status == 404, phone.browser.status)
        phone.browser.complaints()


def phone_tabs(driver, demo, checks):
    """More phones in the tabs of one browser than it has connections to a host: only the one that is seen holds one."""
    with Handset(driver, demo, 8) as phone:
        browser = phone.browser
        first = browser.page
        phone.press("Airplane mode")
        for number in range(9, 17):
            browser.another_page()
            browser.open(f"{demo.phone}/{number}")
        checks.expect("the ninth tab shows its phone", browser.sees("Open the phone"), browser.text)
        browser.turn_to(first)
        phone.press("Airplane mode")
        checks.expect("a tab that was left goes on", phone.has_happened("The phone is back on the network."), phone.log)
        checks.expect("and has missed nothing", phone.has_happened("The phone is in airplane mode."), phone.log)


def phone_windows(driver, demo, checks):
    """The same in windows beside each other: they take turns, and the one that is used has its turn at once."""
    numbers = range(8, 15)
    with Browser(driver) as browser:
        pages = {}
        for number in numbers:
            pages[number] = browser.another_page("window")
            browser.open(f"{demo.phone}/{number}")
            checks.expect(f"window {number} shows its phone", browser.sees("Open the phone"), browser.text)
        for number in numbers:
            browser.turn_to(pages[number])
            browser.press("Large text")
            checks.expect(f"phone {number} does what is pressed, and shows it", browser.until(
                lambda: browser.script("return document.getElementById('frame').dataset.text") == "large"), browser.text)
        checks.expect("the pages say that they take turns", browser.sees("takes turns with the others"), browser.text)
        checks.page(browser, "a phone that takes turns", is_whole=False)


def phone_elsewhere(driver, program, checks):
    """`belfry phone` for a server of its own: its program ends while the page is open, and comes back."""
    with Server(program, [], {}) as server, tempfile.TemporaryDirectory(prefix="belfry-phones-") as folder:
        server.belfry("app", "create", "shop")
        phones = Phones(program, server.address, "shop", folder)
        with phones:
            phone = Handset(driver, phones, 1)
            phone.open_app()
            checks.expect("it registers at that server", phone.says("Registration", "The server has revision"), phone.story)
            first = phone.device
            checks.expect("the server has it", server.api("GET", f"/api/v1/apps/shop/devices/{first}")["deviceId"] == first)
            phone.press("Turn on notifications")
            phone.press("Allow")
            checks.expect("it says that there is no push service", phone.has_happened("This phone has no push service."), phone.log)
            phones.halt()
            phone.press("Lock the phone")
            checks.expect(
                "a press that the phones' program does not answer is told", phone.browser.sees("has not answered for 10 seconds"),
                phone.story)
            phones.go_on()
            phone.press("Lock the phone")
            checks.expect("and the phone goes on with its program", phone.sees("Open the phone"), phone.story)
            phone.browser.complaints()
        with phone:
            checks.expect("the page says that its program is gone", phone.browser.sees("program does not answer"), phone.story)
            phone.press("Kill")
            checks.expect("and that a press did not reach it", phone.browser.sees("has not reached it"), phone.story)
            with phones:
                checks.expect("the page goes on by itself", phone.browser.until(
                    lambda: "does not answer" not in phone.story and "Open the phone" in phone.screen), phone.story)
                phone.open_app()
                checks.expect("it knows who it is", phone.says("Identity", "installation's id"), phone.section("Identity"))
                checks.expect("the phone has kept its data", phone.device == first, phone.device)
                checks.expect("and the person's answer", "has not asked for permission" not in phone.section("Push token"),
                    phone.section("Push token"))


STORIES = {
    story.__name__: story for story in (
        phone_looks, phone_full_screen, phone_opt_out, phone_candidates, phone_people, phone_left_alone, phone_tabs,
        phone_windows)
}
