"""Simulated push services, in a process of their own."""
import json
import os
import tempfile
import urllib.request

from console import Program, free_port


class PushServices(Program):
    """`belfry simulate push-services` with a port for browsers."""

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="belfry-push-")
        self.trust_roots = os.path.join(self._folder.name, "root.pem")
        # The one that takes its place has to get the same port, which nothing may have taken meanwhile.
        self._port = free_port()
        self._begin()
        return self

    def forget(self):
        """Another service takes its place for browsers, and knows none of them. Its certificates are others, too."""
        super().__exit__()
        self._begin()

    def _begin(self):
        self.start(
            "simulate", "push-services", "--browser-port", str(self._port), "--trust-root-file", self.trust_roots)
        found = {}
        for line in self.lines():
            name, _, value = line.partition("  ")
            found[name] = value.strip()
            if name == "Seed":
                break
        self.browsers = found["Firefox"]
        self.control = found["Control API"]

    def __exit__(self, *arguments):
        super().__exit__(*arguments)
        self._folder.cleanup()

    def statistics(self):
        with urllib.request.urlopen(self.control + "/webpush/statistics", timeout=300) as response:
            return json.load(response)
