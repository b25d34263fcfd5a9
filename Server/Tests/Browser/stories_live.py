"""Pages of the console that change by themselves, as people have them open: many at a time, and under the hand (CON-7)."""
import datetime

from console import APP, person
from webdriver import WebDriverError

# A browser has six connections to a host.
MANY = 7


def _planned(demo, name):
    """A campaign that is launched and has not begun: its page is live for as long as a story takes."""
    tomorrow = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=1)
    campaign = demo.api("POST", f"/api/v1/apps/{APP}/campaigns", {
        "name": name, "kind": "push", "audience": {"everyone": True}, "push": {"title": name, "body": "Tomorrow."},
        "schedule": {"at": tomorrow.strftime("%Y-%m-%dT%H:%M:%SZ")},
    })["id"]
    _step(demo, campaign, "launch")
    return campaign


def _step(demo, campaign, step):
    demo.api("POST", f"/api/v1/apps/{APP}/campaigns/{campaign}/{step}")


def live_tabs(driver, demo, checks):
    """In the tabs of one browser: only the page that is seen holds a connection."""
    campaign = _planned(demo, "In seven tabs")
    page = demo.app_page(f"/campaigns/{campaign}")
    with person(driver, demo, "marketer", page) as browser:
        first = browser.page
        for number in range(2, MANY + 2):
            browser.another_page()
            browser.open(page)
            checks.expect(f"tab {number} shows its page", bool(browser.find("heading", "In seven tabs")), browser.text)
        _step(demo, campaign, "pause")
        checks.expect("the tab that is seen follows the campaign", browser.sees("Paused"), browser.text)
        browser.turn_to(first)
        checks.expect("one that was left is up to date when it is seen again", browser.sees("Paused"), browser.text)
        _step(demo, campaign, "resume")
        checks.expect("and goes on to follow it", browser.sees("Scheduled"), browser.text)
        checks.page(browser, "a live page that was left", is_whole=False)
        _step(demo, campaign, "cancel")
        checks.expect("to its end", browser.sees("Cancelled"), browser.text)


def live_windows(driver, demo, checks):
    """In windows beside each other: they take turns, and none keeps another page from being loaded."""
    campaign = _planned(demo, "In seven windows")
    page = demo.app_page(f"/campaigns/{campaign}")
    with person(driver, demo, "marketer", page) as browser:
        windows = [browser.page]
        for number in range(2, MANY + 2):
            windows.append(browser.another_page("window"))
            browser.open(page)
            checks.expect(
                f"window {number} shows its page", bool(browser.find("heading", "In seven windows")), browser.text)
        _step(demo, campaign, "pause")
        for number, window in enumerate(windows, 1):
            browser.turn_to(window)
            checks.expect(f"window {number} follows the campaign", browser.sees("Paused"), browser.text)
        checks.page(browser, "a live page that takes turns", is_whole=False)
    _step(demo, campaign, "cancel")


# What the page says of its figures, and whether the table of the hours is open.
FIGURES = "return document.querySelector('[data-part=figures]').textContent"
OPEN = "document.querySelector('[data-part=hours] details').open = true"
IS_OPEN = "return document.querySelector('[data-part=hours] details').open"
CANCEL = "Cancel campaign"


def live_hand(driver, demo, checks):
    """Whoever is at a button when the page changes stays at it; a press that has begun counts, and what is open stays."""
    campaign = demo.api("POST", f"/api/v1/apps/{APP}/campaigns", {
        "name": "Under the hand", "kind": "push", "audience": {"everyone": True},
        "push": {"title": "One by one", "body": "A second between them."}, "schedule": {"ratePerSecond": 1},
    })["id"]
    with person(driver, demo, "marketer") as browser:
        _send_some(browser, demo, campaign, "launch")
        browser.open(demo.app_page(f"/campaigns/{campaign}"))
        browser.find("button", "Resume")
        browser.loaded()
        browser.script(OPEN)
        for _ in range(100):
            browser.keys("Tab")
            if browser.focused.name == CANCEL:
                break
        checks.expect("Tab leads to the button", browser.focused.name == CANCEL, browser.focused.name)
        _follow_some(browser, demo, checks, campaign)
        checks.expect("the focus is where it was", browser.focused.name == CANCEL, browser.focused.name)
        checks.expect("the table is still open", browser.script(IS_OPEN))
        question = _asked(browser, lambda: browser.keys("Enter"), accept=False)
        checks.expect("Enter presses it", question.startswith("End this campaign"), question)

        reference = browser.find("button", CANCEL).reference
        _move(browser, {"type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": reference},
              {"type": "pointerDown", "button": 0})
        _follow_some(browser, demo, checks, campaign)
        question = _asked(browser, lambda: _move(browser, {"type": "pointerUp", "button": 0}), accept=True)
        checks.expect("a press that began before a change counts", question.startswith("End this campaign"), question)
        checks.expect("and is done", browser.sees("The campaign was cancelled."), browser.text)


def _send_some(browser, demo, campaign, step):
    """Lets it begin or go on until some more have got it, and pauses it."""
    accepted = lambda: demo.api("GET", f"/api/v1/apps/{APP}/campaigns/{campaign}")["counts"]["accepted"]
    before = accepted()
    _step(demo, campaign, step)
    if not browser.until(lambda: accepted() > before):
        raise AssertionError("nothing of the campaign leaves")
    _step(demo, campaign, "pause")


def _follow_some(browser, demo, checks, campaign):
    """The same while its page is looked at, until that shows what has come of it."""
    before = browser.script(FIGURES)
    _send_some(browser, demo, campaign, "resume")
    checks.expect(
        "the page follows",
        browser.until(lambda: browser.script(FIGURES) != before and browser.elements("button", "Resume")), browser.text)


def _move(browser, *steps):
    browser.command("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": list(steps)}]})


def _asked(browser, act, accept):
    """What is asked after that; the driver may call it an error that a question has opened meanwhile."""
    try:
        act()
    except WebDriverError as error:
        if error.code != "unexpected alert open":
            raise
    return browser.answer_question(accept)


STORIES = {story.__name__: story for story in (live_tabs, live_windows, live_hand)}
