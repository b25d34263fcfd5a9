"""A phone of the demonstration in a browser, used as a person uses it."""
import re

from console import APP, Program, free_port
from webdriver import PATIENCE, Browser

SECTION = """
const found = [...document.querySelectorAll('#sections .part')].find((part) => part.querySelector('h3').textContent === arguments[0]);
return found ? [...found.querySelectorAll('p')].map((line) => line.textContent).join(' ') : '';
"""
LOG = "return [...document.querySelectorAll('#log li')].map((line) => line.lastChild.textContent);"
# The frame of a message is there, hidden, before the message is shown.
MESSAGE = ".overlay.shown iframe"


class Handset:
    """One phone, by its number; the block closes its page, and the phone goes on."""

    def __init__(self, driver, demo, number, width=1440, height=900):
        self.number = number
        self._demo = demo
        self._person = None
        self.browser = Browser(driver)
        self.browser.screen(width, height)
        self.browser.open(f"{demo.phone}/{number}")

    def __enter__(self):
        return self

    def __exit__(self, *arguments):
        self.browser.__exit__(*arguments)

    def press(self, name):
        self.browser.press(name)

    def sees(self, words, seconds=PATIENCE):
        """Whether the phone itself shows it, not the inspector."""
        def is_there():
            text = self.screen
            return bool(words.search(text)) if isinstance(words, re.Pattern) else words in text
        return bool(self.browser.until(is_there, seconds))

    def says(self, title, words, seconds=PATIENCE):
        """Whether the inspector says it of this part of the SDK."""
        def is_there():
            text = self.section(title)
            return bool(words.search(text)) if isinstance(words, re.Pattern) else words in text
        return bool(self.browser.until(is_there, seconds))

    @property
    def screen(self):
        return self.browser.script("return document.getElementById('frame').innerText")

    def section(self, title):
        return self.browser.script(SECTION, title)

    @property
    def log(self):
        """What has happened, the newest first."""
        return self.browser.script(LOG)

    def has_happened(self, words, seconds=PATIENCE):
        return bool(self.browser.until(lambda: any(words in line for line in self.log), seconds))

    @property
    def story(self):
        """For a check that fails: what the phone shows, and what its inspector says."""
        return self.browser.text

    @property
    def device(self):
        found = self.browser.until(lambda: re.search(r"installation's id is (\S+)\.", self.section("Identity")))
        if not found:
            raise AssertionError(f"phone {self.number} does not know who it is: {self.story}")
        return found.group(1)

    def open_app(self):
        self.press("Open")
        self.browser.find("button", "Profile")

    def begin(self, person=None):
        """Opens the app, closes the demonstration's greeting, allows notifications, and logs in; waits until the server
        knows it all. Returns the device's id."""
        self.open_app()
        # It comes to everybody, once; later it would lie over what the story does.
        if not close_message(self.browser):
            raise AssertionError(f"phone {self.number} has no greeting that can be closed: {self.story}")
        self.press("Turn on notifications")
        self.press("Allow")
        if person:
            self.press("Profile")
            self.press(f"Log in as {person}")
            self._person = person.lower()
        if not (self.says("Push token", "The server has it since") and self.browser.until(self._is_known)):
            raise AssertionError(f"the server does not know phone {self.number}: {self.story}")
        return self.device

    def _is_known(self):
        device = self.at_server
        return device["push"]["eligible"] and (not self._person or device.get("contactKey") == self._person)

    @property
    def at_server(self):
        """What the server has of this device."""
        return self._demo.api("GET", f"/api/v1/apps/{APP}/devices/{self.device}")

    @property
    def message(self):
        """The frames of the in-app message that is shown over the app."""
        return self.browser.all(MESSAGE)


def close_message(browser):
    """Waits for the message over the app, and closes it; whether it has come and gone."""
    if not browser.until(lambda: browser.all(MESSAGE)):
        return False
    with browser.inside(MESSAGE):
        def closed():
            # The driver knows no names in a sandboxed frame.
            buttons = browser.all("#close")
            if buttons:
                buttons[0].click()
            return bool(buttons)
        browser.until(closed)
    return bool(browser.until(lambda: not browser.all(MESSAGE)))


class Phones(Program):
    """`belfry phone`, which runs while a block does, each time at the same address and with the same data."""

    def __init__(self, program, server, app, folder):
        super().__init__(program)
        self._server, self._app, self._folder, self._port = server, app, folder, free_port()

    def __enter__(self):
        self.start("phone", "--server", self._server, "--app", self._app, "--port", str(self._port), "--directory", self._folder)
        for line in self.lines():
            if line.startswith("phone: "):
                self.phone = line.removeprefix("phone: ").strip()
                return self


def send(demo, draft, devices=None, people=None):
    """Launches a campaign to these devices or people; returns its id."""
    audience = {"deviceIds": devices} if devices else {"contactKeys": people}
    made = demo.api("POST", f"/api/v1/apps/{APP}/campaigns", dict(draft, audience=audience))["id"]
    demo.api("POST", f"/api/v1/apps/{APP}/campaigns/{made}/launch")
    return made


def push(title, **more):
    return {"name": title, "kind": "push", "push": dict({"title": title, "body": "From the shop."}, **more)}


def in_app(name, event, **more):
    content = {"title": name, "body": "Shown by an event.", "buttons": [
        {"id": "yes", "text": "Yes", "action": {"type": "openUrl", "url": "demo://yes"}}]}
    return {"name": name, "kind": "inApp", "inApp": dict(
        {"type": "modal", "trigger": {"event": event}, "displayLimit": 5, "content": content}, **more)}


def explained(demo, campaign, device):
    return demo.api("GET", f"/api/v1/apps/{APP}/explain?campaign={campaign}&device={device}")
