"""An identity provider of the tests' own (OpenID Connect Core 1.0): its tokens are signed by PyJWT, which we did not
write. It keeps to the rules; the hostile variants are in `Server/Tests/BelfryConsoleTests`."""
import base64
import hashlib
import html
import http.server
import json
import sys
import threading
import time
import urllib.parse

PEOPLE = {
    "ann": {"name": "Ann Ace", "email": "ann@example.com", "email_verified": True},
    "mallory": {"name": "Olaf Night", "email": "operator", "email_verified": True},
}
CLIENT = ("belfry", "a secret of the client")
PAGE = """<!doctype html><html lang="en"><head><title>Example</title><link rel="icon" href="data:,"></head><body><main><h1>Example</h1>
<form method="post" action="/sign-in?{query}">{buttons}<button name="who" value="">Decline</button></form></main></body></html>"""


class Provider:
    """Listens while the block lasts."""

    def __init__(self, libraries):
        sys.path.append(str(libraries))
        import jwt
        from cryptography.hazmat.primitives.asymmetric import ec

        self._jwt = jwt
        self._key = ec.generate_private_key(ec.SECP256R1())
        self.grants = {}
        self.failures = []

    def __enter__(self):
        provider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                provider.answer(self, None)

            def do_POST(self):
                provider.answer(self, self.rfile.read(int(self.headers["Content-Length"] or 0)).decode())

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def answer(self, call, body):
        parts = urllib.parse.urlsplit(call.path)
        query = dict(urllib.parse.parse_qsl(parts.query))
        form = dict(urllib.parse.parse_qsl(body or ""))
        pages = {
            "/.well-known/openid-configuration": self._document, "/keys": self._keys, "/authorize": self._ask,
            "/sign-in": self._decide, "/token": self._token,
        }
        status, headers, text = pages.get(parts.path, lambda *_: (404, {}, ""))(call, query, form)
        call.send_response(status)
        for name, value in headers.items():
            call.send_header(name, value)
        data = text.encode()
        call.send_header("Content-Length", str(len(data)))
        call.end_headers()
        call.wfile.write(data)

    def _document(self, *_):
        return _json({
            "issuer": self.issuer, "authorization_endpoint": self.issuer + "/authorize",
            "token_endpoint": self.issuer + "/token", "jwks_uri": self.issuer + "/keys",
            "response_types_supported": ["code"], "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["ES256"],
            "authorization_response_iss_parameter_supported": True,
        })

    def _keys(self, *_):
        key = json.loads(self._jwt.algorithms.ECAlgorithm.to_jwk(self._key.public_key()))
        return _json({"keys": [dict(key, kid="first", use="sig", alg="ES256")]})

    def _ask(self, _, query, __):
        missing = {"client_id", "redirect_uri", "state", "nonce", "code_challenge"} - set(query)
        if missing or query.get("code_challenge_method") != "S256" or query["client_id"] != CLIENT[0]:
            self.failures.append(f"a bad request for a code: {sorted(query)}")
            return 400, {}, "bad request"
        buttons = "".join(f'<button name="who" value="{who}">{html.escape(PEOPLE[who]["name"])}, {who}</button>' for who in PEOPLE)
        page = PAGE.format(query=html.escape(urllib.parse.urlencode(query)), buttons=buttons)
        return 200, {"Content-Type": "text/html; charset=utf-8"}, page

    def _decide(self, _, query, form):
        back = {"state": query["state"], "iss": self.issuer}
        if form.get("who"):
            code = base64.urlsafe_b64encode(hashlib.sha256(query["state"].encode()).digest()).decode()
            self.grants[code] = (form["who"], query)
            back["code"] = code
        else:
            back["error"] = "access_denied"
        return 303, {"Location": query["redirect_uri"] + "?" + urllib.parse.urlencode(back)}, ""

    def _token(self, call, _, form):
        pair = base64.b64decode(call.headers.get("Authorization", "").removeprefix("Basic ")).decode()
        known = tuple(urllib.parse.unquote(part) for part in pair.partition(":")[::2])
        who, query = self.grants.pop(form.get("code"), (None, {}))
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if not who or known != CLIENT or challenge != query["code_challenge"] or form["redirect_uri"] != query["redirect_uri"]:
            self.failures.append(f"a bad request for a token: {sorted(form)}")
            return 400, {"Content-Type": "application/json"}, '{"error":"invalid_grant"}'
        now = int(time.time())
        claims = dict(PEOPLE[who], iss=self.issuer, sub="id-of-" + who, aud=CLIENT[0], iat=now, exp=now + 300, nonce=query["nonce"])
        token = self._jwt.encode(claims, self._key, algorithm="ES256", headers={"kid": "first"})
        return _json({"access_token": "unused", "token_type": "Bearer", "id_token": token})


def _json(value):
    return 200, {"Content-Type": "application/json"}, json.dumps(value)
