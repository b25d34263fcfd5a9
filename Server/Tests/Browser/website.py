"""A website of the tests' own, on this machine."""
import http.server
import json
import os
import threading

TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8"}
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "site")


class Site:
    """Serves the files of `site`, and who the server is, at `http://localhost:PORT`, until the block ends.

    `lines`: what `belfry app web --json` says; with it the pages use the SDK, by these very lines.
    """

    def __init__(self, **settings):
        self.settings = settings
        self.lines = None

    def __enter__(self):
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body, kind = site.file(self.path)
                self.send_response(200 if body is not None else 404)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body or b"")))
                self.send_header("Cache-Control", "no-store")
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        # Only `localhost` is a secure context without TLS.
        self.address = f"http://localhost:{self._server.server_address[1]}"
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def file(self, path):
        lines = [f"const {name} = {json.dumps(value)};" for name, value in self.settings.items()]
        if path == "/settings.js":
            return "\n".join("export " + line for line in lines).encode(), TYPES[".js"]
        if path == "/settings-worker.js":
            return "\n".join(lines).encode(), TYPES[".js"]
        if self.lines and path == "/belfry-sw.js":
            return self.lines["worker"].encode(), TYPES[".js"]
        if self.lines and path in ("/", "/offer"):
            return self._with_sdk().encode(), TYPES[".html"]
        name = "index.html" if path in ("/", "/offer") else path.removeprefix("/")
        if name not in os.listdir(FOLDER):
            return None, "text/plain"
        with open(os.path.join(FOLDER, name), "rb") as file:
            return file.read(), TYPES[os.path.splitext(name)[1]]

    def _with_sdk(self):
        # The test has to reach what the lines keep to themselves.
        lines = self.lines["page"].replace("const belfry =", "const belfry = window.belfry =")
        return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>A shop</title>
{lines}
<script type="module" src="/sdk.js"></script>
</head>
<h1>A shop</h1>
</html>
"""
