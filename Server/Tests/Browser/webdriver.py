"""A browser that is driven over W3C WebDriver (https://www.w3.org/TR/webdriver2/): Chromium by its chromedriver.

Nothing but Python is needed. Elements are found as a person finds them: by role and accessible name, which the browser
itself computes.
"""
import base64
import contextlib
import http.client
import json
import os
import re
import shutil
import subprocess
import tempfile
import time

import guard

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # WebDriver §12: the key of an element's reference
# Where elements of a role may be; the browser's own word decides.
CANDIDATES = {
    "button": "button, summary, [role=button], input[type=submit]",
    "checkbox": "input[type=checkbox]",
    "combobox": "select, [role=combobox]",
    "heading": "h1, h2, h3, h4",
    "link": "a[href]",
    "option": "option, [role=option]",
    "radio": "input[type=radio]",
    "field": "input:not([type=hidden]), select, textarea",
}
# The roles that count as a field of a form, whatever it takes.
FIELDS = {
    "textbox", "searchbox", "combobox", "spinbutton", "checkbox", "radio", "listbox", "Date", "InputTime", "DateTime",
    "slider", "switch", "ColorWell", "generic", "none", "",
}
KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "Down": "\ue015", "Up": "\ue013", "Space": " "}
SHIFT = "\ue008"
CONTROL = "\ue009"
# Notes in the page whether an element is pressed, or one of its name that a live page has put in its place between this and
# the press. What the page itself keeps from the element, as a swipe that was none, is no press.
WATCH = """
window.belfryPressed = false;
const named = (one) => one && (one.getAttribute('aria-label') ?? one.textContent);
const [tag, name] = [arguments[0].tagName, named(arguments[0])];
document.addEventListener('click', ({target}) => {
  const met = target.closest?.(tag);
  if (named(met) !== name) return;
  met.addEventListener('click', () => { window.belfryPressed = true; }, {capture: true, once: true});
}, {capture: true, once: true});
"""


class WebDriverError(Exception):
    """What chromedriver answered; `code` is the error code of WebDriver §6.6."""

    def __init__(self, code, message):
        super().__init__(f"{code}: {message.splitlines()[0] if message else ''}")
        self.code = code


# How long is waited for what ought to come, in seconds. It comes at once, or as soon as a busy machine has the time; what
# a page must not show is never waited for.
PATIENCE = 180


class NotFound(Exception):
    """Nothing on the page has the role and the name that were looked for."""


def tools():
    """The browser and its driver, or None for what this machine lacks."""
    return shutil.which("chromium"), shutil.which("chromedriver")


class Chromedriver:
    """The driver's process; it ends with the block."""

    def __enter__(self):
        self.browser, driver = tools()
        if not (self.browser and driver):
            raise SystemExit("There is no chromium with a chromedriver: run Scripts/setup, which installs them.")
        self.folder = tempfile.mkdtemp(prefix="belfry-browser-")
        environment = dict(os.environ, TMPDIR=self.folder, HOME=self.folder)
        self._process = guard.start(
            [driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)
        for line in self._process.stdout:
            found = re.search(r"started successfully on port (\d+)", line)
            if found:
                self._port = int(found.group(1))
                break
        else:
            raise SystemExit("The chromedriver ended before it took commands.")
        return self

    def __exit__(self, *_):
        # Browsers are in its group, also those whose session nobody has ended.
        guard.end(self._process)
        self._process.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=300)
        try:
            data = None if method != "POST" else json.dumps(body or {})
            connection.request(method, path, data, {"Content-Type": "application/json"} if data else {})
            value = json.loads(connection.getresponse().read())["value"]
        finally:
            connection.close()
        if isinstance(value, dict) and "error" in value:
            raise WebDriverError(value["error"], value.get("message", ""))
        return value


def _session(driver, capabilities):
    """chromedriver waits a minute for the browser, and a busy machine may take longer to start one."""
    for tries_left in (2, 1, 0):
        try:
            return driver.call("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        except WebDriverError as error:
            if tries_left == 0 or error.code != "session not created":
                raise


class Browser:
    """One browser with a profile of its own: one person."""

    def __init__(self, driver):
        self.driver = driver
        arguments = ["--headless=new", "--disable-gpu", "--no-first-run", "--hide-scrollbars", "--disable-dev-shm-usage"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")  # Chromium refuses its own sandbox to root.
        capabilities = {
            "browserName": "chrome",
            "unhandledPromptBehavior": "ignore",
            "goog:chromeOptions": {"binary": driver.browser, "args": arguments},
            "goog:loggingPrefs": {"browser": "ALL"},
        }
        session = _session(driver, capabilities)
        self.path = "/session/" + session["sessionId"]
        self._world = 0
        self._has_scripts = True
        self.command("POST", "/timeouts", {"pageLoad": 240_000, "script": 240_000, "implicit": 0})
        self.screen(1440)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.command("DELETE", "")

    def command(self, method, path, body=None):
        return self.driver.call(method, self.path + path, body)

    def devtools(self, method, **parameters):
        """A command of Chromium's own protocol, which chromedriver hands on."""
        return self.command("POST", "/goog/cdp/execute", {"cmd": method, "params": parameters})

    def screen(self, width, height=900, dark=False):
        """The size of the page, and which scheme the system has."""
        self.devtools(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        features = [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        self.devtools("Emulation.setEmulatedMedia", features=features)

    def open(self, address):
        self.command("POST", "/url", {"url": address})

    def run_no_scripts(self):
        """From now on the browser runs no script of any page."""
        self.devtools("Emulation.setScriptExecutionDisabled", value=True)
        self._has_scripts = False

    def newest_page(self):
        """Goes on in the tab that was opened last."""
        self.command("POST", "/window", {"handle": self.command("GET", "/window/handles")[-1]})

    @property
    def page(self):
        """What to turn to the present page by."""
        return self.command("GET", "/window")

    def another_page(self, kind="tab"):
        """Opens a tab, or a window beside this one, and goes on in it; returns what to turn to it by."""
        handle = self.command("POST", "/window/new", {"type": kind})["handle"]
        self.turn_to(handle)
        self.screen(1440)
        return handle

    def turn_to(self, handle):
        """Goes on in that page, which is in front from now on."""
        self.command("POST", "/window", {"handle": handle})
        self.devtools("Page.bringToFront")

    def permit(self, name, state):
        """What a person has answered the browser's question for a permission (https://www.w3.org/TR/permissions/)."""
        self.command("POST", "/permissions", {"descriptor": {"name": name}, "state": state})

    @property
    def address(self):
        return self.command("GET", "/url")

    @property
    def title(self):
        return self.command("GET", "/title")

    @property
    def status(self):
        """The status of the response that the page came with."""
        return self.script("return performance.getEntriesByType('navigation')[0]?.responseStatus ?? 0")

    def script(self, text, *arguments):
        return self.command("POST", "/execute/sync", {"script": text, "args": list(arguments)})

    def isolated(self, expression):
        """Runs a script beside those of the page: it sees the document and nothing of the page's scripts, and the
        page's policy of content does not hold for it."""
        try:
            found = self._evaluate(expression)
        except WebDriverError:  # it went with the page before
            frame = self.devtools("Page.getFrameTree")["frameTree"]["frame"]["id"]
            self._world = self.devtools("Page.createIsolatedWorld", frameId=frame, worldName="checks")["executionContextId"]
            found = self._evaluate(expression)
        if "exceptionDetails" in found:
            details = found["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description") or details["text"])
        return found["result"].get("value")

    def _evaluate(self, expression):
        return self.devtools(
            "Runtime.evaluate", expression=expression, contextId=self._world, returnByValue=True, awaitPromise=True)

    def complaints(self):
        """Errors and warnings of the browser's console since the last time: scripts, policies, failed loads."""
        entries = self.command("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] in ("SEVERE", "WARNING")]

    def all(self, selector):
        found = self.command("POST", "/elements", {"using": "css selector", "value": selector})
        return [Element(self, reference[ELEMENT]) for reference in found]

    def elements(self, role, name=None):
        """Those that are shown, have the role, and are named so: a text is the whole name, a pattern is searched."""
        found = []
        for element in self.all(CANDIDATES.get(role, f"[role={role}]")):
            fits = element.role in FIELDS if role == "field" else element.role == role or role == "button"
            if fits and _names(name, element.name) and element.is_shown:
                found.append(element)
        return found

    def shown(self, role, name=None):
        """Those of them that are there now. Where a live page replaces one while it is looked at, all are looked at again."""
        seen = self.until(lambda: [self.elements(role, name)])
        if not seen:
            raise NotFound(f"{self.address} does not hold still")
        return seen[0]

    def find(self, role, name=None, seconds=PATIENCE):
        """The first of them; waits until there is one."""
        found = self.until(lambda: self.elements(role, name), seconds)
        if not found:
            raise self._missing(role, name)
        return found[0]

    def at(self, role, name, act):
        """What `act` makes of the first of them. A live page may put another in its place between the two: then it is
        looked for again."""
        def done():
            found = self.elements(role, name)
            return found and [act(found[0])]
        made = self.until(done)
        if not made:
            raise self._missing(role, name)
        return made[0]

    def _missing(self, role, name):
        seen = [element.name for element in self.all(CANDIDATES.get(role, f"[role={role}]")) if element.is_shown]
        return NotFound(f"no {role} named {name!r} at {self.address}; there are {seen}")

    def press(self, name):
        """A button or link with this name."""
        def pressed():
            found = self.elements("button", name) or self.elements("link", name)
            # A live page may have put another in its place meanwhile: then it is looked for again.
            return bool(found) and self.is_pressed(found[0], found[0].click)
        if not self.until(pressed):
            seen = [element.name for element in self.all("button, summary, a[href]") if element.is_shown]
            raise NotFound(f"no button or link named {name!r} that a press reaches at {self.address}; there are {seen}")

    def is_pressed(self, element, act):
        """Does what is to press the element; whether it did.

        The driver takes a press for done also when it met nothing: a live page puts another element in its place while
        the button of the mouse is down, or a busy machine leaves so much time between two keys that the page does not
        take them together. Only what has certainly met nothing may be done again.
        """
        if not self._has_scripts:
            # Nothing would note the press; and nothing changes such a page under the hand.
            act()
            return True
        self.script(WATCH, element.reference)
        try:
            act()
        except WebDriverError as error:
            # Something lies over the element, or it is just going: it was not pressed.
            if error.code in ("element click intercepted", "element not interactable"):
                return False
            raise
        try:
            # The driver waits until the page has dealt with the press. Another page has no note: the press led there.
            return self.script("return window.belfryPressed") is not False
        except WebDriverError:
            # The page is going, has closed, or asks a question: of the press, too.
            return True

    def fill(self, label, text):
        self.at("field", label, lambda field: field.fill(text))

    def choose(self, label, option):
        """An option of a list."""
        def chosen(field):
            found = [one for one in field.all("option") if _names(option, one.text)]
            if found:
                found[0].click()
            return bool(found)
        if not self.at("field", label, chosen):
            raise NotFound(f"{label!r} has no option {option!r}")

    def keys(self, *names, shift=False, control=False):
        """Presses keys, wherever the focus is."""
        held = [key for key, isHeld in ((SHIFT, shift), (CONTROL, control)) if isHeld]
        steps = [{"type": "keyDown", "value": key} for key in held]
        for name in names:
            value = KEYS.get(name, name)
            steps += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        steps += [{"type": "keyUp", "value": key} for key in reversed(held)]
        self.command("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": steps}]})

    def type(self, text):
        self.keys(*text)

    @property
    def focused(self):
        reference = self.command("GET", "/element/active")
        return Element(self, reference[ELEMENT])

    @property
    def text(self):
        """What the page says, as a person reads it; nothing while one page takes another's place."""
        bodies = self.all("body")
        return bodies[0].text if bodies else ""

    def sees(self, words, seconds=PATIENCE):
        """Whether the page says it in time."""
        def is_there():
            try:
                return _names(words, self.text) if isinstance(words, re.Pattern) else words in self.text
            except WebDriverError:
                return False  # the page is just being replaced
        return bool(self.until(is_there, seconds))

    def until(self, condition, seconds=PATIENCE):
        """What the condition returns when it first holds, or at the end of the time."""
        end = time.monotonic() + seconds
        while True:
            try:
                found = condition()
            except WebDriverError as error:
                if error.code not in ("stale element reference", "no such element", "javascript error"):
                    raise
                found = None
            if found or time.monotonic() > end:
                return found
            time.sleep(0.05)

    @contextlib.contextmanager
    def inside(self, selector):
        """Speaks to the document of a frame."""
        def entered():
            frames = self.all(selector)
            if not frames:
                return False
            try:
                self.command("POST", "/frame", {"id": frames[0].reference})
            except WebDriverError as error:
                if error.code == "no such frame":
                    return False  # it went meanwhile, and another may come
                raise
            return True
        if not self.until(entered):
            raise NotFound(f"no frame {selector} at {self.address}")
        try:
            yield
        finally:
            self.command("POST", "/frame", {"id": None})

    def loaded(self):
        """Waits until the page is there as a whole, before somebody says what it does not have."""
        if not self.until(lambda: self.script("return document.readyState") == "complete"):
            raise NotFound(f"{self.address} is not loaded")

    def painted(self):
        """Waits until the page has taken a new size."""
        self.command("POST", "/execute/async", {
            "script": "requestAnimationFrame(() => requestAnimationFrame(arguments[0]))", "args": []})

    def answer_question(self, accept=True):
        """Answers the browser's own dialog; returns what it asked."""
        question = self.until(self._question)
        self.command("POST", "/alert/accept" if accept else "/alert/dismiss")
        return question

    def _question(self):
        try:
            return self.command("GET", "/alert/text")
        except WebDriverError as error:
            if error.code == "no such alert":
                return None
            raise

    def screenshot(self, path, most=4_000):
        """The page in its whole length, up to so many pixels."""
        width, height = self.script(
            "return [innerWidth, Math.max(innerHeight, document.documentElement.scrollHeight)]")
        data = self.devtools(
            "Page.captureScreenshot", format="png", captureBeyondViewport=True,
            clip={"x": 0, "y": 0, "width": width, "height": min(height, most), "scale": 1})["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))


class Element:
    def __init__(self, browser, reference):
        self.browser = browser
        self.path = "/element/" + reference
        self.reference = {ELEMENT: reference}

    def _get(self, what):
        return self.browser.command("GET", f"{self.path}/{what}")

    @property
    def role(self):
        return self._get("computedrole")

    @property
    def name(self):
        return " ".join(self._get("computedlabel").split())

    @property
    def text(self):
        return self._get("text")

    @property
    def value(self):
        return self._get("property/value")

    @property
    def is_shown(self):
        return self._get("displayed")

    def attribute(self, name):
        return self._get("attribute/" + name)

    def all(self, selector):
        found = self.browser.command(
            "POST", f"{self.path}/elements", {"using": "css selector", "value": selector})
        return [Element(self.browser, reference[ELEMENT]) for reference in found]

    def click(self):
        self.browser.command("POST", f"{self.path}/click")

    def fill(self, text):
        """Replaces what a field says."""
        self.browser.command("POST", f"{self.path}/clear")
        self.browser.command("POST", f"{self.path}/value", {"text": text})


def _names(wanted, found):
    if wanted is None:
        return True
    return bool(wanted.search(found)) if isinstance(wanted, re.Pattern) else wanted == found
