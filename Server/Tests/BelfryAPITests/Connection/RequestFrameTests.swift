import BelfryWire
import NIOHTTP1
import Testing

@testable import BelfryAPI

@Suite("The framing of one request")
struct RequestFrameTests {
    private static func frame(_ method: HTTPMethod, _ fields: (String, String)...) throws -> RequestFrame {
        let headers = HTTPHeaders([("Host", "a")] + fields)
        return try RequestFrame(HTTPRequestHead(version: .http1_1, method: method, uri: "/", headers: headers))
    }

    @Test(
        "SEC-12: a length is too large by its value, not by its number of digits",
        arguments: [
            ("0", false), ("000", false), ("00000000000000000000005", false), ("00000000000000000000005 ", false),
            ("1048576", false), ("1048577", true), ("00000000000000000001048576", false),
            ("00000000000000000001048577\t", true), ("9999999999999999999", true), ("18446744073709551616", true),
        ]
    )
    func length(text: String, isOversized: Bool) throws {
        let frame = try Self.frame(.POST, ("Content-Length", text))
        #expect(frame.isOversized == isOversized && frame.isLast == isOversized)
        // As the router's edge reads it.
        let digits = text.prefix { $0 != " " && $0 != "\t" }
        #expect(isOversized == (Int(digits).map { $0 > WireLimits.maximumBodyBytes } ?? true))
    }

    @Test("SEC-7: an address or a header with a long run of marks is refused before it is compared")
    func marks() throws {
        for (count, isTaken) in [(30, true), (31, false), (4_000, false)] {
            let marks = String(
                (0..<count).flatMap { $0 % 2 == 0 ? "\u{301}".unicodeScalars : "\u{316}".unicodeScalars }
                    .map(Character.init))
            for name in ["Accept-Encoding", "X-Contact-Token", "Transfer-Encoding", "X-Other"] {
                let headers = HTTPHeaders([("Host", "a"), (name, name == "Transfer-Encoding" ? marks + "," : marks)])
                let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/", headers: headers)
                if name != "Transfer-Encoding" || !isTaken {
                    #expect(Self.isTaken(head) == isTaken, "\(name) \(count)")
                }
            }
            let encoded = marks.utf8.map { "%" + String($0, radix: 16) }.joined()
            for uri in [
                "/v3/apps/a\(encoded)/client", "/?a=b\(encoded)", "/\(encoded.uppercased())", "/%zz\(encoded)%",
            ] {
                let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: uri, headers: ["Host": "a"])
                #expect(Self.isTaken(head) == isTaken, "\(count)")
            }
        }
    }

    private static func isTaken(_ head: HTTPRequestHead) -> Bool {
        do {
            _ = try RequestFrame(head)
            return true
        } catch {
            #expect(error == .notStreamSafe)
            return false
        }
    }

    @Test(
        "SEC-7, SEC-12: the transfer coding is compared as bytes: no other character stands for a letter or a comma",
        arguments: [
            // The Kelvin sign is a k in lower case, and a mark makes another character of a comma.
            ("chun\u{212A}ed", MalformedRequest.badFraming), ("gzip,\u{301}chunked", .badFraming),
            ("chunked,\u{301},chunked", .badFraming), ("CHUNKED,\u{301}", .badFraming),
            ("gzip ,\u{301}, chunked", .unknownCoding), ("Chunked\t", nil),
        ] as [(String, MalformedRequest?)]
    )
    func codings(text: String, expected: MalformedRequest?) {
        let headers: HTTPHeaders = ["Host": "a", "Transfer-Encoding": text]
        let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/", headers: headers)
        var rejection: MalformedRequest?
        do {
            _ = try RequestFrame(head)
        } catch {
            rejection = error
        }
        #expect(rejection == expected)
    }

    @Test("SEC-12: a request to connect or to upgrade is the last of its connection")
    func upgrade() throws {
        #expect(try Self.frame(.GET, ("upgrade", "h2c"), ("Connection", "Upgrade")).isLast)
        #expect(try Self.frame(.GET, ("Upgrade", "websocket")).isLast)
        #expect(try Self.frame(.CONNECT).isLast)
        #expect(try !Self.frame(.GET).isLast)
        #expect(try !Self.frame(.POST, ("Connection", "keep-alive")).isLast)
    }

    @Test("SEC-12: a client that says close in Proxy-Connection is not kept: the parser heeds that, too")
    func proxyConnection() throws {
        #expect(try Self.frame(.GET, ("Proxy-Connection", "x, Close\t")).isLast)
        #expect(try Self.frame(.GET, ("Connection", "keep-alive"), ("proxy-connection", "close")).isLast)
        #expect(try !Self.frame(.GET, ("Proxy-Connection", "keep-alive")).isLast)
        #expect(try !Self.frame(.GET, ("Proxy-Connection", "closed")).isLast)
    }

    @Test(
        "SEC-12: a client that says close is not kept, whatever else it says (RFC 9112 §9.3)",
        arguments: [
            (["close"], true), (["keep-alive", "close"], true), (["close", "keep-alive"], true),
            (["te,\tCLOSE \t, x"], true), (["close\t"], true), (["keep-alive"], false), (["closed"], false),
            (["te"], false),
        ] as [([String], Bool)]
    )
    func close(lines: [String], saysClose: Bool) throws {
        let headers = HTTPHeaders([("Host", "a")] + lines.map { ("Connection", $0) })
        for version in [HTTPVersion.http1_0, .http1_1] {
            let frame = try RequestFrame(HTTPRequestHead(version: version, method: .GET, uri: "/", headers: headers))
            // A client of HTTP/1.0 is only kept if it asks for that.
            let isLast = saysClose || (version == .http1_0 && lines != ["keep-alive"])
            #expect(frame.isLast == isLast, "\(version)")
            #expect(frame.awaitsKeepAlive == (version == .http1_0 && !isLast), "\(version)")
        }
    }
}
