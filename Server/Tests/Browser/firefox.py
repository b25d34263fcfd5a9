"""A real Firefox with a push server of the test's own (WEB-7, WEB-8), driven over Marionette, Firefox's own protocol.

Nothing but Python is needed. No look-up of the browser leaves the machine.
"""
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time

import guard
from webdriver import PATIENCE

PREFERENCES = {
    # Another push server than Mozilla's, on this machine, without TLS.
    "dom.push.testing.allowInsecureServerURL": True,
    # Marionette would switch pushes off; a value of the profile's own wins.
    "dom.push.connection.enabled": True,
    "dom.push.retryBaseInterval": 200,
    "permissions.default.desktop-notification": 1,
    # There is no desktop that could show notifications: the browser draws them itself.
    "alerts.useSystemBackend": False,
    # So that they stay: see STYLE, which is for those that move.
    "toolkit.legacyUserProfileCustomizations.stylesheets": True,
    "ui.prefersReducedMotion": 0,
    # A dead proxy for all but this machine: nothing of the browser's own business gets out.
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
    "network.proxy.no_proxies_on": "localhost, 127.0.0.1",
    "network.proxy.allow_hijacking_localhost": False,
    "network.proxy.failover_direct": False,
    "network.proxy.allow_bypass": False,
    "network.trr.mode": 5,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "app.update.disabledForTesting": True,
    "browser.shell.checkDefaultBrowser": False,
    "browser.aboutwelcome.enabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "datareporting.healthreport.uploadEnabled": False,
    "toolkit.telemetry.enabled": False,
    "marionette.port": 0,
}
# The browser takes a notification away when its animation ends, after 20 seconds, and a busy machine may take longer to
# look. A clicked one goes at once, as ever.
STYLE = "#alertBox[animate]:not([clicked], [closing]) { animation-duration: 3600s !important }\n"
# How long a script in a page may take, in milliseconds: Marionette's own 30 seconds are too few on a busy machine.
SCRIPT = 300_000
# Pushes are shown in windows of this kind, which a person clicks.
CLICK = """
const windows = [...Services.wm.getEnumerator("alert:alert")];
const box = windows.map((window) => window.document.getElementById("alertBox")).find((box) => box);
if (!box) return false;
box.click();
return true;
"""
SHOWN = """
return [...Services.wm.getEnumerator("alert:alert")].map((window) => ({
  title: window.document.getElementById("alertTitleLabel")?.getAttribute("value"),
  body: window.document.getElementById("alertTextLabel")?.textContent,
}));
"""


class MarionetteError(Exception):
    """What Firefox answered."""


class Firefox:
    """One browser, which can be closed and started again with its profile."""

    def __init__(self, push_server):
        self._push_server = push_server

    def __enter__(self):
        if not shutil.which("firefox-esr"):
            raise SystemExit("There is no firefox-esr: run Scripts/setup, which installs it.")
        self._folder = tempfile.mkdtemp(prefix="belfry-firefox-")
        self._profile = os.path.join(self._folder, "profile")
        os.mkdir(self._profile)
        preferences = dict(PREFERENCES, **{"dom.push.serverURL": self._push_server})
        with open(os.path.join(self._profile, "user.js"), "w", encoding="utf-8") as file:
            for name, value in preferences.items():
                file.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
        os.mkdir(os.path.join(self._profile, "chrome"))
        with open(os.path.join(self._profile, "chrome", "userChrome.css"), "w", encoding="utf-8") as file:
            file.write(STYLE)
        self._process = None
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def start(self):
        active = os.path.join(self._profile, "MarionetteActivePort")
        if os.path.exists(active):
            os.remove(active)
        environment = dict(os.environ, HOME=self._folder, TMPDIR=self._folder, MOZ_HEADLESS="1")
        self._errors = tempfile.TemporaryFile()
        self._process = guard.start(
            ["firefox-esr", "--headless", "--no-remote", "--profile", self._profile, "--marionette",
             "-remote-allow-system-access"],
            stdout=self._errors, stderr=self._errors, env=environment)
        self._number = 0
        self._socket = self._connect(active)
        self._input = self._socket.makefile("rb")
        self._read()  # It says who it is.
        # Marionette takes the capabilities as they are; `alwaysMatch` is of WebDriver's own form, which it would ignore.
        self.command("WebDriver:NewSession", {"timeouts": {"script": SCRIPT}})

    def stop(self):
        if self._process is None:
            return
        try:
            self.command("Marionette:Quit", {"flags": ["eForceQuit"]})
            self._process.wait(timeout=PATIENCE)
        except (OSError, MarionetteError, subprocess.TimeoutExpired):
            pass
        self._input.close()
        self._socket.close()
        guard.end(self._process)
        self._errors.close()
        self._process = None

    def _connect(self, active):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self._process.poll() is not None:
                self._errors.seek(0)
                raise SystemExit("Firefox ended early: " + self._errors.read().decode(errors="replace"))
            try:
                with open(active, encoding="utf-8") as file:
                    port = int(file.read())
                return socket.create_connection(("127.0.0.1", port), timeout=300)
            except (FileNotFoundError, ValueError, ConnectionRefusedError):
                time.sleep(0.05)
        raise SystemExit("Firefox opened no port for Marionette.")

    def _read(self):
        length = b""
        while not length.endswith(b":"):
            byte = self._input.read(1)
            if not byte:
                raise MarionetteError("the browser has ended")
            length += byte
        return json.loads(self._input.read(int(length[:-1])))

    def command(self, name, parameters=None):
        self._number += 1
        text = json.dumps([0, self._number, name, parameters or {}]).encode()
        self._socket.sendall(b"%d:%s" % (len(text), text))
        _, _, error, result = self._read()
        if error:
            raise MarionetteError(f"{error.get('error')}: {error.get('message')}")
        return result

    def chrome(self, script, *arguments):
        """Runs a script in the browser's own part."""
        self.command("Marionette:SetContext", {"value": "chrome"})
        try:
            result = self.command("WebDriver:ExecuteScript", {"script": script, "args": list(arguments)})
        finally:
            self.command("Marionette:SetContext", {"value": "content"})
        return result["value"]

    def script(self, script, *arguments):
        """Runs a script in the page; what it promises is awaited."""
        body = f"const done = arguments[arguments.length - 1]; (async () => {{ {script} }})().then(" \
            "(value) => done({value}), (error) => done({error: String(error)}));"
        result = self.command("WebDriver:ExecuteAsyncScript", {"script": body, "args": list(arguments)})["value"]
        if "error" in result:
            raise MarionetteError(result["error"])
        return result.get("value")

    def open(self, address):
        self.command("WebDriver:Navigate", {"url": address})

    def pages(self):
        """The addresses of all tabs."""
        return self.chrome(
            "return [...Services.wm.getEnumerator('navigator:browser')].flatMap((window) => "
            "[...window.gBrowser.browsers].map((browser) => browser.currentURI.spec));")

    def close_page(self):
        """Closes the tab; an empty one takes its place, so that the browser goes on."""
        former = self.command("WebDriver:GetWindowHandle")["value"]
        fresh = self.command("WebDriver:NewWindow", {"type": "tab"})["handle"]
        self.command("WebDriver:SwitchToWindow", {"handle": former})
        self.command("WebDriver:CloseWindow")
        self.command("WebDriver:SwitchToWindow", {"handle": fresh})

    def notifications(self):
        """What is shown just now."""
        return self.chrome(SHOWN)

    def click_notification(self):
        """Whether there was one to click."""
        return self.chrome(CLICK)


def until(condition, seconds=PATIENCE):
    """What the condition returns when it first holds, or at the end of the time."""
    end = time.monotonic() + seconds
    while True:
        found = condition()
        if found or time.monotonic() > end:
            return found
        time.sleep(0.05)
