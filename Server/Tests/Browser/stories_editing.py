"""People who edit for long: what they typed is not lost, whatever happens meanwhile (CON-5, CON-11)."""
import re

from console import APP, PASSWORD, person

TEXT = "An hour's work, line by line."


def _in_new_tab(browser, steps):
    """Follows what has opened in a tab of its own, does the steps there, closes it and comes back."""
    first = browser.command("GET", "/window")
    if not browser.until(lambda: len(browser.command("GET", "/window/handles")) > 1):
        raise AssertionError("no tab has opened")
    second = next(tab for tab in browser.command("GET", "/window/handles") if tab != first)
    browser.command("POST", "/window", {"handle": second})
    steps()
    browser.command("DELETE", "/window")
    browser.command("POST", "/window", {"handle": first})


def _end_sessions(demo, name):
    for session in demo.api("GET", f"/api/v1/users/{name}/sessions")["sessions"]:
        demo.api("DELETE", f"/api/v1/users/{name}/sessions/{session['id']}")


def session(driver, demo, checks):
    """A marketer's session ends while they compose; they sign in in another tab, and go on."""
    with person(driver, demo, "marketer", demo.app_page("/campaigns/new")) as browser:
        browser.fill("Name", "Kept")
        browser.fill("Title", "Still here")
        browser.fill("Text", TEXT)
        _end_sessions(demo, "marketer")
        browser.press("Save the draft")
        checks.expect("the end of the session is told", browser.sees("what you typed is kept on this page"), browser.text)
        checks.page(browser, "the page of a form whose session has ended", 401)
        browser.press("Sign in")

        def steps():
            browser.fill("Name", "marketer")
            browser.fill("Password", PASSWORD)
            browser.press("Sign in")
            checks.expect("the other tab leads back", browser.sees("Go back to the tab with what you typed"), browser.text)
            checks.page(browser, "the page after a sign-in in a tab of its own")

        _in_new_tab(browser, steps)
        browser.press("Go on with what I typed")
        checks.expect("the form is there again", browser.sees("You have signed in again"), browser.text)
        checks.page(browser, "the page of a form of a former session", 403)
        browser.press("Send what I typed")
        checks.expect("the draft is saved", bool(browser.find("heading", "Kept")) and browser.sees(TEXT), browser.text)


def change(driver, demo, checks):
    """Two marketers change an in-app message that devices have."""
    campaign = demo.api("POST", f"/api/v1/apps/{APP}/campaigns", {
        "name": "In place", "kind": "inApp", "audience": {"everyone": True},
        "inApp": {
            "type": "modal", "trigger": {"event": "never:happens"}, "content": {"title": "One", "body": "Come in."}},
    })["id"]
    demo.api("POST", f"/api/v1/apps/{APP}/campaigns/{campaign}/launch")
    page = demo.app_page(f"/campaigns/{campaign}")
    with person(driver, demo, "marketer", page) as browser, person(driver, demo, "admin", page) as other:
        for at in (browser, other):
            at.press("Change")
            at.find("heading", "Change the message")
        checks.page(browser, "the form of a message that devices have")
        other.fill("Title", "Two")
        other.press("Publish the change")
        question = other.answer_question(accept=False)
        checks.expect(
            "a change of all devices is asked for once more",
            question == "Replace the message on all devices by this change?", question)
        other.press("Publish the change")
        other.answer_question()
        checks.expect("the change is published", other.sees("The change is published."), other.text)
        browser.fill("Title", "Three")
        browser.press("Publish the change")
        browser.answer_question()
        checks.expect(
            "the other change is told", browser.sees("Somebody else has changed this message"), browser.text)
        typed = browser.find("field", "Title").value
        checks.expect("what was typed is still there", typed == "Three", typed)
        checks.page(browser, "a change after another person's", 409)
        browser.press("Save as a version that waits")
        checks.expect("it waits", browser.sees(re.compile(r"Version \d+ was saved and waits")), browser.text)
        checks.page(browser, "the page of a message whose change waits")
        _message_pages(browser, checks)
    demo.api("POST", f"/api/v1/apps/{APP}/campaigns/{campaign}/cancel")


def options(driver, demo, checks):
    """What is typed into the fields of an option chooses it, and Enter in the preview's fields saves nothing."""
    with person(driver, demo, "marketer", demo.app_page("/campaigns/new")) as browser:
        for field, text in [("Name", "Half a condition"), ("Title", "Hello"), ("Text", "Berlin only")]:
            browser.fill(field, text)
        browser.fill("What condition 1 compares with", "Berlin")
        chosen = browser.script("return document.querySelector('[name=audience]:checked').value")
        checks.expect("a condition that is typed is asked", chosen == "clauses", chosen)
        browser.fill("Contact key", "a")
        browser.keys("Enter")
        browser.press("Save the draft")
        checks.expect("half a condition is told at its row", browser.sees("Choose what this row asks for"), browser.text)
        kept = browser.find("field", "What condition 1 compares with").value
        checks.expect("what was typed is still there", kept == "Berlin", kept)
        saved = [one["name"] for one in demo.api("GET", f"/api/v1/apps/{APP}/campaigns?limit=5")["campaigns"]]
        checks.expect("nothing was saved meanwhile", "Half a condition" not in saved, saved)


def _message_pages(browser, checks):
    """The message's own pages, which stand in frames of the campaign's: a modal in each scheme."""
    looks = browser.until(lambda: browser.script(
        "return [...document.querySelectorAll('.phone-page iframe[src]')].map((frame) => frame.src)"))
    checks.expect("a modal is shown in both schemes", len(looks or []) == 2 and looks[0] != looks[1], looks)
    for address in looks or []:
        browser.open(address)
        checks.expect(f"{address} shows the message", browser.sees("Come in."), browser.text)
        checks.page(browser, f"the page of a modal at {address}")


STORIES = {story.__name__: story for story in (session, change, options)}
