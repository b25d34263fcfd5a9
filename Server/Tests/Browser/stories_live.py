"""Pages of the console that change by themselves, as people have them open: many at a time (CON-7)."""
import datetime

from console import APP, person

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


STORIES = {story.__name__: story for story in (live_tabs, live_windows)}
