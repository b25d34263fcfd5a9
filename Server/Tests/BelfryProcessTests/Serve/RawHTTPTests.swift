import BelfryWire
import Foundation
import Testing

@Suite("Raw bytes on the wire")
struct RawHTTPTests {
    /// What the server writes in response to bytes that are not a request, or an unusual one, until it closes the
    /// connection.
    private static func answer(_ server: ServerProcess, to request: String) async throws -> (head: String, body: String)
    {
        let call = try await RawCall.open(to: server)
        try await call.write(request)
        let answer = try await call.answer
        let parts = answer.components(separatedBy: "\r\n\r\n")
        return (parts.first ?? "", parts.dropFirst().joined(separator: "\r\n\r\n"))
    }

    private static let long = String(repeating: "x", count: 20_000)
    private static let marks = String(repeating: "\u{301}\u{316}", count: 3_000)

    @Test(
        "SEC-2, WIRE-23: non-HTTP gets an error body and the end of the connection, never silence",
        .timeLimit(.minutes(10)),
        arguments: [
            ("BROKEN\r\n\r\n", 400, "badRequest"), ("GET\r\n\r\n", 400, "badRequest"),
            ("GET / HTTP/9.9\r\n\r\n", 400, "badRequest"),
            ("FOO /healthz HTTP/1.1\r\nHost: a\r\n\r\n", 400, "badRequest"),
            ("GET /healthz HTTP/1.1\r\nHost: a\r\nBad Name: x\r\n\r\n", 400, "badRequest"),
            ("GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n", 400, "badRequest"),
            ("\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\r\n\r\n", 400, "badRequest"),
            ("GET /openapi.json HTTP/1.1\r\nHost: a\r\nAccept-Encoding: \(marks)\r\n\r\n", 400, "badRequest"),
            ("GET /healthz HTTP/1.1\r\nHost: a\r\nX-Long: \(long)\r\n\r\n", 431, "headersTooLarge"),
            ("GET /\(long) HTTP/1.1\r\nHost: a\r\n\r\n", 431, "headersTooLarge"),
            (
                "GET /healthz HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X-Many: 1\r\n", count: 150) + "\r\n",
                431, "headersTooLarge"
            ),
        ]
    )
    func malformed(request: String, status: Int, code: String) async throws {
        try await withSharedServer { admin in
            let (head, body) = try await Self.answer(admin.server, to: request)
            #expect(head.hasPrefix("HTTP/1.1 \(status) "), "\(head)")
            #expect(head.lowercased().contains("connection: close"))
            #expect(head.lowercased().contains("content-length: \(body.utf8.count)"))
            let error = try JSONDecoder().decode(ErrorBody.self, from: Data(body.utf8)).error
            #expect(error.code == code && !error.message.isEmpty)
            _ = try await admin.http.call(.GET, "\(admin.server.address)/healthz")
        }
    }

    @Test("WIRE-23: a body with invalid chunks is a 400, not an error of the server", .timeLimit(.minutes(10)))
    func brokenChunks() async throws {
        try await withStage { stage in
            try await stage.withServer { server in
                let admin = stage.admin(server)
                try await admin.createApp()
                let head = """
                    POST /v3/apps/shop/client HTTP/1.1\r
                    Host: a\r
                    X-Client-Id: 6C9C4F0A-5D6B-4B2E-9B7E-0C5A2E0F2A11\r
                    Content-Type: application/json\r
                    Transfer-Encoding: chunked\r
                    \r

                    """
                let (answer, body) = try await Self.answer(server, to: head + "2\r\n{}\r\nnonsense\r\n\r\n")
                #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
                #expect(body.contains(#""code":"badRequest""#))
                #expect(!server.run.standardError.contains("a request failed"))
            }
        }
    }

    @Test(
        "SEC-2: after a request to upgrade the connection ends, so that nobody waits for a response",
        .timeLimit(.minutes(10))
    )
    func upgrade() async throws {
        try await withStage { stage in
            try await stage.withServer { server in
                let request = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
                let (head, body) = try await Self.answer(server, to: request)
                #expect(head.hasPrefix("HTTP/1.1 200 "))
                #expect(body == #"{"status":"ok"}"#)
            }
        }
    }

    @Test("SEC-2, CLI-2: --rate-limit counts on loopback too when it is set", .timeLimit(.minutes(10)))
    func rateLimit() async throws {
        try await withStage { stage in
            try await stage.withServer(options: ["--rate-limit", "6"]) { server in
                let admin = stage.admin(server)
                try await admin.createApp()
                let device = DeviceCaller(server: server, http: stage.http)
                let clock = ContinuousClock()
                let begin = clock.now
                var answered = 0
                do {
                    while answered < 100 {
                        try await device.putProperties(ClientProperties())
                        answered += 1
                    }
                    Issue.record("nobody was refused")
                } catch CallError.rejected(_, 429, let body) {
                    #expect(body.contains("tooManyRequests"))
                }
                // Without token and state an address may make twice as many calls a minute as a device; five seconds
                // give one back.
                let given = Int((clock.now - begin) / .seconds(5))
                #expect((12...12 + given).contains(answered))
            }
        }
    }
}
