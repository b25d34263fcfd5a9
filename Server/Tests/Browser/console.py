"""A demonstration of Belfry with its console, and people who sign in to it."""
import errno
import json
import os
import random
import re
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

import guard
from webdriver import PATIENCE, Browser

APP = "demo"
# Long enough for the rule of passwords.
PASSWORD = "the bell rings at noon"
ROLES = ("viewer", "marketer", "approver", "admin")
DEVICES = 24
# Below the ports that the system gives to outgoing connections (32768 and up): one of those may be taken at any moment, by
# whatever else runs. And beside those that the tests in Swift (FreePorts) and Scripts/postgres-programs.sh choose from.
PORTS = range(30_000, 32_700)


def free_port():
    """A port for what is to have the same one when it is started again."""
    while True:
        with socket.socket() as free:
            try:
                free.bind(("127.0.0.1", random.choice(PORTS)))
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
            else:
                return free.getsockname()[1]


class Program:
    """A running `belfry`, until the block ends."""

    def __init__(self, program):
        self._program = program

    def start(self, *arguments, **settings):
        # Nothing of this machine's settings for Belfry reaches the program.
        self._environment = {name: value for name, value in os.environ.items() if not name.startswith("BELFRY_")}
        self._errors = tempfile.TemporaryFile()
        self._process = guard.start(
            [self._program, *arguments], stdout=subprocess.PIPE, stderr=self._errors, text=True,
            env=dict(self._environment, BELFRY_DISK_FLOOR="off", SWIFT_BACKTRACE="enable=no", **settings))

    def lines(self):
        """What it says, until it ends; and then why it did."""
        yield from self._process.stdout
        raise SystemExit("The program ended early: " + self.errors)

    @property
    def errors(self):
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace")

    def read_key(self, folder):
        with open(os.path.join(folder, "admin-key"), encoding="utf-8") as file:
            self._key = file.read().strip()

    def __exit__(self, *_):
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            pass
        guard.end(self._process)
        self._process.stdout.close()
        self._errors.close()

    def halt(self):
        """It answers nobody any more, as if it hung, until it may go on."""
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self._process.send_signal(signal.SIGCONT)

    def belfry(self, *arguments, text=""):
        """A command, as an operator types it at a terminal of the server."""
        environment = dict(self._environment, BELFRY_SERVER=self.address, BELFRY_ADMIN_KEY=self._key)
        run = subprocess.run(
            [self._program, *arguments], input=text, env=environment, text=True, capture_output=True, timeout=300)
        if run.returncode:
            raise SystemExit(f"belfry {' '.join(arguments)}: {run.stderr}")
        return run.stdout

    def api(self, method, path, body=None):
        """A call of the admin API; the path begins with `/api/v1/`."""
        headers = {"Authorization": "Bearer " + self._key, "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data=data, method=method, headers=headers)
        end = time.monotonic() + PATIENCE
        while True:
            try:
                with urllib.request.urlopen(request, timeout=300) as response:
                    text = response.read()
                return json.loads(text) if text else None
            except urllib.error.HTTPError as error:
                # As every client does, while the server says that it cannot do it now.
                if error.code != 503 or "Retry-After" not in error.headers or time.monotonic() > end:
                    raise
            time.sleep(0.1)

    def page(self, path=""):
        return f"{self.address}/console{path}"


class Demo(Program):
    """`belfry demo`: its app has devices, people and campaigns."""

    def __init__(self, program, devices=DEVICES):
        super().__init__(program)
        self._devices = devices

    def __enter__(self):
        self.start("demo", "--devices", str(self._devices), "--port", "0")
        found = {}
        for line in self.lines():
            match = re.match(r"(console|data|browser|push server|phone): (.*)", line)
            if match:
                found[match.group(1)] = match.group(2).strip()
            if "phone" in found:
                break
        self.welcome = found["console"]
        self.phone = found["phone"]
        self.browser, self.push_server = found["browser"], found["push server"]
        self.address = re.match(r"https?://[^/]+", self.welcome).group(0)
        self.read_key(found["data"])
        return self

    def add_people(self):
        """One person for each role in the app, and one who runs the server."""
        for role in ROLES:
            self.belfry("user", "create", role, "--display-name", f"Ann {role.title()}", "--role", f"{APP}={role}",
                        text=PASSWORD + "\n")
        self.belfry("user", "create", "operator", "--display-name", "Olaf Night", "--operator", text=PASSWORD + "\n")

    def app_page(self, path=""):
        return self.page(f"/apps/{APP}{path}")


class Server(Program):
    """`belfry serve` on an empty folder, which knows its own address."""

    def __init__(self, program, options, settings):
        super().__init__(program)
        self._options, self._settings = options, settings

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="belfry-data-")
        while not self._listens():
            pass
        self.read_key(self._folder.name)
        return self

    def _listens(self):
        """Whether it could have the port: somebody else may have taken it meanwhile."""
        port = free_port()
        self.address = f"http://127.0.0.1:{port}"
        self.start(
            "serve", "--port", str(port), "--data", self._folder.name, "--public-url", self.address, *self._options,
            **self._settings)
        try:
            for line in self.lines():
                if line.startswith("Belfry listens on"):
                    return True
        except SystemExit:
            if "already in use" not in self.errors:
                raise
            super().__exit__()
        return False

    def __exit__(self, *arguments):
        super().__exit__(*arguments)
        self._folder.cleanup()


def sign_in(browser, demo, name, path=None):
    """By the form, as anybody does; ends on the page that was asked for."""
    browser.open(path or demo.app_page())
    browser.fill("Name", name)
    browser.fill("Password", PASSWORD)
    browser.press("Sign in")
    if not browser.until(lambda: "/sign-in" not in browser.address):
        raise AssertionError(f"{name} cannot sign in: {browser.text}")
    browser.loaded()


def person(driver, demo, name, path=None):
    """A browser of this person, signed in."""
    browser = Browser(driver)
    sign_in(browser, demo, name, path)
    return browser
