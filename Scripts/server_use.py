"""What a server's process uses while it is fuzzed, and whether that is too much (REL-5, Docs/Fuzzing.md).

Read from /proc, so on Linux only. Time is the CPU time of the process, for a busy machine does not stretch it; memory is
what the process has to itself, for pages of the database's file that are mapped come and go.
"""
import os
import pathlib
import re
import statistics
import time

TICKS = os.sysconf("SC_CLK_TCK")
MEBIBYTE = 1_048_576
# Of CPU time: one request that takes longer keeps a processor from all others (REL-5).
MOST_SECONDS = 1.0
# Requests between two samples.
STRIDE = 20
# Of either window, before growth can be judged.
FEWEST_SAMPLES = 10

CORES = max(os.cpu_count() or 1, 2)
# The pool's writer, its slow and its quick readers; the readers of the event loops; those of questions.
CONNECTIONS = 1 + 5 + CORES + CORES + 3
# With `--rate-limit off` what may grow after warming up is counted: 16,384 verified tokens of at most 1 KiB, SQLite's
# page cache of 2 MiB for each connection, and what the allocator keeps of the largest request (1 MiB, and its tree).
MOST_GROWTH = (16 + 2 * CONNECTIONS + 16) * MEBIBYTE
# The pool opens its readers when they are wanted: the database and its log for each, and the fuzzer's own connections.
# With PostgreSQL ten connections and that of the bell are fewer.
MOST_FILES = 2 * (5 + CORES) + 2


def cpu_seconds(pid):
    # The name before it may contain blanks and brackets.
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def private_bytes(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"^RssAnon:\s+(\d+) kB$", status, re.MULTILINE)[1]) * 1_024


def open_files(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def listener(port):
    """The process on this machine that listens on a port; None if there is none, or nobody may look."""
    sockets = set()
    for table in ("tcp", "tcp6"):
        try:
            lines = pathlib.Path(f"/proc/net/{table}").read_text().splitlines()[1:]
        except OSError:
            continue
        for fields in map(str.split, lines):
            # 0A: it listens.
            if fields[3] == "0A" and int(fields[1].rpartition(":")[2], 16) == port:
                sockets.add(f"socket:[{fields[9]}]")
    for folder in pathlib.Path("/proc").glob("[0-9]*/fd") if sockets else ():
        try:
            if any(os.readlink(file) in sockets for file in folder.iterdir()):
                return int(folder.parent.name)
        except OSError:
            # Another user's, or it has ended.
            continue
    return None


class ServerUse:
    """What each request cost, while it was the only one, and what the process held between them."""

    def __init__(self, pid):
        self.pid = pid
        self.requests = 0
        self.samples = []
        self.costly = []
        self.most_seconds = self.longest_wait = 0.0
        self._begun = None

    def began(self):
        self._begun = None
        try:
            if self.requests % STRIDE == 0:
                self.samples.append((private_bytes(self.pid), open_files(self.pid)))
            self._begun = (cpu_seconds(self.pid), time.monotonic())
        except (OSError, TypeError):
            # It has ended, which its fuzzer notices by itself.
            return
        self.requests += 1

    def ended(self, describe):
        """Counts the request that began last.

        What the server does by itself meanwhile counts as well: a request is told to have cost at most so much.
        """
        if self._begun is None:
            return
        try:
            cost, wait = cpu_seconds(self.pid) - self._begun[0], time.monotonic() - self._begun[1]
        except OSError:
            return
        self._begun = None
        self.most_seconds, self.longest_wait = max(self.most_seconds, cost), max(self.longest_wait, wait)
        if cost > MOST_SECONDS:
            self.costly.append((cost, describe()))

    def record(self):
        """As JSON can hold it, for `verdict`."""
        return {
            "requests": self.requests, "samples": self.samples, "costly": self.costly,
            "most_seconds": self.most_seconds, "longest_wait": self.longest_wait,
        }


def verdict(record, noun="request"):
    """What to print of a record, and the findings.

    The noun is what was counted one by one.
    """
    told = [
        f"{record['requests']} {noun}s, the costliest {record['most_seconds']:.2f} s of CPU time (at most {MOST_SECONDS:g}), "
        f"the longest by the clock {record['longest_wait']:.2f} s"
    ]
    findings = [f"a {noun} cost {cost:.2f} s of CPU time: {what}" for cost, what in record["costly"]]
    if record["requests"] == 0:
        return told, [f"there was no {noun}"]
    samples = record["samples"]
    early, late = samples[len(samples) // 10:len(samples) // 5], samples[-(len(samples) // 10):]
    if len(samples) // 10 < FEWEST_SAMPLES:
        told.append(f"growth is not judged: it takes {FEWEST_SAMPLES * 10 * STRIDE} {noun}s")
        return told, findings
    for index, (what, most, unit) in enumerate([("MiB of memory", MOST_GROWTH, MEBIBYTE), ("open files", MOST_FILES, 1)]):
        before, after = (statistics.median(sample[index] for sample in window) for window in (early, late))
        line = f"{what}: {before / unit:.0f} after warming up, {after / unit:.0f} at the end (at most {most // unit} more)"
        told.append(line)
        if after - before > most:
            findings.append(f"it grows: {line}")
    return told, findings
