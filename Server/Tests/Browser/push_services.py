"""Simulated push services, in a process of their own."""
import json
import os
import re
import tempfile
import urllib.request

from console import Program


class PushServices(Program):
    """`belfry simulate push-services` with a port for browsers."""

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="belfry-push-")
        self.trust_roots = os.path.join(self._folder.name, "root.pem")
        self._begin("0")
        return self

    def forget(self):
        """Another service takes its place for browsers, and knows none of them. Its certificates are others, too."""
        port = re.search(r":(\d+)", self.browsers).group(1)
        super().__exit__()
        self._begin(port)

    def _begin(self, browser_port):
        self.start("simulate", "push-services", "--browser-port", browser_port, "--trust-root-file", self.trust_roots)
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
