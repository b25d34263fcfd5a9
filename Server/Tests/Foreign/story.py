"""What the stories of foreign clients share: where the simulators are, their control API, and checks with names.

A story gets one argument, a file of settings in JSON. It prints a line for each check and ends with 1 if one failed.
"""
import json
import os
import socket
import sys
import urllib.error
import urllib.request


class Story:
    def __init__(self):
        with open(sys.argv[1], encoding="utf-8") as file:
            self.settings = json.load(file)
        self.failed = 0
        self.checked = 0

    def expect(self, what, found, wanted):
        """Compares, and goes on: one run shows everything that is wrong."""
        self.checked += 1
        if found == wanted:
            print(f"ok: {what}")
        else:
            self.failed += 1
            print(f"FAILED: {what}: expected {wanted!r}, found {found!r}")

    def expect_error(self, what, call, kind, *words):
        """Expects a call to raise `kind` with a text that has the words."""
        try:
            result = call()
        except kind as error:
            text = f"{error} {getattr(error, 'response', '')}"
            self.expect(what, [word for word in words if word not in str(text)], [])
            return error
        except Exception as error:  # whatever a client raises instead is the finding
            self.expect(what, f"{type(error).__name__}: {error}", kind.__name__)
            return error
        self.expect(what, result, kind.__name__)
        return None

    def control(self, method, path, body=None):
        """A call of the simulators' control API."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.settings["control"] + path, data=data, method=method, headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=300) as response:
            text = response.read()
        return json.loads(text) if text else None

    def end(self):
        print(f"{self.checked} checks, {self.failed} failed")
        sys.stdout.flush()
        # Not sys.exit: a client's threads and open connections are not to be waited for.
        os._exit(1 if self.failed or not self.checked else 0)


def send_to_simulators(places):
    """Makes connections to a push service's own host and port end at a simulator, as /etc/hosts and a packet filter would.

    Clients are left as they are, with the hosts that are written into them; TLS checks these names, too.

    `places`: from host to (address, port).
    """
    stand_ins = {host: f"127.83.0.{number + 1}" for number, host in enumerate(places)}
    real = {stand_ins[host]: place for host, place in places.items()}
    look_up, connect, connect_ex = socket.getaddrinfo, socket.socket.connect, socket.socket.connect_ex

    def getaddrinfo(host, *rest, **more):
        name = host.decode() if isinstance(host, bytes) else host
        return look_up(stand_ins.get(name, host), *rest, **more)

    def place_of(address):
        is_internet = isinstance(address, tuple) and address[0] in real
        return real[address[0]] if is_internet and address[1] == 443 else address

    socket.getaddrinfo = getaddrinfo
    socket.socket.connect = lambda self, address: connect(self, place_of(address))
    socket.socket.connect_ex = lambda self, address: connect_ex(self, place_of(address))
