"""What people do in the console, by what they read on its pages (CON-17)."""
import re

from console import APP, person

PALETTE = re.compile("^Search campaigns")


def marketer(driver, demo, checks):
    """Composes a push, sees it beforehand, tries it on a device, launches it and watches it."""
    with person(driver, demo, "marketer") as browser:
        browser.press("Campaigns")
        browser.press(re.compile("^Compose a push"))
        checks.expect("the compose page opens", browser.sees("Nothing is sent before it is launched"))
        browser.fill("Name", "Morning bells")
        browser.fill("Title", "Good morning")
        browser.fill("Text", "The {{#bells} ring.")
        browser.press("Save the draft")
        told = browser.until(
            lambda: [field for field in browser.elements("field", "Text") if field.attribute("aria-invalid") == "true"])
        checks.expect("a damaged template is told at its field", bool(told))
        typed = browser.at("field", "Text", lambda field: [field.value])[0]
        checks.expect("what was typed is still there", typed == "The {{#bells} ring.", typed)
        checks.page(browser, "the compose page with an error", 422)
        browser.fill("Text", "The bells ring at noon.")
        checks.expect(
            "the preview shows what was typed, by itself",
            browser.until(lambda: any("The bells ring at noon." in one.text for one in browser.all("#preview"))),
            browser.text)
        checks.expect(
            "it says how many devices it would reach", browser.sees(re.compile(r"\d+ devices are in this audience now")))
        browser.press("Save the draft")
        checks.expect("the draft is saved", browser.find("heading", "Morning bells") is not None)
        checks.page(browser, "the page of a draft")
        _try_it(browser, demo, checks)
        _launch(browser, checks)


def _try_it(browser, demo, checks):
    browser.press("Who would get it now?")
    checks.expect(
        "a trial says who would get it",
        browser.sees(re.compile(r"Launched now, it would reach \d+ of \d+ devices")), browser.text)
    checks.page(browser, "the page of a draft after a trial")
    device = demo.api("GET", f"/api/v1/apps/{APP}/devices?limit=1")["devices"][0]["deviceId"]
    browser.fill("Device id", device)
    browser.press("Send the test")
    checks.expect("a test names its device and what became of it", browser.sees(device), browser.text)
    checks.page(browser, "the page of a draft after a test")


def _launch(browser, checks):
    browser.press("Launch now")
    question = browser.answer_question(accept=False)
    checks.expect("a launch is asked for once more", question == "Send this campaign to its whole audience now?", question)
    checks.expect(
        "whoever says no launches nothing", bool(browser.until(lambda: browser.elements("button", "Launch now"))))
    browser.press("Launch now")
    browser.answer_question()
    checks.expect("the launch is told", browser.sees("The campaign was launched."), browser.text)
    checks.expect("it is watched to its end, without loading the page", browser.sees("Completed"), browser.text)
    checks.expect(
        "its figures can be exported", bool(browser.until(lambda: browser.elements("link", "Export as CSV"))))
    checks.page(browser, "the page of a campaign that was sent")


def approver(driver, demo, checks):
    """Sees what is planned, and stops it; composes and launches nothing."""
    draft = demo.api("POST", f"/api/v1/apps/{APP}/campaigns", {
        "name": "Late sale", "kind": "push", "audience": {"everyone": True},
        "push": {"title": "Sale", "body": "Tonight."},
    })["id"]
    with person(driver, demo, "approver", demo.app_page("/campaigns")) as browser:
        browser.find("link", "Late sale")
        browser.loaded()
        checks.expect("an approver is not offered to compose", not browser.shown("link", re.compile("^Compose")))
        browser.press("Late sale")
        browser.find("heading", "Late sale")
        browser.loaded()
        checks.expect("an approver is not offered a launch", not browser.shown("button", re.compile("^Launch")))
        checks.page(browser, "a draft as an approver sees it", is_whole=False)
        demo.api("POST", f"/api/v1/apps/{APP}/campaigns/{draft}/launch")
        browser.open(browser.address)
        checks.expect("an approver sees that it was launched", browser.sees(re.compile("Completed|Sending")))


def approval(driver, demo, checks):
    """A campaign that needs a second person: rehearsed by a marketer, approved by an approver, then launched."""
    demo.api("PUT", f"/api/v1/apps/{APP}/settings", {"requiresApproval": True})
    try:
        _approve(driver, demo, checks)
    finally:
        demo.api("PUT", f"/api/v1/apps/{APP}/settings", {"requiresApproval": False})


def _approve(driver, demo, checks):
    with person(driver, demo, "marketer") as author, person(driver, demo, "approver") as second:
        author.press("Campaigns")
        author.press(re.compile("Compose a push"))
        for field, text in (("Name", "Four eyes"), ("Title", "Approved"), ("Text", "Two people saw this.")):
            author.fill(field, text)
        author.press("Save the draft")
        author.find("heading", "Four eyes")
        author.press("Launch now")
        author.answer_question()
        checks.expect("nothing is launched before the approval", author.sees("nobody has approved version"), author.text)
        checks.page(author, "a launch without an approval", 409)
        _rehearse(author, checks)
        author.press("Ask for an approval")
        checks.expect("it is asked for", author.sees("asked for an approval of"), author.text)
        checks.page(author, "a draft whose approval is asked for", is_whole=False)

        second.open(author.address)
        second.press(re.compile("^Approve version"))
        second.answer_question()
        checks.expect("the approval is there", second.sees(re.compile(r"Version \d+ is approved\.")), second.text)
        checks.page(second, "the page of an approver after the approval")

        author.open(author.address)
        author.press("Launch now")
        author.answer_question()
        checks.expect("an approved campaign is launched", author.sees("The campaign was launched."), author.text)
        checks.expect(
            "it shows how it comes, beside what was rehearsed",
            bool(author.find("heading", "As rehearsed, and as it came")) and author.sees(re.compile(r"\d+ got it\.")),
            author.text)
        checks.page(author, "the page of a campaign that was rehearsed")


def _rehearse(browser, checks):
    place = browser.address.removesuffix("/launch")
    browser.press("Rehearsal")
    checks.expect("a rehearsal is offered", browser.sees("Not rehearsed yet"), browser.text)
    browser.press(re.compile("^Rehearse"))
    checks.expect(
        "it says what would happen, without loading the page", bool(browser.find("heading", "What would happen")))
    checks.page(browser, "a rehearsal")
    browser.open(place)


def support(driver, demo, checks):
    """Answers why a person did, or did not, get a message."""
    known = {}
    for device in demo.api("GET", f"/api/v1/apps/{APP}/devices?limit=100")["devices"]:
        if not device.get("contactKey", "anonymous:").startswith("anonymous:"):
            known.setdefault(device.get("optOut"), device["contactKey"])
    checks.expect("the demonstration has people who log in", bool(known), known)
    with person(driver, demo, "viewer") as browser:
        for key in known.values():
            browser.press("People")
            checks.expect("people can be searched", bool(browser.find("heading", "People")))
            checks.page(browser, "the search for people", is_whole=False)
            browser.fill("Search for", key)
            browser.press("Search")
            browser.press(key)
            checks.expect(f"{key} has a page", bool(browser.find("heading", key)))
            checks.page(browser, f"the page of {key}")
            browser.choose("Campaign", re.compile("Hello"))
            browser.press("Why?")
            browser.find("heading", "Answer")
            checks.expect("the answer is a sentence with its evidence", bool(browser.find("heading", "Evidence")), browser.text)
            checks.page(browser, f"why {key} did or did not get it")
        browser.press("People")
        browser.fill("Search for", "nobody-at-all")
        browser.press("Search")
        checks.expect("nobody is found, and it says what to do", browser.sees("Nobody was found"), browser.text)
        checks.page(browser, "a search that finds nobody")


def operator(driver, demo, checks):
    """Looks after the server at night."""
    with person(driver, demo, "operator") as browser:
        browser.press("Operations")
        checks.expect("the server says how it is", bool(browser.find("heading", "Server")))
        checks.expect("the queues are there", bool(browser.find("heading", "Queues")))
        browser.press("Quarantine")
        checks.expect("nothing is in quarantine", browser.sees("Nothing is in quarantine"), browser.text)
        browser.press("Audit log")
        checks.expect("who did what is there", bool(browser.find("heading", "Audit log")))
        checks.page(browser, "the audit log", is_whole=False)
        browser.screen(390, dark=True)
        browser.open(demo.page("/operations"))
        checks.expect("it can be read on a phone in the dark", bool(browser.find("heading", "Server")))
        checks.page(browser, "the page of the server on a phone", is_whole=False)


def keyboard(driver, demo, checks):
    """Everything by keys alone."""
    with person(driver, demo, "marketer") as browser:
        browser.keys("Tab")
        checks.expect(
            "the first stop skips the navigation", browser.until(lambda: browser.focused.name == "Skip to the content"))
        browser.keys("Enter")
        checks.expect(
            "it leads to the content",
            browser.until(lambda: browser.script("return document.activeElement.id") == "main"))
        checks.expect("g c opens the campaigns", _opens_campaigns(browser))
        browser.loaded()
        browser.keys("/")
        checks.expect("/ opens the palette", browser.until(lambda: browser.elements("combobox", PALETTE)))
        # Each in both schemes: what lies over a page has colours of its own.
        checks.page(browser, "the palette")
        browser.keys("Escape")
        checks.expect("Escape closes it", browser.until(lambda: not browser.elements("combobox", PALETTE)))
        browser.keys("?")
        checks.expect("? lists the keys", browser.until(lambda: browser.elements("heading", "Keys")))
        checks.page(browser, "the list of keys")
        browser.keys("Escape")
        checks.expect("Escape closes it, too", browser.until(lambda: not browser.elements("heading", "Keys")))
        # A key that comes while the list is still closing goes to the list; to open what is open changes nothing.
        def opens():
            if not browser.elements("combobox", PALETTE):
                browser.keys("k", control=True)
            return browser.elements("combobox", PALETTE)
        checks.expect("Ctrl and K open it as well", browser.until(opens))
        browser.type("home")
        # The list follows what is typed a moment later, and Enter opens what is chosen in it just then.
        checks.expect("the palette finds it", browser.until(lambda: [
            option for option in browser.elements("option", re.compile("^Home"))
            if option.attribute("aria-selected") == "true"]))
        browser.keys("Enter")
        checks.expect("a page is opened by its name", browser.until(lambda: browser.address == demo.app_page()))
        checks.expect("g c opens them from there, too", _opens_campaigns(browser))
        browser.loaded()
        browser.keys("n")
        browser.find("heading", "Compose a push")
        browser.loaded()
        _compose_by_keys(browser, checks)
        for path in ("", "/campaigns", "/campaigns/new"):
            browser.open(demo.app_page(path))
            _tour(browser, checks, path or "/")


def _opens_campaigns(browser):
    """The page takes g and c together when no more than 1.5 s are between them: what a busy machine has torn apart is
    pressed again."""
    def taken():
        link = browser.all(".nav [data-key=c]")
        return bool(link) and browser.is_pressed(link[0], lambda: browser.keys("g", "c"))
    return bool(browser.until(taken) and browser.until(lambda: browser.address.endswith("/campaigns")))


def _compose_by_keys(browser, checks):
    """By Tab from field to field."""
    texts = {"Name": "By keys", "Title": "Keys", "Text": "No mouse was used."}
    for _ in range(200):
        browser.keys("Tab")
        # The page's preview changes by itself, and with it what has the focus there.
        name = browser.until(lambda: [browser.focused.name])[0]
        if name in texts:
            browser.type(texts.pop(name))
        elif name == "Save the draft":
            browser.keys("Enter")
            break
    checks.expect("all fields are reached by Tab", texts == {}, texts)
    checks.expect("a draft is saved by keys", bool(browser.find("heading", "By keys")))


# What has the focus shows it: by an outline, or by the frame around it.
FOCUS = """
const at = document.activeElement;
if (!at || at === document.body) return null;
const style = getComputedStyle(at), box = at.getBoundingClientRect();
// The browser itself marks the parts of dates and times.
const isVisible = (parseFloat(style.outlineWidth) > 0 && style.outlineStyle !== 'none')
  || at.matches('.palette input, [type=date], [type=time], [type=datetime-local]');
return {html: at.outerHTML.slice(0, 100), isVisible, isOnScreen: box.bottom > 0 && box.top < innerHeight};
"""


def _tour(browser, checks, where):
    """Tab goes through the page, shows where it is, and never stays in one place."""
    faults, last, stops = [], None, 0
    for _ in range(120):
        browser.keys("Tab")
        stop = browser.script(FOCUS)
        if stop is None:
            break
        stops += 1
        if stop["html"] == last and "input" not in last:
            faults.append(f"stays at {last}")
        last = stop["html"]
        if not (stop["isVisible"] and stop["isOnScreen"]):
            faults.append(f"not to be seen: {stop}")
    checks.expect(f"keys: {where} is toured by Tab, which is always seen", not faults and stops > 5, (stops, faults[:5]))


def without_scripts(driver, demo, checks):
    """Reading and forms work when the browser runs no scripts (CON-1)."""
    with person(driver, demo, "marketer") as browser:
        browser.run_no_scripts()
        browser.press("Campaigns")
        browser.press(re.compile("^Compose a push"))
        browser.fill("Name", "Without scripts")
        browser.fill("Title", "Plain")
        browser.fill("Text", "A form is enough.")
        browser.press("Save the draft")
        checks.expect("a draft is saved without scripts", bool(browser.find("heading", "Without scripts")))
        browser.press("Launch now")
        checks.expect(
            "a page asks before it is launched", browser.sees("Send this campaign to its whole audience now?"), browser.text)
        browser.press("Launch now")
        checks.expect("and launched", browser.sees("The campaign was launched."), browser.text)


STORIES = {
    story.__name__: story for story in (marketer, approver, approval, support, operator, keyboard, without_scripts)
}
