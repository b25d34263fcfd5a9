"""Drives a headless Chromium by its own protocol over two pipes; nothing but Python is needed. Used by screens-in-app."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-headless-shell", "chromium-browser", "google-chrome", "chrome")


def find():
    """The browser of this machine, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Chromium:
    """One browser with one page."""

    def __init__(self, path):
        to_read, self._to = os.pipe()
        self._from, to_write = os.pipe()
        self._profile = tempfile.mkdtemp()
        command = [
            path, "--headless", "--remote-debugging-pipe", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
            f"--user-data-dir={self._profile}",
            # One process for all frames, so that what stands in a sandboxed one can be asked for.
            "--disable-features=IsolateSandboxedIframes", "--disable-site-isolation-trials",
        ]
        if os.geteuid() == 0:
            command.append("--no-sandbox")  # Chromium refuses its own sandbox to root.

        def pipes():
            # Two steps: one of the pipes may have the number that the other is to get.
            read, write = os.dup(to_read), os.dup(to_write)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self._process = subprocess.Popen(
            command, preexec_fn=pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(to_read)
        os.close(to_write)
        self._buffer, self._count, self.events = b"", 0, []
        target = self._call("Target.createTarget", {"url": "about:blank"}, None)["targetId"]
        self._session = self._call("Target.attachToTarget", {"targetId": target, "flatten": True}, None)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")

    def close(self):
        self._process.terminate()
        self._process.wait()
        shutil.rmtree(self._profile, ignore_errors=True)

    def call(self, method, **parameters):
        return self._call(method, parameters, self._session)

    def _call(self, method, parameters, session):
        self._count += 1
        number = self._count
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def _next(self):
        while b"\0" not in self._buffer:
            read = os.read(self._from, 1 << 20)
            if not read:
                raise RuntimeError("the browser is gone")
            self._buffer += read
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)

    def device(self, width, height, scale=1, dark=False, calm=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)
        self.call(
            "Emulation.setEmulatedMedia",
            features=[
                {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                {"name": "prefers-reduced-motion", "value": "reduce" if calm else "no-preference"},
            ],
        )
        color = {"r": 21, "g": 26, "b": 33, "a": 1} if dark else {"r": 214, "g": 222, "b": 232, "a": 1}
        self.call("Emulation.setDefaultBackgroundColorOverride", color=color)

    def open(self, url):
        self.events = []
        self.call("Page.navigate", url=url)
        self.until("document.readyState === 'complete'")

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    def until(self, expression, seconds=120):
        """Whether it became true in time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.evaluate(expression):
                return True
            time.sleep(0.02)
        return False

    def press(self, key, code=None, shift=False):
        text = {"Enter": "\r", " ": " "}.get(key)
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32}
        event = {"key": key, "code": code or key, "windowsVirtualKeyCode": codes.get(key, 0), "modifiers": 8 if shift else 0}
        self.call("Input.dispatchKeyEvent", type="keyDown", **event, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **event)

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def drag(self, x, y, to_y):
        self.call("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button="left", clickCount=1)
        for step in range(1, 6):
            self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y + (to_y - y) * step / 5, button="left", buttons=1)
        self.call("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=to_y, button="left", clickCount=1)

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
