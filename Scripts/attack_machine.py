"""What fills the disk of a server, or stands in for its database. Scripts/attack runs it."""
import os
import socket
import struct
import subprocess
import threading
import time

from attack_server import SECRET, Device, Skipped, attack, ensure

MEBIBYTE = 1 << 20
# For TLS, and for Kerberos.
ENCRYPTION_REQUESTS = {80_877_103: "asks for TLS", 80_877_104: "asks for encryption by Kerberos"}


@attack("--rate-limit", "off", "--disk-floor", "5%", disk=24, is_quick=False)
def full_disk(server, keys):
    """A disk of 24 MiB: events until nothing goes, and somebody else's file takes the rest; then 4 MiB are free."""
    device = Device(server, "shop")
    device.link("disk")
    sent = []

    def fill():
        """Sends events until the server has said for three seconds that there is no room; the last answer."""
        since = None
        while since is None or time.monotonic() - since < 3:
            events = [device.event(attributes={f"a{number}": "x" * 250 for number in range(8)}) for _ in range(10)]
            response = device.send(*events)
            if response.status == 204:
                sent.extend(event["id"] for event in events)
                since = None
                ensure(len(sent) < 50_000, "the disk does not fill up")
            else:
                ensure(response.status == 503, response)
                since = since or time.monotonic()
                time.sleep(0.05)
        return response

    server.disk.take("others", 4 * MEBIBYTE)
    refused = fill()
    first, ready = len(sent), server.call("GET", "/readyz")
    ensure(ready.status == 503, f"/readyz says {ready}")
    server.disk.take("the rest", server.disk.available())
    read = server.admin("GET", f"/apps/shop/devices/{device.id}", key=keys["shop"])
    ensure(read.status == 200, f"a read of a disk without a byte: {read}")
    lines = server.log().count("\n")
    for _ in range(100):
        ensure(device.send(device.event()).status == 503, "there is no room")
    lines = server.log().count("\n") - lines
    ensure(lines < 10, f"100 refused calls have {lines} lines in the log")
    server.disk.give_back("the rest")
    server.disk.give_back("others")
    begun = time.monotonic()
    while server.call("GET", "/readyz").status != 200:
        ensure(time.monotonic() - begun < 60, "it does not recover by itself")
        time.sleep(0.1)
    seconds, before = time.monotonic() - begun, len(sent)
    fill()
    more = len(sent) - before
    # An event takes some 2,500 bytes, and what is left free for the log is as much as before.
    ensure(more * 2_500 > 2 * MEBIBYTE, f"only {more} events more")
    lost = len(set(sent) - set(device.stored_events()))
    ensure(lost == 0, f"{lost} acknowledged events are lost")
    return (f"{first:,} events, then {refused}, /readyz {ready}, a read {read}; 4 MiB freed: ready after "
            f"{seconds:.1f} s, {more:,} events more; none lost")


@attack()
def database_in_disguise(server, keys):
    """A database server on the network that has no certificate and asks for the password."""
    host = own_address()
    told, listener = [], socket.create_server((host, 0))

    def serve():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(10)
                converse(connection)

    def converse(connection):
        try:
            while head := connection.recv(8):
                length, code = struct.unpack("!II", head)
                if code in ENCRYPTION_REQUESTS:
                    told.append(ENCRYPTION_REQUESTS[code])
                    connection.sendall(b"N")
                else:
                    connection.recv(length - 8)
                    told.append("names its user without TLS")
                    connection.sendall(b"R" + struct.pack("!II", 8, 3))
                    told.append(f"sends {connection.recv(1_000)!r}")
                    return
        except (OSError, struct.error):
            pass

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("BELFRY_", "PG"))}
    environment |= {"BELFRY_ADMIN_KEY": server.key, "BELFRY_SECRET_KEY": SECRET,
                    "BELFRY_DATABASE": f"postgres://belfry:the-password@{host}:{listener.getsockname()[1]}/belfry"}
    command = [server.program, "serve", "--port", "0", "--data", str(server.folder / "second"), "--disk-floor", "off"]
    try:
        run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    finally:
        listener.close()
    ensure(set(told) <= set(ENCRYPTION_REQUESTS.values()), told)
    ensure(run.returncode != 0, "it starts")
    last = (run.stderr + run.stdout).strip().splitlines()
    # Its number would make each run's line another one.
    said = last[0].split(": connection to", 1)[0] if last else ""
    return f"it {', '.join(told) or 'asks for nothing'}, gets none, and ends with {run.returncode}: {said}"


def own_address():
    """An address of this machine that is not loopback; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            address = probe.getsockname()[0]
        except OSError:
            address = "127.0.0.1"
    if address.startswith("127."):
        raise Skipped("this machine has no address but loopback, where no certificate is asked for")
    return address
