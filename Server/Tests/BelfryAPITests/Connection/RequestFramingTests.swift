import BelfryWire
import Foundation
import Testing

@testable import BelfryAPI

/// The rules of RFC 9112 for messages on a connection, over real sockets: each case on the express lane and on the
/// router alone, and both answer alike.
@Suite("The framing of requests")
struct RequestFramingTests {
    /// Sends text to both servers, and takes all responses until the connections end.
    private static func answers(
        to texts: [String], count: Int, on twins: Twins
    ) async throws -> (lane: [String?], plain: [String?]) {
        let connections = try await TwinConnections.open(to: twins)
        let answers = try await connections.both { connection in
            var answers: [String?] = []
            // The server may have ended its side before all is sent; the responses tell what came of it.
            for text in texts { try? await connection.send(Array(text.utf8)) }
            for _ in 0..<count { answers.append(await connection.next()?.timeless) }
            return answers
        }
        await connections.close()
        return answers
    }

    private static func run(_ test: @escaping @Sendable (Twins, TestDevice) async throws -> Void) async throws {
        try await Twins.run { twins in
            let cast = try await twins.both { try await UploadCast(on: $0) }
            var device = TestDevice(twins.lane)
            device.id = cast.lane.guest.id
            device.contactToken = cast.lane.guest.token
            try await test(twins, device)
        }
    }

    private static let body = #"{"events":[\#(EventTests.event("e1"))]}"#
    private static let length = "Content-Length: \(body.utf8.count)"
    private static let chunks = "\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n0\r\n\r\n"

    /// The head of an upload that the lane takes, without what frames it.
    private static func head(
        _ device: TestDevice, version: String = "1.1", host: String = "Host: a\r\n", _ others: String...
    ) -> String {
        let fields = [
            "Content-Type: application/json", "X-Client-Id: \(device.id)",
            "X-Request-Order: \(device.server.clock.now.milliseconds)",
            "X-Contact-Token: \(device.contactToken ?? "")",
        ]
        let lines = (fields + others).map { "\($0)\r\n" }.joined()
        return "POST /v3/apps/shop/client/events HTTP/\(version)\r\n\(host)\(lines)\r\n"
    }

    private static func expect(
        _ answers: (lane: [String?], plain: [String?]), _ statuses: [Int?], _ comment: Comment,
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(answers.lane == answers.plain, comment, sourceLocation: location)
        let received = answers.lane.map { $0.flatMap { Int($0.prefix(3)) } }
        #expect(received == statuses, comment, sourceLocation: location)
    }

    @Test(
        "SEC-12: an announced body beyond the limit is a 413 at once on every way, whatever its length",
        .timeLimit(.minutes(10)),
        arguments: [
            ("1048577", 413), ("9223372036854775807", 413), ("9223372036854775808", 413),
            ("18446744073709551615", 413), ("18446744073709551616", 400), ("99999999999999999999999", 400),
        ]
    )
    func announced(length: String, status: Int) async throws {
        try await Self.run { twins, device in
            let text = Self.head(device, "Content-Length: \(length)")
            Self.expect(try await Self.answers(to: [text], count: 2, on: twins), [status, nil], "\(length)")
        }
    }

    @Test("SEC-12: a length is a number, with any number of zeros before it", .timeLimit(.minutes(15)))
    func zeros() async throws {
        try await Self.run { twins, device in
            let zeros = String(repeating: "0", count: 30)
            let text = Self.head(device, "Content-Length: \(zeros)\(Self.body.utf8.count)") + Self.body
            Self.expect(try await Self.answers(to: [text, text], count: 2, on: twins), [204, 204], "it is read")
            let large = Self.head(device, "Content-Length: \(zeros)\(WireLimits.maximumBodyBytes + 1)")
            Self.expect(try await Self.answers(to: [large], count: 2, on: twins), [413, nil], "it is too large")
        }
    }

    @Test(
        "SEC-12: nothing can be read after a request to upgrade, so its response ends the connection",
        .timeLimit(.minutes(15))
    )
    func upgrade() async throws {
        try await Self.run { twins, _ in
            let health = "GET /healthz HTTP/1.1\r\nHost: a\r\n"
            let text = "\(health)\r\n\(health)Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
            let answers = try await Self.answers(to: [text], count: 3, on: twins)
            Self.expect(answers, [200, 200, nil], "an upgrade")
            #expect(answers.lane.map { $0?.contains("connection: close") == true } == [false, true, false])
        }
    }

    @Test(
        "SEC-12: an Expect after another request is answered in its own turn",
        .timeLimit(.minutes(15))
    )
    func expectationBehind() async throws {
        try await Self.run { twins, device in
            let head = Self.head(device, Self.length, "Expect: 100-continue")
            let connections = try await TwinConnections.open(to: twins)
            let answers = try await connections.both { connection in
                // The first one sends its body unasked.
                try await connection.send(Array((head + Self.body + head).utf8))
                var answers = [await connection.next()?.timeless, await connection.next()?.timeless]
                try await connection.send(Array(Self.body.utf8))
                answers.append(await connection.next()?.timeless)
                return answers
            }
            Self.expect(answers, [204, 100, 204], "the second one asks")
            await connections.close()
        }
    }

    @Test(
        "SEC-12: a refused body that is sent all the same does not suppress the response",
        .timeLimit(.minutes(10))
    )
    func lingers() async throws {
        try await Self.run { twins, device in
            let length = WireLimits.maximumBodyBytes + 400_000
            let body = String(repeating: " ", count: length)
            let texts = [Self.head(device, "Content-Length: \(length)"), body]
            let answers = try await Self.answers(to: texts, count: 2, on: twins)
            Self.expect(answers, [413, nil], "sent all the same")
            #expect(answers.lane.first??.contains("connection: close") == true)
        }
    }

    @Test(
        "SEC-12: however much follows an unreadable request, its response arrives, and those before it",
        .timeLimit(.minutes(10))
    )
    func flood() async throws {
        try await Self.run { twins, device in
            let text = Self.head(device, Self.length) + Self.body + "BROKEN\r\n\r\n"
            let answers = try await Self.answers(
                to: [text + String(repeating: " ", count: 3_000_000)], count: 3, on: twins
            )
            Self.expect(answers, [204, 400, nil], "3 MB of blanks")
        }
    }

    @Test(
        "SEC-12: however long a body without a length is, its response arrives, and those before it",
        .timeLimit(.minutes(10))
    )
    func floodOfChunks() async throws {
        try await Self.run { twins, device in
            let text = Self.head(device, Self.length) + Self.body + Self.head(device, "Transfer-Encoding: chunked")
            let chunk = "10000\r\n" + String(repeating: " ", count: 65_536) + "\r\n"
            let answers = try await Self.answers(
                to: [text + String(repeating: chunk, count: 48)], count: 3, on: twins
            )
            // Whether the last response says that the connection ends depends on how much has arrived by then.
            for way in [answers.lane, answers.plain] {
                let statuses = way.map { $0.map { String($0.prefix(3)) } }
                #expect(statuses == ["204", "413", nil])
            }
        }
    }

    @Test("SEC-12: a client that expects 100 gets it, or the error", .timeLimit(.minutes(10)))
    func expectation() async throws {
        try await Self.run { twins, device in
            let length = Self.length
            var unauthenticated = device
            unauthenticated.contactToken = "eyJhbGciOiJIUzI1NiJ9.e30.AAAA"
            let asks = "Expect: 100-continue"
            let cases: [(head: String, then: String?, statuses: [Int?])] = [
                (Self.head(device, length, asks), Self.body, [100, 204]),
                (Self.head(device, length, "Expect: 100-Continue"), Self.body, [100, 204]),
                (Self.head(device, "Transfer-Encoding: chunked", asks), Self.chunks, [100, 204]),
                // The connection cannot continue: nobody knows whether the body comes.
                (Self.head(unauthenticated, length, asks), nil, [401, nil]),
                (Self.head(device, "Content-Length: 2000000", asks), nil, [413, nil]),
                (Self.head(device, length, "Expect: 200-ok") + Self.body, nil, [417]),
                // A client of HTTP/1.0 does not know that word.
                (Self.head(device, version: "1.0", length, asks), Self.body, [204, nil]),
                // There is nothing to send, so no client is asked to send.
                ("GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n", nil, [200]),
            ]
            for (index, (head, rest, statuses)) in cases.enumerated() {
                let connections = try await TwinConnections.open(to: twins)
                let answers = try await connections.both { connection in
                    try await connection.send(Array(head.utf8))
                    var answers: [String?] = []
                    if statuses.first == 100 { answers.append(await connection.next()?.timeless) }
                    if let rest { try await connection.send(Array(rest.utf8)) }
                    while answers.count < statuses.count { answers.append(await connection.next()?.timeless) }
                    return answers
                }
                Self.expect(answers, statuses, "case \(index)")
                await connections.close()
            }
        }
    }

    @Test(
        "SEC-12: a body that comes with its head is accepted with or without Expect; nothing else is sent",
        .timeLimit(.minutes(10))
    )
    func hasty() async throws {
        try await Self.run { twins, device in
            let text =
                Self.head(device, Self.length, "Expect: 100-continue") + Self.body
            let health = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            Self.expect(try await Self.answers(to: [text + health], count: 3, on: twins), [204, 200, nil], "hasty")
        }
    }

    @Test(
        "SEC-12: a connection stays open as the version and the header Connection say (RFC 9112 §9.3)",
        .timeLimit(.minutes(10)),
        arguments: [
            ("1.0", "", "close", true), ("1.0", "Connection: keep-alive\r\n", "keep-alive", false),
            ("1.0", "Connection: Keep-Alive\r\n", "keep-alive", false), ("1.0", "Connection: te\r\n", "close", true),
            ("1.1", "", nil, false), ("1.1", "Connection: close\r\n", "close", true),
            ("1.1", "Connection: Close\r\n", "close", true), ("1.1", "Connection: te, close\r\n", "close", true),
            ("1.1", "Connection: keep-alive\r\n", nil, false),
            // Who says both wants the end, and a tab is a blank.
            ("1.0", "Connection: close, keep-alive\r\n", "close", true),
            ("1.0", "Connection: keep-alive\r\nConnection: close\r\n", "close", true),
            ("1.1", "Connection: close\t\r\n", "close", true), ("1.1", "Connection: te,\tClose\t\r\n", "close", true),
            ("1.1", "Connection: closed\r\n", nil, false),
        ] as [(String, String, String?, Bool)]
    )
    func persistence(version: String, field: String, said: String?, ends: Bool) async throws {
        try await Self.run { twins, device in
            let heads = [
                "GET /healthz HTTP/\(version)\r\nHost: a\r\n\(field)\r\n",
                Self.head(device, version: version, host: "Host: a\r\n\(field)", Self.length) + Self.body,
            ]
            for (index, text) in heads.enumerated() {
                let answers = try await Self.answers(to: [text + text], count: 2, on: twins)
                let status = index == 0 ? 200 : 204
                Self.expect(answers, [status, ends ? nil : status], "\(version) \(field)")
                for response in answers.lane.compactMap({ $0 }) {
                    let lines = response.split(separator: "\n").filter { $0.hasPrefix("connection: ") }.map(String.init)
                    #expect(lines == (said.map { ["connection: \($0)"] } ?? []), "\(version) \(field)")
                }
            }
        }
    }

    @Test(
        "SEC-12: an HTTP/1.1 request without one valid Host is a 400 in its turn",
        .timeLimit(.minutes(10)),
        arguments: [
            ("1.1", "", false), ("1.1", "Host: a\r\nHost: a\r\n", false), ("1.1", "Host: a b\r\n", false),
            ("1.1", "Host: a/b\r\n", false), ("1.1", "Host: a@b\r\n", false), ("1.1", "Host: a:x\r\n", false),
            ("1.1", "Host: [::1\r\n", false), ("1.1", "Host: a, b\r\n", false),
            ("1.0", "Host: a\r\nHost: b\r\n", false),
            ("1.1", "Host: \r\n", true), ("1.1", "hOST: shop.example:8080\r\n", true),
            ("1.1", "Host: [::1]:80\r\n", true),
            ("1.0", "", true),
        ]
    )
    func host(version: String, field: String, isTaken: Bool) async throws {
        try await Self.run { twins, device in
            let keep = version == "1.0" ? "\(field)Connection: keep-alive\r\n" : field
            let request = Self.head(device, version: version, host: keep, Self.length) + Self.body
            let answers = try await Self.answers(to: [request], count: isTaken ? 1 : 2, on: twins)
            Self.expect(answers, isTaken ? [204] : [400, nil], "\(field)")
            guard !isTaken else { return }
            #expect(answers.lane.first??.contains("connection: close") == true)
            // Behind others it is answered in its turn, and nothing behind it is.
            let first = Self.head(device, Self.length) + Self.body
            let health = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
            for text in [first + request + first, health + request + health, first + health + request] {
                let answers = try await Self.answers(to: [text], count: 4, on: twins)
                let received = answers.lane.compactMap { $0 }.map { $0.prefix(3) }
                #expect(answers.lane == answers.plain, "\(field)")
                #expect(received.last == "400" && received.dropLast().allSatisfy { $0.hasPrefix("20") }, "\(received)")
                #expect(received.count == (text == first + health + request ? 3 : 2))
            }
        }
    }

    @Test(
        "SEC-12: a transfer coding other than chunked, or two lengths, is refused (RFC 9112 §6.1, §6.3)",
        .timeLimit(.minutes(10)),
        arguments: [
            ("1.1", ["Transfer-Encoding: gzip, chunked"], 501), ("1.1", ["Transfer-Encoding: gzip"], 400),
            ("1.1", ["Transfer-Encoding: gzip", "Transfer-Encoding: chunked"], 501),
            ("1.1", ["Transfer-Encoding: chunked, chunked"], 400), ("1.1", ["Transfer-Encoding: chunked, gzip"], 400),
            ("1.1", ["Transfer-Encoding: identity"], 400), ("1.1", ["Transfer-Encoding: xchunked"], 400),
            ("1.1", ["Transfer-Encoding: chun\u{212A}ed"], 400),
            ("1.1", ["Transfer-Encoding: gzip,\u{301}chunked"], 400),
            ("1.1", ["Transfer-Encoding: chunked,\u{301},chunked"], 400),
            ("1.0", ["Transfer-Encoding: chunked"], 400),
            ("1.1", ["Content-Length: 13", "Transfer-Encoding: chunked"], 400),
            ("1.1", ["Transfer-Encoding: chunked", "Content-Length: 13"], 400),
            ("1.1", ["Content-Length: 13", "Content-Length: 13"], 400), ("1.1", ["Content-Length: 13, 13"], 400),
            ("1.1", ["Content-Length: +13"], 400), ("1.1", ["Content-Length: -1"], 400),
        ]
    )
    func codings(version: String, fields: [String], status: Int) async throws {
        try await Self.run { twins, device in
            let lines = fields.map { "\($0)\r\n" }.joined()
            let text =
                Self.head(device, version: version, host: "Host: a\r\n\(lines)") + Self.chunks
            Self.expect(try await Self.answers(to: [text], count: 2, on: twins), [status, nil], "\(fields)")
        }
    }

    @Test(
        "SEC-12: a request gets one response, even if its head is refused and its body breaks off",
        .timeLimit(.minutes(10)),
        arguments: [
            "-1\r\nx\r\n", "11111111111111111\r\nx\r\n", "2\n{}\n", "0\r\nContent-Length: 2\r\n\r\n",
        ], [false, true]
    )
    func oneAnswer(rest: String, isAnswered: Bool) async throws {
        try await Self.run { twins, _ in
            let text =
                "POST /v3/apps/shop/client/events HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"
            let connections = try await TwinConnections.open(to: twins)
            let answers = try await connections.both { connection in
                try await connection.send(Array((isAnswered ? text : text + rest).utf8))
                var answers = [await connection.next()?.timeless]
                if isAnswered { try await connection.send(Array(rest.utf8)) }
                answers.append(await connection.next()?.timeless)
                return answers
            }
            Self.expect(answers, [400, nil], "\(rest)")
            await connections.close()
        }
    }

    @Test(
        "SEC-12: whoever says close in trailers or in Proxy-Connection gets the end, and not a 400 to the next request",
        .timeLimit(.minutes(10)), arguments: ["Connection", "Proxy-Connection"]
    )
    func closeElsewhere(field: String) async throws {
        try await Self.run { twins, device in
            let chunk = "\(String(Self.body.utf8.count, radix: 16))\r\n\(Self.body)\r\n0\r\n"
            let next = Self.head(device, Self.length) + Self.body
            let texts = [
                Self.head(device, "Transfer-Encoding: chunked") + chunk + "\(field): close\r\n\r\n" + next,
                Self.head(device, "\(field): close", Self.length) + Self.body + next,
            ]
            for text in texts {
                let answers = try await Self.answers(to: [text], count: 2, on: twins)
                Self.expect(answers, [204, nil], "\(field)")
                #expect(answers.lane.first??.contains("connection: close") == true)
            }
        }
    }

    @Test("WIRE-6: the coding chunked is case-insensitive", .timeLimit(.minutes(10)))
    func chunked() async throws {
        try await Self.run { twins, device in
            for field in ["Transfer-Encoding: Chunked", "TRANSFER-ENCODING:\tchunked "] {
                let text = Self.head(device, field) + Self.chunks
                Self.expect(try await Self.answers(to: [text], count: 1, on: twins), [204], "\(field)")
            }
        }
    }
}
