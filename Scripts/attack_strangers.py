"""What somebody sends who has no credentials, or looks for others'. Scripts/attack runs it."""
import collections
import http.client
import time
import uuid

from attack_server import Device, Skipped, attack, ensure

# Unknown app codes, and as many keys, are looked up in a second; further ones are answered from what is read once then.
LOOKUPS = 50


@attack()
def framing(server, keys):
    device = Device(server, "shop")
    device.link("framing")
    body = b'{"events":[]}'

    def request(extra, host="Host: x\r\n", version="1.1"):
        return (f"POST /v3/apps/shop/client/events HTTP/{version}\r\n{host}"
                f"X-Client-Id: {device.id}\r\nX-Request-Order: 9\r\n"
                f"X-Contact-Token: {device.token}\r\nContent-Type: application/json\r\n{extra}\r\n").encode()

    chunks = b"d\r\n" + body + b"\r\n0\r\n\r\n"
    length, chunked = "Content-Length: 13\r\n", "Transfer-Encoding: chunked\r\n"
    smuggled = b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"
    cases = {
        "a length and a coding": request(chunked + length) + chunks + smuggled,
        "two lengths": request(length + "Content-Length: 0\r\n") + body + smuggled,
        "a list of lengths": request("Content-Length: 13, 13\r\n") + body + smuggled,
        "a sign": request("Content-Length: +13\r\n") + body + smuggled,
        "two codings": request("Transfer-Encoding: gzip, chunked\r\n") + chunks + smuggled,
        "an unknown coding": request("Transfer-Encoding: xchunked\r\n") + chunks + smuggled,
        "chunks of HTTP/1.0": request(chunked, version="1.0") + chunks + smuggled,
        "no host": request(length, host="") + body + smuggled,
        "two hosts": request(length, host="Host: a\r\nHost: b\r\n") + body + smuggled,
        "a blank before the colon": request("Content-Length : 13\r\n") + body + smuggled,
        "a folded header": request("X-A: a\r\n b\r\n" + length) + body + smuggled,
        "a null": request("X-A: a\0b\r\n" + length) + body + smuggled,
        "bare line feeds": request(length).replace(b"\r\n", b"\n") + body + smuggled,
        "a chunk of 0xd": request(chunked) + chunks.replace(b"d\r\n", b"0xd\r\n", 1) + smuggled,
        "an endless chunk": request(chunked) + b"f" * 17 + b"\r\n" + body + smuggled,
        "2 MiB announced": request("Content-Length: 2097152\r\n"),
        "2^63 announced": request("Content-Length: 9223372036854775808\r\n"),
    }
    found = collections.Counter()
    for name, data in cases.items():
        statuses, is_closed = server.raw(data)
        ensure(len(statuses) == 1 and statuses[0] in (400, 413, 501) and is_closed, f"{name}: {statuses}")
        found[statuses[0]] += 1
    return f"{len(cases)} requests, each one answer and the end: " + counted(found)


def counted(found):
    return ", ".join(f"{number:,} × {answer}" for answer, number in sorted(found.items(), key=str))


@attack()
def ways_of_asking(server, keys):
    """Announced bodies, `Expect` and HTTP/1.0, of a call of the express lane and of one of the router."""
    device = Device(server, "shop")
    device.link("asking")
    found = []
    for path, body, status in [("/v3/apps/shop/client/events", b'{"events":[]}', 204),
                               ("/v3/apps/shop/client", b'{"language":"en"}', 204)]:
        head = (f"POST {path} HTTP/1.1\r\nHost: x\r\nX-Client-Id: {device.id}\r\nX-Contact-Token: {device.token}\r\n"
                f"X-Request-Order: {device.order + 1_000}\r\nContent-Type: application/json\r\n")
        length = f"Content-Length: {len(body)}\r\n"
        expected = expecting(server, (head + length + "Expect: 100-continue\r\n\r\n").encode(), body)
        ensure(expected == [100, status], f"{path}, Expect: {expected}")
        statuses, is_closed = server.raw((head + length + "\r\n").replace("1.1", "1.0", 1).encode() + body)
        ensure(statuses == [status] and is_closed, f"{path}, HTTP/1.0: {statuses}, closed: {is_closed}")
        begun = time.monotonic()
        for announced in [2 << 20, 1 << 63]:
            refused = server.raw((head + f"Content-Length: {announced}\r\n\r\n").encode(), seconds=30)
            ensure(refused in [([413], True), ([400], True)], f"{path}, {announced} announced: {refused}")
        ensure(time.monotonic() - begun < 30, f"{path}: {time.monotonic() - begun:.1f} s")
        found.append(f"{expected}, HTTP/1.0 {statuses} and the end, too long {refused[0]} at once")
    return f"lane: {found[0]}; router: {found[1]}"


def expecting(server, head, body):
    """The statuses of a request whose body comes after a status of 100, and not otherwise."""
    statuses = []
    with server.connect() as connection:
        connection.settimeout(30)
        connection.sendall(head)
        text = connection.recv(65_536)
        while text:
            statuses += [int(line.split()[1]) for line in text.split(b"\r\n") if line.startswith(b"HTTP/1.1 ")]
            if statuses != [100]:
                break
            connection.sendall(body)
            text = connection.recv(65_536)
    return statuses


@attack()
def spellings_of_paths(server, keys):
    paths = ["//metrics", "/metrics/", "/./metrics", "/%6detrics", "//api/v1/apps", "/api//v1/apps", "/API/v1/apps"]
    for path in paths:
        data = f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {server.key}\r\nConnection: close\r\n\r\n"
        ensure(server.raw(data.encode())[0] == [404], path)
    return f"{len(paths)} spellings: each 404"


@attack(is_quick=False)
def unknown_names(server, keys):
    """Keys and app codes that nobody has, and `/readyz`: each might be a read of the database."""
    def ask(count, path, fields):
        """Over one connection, as fast as it goes."""
        connection, found = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60), collections.Counter()
        for number in range(count):
            connection.request("GET", path(number), headers=fields(number))
            response = connection.getresponse()
            response.read()
            found[response.status] += 1
        connection.close()
        return found

    # What the server reads by itself.
    own = server.reads(lambda: time.sleep(3))[0] / 3
    calls, said = 3_000, []
    for what, path, fields, wanted in [
        ("keys", lambda n: "/api/v1/apps/shop/contacts", lambda n: {"Authorization": f"Bearer {n:064}"}, {401}),
        ("codes", lambda n: f"/v3/apps/nobody-{n}/client/messages", lambda n: {"X-Client-Id": str(uuid.uuid4())},
         {404}),
        ("looks at /readyz", lambda n: "/readyz", lambda n: {}, {200}),
    ]:
        answers = collections.Counter()
        reads, seconds = server.reads(lambda: answers.update(ask(calls, path, fields)))
        ensure(set(answers) <= wanted, f"{what}: {answers}")
        # A look-up reads twice at most, and the server's own reads begin before and end later.
        most = 2 * (LOOKUPS + own) * (seconds + 2)
        if most >= calls:
            raise Skipped(f"the machine is too slow: so many calls in {seconds:.1f} s may read each")
        ensure(reads <= most, f"{what}: {reads} reads in {seconds:.1f} s, {most:.0f} are allowed")
        said.append(f"{calls:,} {what} ({counted(answers)}): {reads} reads in {seconds:.1f} s")
    return "; ".join(said)


@attack("--connections-per-address", "20", "--rate-limit", "600")
def crowds_of_connections(server, keys):
    held = [server.connect() for _ in range(60)]
    try:
        served = server.call("GET", "/healthz")
        ensure(served.status == 200, f"nobody else is served: {served}")
        for _ in range(100):
            is_open = sum(stays(connection) for connection in held)
            if is_open <= 20:
                break
            time.sleep(0.1)
    finally:
        for connection in held:
            connection.close()
    ensure(is_open <= 20, f"{is_open} of 60 connections stay")
    return f"of 60 connections {is_open} stay, where 20 may; one more call: {served}"


def stays(connection):
    connection.setblocking(False)
    try:
        return connection.recv(1) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


@attack(is_quick=False)
def bodies_without_end(server, keys):
    """300 bodies of 1 MiB, each without its last byte; strangers may have 64 MiB in all."""
    before, connections = server.memory(), []
    for _ in range(300):
        # Each is of another device, so that no device's budget ends them.
        head = (f"POST /v3/apps/shop/client HTTP/1.1\r\nHost: x\r\nX-Client-Id: {uuid.uuid4()}\r\n"
                "Content-Type: application/json\r\nContent-Length: 1048576\r\n\r\n").encode()
        connection = server.connect()
        connections.append(connection)
        try:
            connection.sendall(head + b"x" * 1_048_575)
        except OSError:
            pass  # It is closed for others.
    time.sleep(1)
    grown, waiting, ended = server.memory() - before, 0, collections.Counter()
    begun = time.monotonic()
    served = server.call("GET", "/healthz")
    seconds = time.monotonic() - begun
    for connection in connections:
        connection.setblocking(False)
        try:
            ended[connection.recv(12)[9:].decode()] += 1
        except BlockingIOError:
            waiting += 1
        except OSError:
            ended["closed"] += 1
        connection.close()
    ensure(served.status == 200 and seconds < 5, f"nobody else is served: {served} after {seconds:.1f} s")
    # Of some that wait a part is still in the system's buffers.
    ensure(waiting <= 100, f"{waiting} bodies are held")
    ensure(grown < 260, f"{grown} MiB")
    return f"{waiting} wait, the others {counted(ended)}; {grown} MiB more memory; others: {served}"
