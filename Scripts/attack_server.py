"""A server of its own and the callers that Scripts/attack sends against it."""
import ctypes
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import uuid

ROOT = pathlib.Path(__file__).resolve().parent.parent
SECRET = "the-secret-of-all-attacked-servers-here"
ATTACKS = {}


class Skipped(Exception):
    """An attack that cannot be made here, with the reason."""


def attack(*options, disk=None, is_quick=True):
    """An attack gets a server with the apps 'shop' and 'other', and their keys; it returns what the server answered, or
    fails.

    With `disk` the server's folder is a file system of so many megabytes.
    """
    def register(function):
        function.options, function.disk, function.is_quick = options, disk, is_quick
        ATTACKS[function.__name__.replace("_", "-")] = function
        return function
    return register


def ensure(is_true, what):
    if not is_true:
        raise AssertionError(what)


class Response:
    def __init__(self, response):
        self.status, self.body, self.headers = response.status, response.read(), response.headers
        try:
            self.json = json.loads(self.body) if self.body else {}
        except ValueError:
            self.json = {}

    @property
    def error(self):
        found = self.json.get("error") if isinstance(self.json, dict) else None
        return found if isinstance(found, dict) else {}

    @property
    def code(self):
        return self.error.get("code")

    def __str__(self):
        words = [str(self.status), self.code or "", self.error.get("target") or ""]
        return " ".join(word for word in words if word)


class Disk:
    """A small file system in memory; mounting takes root on Linux."""
    DETACH = 2

    def __init__(self, folder, megabytes):
        self.folder = folder
        folder.mkdir()
        self.system = ctypes.CDLL(None, use_errno=True)
        options = f"size={megabytes}m,mode=0700".encode()
        try:
            status = self.system.mount(b"tmpfs", bytes(folder), b"tmpfs", ctypes.c_ulong(0), options)
        except AttributeError:
            status = -1
        if status != 0:
            raise Skipped("a small file system is mounted by root on Linux only")

    def available(self):
        found = os.statvfs(self.folder)
        return found.f_bavail * found.f_frsize

    def take(self, name, size):
        """Somebody else's file of so many bytes, or of what there is."""
        with open(self.folder / name, "wb", buffering=0) as file:
            try:
                for _ in range(0, size, 65_536):
                    file.write(bytes(65_536))
            except OSError:
                pass

    def give_back(self, name):
        (self.folder / name).unlink()

    def end(self):
        self.system.umount2(bytes(self.folder), self.DETACH)


class Database:
    """A database of its own on the PostgreSQL server of an address whose user may create it."""

    def __init__(self, server):
        self.server, self.name = server, "belfry_attack_" + uuid.uuid4().hex
        self.ask(f"CREATE DATABASE {self.name}")
        self.address = urllib.parse.urlsplit(server)._replace(path="/" + self.name).geturl()

    def ask(self, statement):
        command = ["psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--dbname", self.server]
        run = subprocess.run(command + ["--command", statement], capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"attack: psql: {run.stderr.strip()}")
        return run.stdout.strip()

    def transactions(self):
        """How many there have been, once the connections have told of theirs, which takes them up to a second."""
        time.sleep(2)
        rows = self.ask(f"SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = '{self.name}'")
        return int(rows)

    def end(self):
        self.ask(f"DROP DATABASE {self.name} WITH (FORCE)")


class Server:
    def __init__(self, program, postgres=None, options=(), disk=None):
        if disk and postgres:
            raise Skipped("the disk of PostgreSQL is not this program's")
        self.program, self.options = program, options
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="belfry-attack-"))
        self.key = "attack-" + uuid.uuid4().hex * 2
        self.log_path = self.folder / "log"
        self.disk = self.database = self.process = None
        try:
            self.disk = Disk(self.folder / "disk", disk) if disk else None
            self.database = Database(postgres) if postgres else None
            self.start()
        except BaseException:
            self.remove()
            raise

    def start(self):
        data = (self.disk.folder if self.disk else self.folder) / "data"
        command = [self.program, "serve", "--port", "0", "--data", str(data), "--disk-floor", "off", *self.options]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("BELFRY_")}
        environment["BELFRY_ADMIN_KEY"] = self.key
        if self.database:
            environment |= {"BELFRY_DATABASE": self.database.address, "BELFRY_SECRET_KEY": SECRET}
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        self.port = self.wait_for_port()

    def wait_for_port(self):
        for _ in range(600):
            found = re.search(r"listens on http://\S+?:(\d+)\.?\s", self.log())
            if found:
                return int(found[1])
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        sys.exit(f"attack: the server did not start:\n{self.log()[-2_000:]}")

    def log(self):
        return self.log_path.read_text(errors="replace")

    def call(self, method, path, body=None, headers=None, raw=None):
        data = raw if raw is not None else None if body is None else json.dumps(body).encode()
        fields = {"Content-Type": "application/json", **(headers or {})} if data is not None else headers or {}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body=data, headers=fields)
            return Response(connection.getresponse())
        finally:
            connection.close()

    def admin(self, method, path, body=None, key=None, headers=None):
        fields = {"Authorization": f"Bearer {key or self.key}", **(headers or {})}
        return self.call(method, "/api/v1" + path, body, fields)

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port))

    def raw(self, data, seconds=10.0):
        """Every status that comes back, and whether the connection was closed."""
        with self.connect() as connection:
            connection.settimeout(seconds)
            connection.sendall(data)
            text, is_closed = b"", False
            try:
                while chunk := connection.recv(65_536):
                    text += chunk
                is_closed = True
            except socket.timeout:
                pass
            except OSError:
                is_closed = True
        return [int(status) for status in re.findall(rb"HTTP/1\.[01] (\d{3})", text)], is_closed

    def app(self, code):
        key = self.admin("POST", "/apps", {"code": code, "name": code}).json["apiKey"]
        for name in ["city", "firstName"]:
            self.admin("PUT", f"/apps/{code}/attributes/{name}", {"type": "string"})
        return key

    def memory(self):
        """MiB of the process."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) // 1_024

    def reads(self, work):
        """How many transactions of the database `work` causes, and how long it takes; None where nobody can tell.

        PostgreSQL counts them. On SQLite each locks the file, which strace shows.
        """
        if self.database:
            before = self.database.transactions()
            begun = time.monotonic()
            work()
            seconds = time.monotonic() - begun
            # The server's own, of the seconds in which the counts were read, are among them.
            return self.database.transactions() - before, seconds
        if not shutil.which("strace"):
            raise Skipped("on SQLite only strace shows reads of the database, and it is not installed")
        seen = self.folder / "locks"
        command = ["strace", "-f", "-q", "-e", "trace=fcntl", "-o", str(seen), "-p", str(self.process.pid)]
        tracer = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        time.sleep(1)
        if tracer.poll() is not None:
            raise Skipped(f"strace may not look at the server: {tracer.stderr.read().strip()}")
        begun = time.monotonic()
        work()
        seconds = time.monotonic() - begun
        tracer.send_signal(signal.SIGINT)
        tracer.communicate()
        return len(re.findall(r"F_SETLK, \{l_type=F_RDLCK.* = 0", seen.read_text())), seconds

    def end(self):
        """How it ended."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return "no end within 30 s"

    def remove(self):
        """Ends it if it still runs, and removes all that it had."""
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.database:
            self.database.end()
        if self.disk:
            self.disk.end()
        shutil.rmtree(self.folder, ignore_errors=True)


class Device:
    def __init__(self, server, app, client=None):
        self.server, self.app, self.id = server, app, client or str(uuid.uuid4()).upper()
        self.token = self.state = self.refresh = self.reference = None
        self.order = int(time.time() * 1_000)

    def call(self, method, path, body=None, raw=None, headers=None):
        self.order += 1
        fields = {"X-Client-Id": self.id, "X-Request-Order": str(self.order), **(headers or {})}
        if self.token:
            fields["X-Contact-Token"] = self.token
        if self.state:
            fields["X-Client-State"] = self.state
        response = self.server.call(method, f"/v3/apps/{self.app}{path}", body, fields, raw)
        self.state = response.headers.get("X-Client-State") or self.state
        if isinstance(response.json, dict) and "contactToken" in response.json:
            self.token = response.json["contactToken"]
            self.refresh = response.json.get("refreshToken", self.refresh)
            self.reference = response.json.get("contactReference", self.reference)
        return response

    def link(self, key):
        self.call("POST", "/client", {"platform": "ios", "language": "en"})
        return self.link_anew(key)

    def link_anew(self, key):
        return self.call("POST", "/client/contact", {"contactFieldId": 1, "contactFieldValue": key})

    def event(self, **fields):
        return {"id": str(uuid.uuid4()), "type": "custom", "name": "e",
                "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), **fields}

    def send(self, *events):
        return self.call("POST", "/client/events", {"events": list(events)})

    def stored_events(self):
        """The ids of all that the server has of it."""
        ids, cursor = [], None
        while True:
            query = "?limit=1000" + (f"&cursor={urllib.parse.quote(cursor, safe='')}" if cursor else "")
            page = self.server.admin("GET", f"/apps/{self.app}/devices/{self.id}/events{query}").json
            ids += [event["id"] for event in page["events"]]
            cursor = page.get("cursor")
            if not cursor:
                return ids


def slowest_meanwhile(device, threads):
    """How long a device's event waits at most while threads of others run."""
    return longest_waits(threads, {"an event": (lambda: device.send(device.event()), 204)})["an event"]


def longest_waits(threads, calls):
    """How long each of some calls waits at most while threads of others run: functions with the status of the answer."""
    for thread in threads:
        thread.start()
    longest = dict.fromkeys(calls, 0)
    while any(thread.is_alive() for thread in threads):
        for name, (call, status) in calls.items():
            begun = time.monotonic()
            response = call()
            longest[name] = max(longest[name], time.monotonic() - begun)
            ensure(response.status == status, f"{name} meanwhile: {response}")
        # Below a device's own rate.
        time.sleep(0.25)
    return longest
